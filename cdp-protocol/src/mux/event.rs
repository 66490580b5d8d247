//! One event as it came, the trait of those who must see it in wire order, and a session's list of them.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytes::Bytes;

use crate::Event;
use crate::domains::target::SessionId;
use crate::envelope::{self, Envelope, Kind, Text};
use crate::error::{DecodeError, SessionEnd};
use crate::json;

/// Below this size an event is copied when it is queued, so that a small one doesn't keep a whole read buffer alive.
const SMALL: usize = 4096;

/// An event whose parameters are still bytes. Cloning it copies nothing.
#[derive(Clone)]
pub struct RawEvent {
    message: Bytes,
    method: Name,
    params: Range<usize>,
    session: Option<Name>,
    browser: Option<Arc<str>>,
}

/// The name of an event or the id of its session, as a part of its message.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    /// Where it stands in the message.
    In(Range<usize>),
    /// It was written with escapes.
    Apart(Arc<str>),
}

impl Name {
    /// The text that the envelope of `message` holds.
    pub(super) fn of(name: &Text<'_>, message: &[u8]) -> Self {
        // A borrowed name is a part of the message; where it stands is the distance of the two.
        let start = name.as_bytes().as_ptr().addr().checked_sub(message.as_ptr().addr());
        match (name.borrowed(), start) {
            (Some(name), Some(start)) => Self::In(start..start.saturating_add(name.len())),
            _ => Self::Apart(Arc::from(name.as_str())),
        }
    }

    fn bytes<'a>(&'a self, message: &'a [u8]) -> &'a [u8] {
        match self {
            Self::In(range) => message.get(range.clone()).unwrap_or_default(),
            Self::Apart(name) => name.as_bytes(),
        }
    }

    fn text<'a>(&'a self, message: &'a [u8]) -> &'a str {
        match self {
            Self::In(_) => str::from_utf8(self.bytes(message)).unwrap_or_default(),
            Self::Apart(name) => name,
        }
    }
}

impl RawEvent {
    /// An event whose envelope was read from `message`.
    pub(super) fn new(
        message: Bytes,
        method: Name,
        params: Range<usize>,
        session: Option<Name>,
        browser: Option<Arc<str>>,
    ) -> Self {
        Self { message, method, params, session, browser }
    }

    /// The event's full name, such as `Page.frameNavigated`.
    pub fn method(&self) -> &str {
        self.method.text(&self.message)
    }

    pub(super) fn method_bytes(&self) -> &[u8] {
        self.method.bytes(&self.message)
    }

    /// The JSON text of the parameters; `{}` when there were none, or `null` in their place.
    pub fn params(&self) -> &[u8] {
        match self.message.get(self.params.clone()) {
            Some(params) if !params.is_empty() && params != b"null" => params,
            _ => b"{}",
        }
    }

    /// The session that the event belongs to; `None` for the browser's own.
    pub fn session_id(&self) -> Option<SessionId> {
        self.session.as_ref().map(|id| SessionId::from(id.text(&self.message)))
    }

    /// Reads the parameters as those of `E`. Whether the event's name is `E::METHOD` is the caller's to see to.
    ///
    /// # Errors
    ///
    /// A [`DecodeError`] that names the field, when the parameters don't have the shape of `E`.
    pub fn decode<E: Event>(&self) -> Result<E, DecodeError> {
        let error = match json::decode_payload(self.params()) {
            Ok(event) => return Ok(event),
            Err(error) => error,
        };
        // A member that no browser sends may have slipped into the payload; the general scanner tells (see `envelope::parse`).
        let params = match envelope::scan(&self.message) {
            Ok(Envelope { kind: Kind::Event { .. }, payload, .. }) if payload != self.params => {
                self.message.get(payload).map(json::decode_payload)
            }
            _ => None,
        };
        match params {
            Some(Ok(event)) => Ok(event),
            _ => Err(DecodeError::new(Cow::Borrowed(E::METHOD), &error, self.browser.clone())),
        }
    }

    /// Bytes that keeping this event takes.
    pub(super) fn size(&self) -> usize {
        self.message.len().saturating_add(std::mem::size_of::<Self>())
    }

    /// The same event, independent of the read buffer if it is small.
    pub(super) fn compact(&self) -> Self {
        let mut event = self.clone();
        if event.message.len() <= SMALL {
            event.message = Bytes::copy_from_slice(&event.message);
        }
        event
    }
}

/// Shows name, session and size, never the parameters: they may hold cookies or typed text.
impl fmt::Debug for RawEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawEvent")
            .field("method", &self.method())
            .field("session", &self.session_id())
            .field("bytes", &self.params().len())
            .finish()
    }
}

/// Someone who must see a session's events in wire order, before anyone is told of a later reply.
///
/// The methods are called by the task that reads the connection. They must return at once: no waiting, no blocking. They may make
/// calls and open sessions; the calls go out when the reader is done with what it has read. A panic of [`event`](Self::event) ends
/// the connection with [`CloseReason::DriverEnded`](crate::CloseReason::DriverEnded); one of [`ended`](Self::ended) is caught.
pub trait Observer: Send + Sync {
    /// An event of the session.
    fn event(&self, event: &RawEvent);

    /// The session is over; no event follows. Called once, after the event that told of it, and before the session's waiting
    /// calls learn of it.
    fn ended(&self, end: &SessionEnd) {
        let _ = end;
    }
}

/// The observers of one session, in the order in which they came. Few sessions have more than one, which is held without a list of
/// its own.
#[derive(Clone, Default)]
pub(crate) enum Observers {
    #[default]
    None,
    One(Arc<dyn Observer>),
    Several(Arc<[Arc<dyn Observer>]>),
}

impl Observers {
    pub(super) fn add(&mut self, observer: Arc<dyn Observer>) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(observer),
            before => Self::Several(before.iter().cloned().chain([observer]).collect()),
        };
    }
}

impl Deref for Observers {
    type Target = [Arc<dyn Observer>];

    fn deref(&self) -> &Self::Target {
        match self {
            Self::None => &[],
            Self::One(observer) => std::slice::from_ref(observer),
            Self::Several(observers) => observers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queued_event_keeps_the_read_buffer_only_when_it_is_large() {
        for (size, copied) in [(SMALL, true), (SMALL + 1, false)] {
            let message = Bytes::from(vec![b'x'; size]);
            let event = RawEvent::new(message.clone(), Name::Apart("A.b".into()), 0..size, None, None);
            assert_eq!(event.compact().message.as_ptr() != message.as_ptr(), copied, "{size} bytes");
        }
    }
}
