//! Turns what the browser reports about a page into changes of its state. Runs on the reader: it never waits.

use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::target::{SessionId, TargetInfoType};
use cdp_protocol::domains::{fetch, log, network, page, runtime, target};
use cdp_protocol::{DecodeError, Event, Observer, RawEvent, SessionEnd};
use serde::Deserialize;

use super::page::{DocumentResponse, PageCore, PageState};
use super::setup::{self, Release};
use super::workers::{WorkerCore, WorkerKind};
use super::{credentials, exposed};
use crate::dialog::{Dialog, DialogKind, DialogRecord};
use crate::js;
use crate::lock::lock;
use crate::state::evidence::EvidenceKind;
use crate::state::frames::{Context, End, World};

/// Listens to one session of a page.
pub(crate) struct PageObserver {
    // Weak, since the connection owns its observers and a page owns its connection.
    page: Weak<PageCore>,
    session: SessionId,
    /// What came before it was known which frames there are: on sessions of targets that were there before.
    held: Mutex<Option<Vec<RawEvent>>>,
}

impl PageObserver {
    /// Registers an observer for a session of `page`. Called while the session's first event is still to come. If the
    /// target was there before, its events are held until what is given back is called.
    pub(crate) fn register(page: &Arc<PageCore>, session: &SessionId, existed: bool) -> Option<Release> {
        let held = Mutex::new(existed.then(Vec::new));
        let observer = Arc::new(Self { page: Arc::downgrade(page), session: session.clone(), held });
        page.session_of(session).observe(observer.clone());
        existed.then(|| Box::new(move || observer.release()) as Release)
    }

    /// Takes in what was held. The reader waits meanwhile, so that the order stays what it was.
    fn release(&self) {
        let mut held = lock(&self.held);
        for event in held.take().unwrap_or_default() {
            self.take(&event);
        }
    }

    fn take(&self, event: &RawEvent) {
        let Some(page) = self.page.upgrade() else { return };
        if let Err(error) = handle(&page, &self.session, event) {
            tracing::warn!(method = event.method(), %error, "an event could not be read");
        }
    }
}

impl Observer for PageObserver {
    fn event(&self, event: &RawEvent) {
        if let Some(held) = lock(&self.held).as_mut() {
            held.push(event.clone());
            return;
        }
        self.take(event);
    }

    fn ended(&self, end: &SessionEnd) {
        let Some(page) = self.page.upgrade() else { return };
        page.state().scripts.session_ended(&self.session);
        if page.session.id() == Some(&self.session) {
            page.ended(end);
        } else if *end == SessionEnd::Crashed {
            page.update(|state| {
                if let Some(url) = state.frames.session_crashed(&self.session) {
                    state.evidence.push(EvidenceKind::Crash, "a frame's renderer crashed", Some(url));
                }
            });
        } else {
            page.update(|state| {
                state.frames.session_ended(&self.session);
                state.workers.retain(|worker| worker.session.id() != Some(&self.session));
            });
        }
    }
}

fn handle(page: &Arc<PageCore>, session: &SessionId, event: &RawEvent) -> Result<(), DecodeError> {
    match event.method() {
        target::AttachedToTarget::METHOD => attached(page, session, &event.decode()?),
        target::TargetInfoChanged::METHOD => changed(page, session, &event.decode()?),
        target::DetachedFromTarget::METHOD => {
            // The observer of a session that had crashed is not told of its end any more.
            let event: target::DetachedFromTarget = event.decode()?;
            page.update(|state| state.frames.session_ended(&event.session_id));
        }
        runtime::BindingCalled::METHOD => called(page, session, &event.decode()?),
        page::JavascriptDialogClosed::METHOD => {
            let event = event.decode()?;
            page.update(|state| dialog_closed(state, &event));
        }
        page::JavascriptDialogOpening::METHOD => dialog(page, session, &event.decode()?),
        Paused::METHOD => credentials::paused(page, session, event.decode::<Paused>()?.request_id),
        fetch::AuthRequired::METHOD => credentials::asked(page, session, &event.decode()?),
        method if method.starts_with("Network.") => page.update(|state| network(state, event))?,
        method if method.starts_with("Page.") => page.update(|state| frames(state, session, event))?,
        _ => page.update(|state| runtime(state, session, &page.world, event))?,
    }
    Ok(())
}

