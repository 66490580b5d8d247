//! Event streams of a session, raw and typed. Bounded: who reads too slowly is told how much was dropped, and holds up no one.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::handle::SessionHandle;
use crate::Event;
use crate::error::EventError;
use crate::events::EventSet;
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
    }
}

impl fmt::Debug for RawEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawEvents").field("session", &self.handle.id).finish_non_exhaustive()
    }
}

/// Events of one type of a session, decoded when they are read. Otherwise as [`RawEvents`].
pub struct Events<E> {
    raw: RawEvents,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Events<E> {
    pub(super) fn new(raw: RawEvents) -> Self {
        Self { raw, event: PhantomData }
    }

    /// Keeps unread events up to this many bytes of their text, see [`RawEvents::limit`]. Default: 16 MiB.
    pub fn limit(self, bytes: usize) -> Self {
        Self::new(self.raw.limit(bytes))
    }

    /// The next event; `None` when the session is over, and behind [`EventError::Overflowed`].
    ///
    /// # Errors
    ///
    /// [`EventError::Lagged`] or [`EventError::Decode`], after either of which the stream goes on, or
    /// [`EventError::Overflowed`], with which it ends.
    pub async fn next(&mut self) -> Option<Result<E, EventError>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<E, EventError>>> {
        let next = ready!(self.raw.poll(cx));
        Poll::Ready(next.map(|raw| Ok(raw?.decode()?)))
    }
}

impl<E: Event> Stream for Events<E> {
    type Item = Result<E, EventError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl<E: Event> fmt::Debug for Events<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("method", &E::METHOD).field("session", &self.raw.handle.id).finish()
    }
}

/// Events of a domain, or all events, of a session, as one enumeration. Otherwise as [`RawEvents`].
pub struct EventsOf<S> {
    raw: RawEvents,
    set: PhantomData<fn() -> S>,
}

impl<S: EventSet> EventsOf<S> {
    pub(super) fn new(raw: RawEvents) -> Self {
        Self { raw, set: PhantomData }
    }

    /// Keeps unread events up to this many bytes of their text, see [`RawEvents::limit`]. Default: 16 MiB.
    pub fn limit(self, bytes: usize) -> Self {
        Self::new(self.raw.limit(bytes))
    }

    /// The next event, named but not yet read; `None` when the session is over, and behind [`EventError::Overflowed`].
    ///
    /// # Errors
    ///
    /// As [`RawEvents::next`].
    pub async fn next(&mut self) -> Option<Result<S, EventError>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<S, EventError>>> {
        let next = ready!(self.raw.poll(cx));
        Poll::Ready(next.map(|raw| raw.map(S::new)))
    }
}

impl<S: EventSet> Stream for EventsOf<S> {
    type Item = Result<S, EventError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl<S: EventSet> fmt::Debug for EventsOf<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventsOf").field("prefix", &S::PREFIX).field("session", &self.raw.handle.id).finish()
    }
}
