//! Tells the sessions of a page of its init scripts and bindings, each exactly once: those that are there when one is
//! added, and those that come later when they begin.

use std::sync::Arc;

use cdp_protocol::domains::page::{
    AddScriptToEvaluateOnNewDocument, AddScriptToEvaluateOnNewDocumentResult,
    RemoveScriptToEvaluateOnNewDocument,
};
use cdp_protocol::domains::runtime::AddBinding;
use cdp_protocol::domains::target::SessionId;
use cdp_protocol::{Call, CallError, Session};

use super::context::Exposed;
use super::page::PageCore;
use super::scripts::ScriptId;

/// A script on its way to a session.
pub(crate) struct Installing {
    script: ScriptId,
    session: SessionId,
    call: Call<AddScriptToEvaluateOnNewDocumentResult>,
}

impl Installing {
    /// `at_once`: also in the document that is there.
    fn begin(script: ScriptId, id: &SessionId, session: &Session, source: &str, at_once: bool) -> Self {
        let call = session.call(&AddScriptToEvaluateOnNewDocument::new(source).run_immediately(at_once));
        Self { script, session: id.clone(), call }
    }

    /// Waits for the session's answer. A session that is gone needs no script.
    pub(crate) async fn finish(self, page: &PageCore) -> Result<(), CallError> {
        let name = match self.call.await {
            Ok(answer) => answer.identifier,
            Err(CallError::SessionEnded { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let session = page.session_of(&self.session);
        if let Some(removed) = page.state().scripts.answered(self.script, self.session, name) {
            drop(session.call(&RemoveScriptToEvaluateOnNewDocument::new(removed)));
        }
        Ok(())
    }
}

impl PageCore {
    /// A session begins: tells it of everything. `is_new`: the blank document that it begins with has run nothing yet.
    pub(crate) fn install(&self, session: &Session, is_new: bool) -> (Vec<Call<()>>, Vec<Installing>) {
        let Some(id) = session.id() else { return Default::default() };
        // Under the lock, so that whoever adds something knows this session or is known here.
        let mut state = self.state();
        // A script that makes a function of a binding finds it there.
        let bindings = state.exposed.keys().map(|name| session.call(&AddBinding::new(name))).collect();
        let scripts = state.scripts.session_begins(id.clone());
        let scripts = scripts.map(|(script, source)| Installing::begin(script, id, session, source, is_new));
        (bindings, scripts.collect())
    }

    /// Tells all sessions, those to come too, of a script.
    pub(crate) fn add_script(&self, script: ScriptId, source: Arc<str>) -> Vec<Installing> {
        let mut state = self.state();
        let begin = |id: &SessionId| Installing::begin(script, id, &self.session_of(id), &source, false);
        let installing = state.scripts.sessions().map(begin).collect();
        state.scripts.add(script, source);
        installing
    }

    /// Takes a script back: documents to come do without it. Says what is to be waited for.
    pub(crate) fn remove_script(&self, script: ScriptId) -> Vec<Call<()>> {
        let names = self.state().scripts.remove(script).into_iter();
        let remove =
            |(session, name)| self.session_of(&session).call(&RemoveScriptToEvaluateOnNewDocument::new(name));
        names.map(remove).collect()
    }

    /// Gives all sessions, those to come too, a binding for a function. `None` if there is one of that name.
    pub(crate) fn expose(&self, name: &str, function: Exposed) -> Option<Vec<Call<()>>> {
        let mut state = self.state();
        if state.exposed.contains_key(name) {
            return None;
        }
        state.exposed.insert(name.to_owned(), function);
        let bind = |session: &SessionId| self.session_of(session).call(&AddBinding::new(name));
        Some(state.scripts.sessions().map(bind).collect())
    }
}
