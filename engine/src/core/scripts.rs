//! Init scripts of a page, in the order in which they run, and what each of its sessions calls them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cdp_protocol::domains::page::ScriptIdentifier;
use cdp_protocol::domains::target::SessionId;

/// Names an init script in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScriptId(u64);

impl ScriptId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The init scripts of a page, and the sessions that are told of them.
#[derive(Default)]
pub(crate) struct Scripts {
    sessions: HashSet<SessionId>,
    all: Vec<Script>,
}

struct Script {
    id: ScriptId,
    source: Arc<str>,
    /// What the sessions that have answered call it.
    names: Vec<(SessionId, ScriptIdentifier)>,
}

impl Scripts {
    pub(crate) fn new(scripts: impl IntoIterator<Item = (ScriptId, Arc<str>)>) -> Self {
        let mut all = Self::default();
        scripts.into_iter().for_each(|(id, source)| all.add(id, source));
        all
    }

    /// The sessions of the page that are set up or being set up.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.sessions.iter()
    }

    /// A session begins: gives what it is to be told.
    pub(crate) fn session_begins(&mut self, id: SessionId) -> impl Iterator<Item = (ScriptId, &str)> {
        self.sessions.insert(id);
        self.all.iter().map(|script| (script.id, &*script.source))
    }

    pub(crate) fn session_ended(&mut self, session: &SessionId) {
        self.sessions.remove(session);
        for script in &mut self.all {
            script.names.retain(|(known, _)| known != session);
        }
    }

    pub(crate) fn add(&mut self, id: ScriptId, source: Arc<str>) {
        self.all.push(Script { id, source, names: Vec::new() });
    }

    /// A session has answered. Gives the name back when the script was removed meanwhile.
    pub(crate) fn answered(
        &mut self,
        id: ScriptId,
        session: SessionId,
        name: ScriptIdentifier,
    ) -> Option<ScriptIdentifier> {
        let Some(script) = self.all.iter_mut().find(|script| script.id == id) else { return Some(name) };
        script.names.push((session, name));
        None
    }

    /// Gives what the sessions call it; those that have not answered yet will be told when they do.
    pub(crate) fn remove(&mut self, id: ScriptId) -> Vec<(SessionId, ScriptIdentifier)> {
        let at = self.all.iter().position(|script| script.id == id);
        at.map(|at| self.all.remove(at).names).unwrap_or_default()
    }
}
