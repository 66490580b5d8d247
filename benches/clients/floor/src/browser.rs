//! The scenarios that need a browser.

use std::ops::Range;
use std::time::Instant;

use bench_common::{Arguments, Meter, emit, json, percentiles};

use crate::connection::{Connection, reply_id};

/// Ids of prepared commands; below are those of the setup.
const FIRST_ID: usize = 1_000_000;
const WARM_UP: usize = 500;

/// A page at the scenario's URL: its session.
pub fn page(arguments: &Arguments, connection: &mut Connection) -> String {
    let created = connection.call("Target.createTarget", "{\"url\":\"about:blank\"}", None);
    let params = format!("{{\"targetId\":\"{}\",\"flatten\":true}}", member(&created, "targetId"));
    let attached = connection.call("Target.attachToTarget", &params, None);
    let session = member(&attached, "sessionId").to_owned();
    connection.call("Page.enable", "{}", Some(&session));
    connection.post("Page.navigate", &format!("{{\"url\":\"{}\"}}", arguments.text("url")), Some(&session));
    loop {
        let message = connection.next();
        if connection.buffer[message].starts_with(b"{\"method\":\"Page.loadEventFired\"") {
            break;
        }
    }
    connection.call("Page.disable", "{}", Some(&session));
    session
}

/// A context with a page that is attached and has answered: the context.
pub fn context_with_page(connection: &mut Connection) -> String {
    let created = connection.call("Target.createBrowserContext", "{}", None);
    let context = member(&created, "browserContextId").to_owned();
    let params = format!("{{\"url\":\"about:blank\",\"browserContextId\":\"{context}\"}}");
    let created = connection.call("Target.createTarget", &params, None);
    let params = format!("{{\"targetId\":\"{}\",\"flatten\":true}}", member(&created, "targetId"));
    let attached = connection.call("Target.attachToTarget", &params, None);
    let session = member(&attached, "sessionId").to_owned();
    connection.call("Page.enable", "{}", Some(&session));
    context
}

fn member<'a>(json: &'a str, key: &str) -> &'a str {
    let value = json.split_once(&format!("\"{key}\":\"")).and_then(|(_, rest)| rest.split_once('"'));
    value.unwrap_or_else(|| panic!("no {key} in {json}")).0
}

fn evaluate(expression: &str) -> String {
    json!({ "expression": expression, "returnByValue": true }).to_string()
}

/// Commands ready to be sent one after another.
struct Prepared {
    bytes: Vec<u8>,
    cuts: Vec<usize>,
}

impl Prepared {
    fn new(connection: &Connection, count: usize, session: &str) -> Prepared {
        let (mut bytes, mut cuts) = (Vec::new(), vec![0]);
        for id in FIRST_ID..FIRST_ID + count {
            let params = "{\"expression\":\"1+1\",\"returnByValue\":true}";
            let json = format!(
                "{{\"id\":{id},\"method\":\"Runtime.evaluate\",\"params\":{params},\"sessionId\":\"{session}\"}}"
            );
            connection.frame(json.as_bytes(), &mut bytes);
            cuts.push(bytes.len());
        }
        Prepared { bytes, cuts }
    }

    fn range(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[self.cuts[range.start]..self.cuts[range.end]]
    }
}

fn one_by_one(connection: &mut Connection, count: usize, commands: &Prepared) -> Vec<u64> {
    let mut times = Vec::with_capacity(count);
    for index in 0..count {
        let start = Instant::now();
        connection.send(commands.range(index..index + 1));
        connection.answer((FIRST_ID + index) as u64);
        times.push(start.elapsed().as_nanos() as u64);
    }
    times
}

pub fn sequential(arguments: &Arguments, connection: &mut Connection) {
    let count: usize = arguments.number("n");
    let session = page(arguments, connection);
    let commands = Prepared::new(connection, count.max(WARM_UP), &session);
    one_by_one(connection, WARM_UP, &commands);
    let meter = Meter::start();
    let mut times = one_by_one(connection, count, &commands);
    emit(count, &[meter.stop(), percentiles(&mut times)]);
}

