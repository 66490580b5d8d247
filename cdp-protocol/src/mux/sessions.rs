//! The sessions of one connection: which there are, who observes and subscribes to them, and what ends together. Attached ones
//! are known from the browser's events, others from their first use.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::task::Waker;

use super::event::{Observer, Observers};
use super::key::{Found, ROOT, SessionKey};
use super::names::Names;
use super::queue::Subscription;
use crate::domains::target::SessionId;
use crate::error::SessionEnd;

pub(super) struct Sessions {
    entries: Vec<Entry>,
    free: Vec<SessionKey>,
    names: Names,
    /// The attached sessions of each target. With the children that each session knows this makes an end cost what it ends,
    /// however many sessions there are.
    targets: HashMap<Box<str>, BTreeSet<SessionKey>>,
}

/// Takes one line of the processor's cache, for the same reason as [`Found`].
#[repr(align(64))]
struct Entry {
    session: Option<Session>,
    /// Counts those that had this place.
    turn: u32,
}

const _: () = assert!(size_of::<Entry>() == 64, "a session's entry is one line of the cache");

/// What a message to a listener needs of a session, small enough for one [`Entry`]: a `Vec` of subscriptions would not fit.
pub(super) struct Session {
    pub(super) ended: Option<Box<SessionEnd>>,
    pub(super) observers: Observers,
    pub(super) subscriptions: Box<[Arc<Subscription>]>,
    ties: Box<Ties>,
}

/// The rest of a session, which a message to its listeners doesn't touch.
struct Ties {
    id: Option<SessionId>,
    /// The target it is attached to, once the browser has told.
    target: Option<Box<str>>,
    /// The session whose auto-attach made it; it ends with that one.
    parent: Option<SessionKey>,
    /// Those whose parent this is. The browser's own session keeps none: its children are detached one by one.
    children: BTreeSet<SessionKey>,
    /// Whether the browser has announced it and not yet taken it back.
    attached: bool,
    handles: usize,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("known", &self.names.len()).finish_non_exhaustive()
    }
}

impl Session {
    fn new(id: Option<SessionId>) -> Self {
        let ties =
            Ties { id, target: None, parent: None, children: BTreeSet::new(), attached: false, handles: 0 };
        Self { ended: None, observers: Observers::None, subscriptions: Box::default(), ties: Box::new(ties) }
    }

    pub(super) fn is_heard(&self, method: &[u8]) -> bool {
        !self.observers.is_empty() || self.subscriptions.iter().any(|s| s.wants(method))
    }

    fn is_listened_to(&self) -> bool {
        !self.observers.is_empty() || !self.subscriptions.is_empty()
    }

    fn is_needed(&self) -> bool {
        let is_used = self.ties.attached || self.is_listened_to();
        self.ties.id.is_none() || self.ties.handles > 0 || (self.ended.is_none() && is_used)
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self {
            entries: vec![Entry { session: Some(Session::new(None)), turn: 0 }],
            free: Vec::new(),
            names: Names::default(),
            targets: HashMap::new(),
        }
    }

    pub(super) fn get(&self, key: SessionKey) -> Option<&Session> {
        self.entries.get(key.place()).filter(|entry| entry.turn == key.turn())?.session.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: SessionKey) -> Option<&mut Session> {
        self.entries.get_mut(key.place()).filter(|entry| entry.turn == key.turn())?.session.as_mut()
    }

    pub(super) fn find(&self, id: Option<&[u8]>) -> Option<Found> {
        id.map_or(Some(Found { key: ROOT, listened: true }), |id| self.names.find(id))
    }

    pub(super) fn observe(&mut self, key: SessionKey, observer: Arc<dyn Observer>) {
        if let Some(session) = self.get_mut(key) {
            session.observers.add(observer);
        }
        self.note_listeners(key);
    }

    pub(super) fn subscribe(&mut self, key: SessionKey, subscription: Arc<Subscription>) {
        if let Some(session) = self.get_mut(key) {
            let known = std::mem::take(&mut session.subscriptions);
            session.subscriptions = known.into_iter().chain([subscription]).collect();
        }
        self.note_listeners(key);
    }

    pub(super) fn unsubscribe(&mut self, key: SessionKey, subscription: &Arc<Subscription>) {
        if let Some(session) = self.get_mut(key) {
            let known = std::mem::take(&mut session.subscriptions);
            session.subscriptions = known.into_iter().filter(|it| !Arc::ptr_eq(it, subscription)).collect();
        }
        self.note_listeners(key);
    }

    fn note_listeners(&mut self, key: SessionKey) {
        let entry = self.entries.get(key.place()).filter(|entry| entry.turn == key.turn());
        let Some(session) = entry.and_then(|entry| entry.session.as_ref()) else { return };
        let known = session.ties.id.as_ref().and_then(|id| self.names.get_mut(id));
        if let Some(found) = known {
            found.listened = session.is_listened_to();
        }
    }

