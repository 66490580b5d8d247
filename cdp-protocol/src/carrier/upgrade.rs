//! The HTTP upgrade of a websocket, which tungstenite does; it is shown the response's head and nothing more, so that the ws
//! frames right behind it stay ours.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

/// Longest head of a response that is waited for.
const MAX_HEAD: usize = 64 * 1024;

/// Upgrades a stream; returns it with the bytes that came behind the response. No `Origin` is sent, because Chromium refuses
/// foreign ones, and no extension is offered.
pub(super) async fn upgrade<S>(stream: S, url: &str) -> Result<(S, BytesMut), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let stream = HeadOnly { stream, read: BytesMut::new(), head: None };
    match tokio_tungstenite::client_async(url, stream).await {
        Ok((socket, _response)) => {
            let HeadOnly { stream, read, .. } = socket.into_inner();
            Ok((stream, read))
        }
        Err(Error::Http(response)) => {
            let status = response.status();
            Err(format!("it refused the websocket with HTTP status {status}"))
        }
        Err(Error::Protocol(ProtocolError::HandshakeIncomplete)) => {
            Err("it hung up during the websocket handshake".into())
        }
        Err(error) => Err(format!("the websocket handshake failed: {error}")),
    }
}

/// A stream that ends its reader's view at the end of an HTTP head, and keeps what lies behind.
struct HeadOnly<S> {
    stream: S,
    read: BytesMut,
    /// Bytes of the head that are still to be given out, once its end was seen.
    head: Option<usize>,
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadOnly<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.head.is_none() {
            let mut chunk = [0; 4096];
            let mut chunk = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut chunk))?;
            if chunk.filled().is_empty() {
                return Poll::Ready(Ok(())); // The peer hung up inside of the head.
            }
            this.read.extend_from_slice(chunk.filled());
            this.head = memchr::memmem::find(&this.read, b"\r\n\r\n").map(|end| end + 4);
            if this.head.is_none() && this.read.len() > MAX_HEAD {
                return Poll::Ready(Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the response's head is too long",
                )));
            }
        }
        let left = this.head.unwrap_or(0);
        let count = left.min(out.remaining());
        out.put_slice(&this.read[..count]);
        this.read.advance(count);
        this.head = Some(left - count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadOnly<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
