//! cdp-protocol as a measured client, through its public interface and with its defaults.

mod browser;
mod mock;

use std::fs::OpenOptions;

use bench_common::{Arguments, Value, unsupported};
use cdp_protocol::{Client, Settings};

/// Counts allocations, where the program has an allocator that does.
pub type Allocations = fn() -> Value;

/// Runs the scenario of the command line, on one thread unless it says `runtime=multi`.
pub fn run(allocations: Option<Allocations>) {
    let arguments = Arguments::read();
    let mut runtime = if arguments.is("runtime", "multi") {
        tokio::runtime::Builder::new_multi_thread()
    } else {
        tokio::runtime::Builder::new_current_thread()
    };
    let runtime = runtime.enable_all().build().expect("a runtime can be made");
    runtime.block_on(scenario(&arguments, allocations));
}

async fn scenario(arguments: &Arguments, allocations: Option<Allocations>) {
    let client = connect(&arguments.endpoint).await;
    match arguments.scenario.as_str() {
        "small" | "event" | "big" => mock::unread(arguments, &client).await,
        "decode" | "decode_allocs" => mock::decode(arguments, &client, allocations).await,
        "route" => mock::route(arguments, &client).await,
        "rtt" => browser::sequential(arguments, &client).await,
        "inflight" => browser::in_flight(arguments, &client).await,
        "console" => browser::console(arguments, &client).await,
        "console_unread" => browser::console_unread(arguments, &client).await,
        "string" => browser::string(arguments, &client).await,
        "png" => browser::png(arguments, &client).await,
        _ => unsupported(),
    }
}

async fn connect(endpoint: &str) -> Client {
    if endpoint != "pipe" {
        return Client::connect(endpoint).await.expect("the endpoint can be connected to");
    }
    let reads = OpenOptions::new().read(true).open("/proc/self/fd/4").expect("a pipe to read from");
    let writes = OpenOptions::new().write(true).open("/proc/self/fd/3").expect("a pipe to write to");
    Client::from_pipe(reads.into(), writes.into(), Settings::default()).expect("both are pipes")
}
