//! The connection under test beside its model: each step is done to both, and whenever the driver has nothing left to do they are
//! compared.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use cdp_protocol::testing::{FakeBrowser, FakeCall, fake_browser};
use cdp_protocol::{
    Call, CallError, Client, CloseReason, EventError, Observer, RawEvent, RawEvents, Sent, Session,
    SessionEnd,
};
use serde_json::value::RawValue;

use super::model::{Change, End, Event, Meaning, Model, Next, Outcome, Serial, Token};

/// The scripted connection.
pub(super) struct World {
    client: Client,
    pub(super) browser: FakeBrowser,
    model: Model,
    handles: Vec<(Session, Rc<Serial>)>,
    calls: Vec<Made>,
    streams: Vec<Reading>,
    observers: Vec<(Arc<Log>, usize)>,
    /// What the browser has sent since the driver last had nothing to do.
    wire: Vec<Meaning>,
    /// Calls as the browser received them, and how many its end can still show.
    received: Vec<(FakeCall, Token)>,
    /// Calls that were queued, in order.
    queued: Vec<Token>,
    /// Calls that were refused at once.
    refused: BTreeSet<Token>,
    /// What the errors of calls said that the end of the connection failed.
    verdicts: Vec<(Token, Sent)>,
    tokens: Token,
    answers: i64,
    streams_made: usize,
    hung_up: bool,
    /// The end was asked for while messages were under way: whether they still counted is open.
    loose: bool,
    reason: Option<CloseReason>,
}

struct Made {
    token: Token,
    call: Pin<Box<Call<Box<RawValue>>>>,
    /// `None` for a call that was refused when it was made, for this reason.
    refused: Option<End>,
    waiting: Option<Arc<Flag>>,
    _hold: Rc<Serial>,
}

struct Reading {
    id: usize,
    stream: RawEvents,
    waiting: Option<Arc<Flag>>,
    _hold: Rc<Serial>,
}