    /// A handle on a session, which is taken for alive if nothing is known of it.
    pub(super) fn open(&mut self, id: Option<&SessionId>) -> SessionKey {
        let key = id.map_or(ROOT, |id| self.find_or_add(id));
        if let Some(session) = self.get_mut(key) {
            session.ties.handles = session.ties.handles.saturating_add(1);
        }
        key
    }

    /// Gives a handle back.
    pub(super) fn release(&mut self, key: SessionKey) {
        if let Some(session) = self.get_mut(key) {
            session.ties.handles = session.ties.handles.saturating_sub(1);
        }
        self.remove_if_unneeded(key);
    }

    pub(super) fn attach(&mut self, parent: Option<SessionKey>, id: &SessionId, target: Option<&str>) {
        let key = self.find_or_add(id);
        self.take_out(key);
        if let Some(parent) = parent.filter(|parent| *parent != ROOT).and_then(|parent| self.get_mut(parent))
        {
            parent.ties.children.insert(key);
        }
        if let Some(target) = target {
            self.targets.entry(target.into()).or_default().insert(key);
        }
        if let Some(session) = self.get_mut(key) {
            session.ties.attached = true;
            session.ties.parent = parent;
            session.ties.target = target.map(Into::into);
        }
    }

    /// Live sessions that are attached to a target.
    pub(super) fn of_target(&self, target: &str) -> Vec<SessionKey> {
        let known = self.targets.get(target).into_iter().flatten().copied();
        known.filter(|key| self.get(*key).is_some_and(|session| session.ended.is_none())).collect()
    }

