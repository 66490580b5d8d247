//! Websocket crates alone, as readers of the mock server: each takes whole messages and looks at none of them.

use bench_common::{Arguments, Meter, Value, emit, json, unsupported};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn main() {
    let arguments = Arguments::read();
    if !matches!(arguments.scenario.as_str(), "small" | "event" | "big") {
        return unsupported();
    }
    let count = arguments.number("n");
    let params = json!({ "kind": arguments.scenario, "count": count, "sessions": 1 });
    let blast = json!({ "id": 1, "method": "Mock.blast", "params": params }).to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
    let figures = runtime.block_on(async {
        let url = arguments.endpoint.as_str();
        let address =
            url.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).expect("a ws:// endpoint");
        let socket = TcpStream::connect(address).await.expect("the endpoint listens");
        socket.set_nodelay(true).expect("a socket takes options");
        match arguments.text("crate") {
            "tokio-tungstenite" => tokio_tungstenite(url, socket, blast, count).await,
            "fastwebsockets" => fastwebsockets(address, socket, blast, count).await,
            "tokio-websockets" => tokio_websockets(url, socket, blast, count).await,
            other => panic!("there is no {other} here"),
        }
    });
    emit(count, &[figures]);
}

// In each, the answer of the mock server is the message after `count` others.

async fn tokio_tungstenite(url: &str, socket: TcpStream, blast: String, count: usize) -> Value {
    use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let connecting = tokio_tungstenite::client_async_with_config(url, socket, Some(config));
    let (mut websocket, _) = connecting.await.expect("the server upgrades");
    let meter = Meter::start();
    websocket.send(Message::text(blast)).await.expect("the server takes commands");
    let mut taken = 0;
    while taken <= count {
        let message = websocket.next().await.expect("the connection lasts").expect("a message");
        taken += usize::from(message.is_text());
    }
    meter.stop()
}

async fn fastwebsockets(address: &str, mut socket: TcpStream, blast: String, count: usize) -> Value {
    use fastwebsockets::{Frame, OpCode, Payload, Role, WebSocket};
    let request = format!(
        "GET /mock HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).await.expect("the server takes a request");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.expect("the server answers"));
    }
    let mut websocket = WebSocket::after_handshake(socket, Role::Client);
    websocket.set_max_message_size(1 << 30);
    let meter = Meter::start();
    let frame = Frame::text(Payload::Owned(blast.into_bytes()));
    websocket.write_frame(frame).await.expect("the server takes commands");
    let mut taken = 0;
    while taken <= count {
        let frame = websocket.read_frame().await.expect("a message");
        taken += usize::from(frame.opcode == OpCode::Text);
    }
    meter.stop()
}

async fn tokio_websockets(url: &str, socket: TcpStream, blast: String, count: usize) -> Value {
    use tokio_websockets::{ClientBuilder, Limits, Message};
    let builder = ClientBuilder::new().uri(url).expect("a URI").limits(Limits::unlimited());
    let (mut websocket, _) = builder.connect_on(socket).await.expect("the server upgrades");
    let meter = Meter::start();
    websocket.send(Message::text(blast)).await.expect("the server takes commands");
    let mut taken = 0;
    while taken <= count {
        let message = websocket.next().await.expect("the connection lasts").expect("a message");
        taken += usize::from(message.is_text());
    }
    meter.stop()
}
