//! The sessions of one connection: which there are, who observes and subscribes to them, and what ends together. Attached ones
//! are known from the browser's events, others from their first use.

use std::fmt;
use std::sync::Arc;
use std::task::Waker;

use super::event::Observer;
use super::names::Names;
use super::queue::Subscription;
use crate::domains::target::SessionId;
use crate::error::SessionEnd;

/// A session's place in the table. It stays valid as long as a handle is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SessionKey(usize);

/// The browser's own session, which has no id.
pub(crate) const ROOT: SessionKey = SessionKey(0);

pub(crate) type Observers = Arc<[Arc<dyn Observer>]>;

pub(super) struct Sessions {
    entries: Vec<Option<Session>>,
    free: Vec<SessionKey>,
    names: Names,
}

pub(super) struct Session {
    pub(super) id: Option<Arc<SessionId>>,
    /// The target it is attached to, once the browser has told.
    target: Option<Box<str>>,
    /// The session whose auto-attach made it; it ends with that one.
    parent: Option<SessionKey>,
    /// Whether the browser has announced it and not yet taken it back.
    attached: bool,
    handles: usize,
    pub(super) ended: Option<SessionEnd>,
    pub(super) observers: Observers,
    pub(super) subscriptions: Vec<Arc<Subscription>>,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("known", &self.names.len()).finish_non_exhaustive()
    }
}

impl Session {
    fn new(id: Option<Arc<SessionId>>) -> Self {
        Self {
            id,
            target: None,
            parent: None,
            attached: false,
            handles: 0,
            ended: None,
            observers: Arc::new([]),
            subscriptions: Vec::new(),
        }
    }

    pub(super) fn is_heard(&self, method: &[u8]) -> bool {
        !self.observers.is_empty() || self.subscriptions.iter().any(|s| s.wants(method))
    }

    fn is_needed(&self) -> bool {
        let listens = self.attached || !self.observers.is_empty() || !self.subscriptions.is_empty();
        self.id.is_none() || self.handles > 0 || (self.ended.is_none() && listens)
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self { entries: vec![Some(Session::new(None))], free: Vec::new(), names: Names::default() }
    }

    pub(super) fn get(&self, key: SessionKey) -> Option<&Session> {
        self.entries.get(key.0).and_then(Option::as_ref)
    }

    pub(super) fn get_mut(&mut self, key: SessionKey) -> Option<&mut Session> {
        self.entries.get_mut(key.0).and_then(Option::as_mut)
    }

    pub(super) fn find(&self, id: Option<&[u8]>) -> Option<SessionKey> {
        id.map_or(Some(ROOT), |id| self.names.find(id))
    }

    /// A handle on a session, which is taken for alive if nothing is known of it.
    pub(super) fn open(&mut self, id: Option<&SessionId>) -> SessionKey {
        let key = id.map_or(ROOT, |id| self.find_or_add(id));
        if let Some(session) = self.get_mut(key) {
            session.handles = session.handles.saturating_add(1);
        }
        key
    }

    /// Gives a handle back.
    pub(super) fn release(&mut self, key: SessionKey) {
        if let Some(session) = self.get_mut(key) {
            session.handles = session.handles.saturating_sub(1);
        }
        self.remove_if_unneeded(key);
    }

    pub(super) fn attach(&mut self, parent: Option<SessionKey>, id: &SessionId, target: Option<&str>) {
        let key = self.find_or_add(id);
        if let Some(session) = self.get_mut(key) {
            session.attached = true;
            session.parent = parent;
            session.target = target.map(Into::into);
        }
    }

    /// Live sessions that are attached to a target.
    pub(super) fn of_target(&self, target: &str) -> Vec<SessionKey> {
        self.keys_where(|session| session.ended.is_none() && session.target.as_deref() == Some(target))
    }

    /// A session and all that were attached through it, itself first.
    pub(super) fn with_children(&self, key: SessionKey) -> Vec<SessionKey> {
        let mut found = vec![key];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            // The root's children are told of one by one; only what hangs on a session goes with it.
            if parent != ROOT {
                found.extend(self.keys_where(|session| session.parent == Some(parent)));
            }
            next = next.saturating_add(1);
        }
        found
    }

    pub(super) fn all(&self) -> Vec<SessionKey> {
        self.keys_where(|_| true)
    }

    /// Ends a session; returns its observers if it was alive until now. Its streams end behind what they have queued.
    pub(super) fn end(
        &mut self,
        key: SessionKey,
        end: &SessionEnd,
        wakers: &mut Vec<Waker>,
    ) -> Option<Observers> {
        let session = self.get_mut(key)?;
        session.attached = session.attached && *end == SessionEnd::Crashed;
        if session.ended.is_some() {
            return None;
        }
        session.ended = Some(end.clone());
        wakers.extend(session.subscriptions.drain(..).filter_map(|s| s.end()));
        Some(std::mem::replace(&mut session.observers, Arc::new([])))
    }

    pub(super) fn remove_if_unneeded(&mut self, key: SessionKey) {
        let Some(slot) = self.entries.get_mut(key.0) else { return };
        if slot.as_ref().is_some_and(|session| !session.is_needed()) {
            if let Some(id) = slot.take().and_then(|session| session.id) {
                self.names.remove(&id);
            }
            self.free.push(key);
        }
    }

    /// Sessions known, without the browser's own.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    fn find_or_add(&mut self, id: &SessionId) -> SessionKey {
        if let Some(key) = self.names.find(id.as_str().as_bytes()) {
            return key;
        }
        let session = Session::new(Some(Arc::new(id.clone())));
        let key = match self.free.pop() {
            Some(key) => key,
            None => {
                self.entries.push(None);
                SessionKey(self.entries.len().saturating_sub(1))
            }
        };
        if let Some(slot) = self.entries.get_mut(key.0) {
            *slot = Some(session);
        }
        self.names.insert(id, key);
        key
    }

    fn keys_where(&self, wanted: impl Fn(&Session) -> bool) -> Vec<SessionKey> {
        let known = self.entries.iter().enumerate();
        known.filter(|(_, s)| s.as_ref().is_some_and(&wanted)).map(|(n, _)| SessionKey(n)).collect()
    }
}
