//! A printed document that is read in parts.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use cdp_protocol::Session;
use cdp_protocol::domains::io::{Close, Read, ReadResult, StreamHandle};
use cdp_protocol::json::Binary;
use futures_core::Stream;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;

use crate::error::{Error, ErrorKind, Result};
use crate::operation::BoxFuture;
use crate::page::Page;

/// Bytes asked for at once. Each part is a round trip and, in base64, a third larger on its way.
const PART: i64 = 256 * 1024;

/// A document in parts, in their order. The browser keeps it until it has been read, an error came, or this is dropped.
/// The page must stay open until then.
///
/// The next part is asked for when it is polled for, so what is not read takes no memory here. No time limits it: drop it
/// to give up.
///
/// # Errors
///
/// [`ErrorKind::Closed`] or [`ErrorKind::Crashed`] when the page or the browser goes away. The stream ends with an error.
///
/// # Cancel safety
///
/// A call of [`PdfStream::next`] that is dropped loses nothing: the next one goes on with the same part.
#[must_use = "a stream is closed when it is dropped"]
pub struct PdfStream {
    /// The browser must outlive the stream.
    page: Page,
    /// Nothing once it is closed.
    handle: Option<StreamHandle>,
    reading: Option<BoxFuture<Result<ReadResult>>>,
}

impl PdfStream {
    pub(super) fn new(page: Page, handle: StreamHandle) -> Self {
        Self { page, handle: Some(handle), reading: None }
    }

    /// The next part, which is never empty; `None` when all has been read, and behind an error.
    pub async fn next(&mut self) -> Option<Result<Bytes>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes>>> {
        loop {
            let Some(handle) = &self.handle else { return Poll::Ready(None) };
            let reading = self.reading.get_or_insert_with(|| {
                let read = self.page.session().call(&Read::new(handle.clone()).size(PART));
                Box::pin(async move { Ok(read.await?) })
            });
            let part = ready!(reading.as_mut().poll(cx));
            self.reading = None;
            let part = part.and_then(|part| Ok((part.eof, bytes_of(part)?)));
            let part = match part {
                Ok((eof, part)) => {
                    if eof {
                        self.close();
                    }
                    Ok(part)
                }
                Err(error) => {
                    self.close();
                    Err(error.during("reading the PDF"))
                }
            };
            if !matches!(&part, Ok(part) if part.is_empty()) {
                return Poll::Ready(Some(part));
            }
        }
    }

    fn close(&mut self) {
        if let Some(handle) = self.handle.take() {
            close(self.page.session(), handle);
        }
    }
}

/// Queues the closing of a stream; nobody waits for the answer.
pub(super) fn close(session: &Session, handle: StreamHandle) {
    drop(session.call(&Close::new(handle)));
}

fn bytes_of(part: ReadResult) -> Result<Bytes> {
    if part.base64_encoded != Some(true) {
        return Ok(part.data.into());
    }
    let decoded = Binary::deserialize(IntoDeserializer::<ValueError>::into_deserializer(part.data));
    match decoded {
        Ok(decoded) => Ok(decoded.into_bytes()),
        Err(_) => Err(Error::new(ErrorKind::Protocol, "a part of the stream is no base64")),
    }
}

impl Stream for PdfStream {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl Drop for PdfStream {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for PdfStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PdfStream").field("page", &self.page).finish_non_exhaustive()
    }
}