impl World {
    pub(super) fn new() -> Self {
        let (client, browser) = fake_browser();
        Self {
            client,
            browser,
            model: Model::new(),
            handles: Vec::new(),
            calls: Vec::new(),
            streams: Vec::new(),
            observers: Vec::new(),
            wire: Vec::new(),
            received: Vec::new(),
            queued: Vec::new(),
            refused: BTreeSet::new(),
            verdicts: Vec::new(),
            tokens: 0,
            answers: 0,
            streams_made: 0,
            hung_up: false,
            loose: false,
            reason: None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.model.closed
    }

    /// A handle on the session of this number; 0 is the browser's own.
    pub(super) fn open(&mut self, name: usize) {
        let session = match name {
            0 => self.client.browser(),
            _ => self.client.session(&format!("S{name}").as_str().into()),
        };
        let hold = self.model.open(name);
        assert_eq!(session.is_ended(), self.model.ended(*hold).is_some());
        self.handles.push((session, hold));
    }

    pub(super) fn drop_handle(&mut self, at: usize) {
        take(&mut self.handles, at);
        self.model.sweep();
    }

    pub(super) fn call(&mut self, at: usize) {
        let Some((session, hold)) = pick(&self.handles, at) else { return };
        self.tokens += 1;
        let token = self.tokens;
        let params = RawValue::from_string(format!("{{\"token\":{token}}}")).expect("JSON");
        let call = Box::pin(session.call_raw("Test.call", &params));
        // The end of the connection is the later reason, and the one that is told.
        let refused = self.model.ended(**hold).map(|end| if self.model.closed { End::Closed } else { end });
        match refused {
            Some(_) => drop(self.refused.insert(token)),
            None => {
                self.queued.push(token);
                self.model.call(**hold, token);
            }
        }
        self.calls.push(Made { token, call, refused, waiting: None, _hold: hold.clone() });
    }

    pub(super) fn poll_call(&mut self, at: usize) {
        let Some(at) = index(&self.calls, at) else { return };
        let made = &mut self.calls[at];
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(flag.clone());
        let polled = made.call.as_mut().poll(&mut Context::from_waker(&waker));
        let expected = match made.refused {
            Some(end) => Some(Outcome::Ended(end)),
            None => self.model.outcome(made.token).cloned(),
        };
        let Poll::Ready(result) = polled else {
            assert_eq!(expected, None, "call {} was not answered", made.token);
            made.waiting = Some(flag);
            return;
        };
        let (token, refused) = (made.token, made.refused.is_some());
        let (outcome, sent) = outcome(result, self.reason.as_ref());
        match (refused, &outcome) {
            (true, _) => assert_eq!(sent, Some(Sent::No)),
            (false, Outcome::Ended(End::Closed)) => self.verdicts.extend(sent.map(|sent| (token, sent))),
            (false, Outcome::Ended(_)) => assert_eq!(sent, Some(Sent::Unknown)),
            (false, _) => {}
        }
        let is_right = match &expected {
            Some(expected) => *expected == outcome || (self.loose && self.may_be(token, refused, &outcome)),
            None => false,
        };
        assert!(is_right, "call {token} should be {expected:?}, is {outcome:?}");
        self.drop_call(at);
    }

    pub(super) fn drop_call(&mut self, at: usize) {
        if let Some(made) = take(&mut self.calls, at) {
            self.model.forget_call(made.token);
            drop(made);
            self.model.sweep();
        }
    }

    pub(super) fn subscribe(&mut self, at: usize, only: Option<&'static str>, limit: usize) {
        let Some((session, hold)) = pick(&self.handles, at) else { return };
        let stream = session.events_raw(only).limit(limit);
        let id = self.streams_made;
        self.streams_made += 1;
        self.model.subscribe(id, **hold, only, limit);
        self.streams.push(Reading { id, stream, waiting: None, _hold: hold.clone() });
    }

    pub(super) fn read(&mut self, at: usize) {
        let Some(at) = index(&self.streams, at) else { return };
        let reading = &mut self.streams[at];
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(flag.clone());
        let next = match pin!(reading.stream.next()).poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => Next::Pending,
            Poll::Ready(None) => Next::End,
            Poll::Ready(Some(Ok(event))) => Next::Event(event.method().to_owned(), params(&event)),
            Poll::Ready(Some(Err(EventError::Lagged(count)))) => Next::Lagged(count),
            Poll::Ready(Some(Err(other))) => panic!("{other}"),
        };
        if self.loose {
            assert_ne!(next, Next::Pending, "the connection is over");
        } else {
            assert_eq!(next, self.model.take(reading.id));
        }
        if next == Next::Pending {
            reading.waiting = Some(flag);
        }
    }

    pub(super) fn drop_stream(&mut self, at: usize) {
        if let Some(reading) = take(&mut self.streams, at) {
            self.model.unsubscribe(reading.id);
            drop(reading);
            self.model.sweep();
        }
    }

    pub(super) fn observe(&mut self, at: usize) {
        let Some((session, hold)) = pick(&self.handles, at) else { return };
        let log = Arc::new(Log::default());
        session.observe(log.clone());
        let id = self.model.observe(**hold);
        self.observers.push((log, id));
    }

    /// The browser takes what there is.
    pub(super) fn receive(&mut self) {
        while let Poll::Ready(call) = self.poll_browser() {
            let Some(call) = call else { return };
            let token = call.params["token"].as_u64().and_then(|token| token.try_into().ok());
            self.received.push((call, token.expect("a call of ours")));
        }
    }