    /// A session and all that were attached through it, itself first.
    pub(super) fn with_children(&self, key: SessionKey) -> Vec<SessionKey> {
        let mut found = vec![key];
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            let children = self.get(parent).into_iter().flat_map(|session| &session.ties.children);
            // Each has one parent, so the first alone can come a second time: when the peer made a ring of them.
            found.extend(children.filter(|child| **child != key));
            next = next.saturating_add(1);
        }
        found
    }

    pub(super) fn all(&self) -> Vec<SessionKey> {
        let known = self.entries.iter().enumerate();
        let present = known.filter(|(_, entry)| entry.session.is_some());
        present.map(|(place, entry)| SessionKey::new(place, entry.turn)).collect()
    }

    /// Ends a session; returns its observers if it was alive until now. Its streams end behind what they have queued.
    pub(super) fn end(
        &mut self,
        key: SessionKey,
        end: &SessionEnd,
        wakers: &mut Vec<Waker>,
    ) -> Option<Observers> {
        if *end != SessionEnd::Crashed {
            self.take_out(key);
        }
        let session = self.get_mut(key)?;
        if session.ended.is_some() {
            return None;
        }
        session.ended = Some(Box::new(end.clone()));
        wakers.extend(std::mem::take(&mut session.subscriptions).into_iter().filter_map(|s| s.end()));
        let observers = std::mem::take(&mut session.observers);
        self.note_listeners(key);
        Some(observers)
    }

    pub(super) fn remove_if_unneeded(&mut self, key: SessionKey) {
        if self.get(key).is_none_or(Session::is_needed) {
            return;
        }
        let parent = self.get(key).and_then(|session| session.ties.parent).filter(|parent| *parent != key);
        self.take_out(key);
        let Some(entry) = self.entries.get_mut(key.place()) else { return };
        let Some(session) = entry.session.take() else { return };
        // Whoever still has the key of this session must not find the next one by it.
        entry.turn = entry.turn.wrapping_add(1);
        let free = SessionKey::new(key.place(), entry.turn);
        // The key may be given to another session, whose children these are not. They hang on the next one above: a crashed
        // session may go before them, and they still end with those that it hung on.
        for child in session.ties.children {
            let parent = parent.filter(|parent| *parent != child);
            if let Some(child) = self.get_mut(child) {
                child.ties.parent = parent;
            }
            if let Some(parent) =
                parent.filter(|parent| *parent != ROOT).and_then(|parent| self.get_mut(parent))
            {
                parent.ties.children.insert(child);
            }
        }
        if let Some(id) = session.ties.id {
            self.names.remove(&id);
        }
        self.free.push(free);
    }

    /// Sessions known, without the browser's own.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    fn find_or_add(&mut self, id: &SessionId) -> SessionKey {
        if let Some(found) = self.names.find(id.as_str().as_bytes()) {
            return found.key;
        }
        let key = match self.free.pop() {
            Some(key) => key,
            None => {
                self.entries.push(Entry { session: None, turn: 0 });
                SessionKey::new(self.entries.len().saturating_sub(1), 0)
            }
        };
        if let Some(entry) = self.entries.get_mut(key.place()) {
            entry.session = Some(Session::new(Some(id.clone())));
        }
        self.names.insert(id, Found { key, listened: false });
        key
    }

    /// Takes back what [`attach`](Self::attach) told of a session.
    fn take_out(&mut self, key: SessionKey) {
        let Some(session) = self.get_mut(key) else { return };
        session.ties.attached = false;
        let (parent, target) = (session.ties.parent.take(), session.ties.target.take());
        if let Some(parent) = parent.and_then(|parent| self.get_mut(parent)) {
            parent.ties.children.remove(&key);
        }
        if let Some(target) = target
            && let Some(keys) = self.targets.get_mut(&target)
        {
            keys.remove(&key);
            if keys.is_empty() {
                self.targets.remove(&target);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::random::Random;

    fn find(sessions: &Sessions, id: Option<&[u8]>) -> Option<SessionKey> {
        sessions.find(id).map(|found| found.key)
    }

    fn id(number: usize) -> SessionId {
        SessionId::from(format!("S{number}").as_str())
    }

    /// What the indexes are to answer, found by looking at every session.
    fn scan(sessions: &Sessions, wanted: impl Fn(&Session) -> bool) -> Vec<SessionKey> {
        sessions.all().into_iter().filter(|key| sessions.get(*key).is_some_and(&wanted)).collect()
    }

    #[test]
    fn children_and_targets_are_those_that_a_search_of_all_sessions_finds() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut sessions = Sessions::new();
            let mut handles = Vec::new();
            for _ in 0..200 {
                let (number, other) = (random.below(12), random.below(12));
                let key = find(&sessions, Some(id(number).as_str().as_bytes()));
                match (random.below(8), key) {
                    (0..=3, _) => {
                        let parent =
                            find(&sessions, Some(id(other).as_str().as_bytes())).filter(|p| Some(*p) != key);
                        let target = format!("T{}", random.below(4));
                        sessions.attach(parent, &id(number), (other != 0).then_some(&*target));
                    }
                    (4, _) => handles.push(sessions.open(Some(&id(number)))),
                    (5, _) if !handles.is_empty() => {
                        sessions.release(handles.swap_remove(random.below(handles.len())))
                    }
                    (6, Some(key)) => {
                        for key in sessions.with_children(key) {
                            sessions.end(key, &SessionEnd::Detached, &mut Vec::new());
                            sessions.remove_if_unneeded(key);
                        }
                    }
                    (7, Some(key)) => {
                        sessions.end(key, &SessionEnd::Crashed, &mut Vec::new());
                        sessions.remove_if_unneeded(key);
                    }
                    _ => {}
                }
                for key in sessions.all() {
                    let children: Vec<_> = sessions.get(key).unwrap().ties.children.iter().copied().collect();
                    let found = scan(&sessions, |session| session.ties.parent == Some(key) && key != ROOT);
                    assert_eq!(children, found, "seed {seed}");
                }
                for target in ["T0", "T1", "T2", "T3"] {
                    let found =
                        scan(&sessions, |s| s.ties.target.as_deref() == Some(target) && s.ended.is_none());
                    assert_eq!(sessions.of_target(target), found, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn a_detached_session_leaves_nothing_in_its_parent_and_its_target() {
        let mut sessions = Sessions::new();
        sessions.attach(Some(ROOT), &id(0), Some("T"));
        let parent = find(&sessions, Some(b"S0")).unwrap();
        let handles: Vec<_> = (1..1000).map(|n| sessions.open(Some(&id(n)))).collect();
        for n in 1..1000 {
            sessions.attach(Some(parent), &id(n), Some("T"));
        }
        assert_eq!((sessions.with_children(parent).len(), sessions.of_target("T").len()), (1000, 1000));
        for (gone, key) in handles.iter().enumerate() {
            assert_eq!(sessions.with_children(*key), [*key]);
            sessions.end(*key, &SessionEnd::Detached, &mut Vec::new());
            let left = (sessions.get(parent).unwrap().ties.children.len(), sessions.targets["T"].len());
            assert_eq!(left, (998 - gone, 999 - gone), "an ended session in use still takes place");
        }
        sessions.end(parent, &SessionEnd::Detached, &mut Vec::new());
        assert!(sessions.targets.is_empty());
        assert!(sessions.get(ROOT).unwrap().ties.children.is_empty());
    }

    #[test]
    fn sessions_that_hang_on_each_other_end_all_the_same() {
        let mut sessions = Sessions::new();
        sessions.attach(None, &id(0), None);
        let first = find(&sessions, Some(b"S0")).unwrap();
        sessions.attach(Some(first), &id(0), None);
        assert_eq!(sessions.with_children(first), [first]);
        sessions.attach(Some(first), &id(1), None);
        let second = find(&sessions, Some(b"S1")).unwrap();
        sessions.attach(Some(second), &id(0), None);
        assert_eq!(sessions.with_children(first), [first, second]);
        assert_eq!(sessions.with_children(second), [second, first]);
    }
}
