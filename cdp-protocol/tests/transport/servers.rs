//! Servers for the tests of websockets and of connecting: sockets that say exactly what a test wants, and tungstenite.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};

use cdp_protocol::domains::page;
use cdp_protocol::{Client, ConnectError, Settings};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::{WebSocketStream, accept_async};

pub(crate) async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

pub(crate) async fn accept(listener: &TcpListener) -> TcpStream {
    listener.accept().await.unwrap().0
}

/// A request up to its empty line.
pub(crate) async fn read_head(socket: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// The answer to discovery that names a websocket.
pub(crate) fn naming(url: &str) -> String {
    let body = json!({"Browser": "Chrome/156", "webSocketDebuggerUrl": url}).to_string();
    // Chromium leaves out the space as well.
    format!("HTTP/1.1 200 OK\r\nContent-Length:{}\r\n\r\n{body}", body.len())
}

/// Answers discovery with the URL of a websocket; returns the request's head.
pub(crate) async fn name_websocket(socket: &mut (impl AsyncRead + AsyncWrite + Unpin), url: &str) -> String {
    let head = read_head(socket).await;
    socket.write_all(naming(url).as_bytes()).await.unwrap();
    head
}

/// The answer to an upgrade whose request has this head, without its empty line.
pub(crate) fn switching(head: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let key = derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n"
    )
}

/// Answers an upgrade; returns the request's head.
pub(crate) async fn switch(socket: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> String {
    let head = read_head(socket).await;
    socket.write_all(format!("{}\r\n", switching(&head)).as_bytes()).await.unwrap();
    head
}

/// A connection, and tungstenite at its other end.
pub(crate) async fn with_tungstenite(settings: Settings) -> (Client, WebSocketStream<TcpStream>) {
    let (listener, address) = listen().await;
    let connect = Client::connect(format!("ws://{address}/")).settings(settings);
    let server = async { accept_async(accept(&listener).await).await.unwrap() };
    let (client, server) = tokio::join!(connect.into_future(), server);
    (client.unwrap(), server)
}

pub(crate) async fn next_call<S>(server: &mut WebSocketStream<S>) -> Value
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        if let Message::Text(text) = server.next().await.unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

pub(crate) fn reply(call: &Value, result: Value) -> Message {
    Message::text(format!("{{\"id\":{},\"result\":{result}}}", call["id"]))
}

/// One call there and back.
pub(crate) async fn speak<S>(client: &Client, server: &mut WebSocketStream<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let answer = client.browser().call(&page::Enable::new());
    let call = next_call(server).await;
    server.send(reply(&call, json!({}))).await.unwrap();
    answer.await.unwrap();
}

/// The error of a connection attempt against a server that does this.
pub(crate) async fn failed(
    connect: impl IntoFuture<Output = Result<Client, ConnectError>>,
    server: impl Future<Output = ()>,
) -> ConnectError {
    let (client, ()) = tokio::join!(connect.into_future(), server);
    client.unwrap_err()
}

/// Neither form of an error, nor of its sources, shows what the tests mark as secret.
pub(crate) fn keeps_secrets(error: &(dyn std::error::Error + 'static)) {
    let text = format!("{error} {error:?}");
    assert!(!text.contains("SECRET"), "{text}");
}
