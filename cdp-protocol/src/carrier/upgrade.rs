//! The HTTP upgrade of a websocket (RFC 6455, section 4). What comes right behind the response is kept: it is ws frames.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWrite};
use tungstenite::handshake::client::generate_key;
use tungstenite::handshake::derive_accept_key;

use super::headers::Headers;
use super::http;

/// How a peer answered.
pub(super) enum Upgraded {
    /// From here on it speaks in ws frames; these bytes came behind its response.
    Yes(BytesMut),
    /// It answered with another status, and these words.
    Refused { status: u16, problem: String },
}

/// Asks for the websocket at `target`. No `Origin` is sent, because Chromium
/// refuses foreign ones, and neither an extension nor a subprotocol is offered.
///
/// # Errors
///
/// The carrier's, and of the kind `InvalidData` or `UnexpectedEof` with words on what is wrong with the answer.
pub(super) async fn upgrade<S>(
    stream: &mut S,
    target: &str,
    host: &str,
    headers: &Headers,
) -> io::Result<Upgraded>
where
    S: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    let key = generate_key();
    let mut headers = headers.clone();
    headers.add("Connection", "Upgrade");
    headers.add("Upgrade", "websocket");
    headers.add("Sec-WebSocket-Version", "13");
    headers.add("Sec-WebSocket-Key", &key);
    let answer = http::ask(stream, &headers.request(&format!("GET {target}"), host)).await?;
    if answer.status != 101 {
        return Ok(Upgraded::Refused { status: answer.status, problem: answer.refusal(stream).await });
    }
    let problem = if !answer.is_current {
        "it answers in HTTP/1.0, which has no websockets"
    } else if !answer.lists("upgrade", "websocket") {
        "its answer to the websocket handshake lacks `Upgrade: websocket`"
    } else if !answer.lists("connection", "upgrade") {
        "its answer to the websocket handshake lacks `Connection: Upgrade`"
    } else if answer.header("sec-websocket-accept") != Some(&derive_accept_key(key.as_bytes())) {
        "its answer to the websocket handshake is for another key, or for none: something between may have stored it"
    } else if answer.header("sec-websocket-extensions").is_some() {
        "it chose a websocket extension that was not offered"
    } else if answer.header("sec-websocket-protocol").is_some() {
        "it chose a websocket subprotocol that was not offered"
    } else {
        return Ok(Upgraded::Yes(answer.behind));
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, problem))
}
