//! One page as the engine knows it: its sessions, its state, and the one way to wait for a change of that state.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::target::{SessionId, TargetId, TargetInfo};
use cdp_protocol::{Session, SessionEnd};
use tokio::sync::Notify;

use super::context::{ContextCore, Exposed, Shared};
use super::download::Downloads;
use super::scripts::{ScriptId, Scripts};
use super::workers::WorkerCore;
use crate::dialog::{Dialog, DialogRecord};
use crate::emulation::{Asker, Media, Screen};
use crate::error::{Error, ErrorKind, Result, shown};
use crate::lock::lock;
use crate::state::clock::Time;
use crate::state::evidence::{EvidenceKind, Ring, cut};
use crate::state::frames::FrameTree;
use crate::state::idle::Idle;
use crate::state::journal::{Journal, NavigationCause};

/// Dialogs and responses that are remembered.
const REMEMBERED: usize = 64;

/// Requests on their way that are remembered. Chromium does not report the end of every request of a document that
/// went away, so they are forgotten all together when there are more.
const REQUESTS: usize = 4_096;

/// A user's dialog handler.
pub(crate) type DialogHandler = Arc<dyn Fn(Dialog) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// One page.
pub(crate) struct PageCore {
    /// The session of the page's target. Input goes here, also for frames in other processes.
    pub session: Session,
    pub target: TargetId,
    pub context: Arc<ContextCore>,
    /// The page that opened this one.
    pub opener: Option<TargetId>,
    /// The name of the isolated world in every frame.
    pub world: String,
    /// Lock rule: taken by the reader and by calls alike, for a few instructions, never across an await. Commands
    /// may be queued under it (the connection's lock is always the inner one).
    state: Mutex<PageState>,
    changed: Notify,
    /// Whose turn it is: one action at a time has the page's mouse, keyboard and focus, from its checks to its verdict.
    pub turn: tokio::sync::Mutex<()>,
}

/// What is known of a page. What the browser reports is put in by the page's observer, in wire order; calls add only
/// what they did themselves (a script installed, a handler registered).
pub(crate) struct PageState {
    pub frames: FrameTree,
    /// What the page's clock shows, and the script that tells documents to come.
    pub clock: Option<(Time, ScriptId)>,
    pub idle: Idle,
    pub journal: Journal,
    pub evidence: Ring,
    pub dialogs: VecDeque<Arc<Mutex<DialogRecord>>>,
    pub dialog_handler: Option<DialogHandler>,
    pub downloads: Downloads,
    /// Dedicated workers, oldest first.
    pub workers: Vec<Arc<WorkerCore>>,
    pub scripts: Scripts,
    pub screen: Screen,
    pub media: Media,
    /// Requests whose server was told a password.
    pub authenticated: VecDeque<(String, Asker)>,
    /// Functions of the host that the page may call, by their names.
    pub exposed: HashMap<String, Exposed>,
    /// Answers to requests for documents, newest last.
    pub responses: VecDeque<(LoaderId, DocumentResponse)>,
    /// Requests on their way, for the day one of them fails.
    pub requests: HashMap<String, String>,
    /// What watches over input told, by their names, newest last; as the injected script wrote it.
    pub verdicts: VecDeque<(u32, String)>,
    /// Frames in other processes that were there before, and have not told yet which frames they hold.
    pub unknown_frames: usize,
    pub ready: Option<Result<(), (ErrorKind, String)>>,
    pub end: Option<PageEnd>,
}

/// The answer to the request for a document.
#[derive(Debug, Clone)]
pub(crate) struct DocumentResponse {
    pub status: i64,
    pub url: String,
    pub mime_type: String,
}

/// Why a page is no more.
#[derive(Debug, Clone)]
pub(crate) enum PageEnd {
    Closed(String),
    Crashed,
}