fn attached(core: &Arc<PageCore>, session: &SessionId, event: &target::AttachedToTarget) {
    let info = &event.target_info;
    if info.r#type == TargetInfoType::Iframe {
        let frame = FrameId::from(info.target_id.as_str());
        let parent = info.parent_frame_id.clone();
        core.update(|state| state.frames.session_attached(event.session_id.clone(), frame, parent));
        let release = PageObserver::register(core, &event.session_id, !event.waiting_for_debugger);
        setup::frame(core, core.session_of(&event.session_id), release);
        return;
    }
    let own = core.session_of(&event.session_id);
    // Others are the context's, and the browser tells of them as well.
    let dedicated = WorkerCore::of(own.clone(), info).filter(|it| it.kind == WorkerKind::Dedicated);
    if let Some(worker) = dedicated {
        core.update(|state| state.workers.push(worker.clone()));
        PageObserver::register(core, &event.session_id, false);
        worker.begin(&core.context.shared().emulation);
    } else {
        setup::let_go(&core.session_of(session), &own);
    }
}

/// A crashed frame has no URL; once it has one again, its next document is there. Chromium would go on with the session that
/// crashed, but the connection has ended it, so the frame gets another.
fn changed(core: &PageCore, session: &SessionId, event: &target::TargetInfoChanged) {
    let info = &event.target_info;
    if info.r#type != TargetInfoType::Iframe || info.url.is_empty() {
        return;
    }
    let frame = FrameId::from(info.target_id.as_str());
    if let Some(crashed) = core.update(|state| state.frames.returns(&frame, &info.url)) {
        // By the page, since sessions of frames may attach to nothing. The new one first: the frame is at no time without.
        drop(core.session.call(&target::AttachToTarget::new(info.target_id.clone()).flatten(true)));
        drop(core.session_of(session).call(&target::DetachFromTarget::default().session_id(crashed)));
    }
}

fn dialog(core: &Arc<PageCore>, session: &SessionId, event: &page::JavascriptDialogOpening) {
    let dialog = Dialog::open(core.session_of(session), event);
    let handler = core.update(|state| {
        state.remember_dialog(dialog.record());
        state.dialog_handler.clone()
    });
    tracing::debug!(kind = ?dialog.kind(), handled = handler.is_some(), "a dialog opened");
    match handler {
        // User code never runs on the reader. The task ends with the handler, which holds nothing of the page.
        Some(handler) => drop(tokio::spawn(async move { handler(dialog).await })),
        // Dropped unanswered: dismissed, or accepted if the page only asks whether it may be left.
        None => drop(dialog),
    }
}

/// A page that was told to stay is not left, and nothing else says so.
fn dialog_closed(state: &mut PageState, event: &page::JavascriptDialogClosed) {
    let asked_to_stay = |record: &Arc<Mutex<DialogRecord>>| lock(record).kind == DialogKind::BeforeUnload;
    if !event.result && state.dialogs.back().is_some_and(asked_to_stay) {
        state.frames.stays();
        state.note_navigations();
    }
}

fn frames(state: &mut PageState, session: &SessionId, event: &RawEvent) -> Result<(), DecodeError> {
    let PageState { frames: tree, idle, journal, .. } = state;
    match event.method() {
        page::FrameAttached::METHOD => {
            let event: page::FrameAttached = event.decode()?;
            tree.attached(session, event.frame_id, event.parent_frame_id);
        }
        page::FrameRequestedNavigation::METHOD => {
            let event: page::FrameRequestedNavigation = event.decode()?;
            let becomes_a_document =
                ["http", "about:", "data:", "blob:", "file:"].iter().any(|it| event.url.starts_with(it));
            tree.requested(&event.frame_id);
            if event.disposition == page::ClientNavigationDisposition::CurrentTab {
                journal.begins(&event.frame_id, None, Some(&event.reason));
            }
            if event.disposition == page::ClientNavigationDisposition::CurrentTab && becomes_a_document {
                tree.started(session, &event.frame_id, None, event.url);
            }
        }
        page::FrameNavigated::METHOD => {
            let page::FrameNavigated { frame, r#type, .. } = event.decode()?;
            let url = frame.url + frame.url_fragment.as_deref().unwrap_or_default();
            let (url, end) = match frame.unreachable_url {
                Some(unreachable) => (unreachable, End::ErrorPage),
                None => (url, End::Committed),
            };
            idle.committed(&frame.id, frame.loader_id.as_str(), Instant::now());
            let id = frame.id.clone();
            tree.committed(session, &id, frame.loader_id, url, end);
            if r#type == page::NavigationType::BackForwardCacheRestore {
                tree.restored(session, &id);
            }
        }
        page::NavigatedWithinDocument::METHOD => {
            let event: page::NavigatedWithinDocument = event.decode()?;
            tree.within_document(session, &event.frame_id, event.url);
        }
        page::FrameDetached::METHOD => {
            let event: page::FrameDetached = event.decode()?;
            let swap = event.reason == page::FrameDetachedReason::Swap;
            tree.detached(session, &event.frame_id, swap);
            if tree.get(&event.frame_id).is_none() {
                idle.forget(&event.frame_id);
                journal.forget(&event.frame_id);
            }
        }
        page::FrameStoppedLoading::METHOD => {
            tree.stopped(session, &event.decode::<page::FrameStoppedLoading>()?.frame_id);
        }
        page::LifecycleEvent::METHOD => {
            let event: page::LifecycleEvent = event.decode()?;
            tree.lifecycle(session, &event.frame_id, &event.loader_id, &event.name);
        }
        _ => return Ok(()),
    }
    state.note_navigations();
    Ok(())
}

