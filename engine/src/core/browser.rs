//! One running browser: its connection, its process, its pages.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use cdp_protocol::domains::browser::{
    BrowserContextId, DownloadProgress, DownloadWillBegin, GetVersionResult,
};
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::target::{
    AttachedToTarget, DetachFromTarget, DetachedFromTarget, GetBrowserContexts, SessionId, SetAutoAttach,
    TargetId, TargetInfo, TargetInfoType,
};
use cdp_protocol::{Client, DecodeError, Event, Observer, RawEvent, Session, SessionEnd};

use super::context::ContextCore;
use super::download::DownloadState;
use super::page::PageCore;
use super::page_events::PageObserver;
use super::setup;
use super::workers::WorkerCore;
use crate::emulation::{Emulation, Screen};
use crate::error::Result;
use crate::lock::lock;
use crate::process::BrowserProcess;
use crate::process::incident::Incidents;

/// One running browser. Dropping the last reference to it lets the process go, whose guardian ends it, or the connection.
pub(crate) struct BrowserCore {
    pub client: Client,
    pub root: Session,
    /// That of a browser that was launched here.
    pub process: Option<BrowserProcess>,
    pub incidents: Arc<Incidents>,
    /// Where its files go, if they go anywhere.
    pub downloads: Option<PathBuf>,
    /// The context that is there from the start.
    default_context: OnceLock<BrowserContextId>,
    pub version: String,
    pub user_agent: String,
    /// Lock rule: a page's own state may be locked under it, nothing else; never held across an await or a command.
    pages: Mutex<HashMap<SessionId, Arc<PageCore>>>,
    contexts: Mutex<HashMap<BrowserContextId, Arc<ContextCore>>>,
    /// Shared and service workers with their contexts, oldest first.
    workers: Mutex<Vec<(BrowserContextId, Arc<WorkerCore>)>>,
    /// By the browser's own id. A download goes on when its page is closed.
    downloading: Mutex<HashMap<String, Arc<DownloadState>>>,
}

impl BrowserCore {
    /// Takes over a browser whose connection is open.
    pub(crate) fn launched(client: Client, process: BrowserProcess, version: GetVersionResult) -> Arc<Self> {
        let downloads = Some(process.downloads().to_owned());
        Self::new(client, Some(process), downloads, version)
    }

    /// Takes over the connection to a browser that is somebody else's.
    pub(crate) fn attached_to(
        client: Client,
        downloads: Option<PathBuf>,
        version: GetVersionResult,
    ) -> Arc<Self> {
        Self::new(client, None, downloads, version)
    }

    fn new(
        client: Client,
        process: Option<BrowserProcess>,
        downloads: Option<PathBuf>,
        version: GetVersionResult,
    ) -> Arc<Self> {
        Arc::new(Self {
            root: client.browser(),
            incidents: process.as_ref().map(BrowserProcess::log).unwrap_or_default(),
            downloads,
            default_context: OnceLock::new(),
            client,
            process,
            version: version.product,
            user_agent: version.user_agent,
            pages: Mutex::default(),
            contexts: Mutex::default(),
            workers: Mutex::default(),
            downloading: Mutex::default(),
        })
    }

    /// From here on every target of the browser is known before it runs its first script.
    pub(crate) async fn watch_targets(self: &Arc<Self>) -> Result<()> {
        self.root.observe(Arc::new(BrowserObserver { browser: Arc::downgrade(self) }));
        self.root.call(&SetAutoAttach::new(true, true).flatten(true)).await?;
        Ok(())
    }

    /// Keeps a context for its pages to come.
    pub(crate) fn add_context(&self, context: Arc<ContextCore>) {
        lock(&self.contexts).insert(context.id.clone(), context);
    }

    pub(crate) fn forget_context(&self, id: &BrowserContextId) {
        lock(&self.contexts).remove(id);
    }

    /// Lets the shared and service workers of a context go. Chromium would not end those that somebody watches.
    pub(crate) fn let_workers_go(&self, context: &BrowserContextId) {
        let gone = |(of, _): &mut (BrowserContextId, Arc<WorkerCore>)| of == context;
        for (_, worker) in lock(&self.workers).extract_if(.., gone) {
            if let Some(id) = worker.session.id() {
                drop(self.root.call(&DetachFromTarget::default().session_id(id.clone())));
            }
        }
    }

    /// Learns which contexts are there that nobody here made, and which of them is the browser's own.
    pub(crate) async fn learn_contexts(&self) -> Result<()> {
        let known = self.root.call(&GetBrowserContexts).await?;
        for id in known.browser_context_ids.iter().chain(&known.default_browser_context_id) {
            self.context(id);
        }
        if let Some(id) = known.default_browser_context_id {
            // It is the same for as long as the browser lives.
            let _ = self.default_context.set(id);
        }
        Ok(())
    }

    pub(crate) fn default_context(&self) -> Option<Arc<ContextCore>> {
        self.default_context.get().map(|id| self.context(id))
    }

    /// All pages, in no order.
    pub(crate) fn pages(&self) -> Vec<Arc<PageCore>> {
        lock(&self.pages).values().cloned().collect()
    }

    /// The shared and service workers of a context that have not ended, oldest first.
    pub(crate) fn workers_of(&self, context: &BrowserContextId) -> Vec<Arc<WorkerCore>> {
        let workers = lock(&self.workers);
        let own = workers.iter().filter(|(of, worker)| of == context && !worker.is_closed());
        own.map(|(_, worker)| worker.clone()).collect()
    }

