//! Routes each message of a connection: replies to their calls, events to observers and streams, and the ends of sessions to
//! everything that waits on them. Doesn't call observers itself; that happens outside of the lock that guards a `Mux`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Poll, Waker};

use bytes::Bytes;

use super::calls::{Answer, CallId, Calls, Forgotten};
use super::event::{Name, Observer, Observers, RawEvent};
use super::key::{ROOT, SessionKey};
use super::queue::Subscription;
use super::sessions::Sessions;
use crate::domains::target::SessionId;
use crate::envelope::{self, Envelope, EnvelopeError, Kind, Text};
use crate::error::{CloseReason, SessionEnd};
use crate::shown::shown;

/// The state of one connection above the wire.
///
/// Wire order is kept by who drives it: one reader takes each message through [`route`](Self::route), and an event on through
/// its observers and [`deliver`](Self::deliver), before it takes the next.
#[derive(Debug)]
pub(crate) struct Mux {
    calls: Calls,
    sessions: Sessions,
    closed: Option<CloseReason>,
    browser: Option<Arc<str>>,
    ignored: u64,
}

/// Whom a message is for, read from its envelope alone.
#[derive(Debug)]
pub(crate) enum Route {
    /// Nobody; it has been counted where it counts.
    Nobody,
    /// A call, which waits for it.
    Call { id: CallId, is_error: bool, payload: Range<usize> },
    /// A session with someone who hears it, or with something that it ends.
    Session { session: Option<SessionKey>, id: Option<Name>, method: Name, params: Range<usize> },
    /// The whole connection: an error that names no call.
    Connection { payload: Range<usize> },
}

/// What a message asks the reader to do.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "lives on the reader's stack for one message; a box would cost an allocation an event"
)]
pub(crate) enum Routed {
    /// Nothing; nobody waits for it.
    Nothing,
    /// A call was answered.
    Wake(Waker),
    /// An event to show to its observers, outside of the lock, and then to deliver.
    Event(Delivery),
    /// An error that names no call; the range is that of `error`.
    Complaint { message: Bytes, payload: Range<usize> },
}

/// An event on its way.
pub(crate) struct Delivery {
    pub(crate) event: RawEvent,
    pub(crate) observers: Observers,
    session: Option<SessionKey>,
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("event", &self.event).finish_non_exhaustive()
    }
}

/// A session that has just ended: its observers learn of it outside of the lock, then [`Mux::fail`] tells its calls.
pub(crate) struct Ending {
    pub(crate) session: SessionKey,
    pub(crate) end: SessionEnd,
    pub(crate) observers: Observers,
}

impl Mux {
    pub(crate) fn new() -> Self {
        Self { calls: Calls::new(), sessions: Sessions::new(), closed: None, browser: None, ignored: 0 }
    }

    /// Tells whom a message is for. What a call or a session is to get goes on to [`accept`](Self::accept), before anyone else
    /// uses this.
    ///
    /// # Errors
    ///
    /// A message that is not JSON. One that is, but is no envelope, is counted and passed over.
    #[inline]
    pub(crate) fn route(&mut self, message: &[u8]) -> Result<Route, EnvelopeError> {
        match envelope::fast(message) {
            Some(envelope) => Ok(self.addressee(message, envelope)),
            None => self.route_any(message),
        }
    }

    /// The same for a message of another shape than Chromium's. Apart, so that the usual way has its envelope in registers.
    #[cold]
    fn route_any(&mut self, message: &[u8]) -> Result<Route, EnvelopeError> {
        match envelope::scan(message) {
            Ok(envelope) => Ok(self.addressee(message, envelope)),
            Err(EnvelopeError::NotAnEnvelope) => {
                self.ignored = self.ignored.saturating_add(1);
                tracing::warn!(
                    bytes = message.len(),
                    "a message that is neither a reply nor an event was passed over"
                );
                Ok(Route::Nobody)
            }
            Err(broken) => Err(broken),
        }
    }

    #[inline]
    fn addressee(&mut self, message: &[u8], envelope: Envelope<'_>) -> Route {
        let payload = envelope.payload;
        let (id, is_error) = match envelope.kind {
            Kind::Event { method } => {
                return self.event(message, &method, payload, envelope.session.as_ref());
            }
            Kind::Reply { id } => (Some(id), false),
            Kind::Error { id } => (id, true),
        };
        let Some(id) = id else { return Route::Connection { payload } };
        self.calls.expected(id).map_or(Route::Nobody, |id| Route::Call { id, is_error, payload })
    }