/// The one part of the event that is looked at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Paused {
    request_id: fetch::RequestId,
}

impl Event for Paused {
    const METHOD: &'static str = fetch::RequestPaused::METHOD;
}

/// The parts of `Network` events that are looked at; their headers and timings are not worth decoding here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestSent {
    request_id: String,
    loader_id: Option<LoaderId>,
    frame_id: Option<FrameId>,
    r#type: Option<String>,
    request: Request,
    redirect_response: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Request {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseSeen {
    loader_id: Option<LoaderId>,
    r#type: Option<String>,
    response: Response,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    url: String,
    status: i64,
    #[serde(default)]
    mime_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestFinished {
    request_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestFailed {
    request_id: String,
    error_text: String,
    #[serde(default)]
    canceled: bool,
}

impl Event for RequestSent {
    const METHOD: &'static str = network::RequestWillBeSent::METHOD;
}

impl Event for ResponseSeen {
    const METHOD: &'static str = network::ResponseReceived::METHOD;
}

impl Event for RequestFinished {
    const METHOD: &'static str = network::LoadingFinished::METHOD;
}

impl Event for RequestFailed {
    const METHOD: &'static str = network::LoadingFailed::METHOD;
}

/// Nobody asked for the icon.
fn is_icon(url: &str) -> bool {
    url.ends_with("/favicon.ico")
}

fn network(state: &mut PageState, event: &RawEvent) -> Result<(), DecodeError> {
    match event.method() {
        RequestSent::METHOD => {
            let event: RequestSent = event.decode()?;
            let of = event.frame_id.clone();
            let document = event.r#type.as_deref() == Some("Document")
                && event.loader_id.as_ref().is_some_and(|loader| loader.as_str() == event.request_id);
            if let (true, None, Some(frame), Some(loader)) =
                (document, event.redirect_response, event.frame_id, event.loader_id)
                && let Some(session) = state.frames.get(&frame).map(|frame| frame.session.clone())
            {
                state.journal.begins(&frame, Some(loader.clone()), None);
                state.frames.started(&session, &frame, Some(loader), event.request.url.clone());
            }
            if let Some(frame) = of
                && event.r#type.as_deref() != Some("EventSource")
                && !is_icon(&event.request.url)
            {
                state.idle.begins(event.request_id.clone(), frame, Instant::now());
            }
            state.remember_request(event.request_id, event.request.url);
        }
        ResponseSeen::METHOD => {
            let event: ResponseSeen = event.decode()?;
            let Response { url, status, mime_type } = event.response;
            if status >= 400 && !is_icon(&url) {
                state.evidence.push(EvidenceKind::BadStatus, format!("status {status}"), Some(url.clone()));
            }
            if let (Some("Document"), Some(loader)) = (event.r#type.as_deref(), event.loader_id) {
                state.remember_response(loader, DocumentResponse { status, url, mime_type });
            }
        }
        RequestFinished::METHOD => {
            let event: RequestFinished = event.decode()?;
            state.requests.remove(&event.request_id);
            state.idle.ends(&event.request_id, Instant::now());
        }
        RequestFailed::METHOD => {
            let event: RequestFailed = event.decode()?;
            let url = state.requests.remove(&event.request_id);
            state.idle.ends(&event.request_id, Instant::now());
            state.frames.failed(&LoaderId::from(event.request_id), &event.error_text);
            state.note_navigations();
            if !event.canceled {
                state.evidence.push(EvidenceKind::RequestFailed, event.error_text, url);
            }
        }
        _ => {}
    }
    Ok(())
}

fn called(page: &Arc<PageCore>, session: &SessionId, event: &runtime::BindingCalled) {
    if event.name != js::VERDICT {
        exposed::called(page, session, event);
    } else if let Ok(watch) = serde_json::from_str::<Watch>(&event.payload) {
        page.update(|state| match watch.opened {
            false => state.remember_verdict(watch.token, event.payload.clone()),
            true => {
                let frame = state.frames.frame_of_utility(session, event.execution_context_id);
                frame.iter().for_each(|frame| state.frames.rewritten(frame));
            }
        });
    }
}

/// The name in what a watch over input tells; the rest is for whoever set it up.
#[derive(Deserialize)]
struct Watch {
    token: u32,
    /// Told by a document that is about to be written anew.
    #[serde(default)]
    opened: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContextData {
    #[serde(default)]
    is_default: bool,
    frame_id: Option<FrameId>,
}

fn runtime(
    state: &mut PageState,
    session: &SessionId,
    world: &str,
    event: &RawEvent,
) -> Result<(), DecodeError> {
    match event.method() {
        runtime::ExecutionContextCreated::METHOD => {
            let context = event.decode::<runtime::ExecutionContextCreated>()?.context;
            let data = context.aux_data.and_then(|data| serde_json::from_str::<ContextData>(data.get()).ok());
            let Some(ContextData { is_default, frame_id: Some(frame) }) = data else { return Ok(()) };
            let which = match (is_default, context.name == world) {
                (true, _) => World::Main,
                (_, true) => World::Utility,
                _ => return Ok(()),
            };
            state.frames.context_created(session, &frame, which, Context::new(context.unique_id, context.id));
        }
        runtime::ExecutionContextDestroyed::METHOD => {
            let event: runtime::ExecutionContextDestroyed = event.decode()?;
            state.frames.context_destroyed(session, &event.execution_context_unique_id);
        }
        runtime::ExecutionContextsCleared::METHOD => state.frames.contexts_cleared(session),
        runtime::ConsoleApiCalled::METHOD => console(state, &event.decode()?),
        runtime::ExceptionThrown::METHOD => {
            let details = event.decode::<runtime::ExceptionThrown>()?.exception_details;
            let thrown = details.exception.and_then(|it| it.description);
            state.evidence.push(EvidenceKind::PageError, thrown.unwrap_or(details.text), details.url);
        }
        log::EntryAdded::METHOD => {
            let entry = event.decode::<log::EntryAdded>()?.entry;
            let kind = match entry.level {
                log::LogEntryLevel::Error => EvidenceKind::ConsoleError,
                log::LogEntryLevel::Warning => EvidenceKind::ConsoleWarning,
                _ => return Ok(()),
            };
            // What the network says is recorded from the network's own events.
            if entry.source != log::LogEntrySource::Network {
                state.evidence.push(kind, entry.text, entry.url);
            }
        }
        _ => {}
    }
    Ok(())
}

fn console(state: &mut PageState, event: &runtime::ConsoleApiCalled) {
    let kind = match event.r#type {
        runtime::ConsoleApiCalledType::Error | runtime::ConsoleApiCalledType::Assert => {
            EvidenceKind::ConsoleError
        }
        runtime::ConsoleApiCalledType::Warning => EvidenceKind::ConsoleWarning,
        _ => return,
    };
    let text: Vec<String> = event.args.iter().map(printed).collect();
    let url =
        event.stack_trace.as_ref().and_then(|stack| stack.call_frames.first()).map(|frame| frame.url.clone());
    state.evidence.push(kind, text.join(" "), url);
}

/// How the console prints a value: strings without quotes, objects by their description.
fn printed(value: &runtime::RemoteObject) -> String {
    let raw = value.value.as_ref().map(|raw| raw.get());
    if let Some(text) = raw.and_then(|raw| serde_json::from_str::<String>(raw).ok()) {
        return text;
    }
    raw.map(str::to_owned)
        .or_else(|| value.description.clone())
        .or_else(|| value.unserializable_value.as_ref().map(|it| it.to_string()))
        .unwrap_or_else(|| value.r#type.to_string())
}