impl PageCore {
    /// A page of a context whose `shared` is held until the page has been told of it.
    pub(crate) fn new(
        session: Session,
        info: &TargetInfo,
        context: Arc<ContextCore>,
        shared: &Shared,
    ) -> Arc<Self> {
        let id = session.id().cloned().unwrap_or_else(|| SessionId::from(""));
        // A page's main frame has the id of its target; `Page.getFrameTree` corrects the rare exception.
        let main = FrameId::from(info.target_id.as_str());
        let state = PageState {
            frames: FrameTree::new(main, id, info.url.clone()),
            clock: None,
            idle: Idle::default(),
            journal: Journal::default(),
            evidence: Ring::default(),
            dialogs: VecDeque::new(),
            dialog_handler: None,
            downloads: Downloads::default(),
            workers: Vec::new(),
            scripts: Scripts::new(shared.scripts.iter().cloned()),
            screen: shared.emulation.screen.clone(),
            media: shared.emulation.media,
            authenticated: VecDeque::new(),
            exposed: shared.exposed.clone(),
            responses: VecDeque::new(),
            requests: HashMap::new(),
            verdicts: VecDeque::new(),
            unknown_frames: 0,
            ready: None,
            end: None,
        };
        Arc::new(Self {
            world: format!("engine {}", info.target_id),
            session,
            target: info.target_id.clone(),
            context,
            opener: info.opener_id.clone(),
            state: Mutex::new(state),
            changed: Notify::new(),
            turn: tokio::sync::Mutex::new(()),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, PageState> {
        lock(&self.state)
    }

    /// The session with this id on the page's connection.
    pub(crate) fn session_of(&self, id: &SessionId) -> Session {
        self.session.client().session(id)
    }

    /// Changes the state and wakes those who wait for a change.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.notify_waiters();
        result
    }

    /// Waits until `check` finds what it looks for.
    ///
    /// # Errors
    ///
    /// When the page ends first.
    pub(crate) async fn when<T>(&self, mut check: impl FnMut(&mut PageState) -> Option<T>) -> Result<T> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut state = self.state();
                if let Some(found) = check(&mut state) {
                    return Ok(found);
                }
                if let Some(end) = &state.end {
                    return Err(end.error());
                }
            }
            changed.await;
        }
    }

    /// Waits until the page has been set up.
    pub(crate) async fn ready(&self) -> Result<()> {
        let ready = self.when(|state| state.ready.clone()).await?;
        ready.map_err(|(kind, why)| Error::new(kind, format!("the page could not be set up: {why}")))
    }

    /// Waits until the page has been set up and all of its frames are known.
    pub(crate) async fn explored(&self) -> Result<()> {
        self.ready().await?;
        self.when(|state| (state.unknown_frames == 0).then_some(())).await
    }

    /// The page is gone, or as good as gone.
    pub(crate) fn ended(&self, end: &SessionEnd) {
        self.update(|state| {
            if *end == SessionEnd::Crashed {
                let url = state.frames.main_frame().url.clone();
                state.evidence.push(EvidenceKind::Crash, "the page's renderer crashed", Some(url));
                state.end = Some(PageEnd::Crashed);
            } else {
                state.end.get_or_insert_with(|| PageEnd::Closed(end.to_string()));
            }
        });
    }
}

impl PageState {
    /// What is told of calls into a frame whose process died.
    pub(crate) fn frame_crashed(&self, id: &FrameId) -> Error {
        let url = self.frames.get(id).map(|frame| shown(&frame.url)).unwrap_or_default();
        let what = format!("the frame at {url:?} has crashed; it comes back with its next document");
        Error::new(ErrorKind::Crashed, what)
    }

    /// A call of the user's is about to ask for a navigation. Gives the number of the last one that ended.
    pub(crate) fn asks(&mut self, frame: &FrameId, cause: NavigationCause) -> u64 {
        self.journal.asks(frame.clone(), cause);
        self.frames.sequence()
    }

    /// Has the journal take in what has ended.
    pub(crate) fn note_navigations(&mut self) {
        let (main, seen) = (self.frames.main().clone(), self.journal.seen());
        self.journal.look(self.frames.ended_since(seen), &main);
    }

    pub(crate) fn remember_dialog(&mut self, record: Arc<Mutex<DialogRecord>>) {
        push_bounded(&mut self.dialogs, record);
    }

    pub(crate) fn remember_verdict(&mut self, token: u32, verdict: String) {
        push_bounded(&mut self.verdicts, (token, verdict));
    }

    /// What a watch told.
    pub(crate) fn verdict(&self, token: u32) -> Option<&str> {
        self.verdicts.iter().rev().find(|(name, _)| *name == token).map(|(_, verdict)| verdict.as_str())
    }

    /// Whether this asker is told a password for this request, which is so once: whoever asks again found it wrong.
    pub(crate) fn authenticate(&mut self, request: String, asker: Asker) -> bool {
        let entry = (request, asker);
        let first = !self.authenticated.contains(&entry);
        if first {
            push_bounded(&mut self.authenticated, entry);
        }
        first
    }

    pub(crate) fn remember_response(&mut self, loader: LoaderId, response: DocumentResponse) {
        push_bounded(&mut self.responses, (loader, response));
    }

    pub(crate) fn remember_request(&mut self, id: String, url: String) {
        if self.requests.len() == REQUESTS {
            self.requests.clear();
        }
        self.requests.insert(id, cut(url));
    }

    pub(crate) fn response(&self, loader: &LoaderId) -> Option<DocumentResponse> {
        self.responses.iter().rev().find(|(id, _)| id == loader).map(|(_, response)| response.clone())
    }
}

impl PageEnd {
    pub(crate) fn error(&self) -> Error {
        match self {
            Self::Closed(why) => Error::new(ErrorKind::Closed, format!("the page has been closed ({why})")),
            Self::Crashed => {
                Error::new(ErrorKind::Crashed, "the page has crashed; what is to go on needs a new page")
            }
        }
    }
}

fn push_bounded<T>(queue: &mut VecDeque<T>, item: T) {
    if queue.len() == REMEMBERED {
        queue.pop_front();
    }
    queue.push_back(item);
}
