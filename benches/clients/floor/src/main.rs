//! As little as a client can do: one thread, blocking reads, commands built beforehand, no JSON. No usable client.

mod browser;
mod connection;
mod launch;

use bench_common::{Arguments, Meter, emit, unsupported};
use connection::Connection;

fn main() {
    let arguments = Arguments::read();
    match arguments.scenario.as_str() {
        "launch" => return launch::launch(&arguments),
        "evaluate" => return launch::evaluate(&arguments),
        "pages" => return launch::pages(&arguments),
        _ => {}
    }
    let mut connection = Connection::open(&arguments.endpoint);
    match arguments.scenario.as_str() {
        "small" | "event" | "big" => unread(&arguments, &mut connection),
        "rtt" => browser::sequential(&arguments, &mut connection),
        "inflight" => browser::in_flight(&arguments, &mut connection),
        "console" | "console_unread" => browser::console(&arguments, &mut connection),
        "string" => browser::string(&arguments, &mut connection),
        "png" => browser::png(&arguments, &mut connection),
        _ => unsupported(),
    }
}

/// Takes messages of the mock server up to the answer that follows them.
fn unread(arguments: &Arguments, connection: &mut Connection) {
    let count: usize = arguments.number("n");
    let params = format!("{{\"kind\":\"{}\",\"count\":{count},\"sessions\":1}}", arguments.scenario);
    let meter = Meter::start();
    let id = connection.post("Mock.blast", &params, None);
    let (_, events) = connection.answer(id);
    let figures = meter.stop();
    assert_eq!(events, count);
    emit(count, &[figures]);
}
