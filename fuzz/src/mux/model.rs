//! What a connection owes its users, as plain data: messages of the browser go in, in wire order, and the model says what each
//! call, stream and observer has seen by then. It follows the documentation of `Session` and `RawEvents`, not their code.

use std::collections::{BTreeMap, VecDeque};
use std::mem::size_of;
use std::rc::{Rc, Weak};

use cdp_protocol::RawEvent;

/// Stands for one session from its first mention until nobody needs it. An id that comes back later is another session.
pub(super) type Serial = usize;
/// What each call carries, so that its answer can be told from all others.
pub(super) type Token = u32;

/// The browser's own session.
pub(super) const ROOT: Serial = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Detached,
    Crashed,
    Closed,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Reply(String),
    Refused(i64, String),
    Ended(End),
}

/// What a message of the browser means.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// An answer to the call with this token; `None` for an id that no call ever had.
    Answer(Option<Token>, Outcome),
    Event {
        session: usize,
        event: Event,
        change: Change,
    },
    /// Neither a reply nor an event.
    Noise,
    /// The end of the connection: nothing behind it counts.
    Over,
}

/// An event as a stream or an observer shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) method: &'static str,
    pub(super) params: String,
    /// Bytes of the whole message.
    pub(super) bytes: usize,
}

/// What an event does to sessions, which are named by number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    None,
    Attach { session: usize, target: usize },
    Detach { session: usize },
    CrashOfTarget { target: usize },
    CrashOfSession,
}

impl Change {
    pub(super) fn ends_something(self) -> bool {
        !matches!(self, Change::None | Change::Attach { .. })
    }
}

/// What a stream yields next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Event(String, String),
    Lagged(u64),
    End,
    Pending,
}

struct Known {
    name: usize,
    target: Option<usize>,
    parent: Option<Serial>,
    attached: bool,
    ended: Option<End>,
    holds: Vec<Weak<Serial>>,
    observers: Vec<usize>,
}

struct Call {
    session: Serial,
    outcome: Option<Outcome>,
}

struct Stream {
    session: Serial,
    only: Option<&'static str>,
    limit: usize,
    /// Unread events, each with whether it may be dropped.
    unread: VecDeque<(bool, Event)>,
    lagged: u64,
    ended: bool,
}

pub(super) struct Model {
    sessions: BTreeMap<Serial, Known>,
    next: Serial,
    calls: BTreeMap<Token, Call>,
    streams: BTreeMap<usize, Stream>,
    logs: Vec<Vec<String>>,
    pub(super) late: u64,
    pub(super) ignored: u64,
    pub(super) closed: bool,
}

impl Model {
    pub(super) fn new() -> Self {
        let mut model = Self {
            sessions: BTreeMap::new(),
            next: ROOT,
            calls: BTreeMap::new(),
            streams: BTreeMap::new(),
            logs: Vec::new(),
            late: 0,
            ignored: 0,
            closed: false,
        };
        model.add(0);
        model
    }

    /// A handle on the session of this name, taken for alive if nothing is known of it.
    pub(super) fn open(&mut self, name: usize) -> Rc<Serial> {
        let serial = self.find(name).unwrap_or_else(|| self.add(name));
        let hold = Rc::new(serial);
        let known = self.known(serial);
        known.holds.push(Rc::downgrade(&hold));
        hold
    }

    /// Why calls on the session fail at once, if they do.
    pub(super) fn ended(&self, session: Serial) -> Option<End> {
        self.sessions[&session].ended
    }

    pub(super) fn call(&mut self, session: Serial, token: Token) {
        self.calls.insert(token, Call { session, outcome: None });
    }

    pub(super) fn outcome(&self, token: Token) -> Option<&Outcome> {
        self.calls[&token].outcome.as_ref()
    }

    pub(super) fn forget_call(&mut self, token: Token) {
        self.calls.remove(&token);
    }

    pub(super) fn pending_calls(&self) -> usize {
        self.calls.values().filter(|call| call.outcome.is_none()).count()
    }