    /// Takes in a message that was routed just now.
    pub(crate) fn accept(&mut self, route: Route, message: Bytes) -> Routed {
        match route {
            Route::Nobody => Routed::Nothing,
            Route::Connection { payload } => Routed::Complaint { message, payload },
            Route::Call { id, is_error, payload } => {
                let answer = if is_error {
                    Answer::Error { message, payload }
                } else {
                    Answer::Reply { message, payload }
                };
                self.calls.answer(id, answer).map_or(Routed::Nothing, Routed::Wake)
            }
            Route::Session { session, id, method, params } => {
                let known = session.and_then(|key| self.sessions.get(key)).filter(|s| s.ended.is_none());
                let observers = known.map(|session| session.observers.clone()).unwrap_or_default();
                let event = RawEvent::new(message, method, params, id, self.browser.clone());
                Routed::Event(Delivery { event, observers, session })
            }
        }
    }

    /// Queues an event for its streams and draws the consequences it has for sessions. `full` takes the streams that the reader is
    /// to wait for before it takes the next message.
    pub(crate) fn deliver(
        &mut self,
        delivery: &Delivery,
        wakers: &mut Vec<Waker>,
        full: &mut Vec<Arc<Subscription>>,
    ) -> Vec<Ending> {
        let event = &delivery.event;
        let key = delivery.session;
        let session = key.and_then(|key| self.sessions.get(key));
        let subscriptions = session.iter().flat_map(|session| &*session.subscriptions);
        let mut wanting = subscriptions.filter(|it| it.wants(event.method_bytes())).peekable();
        let mut compact = wanting.peek().map(|_| event.compact());
        while let Some(subscription) = wanting.next() {
            // The last one takes what the others share.
            let event = if wanting.peek().is_some() { compact.clone() } else { compact.take() };
            let Some(event) = event else { break };
            let (waker, is_full) = subscription.push(event);
            wakers.extend(waker);
            if is_full {
                full.push(subscription.clone());
            }
        }
        let (sessions, end) = match event.method_bytes() {
            b"Target.detachedFromTarget" => {
                let id = envelope::text_field(event.params(), "sessionId");
                let gone = id.and_then(|id| self.sessions.find(Some(id.as_bytes())));
                let sessions = gone.map(|found| self.sessions.with_children(found.key));
                (sessions.unwrap_or_default(), SessionEnd::Detached)
            }
            b"Target.targetCrashed" => {
                let target = envelope::text_field(event.params(), "targetId");
                let sessions = target.map(|target| self.sessions.of_target(&target));
                (sessions.unwrap_or_default(), SessionEnd::Crashed)
            }
            b"Inspector.targetCrashed" => (key.into_iter().collect(), SessionEnd::Crashed),
            _ => return Vec::new(),
        };
        sessions
            .into_iter()
            .filter(|key| *key != ROOT)
            .filter_map(|key| self.end(key, &end, wakers))
            .collect()
    }

    /// Fails the calls of sessions that have ended, once their observers know.
    pub(crate) fn fail(&mut self, endings: &[Ending], wakers: &mut Vec<Waker>) {
        // One pass over the calls, also when a session takes thousands with it.
        if let [one] = endings {
            self.calls.end_sessions(|session| (session == one.session).then_some(&one.end), wakers);
        } else {
            let ended: BTreeMap<_, _> = endings.iter().map(|ending| (ending.session, &ending.end)).collect();
            self.calls.end_sessions(|session| ended.get(&session).copied(), wakers);
        }
        self.let_go(endings);
    }

    /// Ends everything, once. What it returns goes through its observers and then to [`fail_all`](Self::fail_all).
    pub(crate) fn close(&mut self, reason: &CloseReason, wakers: &mut Vec<Waker>) -> Vec<Ending> {
        if self.closed.is_some() {
            return Vec::new();
        }
        self.closed = Some(reason.clone());
        let end = SessionEnd::Closed(reason.clone());
        let sessions = self.sessions.all();
        sessions.into_iter().filter_map(|key| self.end(key, &end, wakers)).collect()
    }

    /// Fails all calls, once the observers of all sessions know; `written` of all bytes ever queued have left.
    pub(crate) fn fail_all(
        &mut self,
        reason: &CloseReason,
        written: u64,
        endings: &[Ending],
        wakers: &mut Vec<Waker>,
    ) {
        self.calls.close(reason, written, wakers);
        self.let_go(endings);
    }

    fn let_go(&mut self, endings: &[Ending]) {
        for ending in endings {
            self.sessions.remove_if_unneeded(ending.session);
        }
    }

    /// Registers a call, or says why it can't be made.
    pub(crate) fn begin(&mut self, session: SessionKey) -> Result<CallId, SessionEnd> {
        match self.sessions.get(session).and_then(|session| session.ended.as_deref()) {
            Some(end) => Err(end.clone()),
            None => Ok(self.calls.begin(session)),
        }
    }

