//! Event streams of a session, raw and typed. Bounded: who reads too slowly is told how much was dropped, and holds up no one
//! unless it asked for that.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::handle::SessionHandle;
use crate::error::EventError;
use crate::mux::{Interest, Missed, RawEvent, Subscription};

/// Events of a session as they came, in wire order. Ends with the session or the connection.
///
/// Unread events are kept up to [a limit](Self::limit); beyond it the oldest are dropped, and the stream yields
/// [`EventError::Lagged`] with their number before the next event. Events of `Target` and `Inspector`, dialogs, file choosers and
/// paused requests are never dropped. They have room of their own, 64 MiB, far more than any reader leaves unread; when it is full,
/// the stream yields what it holds, then [`EventError::Overflowed`], and ends. Dropping the stream ends the subscription.
///
/// # Cancel safety
///
/// Waiting for the next event can be given up at any time; no event is lost by it.
pub struct RawEvents {
    handle: Arc<SessionHandle>,
    subscription: Arc<Subscription>,
}

impl RawEvents {
    pub(super) fn subscribe(handle: Arc<SessionHandle>, interest: Interest) -> Self {
        let subscription = Arc::new(Subscription::new(interest));
        handle.shared().mux().subscribe(handle.key, subscription.clone());
        Self { handle, subscription }
    }

    /// Keeps unread events, those that are never dropped aside, up to this many bytes. Default: 16 MiB.
    pub fn limit(self, bytes: usize) -> Self {
        self.subscription.set_limit(bytes);
        self
    }

    /// Makes the connection wait for this stream, in place of dropping events: while its unread events, all kinds together, take
    /// its [limit](Self::limit) or more, nothing is read from the browser. So nothing is lost, and at most one event over the limit
    /// is kept; [`EventError::Lagged`] and [`EventError::Overflowed`] don't occur from now on.
    ///
    /// **Everything else on this connection waits as well**: other streams, observers, and the answers to calls. Who awaits a call
    /// of this connection while the stream is full and nobody reads it waits for ever. So the stream belongs into a task that does
    /// nothing else, or calls are awaited together with it. The end of the connection, too, is noticed only when reading goes on,
    /// unless it shows in writing, and [`Settings::heartbeat`](crate::Settings::heartbeat) asks nothing meanwhile.
    ///
    /// The connection goes on as soon as the stream is read below its limit or dropped. [`Client::close`](crate::Client::close)
    /// doesn't wait for it.
    pub fn hold_reader(self) -> Self {
        self.subscription.hold_reader();
        self
    }

    /// The next event; `None` when the session is over, and behind [`EventError::Overflowed`].
    ///
    /// # Errors
    ///
    /// [`EventError::Lagged`], after which the stream goes on, or [`EventError::Overflowed`], with which it ends.
    pub async fn next(&mut self) -> Option<Result<RawEvent, EventError>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<RawEvent, EventError>>> {
        let next = ready!(self.subscription.poll(cx.waker()));
        Poll::Ready(next.map(|next| {
            next.map_err(|missed| match missed {
                Missed::Lagged(count) => EventError::Lagged(count),
                Missed::Overflowed(bytes) => EventError::Overflowed(bytes),
            })
        }))
    }
}

impl Stream for RawEvents {
    type Item = Result<RawEvent, EventError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl Drop for RawEvents {
    fn drop(&mut self) {
        self.handle.shared().mux().unsubscribe(self.handle.key, &self.subscription);
        self.subscription.abandon();
    }
}

impl fmt::Debug for RawEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawEvents")
            .field("of", self.subscription.interest())
            .field("session", &self.handle.id)
            .finish_non_exhaustive()
    }
}

/// Events of a session, of one type or of a set of them, made of what came when they are read. Otherwise as [`RawEvents`].
pub struct Events<T> {
    raw: RawEvents,
    read: fn(RawEvent) -> Result<T, EventError>,
}

impl<T> Events<T> {
    pub(super) fn new(raw: RawEvents, read: fn(RawEvent) -> Result<T, EventError>) -> Self {
        Self { raw, read }
    }

    /// Keeps unread events up to this many bytes of their text, see [`RawEvents::limit`]. Default: 16 MiB.
    pub fn limit(self, bytes: usize) -> Self {
        Self { raw: self.raw.limit(bytes), ..self }
    }

    /// Makes the connection wait for this stream, in place of dropping events, and all else on it wait with it; see
    /// [`RawEvents::hold_reader`].
    pub fn hold_reader(self) -> Self {
        Self { raw: self.raw.hold_reader(), ..self }
    }

    /// The next event; `None` when the session is over, and behind [`EventError::Overflowed`].
    ///
    /// # Errors
    ///
    /// [`EventError::Lagged`], or where events are of one type [`EventError::Decode`], after either of which the stream goes on, or
    /// [`EventError::Overflowed`], with which it ends.
    pub async fn next(&mut self) -> Option<Result<T, EventError>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<T, EventError>>> {
        let next = ready!(self.raw.poll(cx));
        Poll::Ready(next.map(|raw| (self.read)(raw?)))
    }
}

impl<T> Stream for Events<T> {
    type Item = Result<T, EventError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl<T> fmt::Debug for Events<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("raw", &self.raw).finish_non_exhaustive()
    }
}
