//! A page, as the user holds it.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::sync::{Arc, Weak};

use cdp_protocol::domains::target::CloseTarget;
use cdp_protocol::{CallError, Session};

use crate::core::browser::BrowserCore;
use crate::core::page::PageCore;
use crate::dialog::{Dialog, DialogRecord};
use crate::download::Download;
use crate::error::Result;
use crate::frame::Frame;
use crate::locator::Locator;
use crate::lock::lock;
use crate::operation::{DEFAULT_TIMEOUT, Operation};
use crate::progress::Progress;
use crate::screenshot::Screenshot;
use crate::selector::Selector;
use crate::state::evidence::Evidence;

/// A page (a tab). Cloning it gives another handle to the same page; dropping handles does not close it.
#[derive(Clone)]
pub struct Page {
    pub(crate) core: Arc<PageCore>,
    browser: Arc<BrowserCore>,
}

impl Page {
    pub(crate) fn new(core: Arc<PageCore>, browser: Arc<BrowserCore>) -> Self {
        Self { core, browser }
    }

    pub(crate) fn core(&self) -> &Arc<PageCore> {
        &self.core
    }

    /// For what the page itself keeps.
    pub(crate) fn weak_browser(&self) -> Weak<BrowserCore> {
        Arc::downgrade(&self.browser)
    }

    pub(crate) async fn ready(&self) -> Result<()> {
        self.core.ready().await
    }

    /// Has the page closed, and does not wait for it.
    pub(crate) fn dismiss(&self) {
        drop(self.browser.root.call(&CloseTarget::new(self.core.target.clone())));
    }

    pub(crate) fn find(&self, selector: Selector) -> Locator {
        self.main_frame().find(selector)
    }

    /// The URL of the page's document.
    pub fn url(&self) -> String {
        self.core.state().frames.main_frame().url.clone()
    }

    /// The title of the page's document.
    pub fn title(&self) -> Operation<String> {
        self.main_frame().look("title", "document.title")
    }

    /// The HTML of the page's document.
    pub fn content(&self) -> Operation<String> {
        self.main_frame().look("content", "(document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '') + document.documentElement.outerHTML")
    }

    /// The main frame.
    pub fn main_frame(&self) -> Frame {
        Frame::new(self.core.clone(), self.browser.clone(), None)
    }

    /// All frames, the main frame first, the others in no order.
    pub fn frames(&self) -> Vec<Frame> {
        let ids = self.core.state().frames.ids();
        let frame = |id| Frame::new(self.core.clone(), self.browser.clone(), Some(id));
        ids.into_iter().map(frame).collect()
    }

    /// Takes a picture of the page.
    pub fn screenshot(&self) -> Screenshot {
        Screenshot::new(self.core.clone(), self.browser.clone())
    }

    /// Answers the page's dialogs with `handler` as long as the returned guard lives; a later handler takes the place
    /// of an earlier one. Without a handler dialogs are dismissed, and a `beforeunload` is accepted.
    ///
    /// Register it before the action that opens the dialog. The handler runs in a task of its own; a dialog that it
    /// drops is dismissed.
    pub fn on_dialog<F, R>(&self, handler: F) -> DialogGuard
    where
        F: Fn(Dialog) -> R + Send + Sync + 'static,
        R: Future<Output: Send> + Send + 'static,
    {
        let handler: crate::core::page::DialogHandler = Arc::new(move |dialog| {
            let answer = handler(dialog);
            Box::pin(async move { drop(answer.await) })
        });
        self.core.update(|state| state.dialog_handler = Some(handler.clone()));
        DialogGuard { page: self.core.clone(), handler }
    }

    /// The dialogs the page opened, oldest first, with what was answered; the last 64.
    pub fn dialogs(&self) -> Vec<DialogRecord> {
        let records: Vec<_> = self.core.state().dialogs.iter().cloned().collect();
        records.iter().map(|record| lock(record).clone()).collect()
    }

    /// Does `action` and waits for a download of this page. The waiting begins before the action, so the download can't
    /// be missed; it has 30 seconds from the start of the action.
    ///
    /// The browser does not say which action a download belongs to: this gives the first that begins after the call and
    /// that no other `expect_download` has been given. Where a page may hand out several files, compare
    /// [`Download::suggested_filename`] or [`Download::url`] with what you want.
    ///
    /// # Errors
    ///
    /// The action's own error; a timeout when no download begins, with the outcome "started, unknown".
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the action; a download that has begun goes on.
    pub async fn expect_download<A, T>(&self, action: impl FnOnce() -> A) -> Result<Download>
    where
        A: IntoFuture<Output = Result<T>>,
    {
        let seen = self.core.state().downloads.count();
        let progress = Progress::new("expect_download", DEFAULT_TIMEOUT);
        action().await?;
        progress.acted();
        progress.log("the action was done; no download has begun since");
        let begun = self.core.when(|state| state.downloads.claim(seen));
        let download = progress.run(begun).await.map_err(|error| progress.fail(error))?;
        Ok(Download::new(download, self.browser.clone()))
    }

    /// What went wrong on the page, oldest first: console errors and warnings, uncaught errors, failed requests,
    /// responses of 400 and above, crashes. The last 256.
    pub fn evidence(&self) -> Vec<Evidence> {
        self.core.state().evidence.entries()
    }

    /// The protocol session of the page, for what the engine has no method for.
    pub fn session(&self) -> &Session {
        &self.core.session
    }

    /// Whether the page has not answered to what it was told when it was found: it is busy, stopped, or has a dialog open
    /// from before. What is asked of it waits. It changes when the page answers.
    pub fn is_unresponsive(&self) -> bool {
        let state = self.core.state();
        state.ready.is_none() && state.end.is_none()
    }

    /// Whether the page was closed or has crashed.
    pub fn is_closed(&self) -> bool {
        self.core.state().end.is_some()
    }

    /// Closes the page without asking it.
    pub fn close(&self) -> Operation<()> {
        let page = self.clone();
        Operation::new("close page".into(), move |progress, _| async move {
            let close = CloseTarget::new(page.core.target.clone());
            progress.acted();
            match progress.wait(page.browser.root.call(&close)).await? {
                // It was closed before.
                Err(CallError::Refused { message, .. }) if message.contains("No target") => return Ok(()),
                answer => answer?,
            };
            let closed = page.core.when(|state| state.end.is_some().then_some(()));
            progress.run(closed).await
        })
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// Keeps a dialog handler registered; dropping it takes the handler away.
#[must_use = "the handler is taken away when this is dropped"]
pub struct DialogGuard {
    page: Arc<PageCore>,
    handler: crate::core::page::DialogHandler,
}

impl Drop for DialogGuard {
    fn drop(&mut self) {
        self.page.update(|state| {
            if state.dialog_handler.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.handler)) {
                state.dialog_handler = None;
            }
        });
    }
}