    /// The browser answers a call that it received, perhaps not for the first time.
    pub(super) fn answer(&mut self, at: usize, shape: usize) {
        let Some((call, token)) = pick(&self.received, at) else { return };
        self.answers += 1;
        let (id, token, serial) = (call.id, *token, self.answers);
        let session =
            call.session_id.as_ref().map(|id| format!(",\"sessionId\":\"{id}\"")).unwrap_or_default();
        let result = format!("{{\"token\":{token},\"serial\":{serial}}}");
        let error = format!("{{\"code\":{serial},\"message\":\"no {token}\"}}");
        let refused = Outcome::Refused(serial, format!("no {token}"));
        let (text, outcome) = match shape {
            0 => (format!("{{\"id\":{id},\"result\":{result}{session}}}"), Outcome::Reply(result)),
            1 => {
                (format!(" {{ \"result\" : {result} , \"id\" : {id}.0 {session}}} "), Outcome::Reply(result))
            }
            2 => (format!("{{\"id\":{id}{session}}}"), Outcome::Reply("{}".into())),
            3 => (format!("{{\"id\":{id},\"error\":{error}{session}}}"), refused),
            _ => (format!("{{\"error\":{error},\"result\":{result},\"id\":{id}{session}}}"), refused),
        };
        self.send(&text, Meaning::Answer(Some(token), outcome));
    }

    pub(super) fn event(&mut self, session: usize, method: &'static str, params: String, change: Change) {
        let text = match session {
            0 => format!("{{\"method\":\"{method}\",\"params\":{params}}}"),
            _ => format!("{{\"method\":\"{method}\",\"params\":{params},\"sessionId\":\"S{session}\"}}"),
        };
        let event = Event { method, params, bytes: text.len() };
        self.send(&text, Meaning::Event { session, event, change });
    }

    /// The browser sends one message.
    pub(super) fn send(&mut self, text: &str, meaning: Meaning) {
        if !self.hung_up && !self.is_over() {
            self.browser.send(text);
            self.wire.push(meaning);
        }
    }

    /// The browser dies, perhaps in the middle of a message.
    pub(super) fn hang_up(&mut self, rest: &str) {
        if !self.hung_up {
            self.browser.send_raw(rest);
            self.browser.hang_up();
            self.wire.push(Meaning::Over);
            self.hung_up = true;
        }
    }

    /// The client asks for the end, and sees it.
    pub(super) async fn close(&mut self) {
        if self.is_over() {
            return;
        }
        self.client.close();
        self.reason = Some(self.client.closed().await);
        self.loose = !self.wire.is_empty();
        self.model.close();
        self.compare();
    }

    /// Waits until the driver has nothing left to do (the clock moves on only then), and compares.
    pub(super) async fn settle(&mut self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if !self.loose {
            self.wire.drain(..).for_each(|meaning| self.model.apply(meaning));
        }
        if self.is_over() && self.reason.is_none() {
            self.reason = Some(self.client.closed().await);
        }
        self.compare();
    }