pub fn in_flight(arguments: &Arguments, connection: &mut Connection) {
    let (count, depth): (usize, usize) = (arguments.number("n"), arguments.number("depth"));
    let session = page(arguments, connection);
    let commands = Prepared::new(connection, count.max(WARM_UP), &session);
    one_by_one(connection, WARM_UP, &commands);
    let meter = Meter::start();
    let (mut sent, mut received) = (depth.min(count), 0);
    connection.send(commands.range(0..sent));
    while received < count {
        let message = connection.next();
        received += usize::from(reply_id(&connection.buffer[message]).is_some());
        // As many new ones as there were answers to be had at once, in one write.
        let next = (received + depth).min(count);
        if next > sent && !connection.has_next() {
            connection.send(commands.range(sent..next));
            sent = next;
        }
    }
    emit(count, &[meter.stop()]);
}

pub fn console(arguments: &Arguments, connection: &mut Connection) {
    let count: usize = arguments.number("n");
    let session = page(arguments, connection);
    connection.call("Runtime.enable", "{}", Some(&session));
    let meter = Meter::start();
    let id = connection.post("Runtime.evaluate", &evaluate(arguments.text("js")), Some(&session));
    let (_, events) = connection.answer(id);
    let figures = meter.stop();
    assert!(events >= count, "{events} of {count} events came before the answer");
    emit(count, &[figures]);
}

/// Where the value of a text member stands.
fn text_value(connection: &Connection, message: Range<usize>, key: &str) -> Range<usize> {
    let pattern = format!("\"{key}\":\"");
    let head = &connection.buffer[message.start..message.end.min(message.start + 200)];
    let at = head.windows(pattern.len()).position(|bytes| bytes == pattern.as_bytes());
    let start = message.start + at.expect("the answer has the member") + pattern.len();
    let length = memchr::memchr(b'"', &connection.buffer[start..message.end]).expect("texts end");
    start..start + length
}

pub fn string(arguments: &Arguments, connection: &mut Connection) {
    let size: usize = arguments.number("size");
    let session = page(arguments, connection);
    connection.call("Runtime.evaluate", &evaluate("'w'.repeat(1000)"), Some(&session));
    let meter = Meter::start();
    let id = connection.post("Runtime.evaluate", &evaluate(&format!("'x'.repeat({size})")), Some(&session));
    let (answer, _) = connection.answer(id);
    let value = text_value(connection, answer, "value");
    let figures = meter.stop();
    assert_eq!(value.len(), size);
    emit(1, &[figures, json!({ "payload": size })]);
}

pub fn png(arguments: &Arguments, connection: &mut Connection) {
    let session = page(arguments, connection);
    let meter = Meter::start();
    let id = connection.post(
        "Page.captureScreenshot",
        "{\"format\":\"png\",\"captureBeyondViewport\":true,\"clip\":{\"x\":0,\"y\":0,\"width\":1280,\"height\":12000,\"scale\":1}}",
        Some(&session),
    );
    let (answer, _) = connection.answer(id);
    let data = text_value(connection, answer, "data");
    let payload = data.len();
    let decoded = decode_in_place(&mut connection.buffer[data.clone()]);
    let figures = meter.stop();
    assert!(connection.buffer[data].starts_with(b"\x89PNG"));
    emit(1, &[figures, json!({ "payload": payload, "png": decoded })]);
}

/// Decodes base64 where it stands and gives the decoded length.
fn decode_in_place(text: &mut [u8]) -> usize {
    let mut values = [0; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (value, byte) in (0..).zip(alphabet) {
        values[usize::from(*byte)] = value;
    }
    let mut end = 0;
    for start in (0..text.len()).step_by(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|offset| values[usize::from(text[start + offset])]);
        let bits: u32 = a << 18 | b << 12 | c << 6 | d;
        let padding = text[start + 2..start + 4].iter().filter(|byte| **byte == b'=').count();
        text[end..end + 3].copy_from_slice(&bits.to_be_bytes()[1..]);
        end += 3 - padding;
    }
    end
}