    /// Tells where a call's last byte stands in the stream of all bytes ever queued.
    pub(crate) fn queued(&mut self, id: CallId, end: u64) {
        self.calls.queued(id, end);
    }

    /// The answer to a call, which is then forgotten; `None` for a call that was forgotten before. And a waker to drop outside of
    /// the lock.
    pub(crate) fn poll(&mut self, id: CallId, waker: &Waker) -> (Poll<Option<Answer>>, Option<Waker>) {
        self.calls.poll(id, waker)
    }

    /// Nobody waits for this call any more. What it leaves is to be dropped outside of the lock.
    #[must_use]
    pub(crate) fn forget(&mut self, id: CallId) -> Forgotten {
        self.calls.forget(id)
    }

    pub(crate) fn open(&mut self, id: Option<&SessionId>) -> SessionKey {
        let key = self.sessions.open(id);
        if let (Some(reason), Some(session)) = (&self.closed, self.sessions.get_mut(key)) {
            session.ended.get_or_insert_with(|| Box::new(SessionEnd::Closed(reason.clone())));
        }
        key
    }

    pub(crate) fn release(&mut self, session: SessionKey) {
        self.sessions.release(session);
    }

    pub(crate) fn ended(&self, session: SessionKey) -> Option<&SessionEnd> {
        self.sessions.get(session).and_then(|session| session.ended.as_deref())
    }

    /// Adds an observer, or gives it back with the reason why there is nothing to observe.
    pub(crate) fn observe(
        &mut self,
        session: SessionKey,
        observer: Arc<dyn Observer>,
    ) -> Result<(), (Arc<dyn Observer>, SessionEnd)> {
        let ended = match self.sessions.get(session) {
            Some(session) => session.ended.as_deref().cloned(),
            None => Some(SessionEnd::Detached),
        };
        if let Some(end) = ended {
            return Err((observer, end));
        }
        self.sessions.observe(session, observer);
        Ok(())
    }

    /// Adds a stream; on a session that is over it ends at once.
    pub(crate) fn subscribe(&mut self, session: SessionKey, subscription: Arc<Subscription>) {
        if self.sessions.get(session).is_some_and(|session| session.ended.is_none()) {
            self.sessions.subscribe(session, subscription);
        } else {
            drop(subscription.end());
        }
    }

    pub(crate) fn unsubscribe(&mut self, session: SessionKey, subscription: &Arc<Subscription>) {
        self.sessions.unsubscribe(session, subscription);
    }

    pub(crate) fn set_browser(&mut self, product: &str) {
        self.browser = Some(shown(product).into());
    }

    pub(crate) fn browser(&self) -> Option<Arc<str>> {
        self.browser.clone()
    }

    pub(crate) fn closed(&self) -> Option<&CloseReason> {
        self.closed.as_ref()
    }

    pub(crate) fn pending_calls(&self) -> usize {
        self.calls.waiting()
    }

    pub(crate) fn late_replies(&self) -> u64 {
        self.calls.late()
    }

    pub(crate) fn known_sessions(&self) -> usize {
        self.sessions.len()
    }

    pub(crate) fn ignored_messages(&self) -> u64 {
        self.ignored
    }

    fn event(
        &mut self,
        message: &[u8],
        method: &Text<'_>,
        params: Range<usize>,
        session: Option<&Text<'_>>,
    ) -> Route {
        let found = self.sessions.find(session.map(Text::as_bytes));
        let key = found.map(|found| found.key);
        if method.as_bytes() == b"Target.attachedToTarget" {
            let params = message.get(params.clone()).unwrap_or_default();
            let target =
                envelope::field(params, "targetInfo").and_then(|i| envelope::text_field(i, "targetId"));
            if let Some(id) = envelope::text_field(params, "sessionId") {
                self.sessions.attach(key, &SessionId::from(&*id), target.as_deref());
            }
        }
        let listened = found.filter(|found| found.listened).and_then(|found| self.sessions.get(found.key));
        let heard = listened.is_some_and(|it| it.ended.is_none() && it.is_heard(method.as_bytes()));
        let ends_something = || {
            matches!(
                method.as_bytes(),
                b"Target.detachedFromTarget" | b"Target.targetCrashed" | b"Inspector.targetCrashed"
            )
        };
        if !heard && !ends_something() {
            return Route::Nobody;
        }
        let id = session.map(|id| Name::of(id, message));
        Route::Session { session: key, id, method: Name::of(method, message), params }
    }

    fn end(&mut self, session: SessionKey, end: &SessionEnd, wakers: &mut Vec<Waker>) -> Option<Ending> {
        let Some(observers) = self.sessions.end(session, end, wakers) else {
            self.sessions.remove_if_unneeded(session);
            return None;
        };
        Some(Ending { session, end: end.clone(), observers })
    }
}
