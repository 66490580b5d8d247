//! What a new page or frame process is told before its first script runs: all in one write, nothing awaited between.

use std::sync::Arc;

use cdp_protocol::domains::{inspector, log, network, page, runtime, target};
use cdp_protocol::{Call, CallError, Session};

use super::context::Shared;
use super::emulate::{self, Part};
use super::install::Installing;
use super::page::{PageCore, PageState};
use crate::emulation::Emulation;
use crate::error::ErrorKind;
use crate::js;

/// Has what was held be taken in, once it is known which frames there are.
pub(crate) type Release = Box<dyn FnOnce() + Send>;

/// Commands on their way to a new session.
struct Setup {
    calls: Vec<Call<()>>,
    tree: Call<page::GetFrameTreeResult>,
    scripts: Vec<Installing>,
    resumed: Call<()>,
    release: Option<Release>,
}

/// Sets a page up. Called by the reader; the answers are awaited by a task that ends with them.
pub(crate) fn page(core: &Arc<PageCore>, shared: &Shared, release: Option<Release>) {
    let session = core.session.clone();
    let setup = begin(core, &session, Part::Page, shared, release);
    let core = core.clone();
    tokio::spawn(async move {
        let result = setup.finish(&core, &session).await.map_err(|error| why(&core, error));
        core.update(|state| state.ready = Some(result));
    });
}

/// Sets up the process of a cross-process frame.
pub(crate) fn frame(core: &Arc<PageCore>, session: Session, release: Option<Release>) {
    let setup = begin(core, &session, Part::Frame, &core.context.shared(), release);
    let existed = usize::from(setup.release.is_some());
    core.update(|state| state.unknown_frames += existed);
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(error) = setup.finish(&core, &session).await {
            // The frame may be gone already; what waits for it learns that from the frame tree.
            tracing::debug!(%error, "a frame could not be set up");
        }
        core.update(|state| state.unknown_frames -= existed);
    });
}

/// Lets a target run that the engine has no use for.
pub(crate) fn let_go(parent: &Session, session: &Session) {
    drop(session.call(&runtime::RunIfWaitingForDebugger));
    if let Some(id) = session.id() {
        drop(parent.call(&target::DetachFromTarget::default().session_id(id.clone())));
    }
}

fn begin(core: &PageCore, session: &Session, part: Part, shared: &Shared, release: Option<Release>) -> Setup {
    let mut calls = {
        let state = core.state();
        emulate::begin(session, part, &shared.emulation, &state.screen, &state.media)
    };
    calls.push(session.call(&page::Enable::default()));
    let tree = session.call(&page::GetFrameTree);
    calls.extend([
        session.call(&page::SetLifecycleEventsEnabled::new(true)),
        session.call(&runtime::Enable),
        session.call(&log::Enable),
        session.call(&network::Enable::default()),
        session.call(&inspector::Enable),
        session.call(&target::SetAutoAttach::new(true, true).flatten(true)),
    ]);
    // Has every new document create the isolated world; the rest of the script follows when it is first needed.
    let world = page::AddScriptToEvaluateOnNewDocument::new(js::early()).world_name(core.world.as_str());
    drop(session.call(&world));
    // Only scripts in the isolated world see it.
    calls.push(
        session.call(&runtime::AddBinding::new(js::VERDICT).execution_context_name(core.world.as_str())),
    );
    let (bindings, scripts) = core.install(session, part == Part::Page && release.is_none());
    calls.extend(bindings);
    Setup { calls, tree, scripts, resumed: session.call(&runtime::RunIfWaitingForDebugger), release }
}

/// Whose fault it is that a page could not be set up.
fn why(core: &PageCore, error: CallError) -> (ErrorKind, String) {
    let shared = core.context.shared();
    let Emulation { time_zone, locale, .. } = &shared.emulation;
    match (&error, time_zone, locale) {
        (CallError::Refused { message, .. }, Some(name), _) if message.starts_with("Invalid timezone") => {
            (ErrorKind::Invalid, format!("there is no time zone {name:?}; one is named as Europe/Berlin is"))
        }
        (CallError::Refused { message, .. }, _, Some(name)) if message.starts_with("Invalid locale") => {
            (ErrorKind::Invalid, format!("there is no locale {name:?}; one is named as de-DE is"))
        }
        _ => (ErrorKind::Protocol, error.to_string()),
    }
}

impl Setup {
    async fn finish(self, core: &PageCore, session: &Session) -> Result<(), CallError> {
        let tree = self.tree.await?;
        if let Some(id) = session.id() {
            core.update(|state| learn(state, id, &tree.frame_tree, self.release.is_some()));
        }
        if let Some(release) = self.release {
            release();
        }
        for call in self.calls {
            match call.await {
                // Another frame's session in the same process was told first, and of the same.
                Err(CallError::Refused { message, .. }) if message.contains("already in effect") => {}
                answer => answer?,
            }
        }
        for script in self.scripts {
            script.finish(core).await?;
        }
        self.resumed.await
    }
}

/// Fills in what no event has told of a session's own frame. Its children have all been reported if the session was
/// attached before its first script ran.
fn learn(state: &mut PageState, session: &target::SessionId, tree: &page::FrameTree, existed: bool) {
    let frame = &tree.frame;
    state.frames.known(frame.id.clone(), frame.parent_id.clone(), session, &frame.url, &frame.loader_id);
    for child in tree.child_frames.iter().flatten().filter(|_| existed) {
        learn(state, session, child, existed);
    }
}