    /// Sessions without the browser's own.
    pub(super) fn known_sessions(&self) -> usize {
        self.sessions.len() - 1
    }

    pub(super) fn subscribe(&mut self, id: usize, session: Serial, only: Option<&'static str>, limit: usize) {
        let ended = self.ended(session).is_some();
        let stream = Stream { session, only, limit, unread: VecDeque::new(), lagged: 0, ended };
        self.streams.insert(id, stream);
    }

    pub(super) fn unsubscribe(&mut self, id: usize) {
        self.streams.remove(&id);
    }

    /// What the stream yields next, without taking it.
    pub(super) fn peek(&self, id: usize) -> Next {
        let stream = &self.streams[&id];
        match stream.unread.front() {
            _ if stream.lagged > 0 => Next::Lagged(stream.lagged),
            Some((_, event)) => Next::Event(event.method.to_owned(), event.params.clone()),
            None if stream.ended => Next::End,
            None => Next::Pending,
        }
    }

    pub(super) fn take(&mut self, id: usize) -> Next {
        let next = self.peek(id);
        let stream = self.streams.get_mut(&id).expect("a stream that is held");
        match next {
            Next::Lagged(_) => stream.lagged = 0,
            Next::Event(..) => drop(stream.unread.pop_front()),
            Next::End | Next::Pending => {}
        }
        next
    }

    /// Adds an observer, who is told at once when the session is over; returns where its log is.
    pub(super) fn observe(&mut self, session: Serial) -> usize {
        let id = self.logs.len();
        self.logs.push(Vec::new());
        match self.ended(session) {
            Some(end) => self.logs[id].push(format!("{end:?}")),
            None => self.known(session).observers.push(id),
        }
        id
    }

    pub(super) fn log(&self, id: usize) -> &[String] {
        &self.logs[id]
    }

    /// One message of the browser.
    pub(super) fn apply(&mut self, meaning: Meaning) {
        if self.closed {
            return;
        }
        match meaning {
            Meaning::Noise => self.ignored += 1,
            Meaning::Over => self.close(),
            Meaning::Answer(token, outcome) => {
                let call = token.and_then(|token| self.calls.get_mut(&token));
                match call.filter(|call| call.outcome.is_none()) {
                    Some(call) => call.outcome = Some(outcome),
                    None => self.late += 1,
                }
            }
            Meaning::Event { session, event, change } => self.event(session, event, change),
        }
        self.sweep();
    }

    /// The whole connection ends.
    pub(super) fn close(&mut self) {
        self.closed = true;
        let all: Vec<Serial> = self.sessions.keys().copied().collect();
        all.into_iter().for_each(|session| self.end(session, End::Closed));
        self.sweep();
    }

    /// Forgets sessions that nobody holds, watches, or can hear of again. What was attached through one that is gone hangs on the
    /// next one above it.
    pub(super) fn sweep(&mut self) {
        let mut gone = BTreeMap::new();
        self.sessions.retain(|serial, known| {
            known.holds.retain(|hold| hold.strong_count() > 0);
            let listens = known.attached || !known.observers.is_empty();
            let stays = *serial == ROOT || !known.holds.is_empty() || (known.ended.is_none() && listens);
            if !stays {
                gone.insert(*serial, known.parent);
            }
            stays
        });
        for (serial, known) in &mut self.sessions {
            // Each step takes one out of those that are left to pass, so that a ring of them ends.
            let mut above = gone.clone();
            while let Some(next) = known.parent.and_then(|parent| above.remove(&parent)) {
                known.parent = next.filter(|next| next != serial);
            }
            known.parent = known.parent.filter(|parent| !gone.contains_key(parent));
        }
    }