    /// The contexts that there are, in no order.
    pub(crate) fn contexts(&self) -> Vec<Arc<ContextCore>> {
        lock(&self.contexts).values().cloned().collect()
    }

    /// The context of a page. One that nobody here made is left as it is.
    fn context(&self, id: &BrowserContextId) -> Arc<ContextCore> {
        let untouched = || {
            let screen = Screen { size: None, ..Screen::default() };
            let emulation = Emulation { screen, focus: false, ..Emulation::default() };
            let mut context = ContextCore::new(id.clone(), emulation);
            context.is_ours = false;
            Arc::new(context)
        };
        lock(&self.contexts).entry(id.clone()).or_insert_with(untouched).clone()
    }

    /// The page of a target, if it is attached.
    pub(crate) fn page(&self, target: &TargetId) -> Option<Arc<PageCore>> {
        lock(&self.pages).values().find(|page| page.target == *target).cloned()
    }

    /// The pages of a context, in no order.
    pub(crate) fn pages_of(&self, context: &BrowserContextId) -> Vec<Arc<PageCore>> {
        lock(&self.pages).values().filter(|page| page.context.id == *context).cloned().collect()
    }

    /// How many pages are open and have not crashed.
    pub(crate) fn live_pages(&self) -> usize {
        lock(&self.pages).values().filter(|page| page.state().end.is_none()).count()
    }

    fn attached(&self, event: &AttachedToTarget) {
        let session = self.client.session(&event.session_id);
        match page_of(&event.target_info) {
            Some((info, context)) => {
                let context = self.context(context);
                // Held until the page has been told of everything; see there.
                let shared = context.shared();
                let page = PageCore::new(session, info, context.clone(), &shared);
                lock(&self.pages).insert(event.session_id.clone(), page.clone());
                let release = PageObserver::register(&page, &event.session_id, !event.waiting_for_debugger);
                setup::page(&page, &shared, release);
            }
            // `browser_ui` targets would stall every new window if they were left paused.
            None => match (
                WorkerCore::of(session.clone(), &event.target_info),
                &event.target_info.browser_context_id,
            ) {
                (Some(worker), Some(context)) => {
                    let emulation = self.context(context).shared().emulation.clone();
                    let mut workers = lock(&self.workers);
                    workers.retain(|(_, worker)| !worker.is_closed());
                    workers.push((context.clone(), worker.clone()));
                    drop(workers);
                    worker.begin(&emulation);
                }
                _ => setup::let_go(&self.root, &session),
            },
        }
    }

    fn download_begins(&self, event: &DownloadWillBegin) {
        let Some(mut page) = self.page_of_frame(&event.frame_id) else { return };
        // A popup that turns out to be a download never becomes a page; the click was made in its opener.
        if let Some(opener) = page.opener.as_ref().and_then(|target| self.page(target))
            && !page.state().frames.main_frame().committed
        {
            page = opener;
        }
        let Some(folder) = &self.downloads else { return };
        let state = DownloadState::begin(folder, page.context.id.clone(), event);
        lock(&self.downloading).insert(event.guid.clone(), state.clone());
        page.update(|page| page.downloads.push(state));
    }

    fn download_progresses(&self, event: &DownloadProgress) {
        let mut downloading = lock(&self.downloading);
        if downloading.get(&event.guid).is_some_and(|download| download.progressed(event)) {
            downloading.remove(&event.guid);
        }
    }

    /// Ends what was being downloaded for a context, or for all of them; nothing will be reported of it.
    pub(crate) fn abandon_downloads(&self, context: Option<&BrowserContextId>) {
        let gone = |_: &String, download: &mut Arc<DownloadState>| {
            context.is_none_or(|context| download.context == *context)
        };
        for (_, download) in lock(&self.downloading).extract_if(gone) {
            download.abandon();
        }
    }

    fn page_of_frame(&self, frame: &FrameId) -> Option<Arc<PageCore>> {
        let pages = lock(&self.pages);
        pages.values().find(|page| page.state().frames.get(frame).is_some()).cloned()
    }
}

fn page_of(info: &TargetInfo) -> Option<(&TargetInfo, &BrowserContextId)> {
    let context = info.browser_context_id.as_ref()?;
    (info.r#type == TargetInfoType::Page).then_some((info, context))
}

/// Listens to the browser's own session. Runs on the reader: it never waits.
struct BrowserObserver {
    browser: Weak<BrowserCore>,
}

impl BrowserObserver {
    fn handle(&self, event: &RawEvent) -> Result<(), DecodeError> {
        let Some(browser) = self.browser.upgrade() else { return Ok(()) };
        match event.method() {
            AttachedToTarget::METHOD => browser.attached(&event.decode()?),
            DetachedFromTarget::METHOD => {
                let event: DetachedFromTarget = event.decode()?;
                lock(&browser.pages).remove(&event.session_id);
            }
            DownloadWillBegin::METHOD => browser.download_begins(&event.decode()?),
            DownloadProgress::METHOD => browser.download_progresses(&event.decode()?),
            _ => {}
        }
        Ok(())
    }
}

impl Observer for BrowserObserver {
    fn event(&self, event: &RawEvent) {
        if let Err(error) = self.handle(event) {
            tracing::warn!(method = event.method(), %error, "an event could not be read");
        }
    }

    fn ended(&self, _: &SessionEnd) {
        if let Some(browser) = self.browser.upgrade() {
            browser.abandon_downloads(None);
        }
    }
}
