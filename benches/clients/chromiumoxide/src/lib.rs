//! What chromiumoxide does with a message, without its client: tokio-tungstenite reads it, serde_json makes its enumeration of
//! all events of it.

use bench_common::{Arguments, Meter, Value, emit, json, since, unsupported};
use chromiumoxide_cdp::cdp::browser_protocol::network::EventRequestWillBeSent;
use chromiumoxide_cdp::cdp::{CdpEvent, CdpEventMessage};
use chromiumoxide_types::Message;
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Counts allocations, where the program has an allocator that does.
pub type Allocations = fn() -> Value;

pub fn run(allocations: Option<Allocations>) {
    let arguments = Arguments::read();
    let kind = match arguments.scenario.as_str() {
        "decode" | "decode_allocs" => "event",
        kind @ ("small" | "event" | "big") => kind,
        _ => return unsupported(),
    };
    let count: usize = arguments.number("n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    let figures = runtime.block_on(taken(&arguments.endpoint, kind, count, allocations));
    emit(count, &figures);
}

async fn taken(url: &str, kind: &str, count: usize, allocations: Option<Allocations>) -> [Value; 2] {
    let address =
        url.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).expect("a ws:// endpoint");
    let socket = TcpStream::connect(address).await.expect("the endpoint listens");
    socket.set_nodelay(true).expect("a socket takes options");
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let connecting = tokio_tungstenite::client_async_with_config(url, socket, Some(config));
    let (mut websocket, _) = connecting.await.expect("the server upgrades");

    let params = json!({ "kind": kind, "count": count, "sessions": 1 });
    let blast = json!({ "id": 1, "method": "Mock.blast", "params": params }).to_string();
    let before = allocations.map(|count| count());
    let meter = Meter::start();
    websocket.send(tungstenite::Message::text(blast)).await.expect("the server takes commands");
    let mut events = 0;
    loop {
        let message = websocket.next().await.expect("the connection lasts").expect("a message");
        let tungstenite::Message::Text(text) = message else { continue };
        match serde_json::from_str::<Message<CdpEventMessage>>(&text).expect("a message of the protocol") {
            Message::Response(_) => break,
            Message::Event(event) => events += usize::from(is_expected(kind, &event)),
        }
    }
    let figures = meter.stop();
    assert_eq!(events, count);
    let counts = match (before, allocations) {
        (Some(before), Some(count)) => since(&before, &count()),
        _ => json!({}),
    };
    [figures, counts]
}

/// Looks at as much of an event as ours does.
fn is_expected(kind: &str, event: &CdpEventMessage) -> bool {
    match &event.params {
        CdpEvent::NetworkRequestWillBeSent(event) => {
            let event: &EventRequestWillBeSent = event;
            kind == "event" && event.request.method == "GET"
        }
        _ => kind != "event",
    }
}