    fn event(&mut self, name: usize, event: Event, change: Change) {
        let session = self.find(name);
        if let Change::Attach { session: child, target } = change {
            let child = self.find(child).unwrap_or_else(|| self.add(child));
            let known = self.known(child);
            (known.attached, known.parent, known.target) = (true, session, Some(target));
        }
        if let Some(session) = session.filter(|session| self.ended(*session).is_none()) {
            for observer in self.sessions[&session].observers.clone() {
                self.logs[observer].push(format!("{} {}", event.method, event.params));
            }
            for stream in self.streams.values_mut().filter(|stream| stream.session == session) {
                stream.push(&event);
            }
        }
        let (sessions, end) = match change {
            Change::None | Change::Attach { .. } => return,
            Change::Detach { session } => (self.with_children(self.find(session)), End::Detached),
            Change::CrashOfSession => (session.into_iter().collect(), End::Crashed),
            Change::CrashOfTarget { target } => {
                let hit = self.sessions.iter().filter(|(_, known)| known.target == Some(target));
                (hit.map(|(serial, _)| *serial).collect(), End::Crashed)
            }
        };
        sessions.into_iter().filter(|session| *session != ROOT).for_each(|session| self.end(session, end));
    }

    fn end(&mut self, session: Serial, end: End) {
        let known = self.known(session);
        // Chromium still takes back the session of a crashed target later on. Any other end cuts it off from what is around it.
        if end != End::Crashed {
            (known.attached, known.parent, known.target) = (false, None, None);
        }
        if known.ended.is_some() {
            return;
        }
        known.ended = Some(end);
        for observer in std::mem::take(&mut known.observers) {
            self.logs[observer].push(format!("{end:?}"));
        }
        for stream in self.streams.values_mut().filter(|stream| stream.session == session) {
            stream.ended = true;
        }
        for call in self.calls.values_mut().filter(|call| call.session == session) {
            call.outcome.get_or_insert(Outcome::Ended(end));
        }
    }

    /// A session and all that were attached through it.
    fn with_children(&self, session: Option<Serial>) -> Vec<Serial> {
        let mut found: Vec<Serial> = session.into_iter().collect();
        loop {
            let before = found.len();
            for (serial, known) in &self.sessions {
                let parent = known.parent.filter(|parent| *parent != ROOT);
                if parent.is_some_and(|parent| found.contains(&parent)) && !found.contains(serial) {
                    found.push(*serial);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    fn find(&self, name: usize) -> Option<Serial> {
        self.sessions.iter().find(|(_, known)| known.name == name).map(|(serial, _)| *serial)
    }

    fn known(&mut self, session: Serial) -> &mut Known {
        self.sessions.get_mut(&session).expect("a session that is held")
    }

    fn add(&mut self, name: usize) -> Serial {
        let serial = self.next;
        self.next += 1;
        let ended = self.closed.then_some(End::Closed);
        let known = Known {
            name,
            target: None,
            parent: None,
            attached: false,
            ended,
            holds: Vec::new(),
            observers: Vec::new(),
        };
        self.sessions.insert(serial, known);
        serial
    }
}

impl Stream {
    fn push(&mut self, event: &Event) {
        if self.ended || self.only.is_some_and(|only| only != event.method) {
            return;
        }
        let may_drop = !event.is_control();
        if may_drop {
            while self.bytes() + event.size() > self.limit {
                let Some(oldest) = self.unread.iter().position(|(may_drop, _)| *may_drop) else { break };
                self.unread.remove(oldest);
                self.lagged += 1;
            }
        }
        self.unread.push_back((may_drop, event.clone()));
    }

    /// Bytes of what may be dropped.
    fn bytes(&self) -> usize {
        self.unread.iter().filter(|(may_drop, _)| *may_drop).map(|(_, event)| event.size()).sum()
    }
}

impl Event {
    fn size(&self) -> usize {
        self.bytes + size_of::<RawEvent>()
    }

    /// Whether it is one of those that no stream ever drops.
    fn is_control(&self) -> bool {
        self.method.starts_with("Target.")
            || self.method.starts_with("Inspector.")
            || self.method == "Page.javascriptDialogOpening"
    }
}