    /// Drops everything in one of a few orders, and sees the connection end.
    pub(super) async fn finish(mut self, order: usize) {
        self.settle().await;
        self.browser.set_room(None);
        for kind in 0..3 {
            match (kind + order) % 3 {
                0 => (0..self.calls.len()).for_each(|_| self.end_call()),
                1 => (0..self.streams.len()).for_each(|_| self.drop_stream(0)),
                _ => (0..self.handles.len()).for_each(|_| self.drop_handle(0)),
            }
        }
        self.settle().await;
        assert_eq!(self.client.stats().pending_calls, 0);
        let was_over = self.is_over();
        let World { client, mut browser, queued, refused, verdicts, received, hung_up, .. } = self;
        drop(client);
        tokio::time::sleep(Duration::from_millis(1)).await;
        let mut received: Vec<Token> = received.into_iter().map(|(_, token)| token).collect();
        loop {
            match pin!(browser.next_call_or_end()).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(call)) => received.extend(call.params["token"].as_u64().map(|t| t as Token)),
                Poll::Ready(None) => break,
                Poll::Pending => panic!("the last handle is gone, and the connection is not"),
            }
        }
        assert!(queued.starts_with(&received), "{received:?} were received of {queued:?}");
        assert!(was_over || queued == received, "{received:?} were received of {queued:?}");
        assert!(received.iter().all(|token| !refused.contains(token)));
        for (token, sent) in verdicts {
            match sent {
                Sent::No => assert!(!received.contains(&token), "call {token} was sent"),
                // What stood in the carrier when the browser died, nobody knows.
                Sent::Unknown => assert!(hung_up || received.contains(&token), "call {token} was not sent"),
            }
        }
    }

    /// Takes the answer of a call that must have one, and drops one that has none.
    fn end_call(&mut self) {
        let before = self.calls.len();
        self.poll_call(0);
        if self.calls.len() == before {
            self.drop_call(0);
        }
    }

    /// Whether the call may have ended like this when it is open how much of the wire was still read.
    fn may_be(&self, token: Token, refused: bool, outcome: &Outcome) -> bool {
        self.wire.iter().any(|meaning| match (meaning, outcome) {
            (Meaning::Answer(of, known), _) => *of == Some(token) && known == outcome && !refused,
            (Meaning::Event { change, .. }, Outcome::Ended(_)) => change.ends_something(),
            _ => false,
        })
    }

    fn compare(&self) {
        if self.loose {
            return;
        }
        let stats = self.client.stats();
        assert_eq!(stats.pending_calls, self.model.pending_calls(), "calls that wait");
        assert_eq!(stats.late_replies, self.model.late, "late replies");
        assert_eq!(stats.sessions, self.model.known_sessions(), "sessions");
        assert_eq!(stats.ignored_messages, self.model.ignored, "ignored messages");
        for (session, hold) in &self.handles {
            assert_eq!(session.is_ended(), self.model.ended(**hold).is_some());
        }
        for (log, id) in &self.observers {
            assert_eq!(log.lines(), self.model.log(*id));
        }
        for made in self.calls.iter().filter(|made| made.refused.is_none()) {
            if let (Some(flag), Some(_)) = (&made.waiting, self.model.outcome(made.token)) {
                assert!(flag.is_up(), "call {} has its answer and was not woken", made.token);
            }
        }
        for reading in &self.streams {
            if let Some(flag) = &reading.waiting {
                assert!(
                    flag.is_up() || self.model.peek(reading.id) == Next::Pending,
                    "a stream was not woken"
                );
            }
        }
    }

    fn poll_browser(&mut self) -> Poll<Option<FakeCall>> {
        pin!(self.browser.next_call_or_end()).poll(&mut Context::from_waker(Waker::noop()))
    }
}

fn outcome(
    result: Result<Box<RawValue>, CallError>,
    closed: Option<&CloseReason>,
) -> (Outcome, Option<Sent>) {
    match result {
        Ok(text) => (Outcome::Reply(text.get().to_owned()), None),
        Err(CallError::Refused { code, message, .. }) => (Outcome::Refused(code, message), None),
        Err(CallError::SessionEnded { end, sent, .. }) => (Outcome::Ended(end_of(&end)), Some(sent)),
        Err(CallError::Closed { reason, sent, .. }) => {
            assert_eq!(Some(&reason), closed, "everyone is told the same reason");
            (Outcome::Ended(End::Closed), Some(sent))
        }
        Err(other) => panic!("{other}"),
    }
}

fn end_of(end: &SessionEnd) -> End {
    match end {
        SessionEnd::Detached => End::Detached,
        SessionEnd::Crashed => End::Crashed,
        SessionEnd::Closed(_) => End::Closed,
        other => panic!("{other}"),
    }
}

fn params(event: &RawEvent) -> String {
    String::from_utf8_lossy(event.params()).into_owned()
}

fn index<T>(from: &[T], at: usize) -> Option<usize> {
    (!from.is_empty()).then(|| at % from.len())
}

fn pick<T>(from: &[T], at: usize) -> Option<&T> {
    from.get(index(from, at)?)
}

fn take<T>(from: &mut Vec<T>, at: usize) -> Option<T> {
    index(from, at).map(|at| from.remove(at))
}

/// Writes down what it is shown.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

impl Observer for Log {
    fn event(&self, event: &RawEvent) {
        self.add(format!("{} {}", event.method(), params(event)));
    }

    fn ended(&self, end: &SessionEnd) {
        self.add(format!("{:?}", end_of(end)));
    }
}

/// A waker that remembers.
#[derive(Default)]
struct Flag(AtomicBool);

impl Flag {
    fn is_up(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
