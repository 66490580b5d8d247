//! A browser context: an identity of its own, with cookies, storage and cache apart from all others.

use std::fmt;
use std::sync::{Arc, MutexGuard};

use cdp_protocol::domains::browser::{BrowserContextId, SetDownloadBehavior, SetDownloadBehaviorBehavior};
use cdp_protocol::domains::target::{CreateTarget, DisposeBrowserContext};

use crate::core::browser::BrowserCore;
use crate::core::context::{ContextCore, Shared};
use crate::emulation::{ContextOptions, Permission};
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{Operation, make_or_undo};
use crate::page::Page;
use crate::progress::Progress;

/// An isolated context of a browser. Its pages share cookies, storage and cache with each other and with nobody else.
///
/// Dropping the handle leaves it open; it ends with [`Context::close`] or with the browser.
#[derive(Clone)]
pub struct Context {
    core: Arc<ContextCore>,
    browser: Arc<BrowserCore>,
}

impl Context {
    pub(crate) async fn create(
        browser: Arc<BrowserCore>,
        options: ContextOptions,
        progress: &Progress,
    ) -> Result<Self> {
        progress.acted();
        let make = Self::make(browser, options);
        progress.run(make_or_undo(make, |context| context.dispose())).await
    }

    async fn make(browser: Arc<BrowserCore>, options: ContextOptions) -> Result<Self> {
        let id = browser.root.call(&options.command()).await?.browser_context_id;
        let mut core = ContextCore::new(id, options.emulation);
        (core.base_url, core.test_id_attribute) = (options.base_url, options.test_id_attribute);
        let context = Self { core: Arc::new(core), browser };
        context.browser.add_context(context.core.clone());
        let made = context.set_up(options.deny_downloads, options.permissions).await;
        if made.is_err() {
            context.dispose();
        }
        made.map(|()| context)
    }

    async fn set_up(&self, deny_downloads: bool, permissions: Vec<Permission>) -> Result<()> {
        // Files are named by the browser's own ids; a name from the network never becomes a path.
        let mut downloads = SetDownloadBehavior::new(SetDownloadBehaviorBehavior::Deny)
            .browser_context_id(self.id().clone())
            .events_enabled(true);
        if let Some(folder) = self.browser.downloads.as_ref().filter(|_| !deny_downloads) {
            downloads.behavior = SetDownloadBehaviorBehavior::AllowAndName;
            downloads.download_path = Some(folder.to_string_lossy().into_owned());
        }
        let downloads = self.browser.root.call(&downloads);
        if !permissions.is_empty() {
            self.grant_permissions(permissions).await?;
        }
        Ok(downloads.await?)
    }

    pub(crate) fn id(&self) -> &BrowserContextId {
        &self.core.id
    }

    pub(crate) fn core(&self) -> &Arc<BrowserCore> {
        &self.browser
    }

    pub(crate) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.core.shared()
    }

    pub(crate) fn of(core: Arc<ContextCore>, browser: Arc<BrowserCore>) -> Self {
        Self { core, browser }
    }

    async fn make_page(self) -> Result<Page> {
        let Self { core, browser } = self;
        let create = CreateTarget::new("about:blank").browser_context_id(core.id.clone());
        let target = browser.root.call(&create).await?.target_id;
        // Attaching is reported before the reply.
        let core = browser.page(&target).ok_or_else(|| {
            Error::new(ErrorKind::Protocol, "the browser made a page and did not attach to it")
        })?;
        Ok(Page::new(core, browser))
    }

    fn dispose(&self) {
        self.browser.let_workers_go(self.id());
        drop(self.browser.root.call(&DisposeBrowserContext::new(self.id().clone())));
        self.browser.forget_context(self.id());
    }

    /// Opens a page, blank and set up.
    ///
    /// # Errors
    ///
    /// When the browser or the context is gone; [`ErrorKind::Invalid`] when the browser knows no such time zone or locale
    /// as the context was made with.
    pub fn new_page(&self) -> Operation<Page> {
        let context = self.clone();
        Operation::new("new_page".into(), move |progress, _| async move {
            progress.acted();
            let page = progress.run(make_or_undo(context.make_page(), |page: Page| page.dismiss())).await?;
            if let Err(error) = progress.run(page.ready()).await {
                page.dismiss();
                return Err(error);
            }
            Ok(page)
        })
    }

    /// The pages that are open, popups included, in no order.
    pub fn pages(&self) -> Vec<Page> {
        let pages = self.browser.pages_of(self.id()).into_iter();
        pages.map(|core| Page::new(core, self.browser.clone())).collect()
    }

    /// Closes the context and its pages without asking them; what it stored is gone.
    ///
    /// # Errors
    ///
    /// When the browser is gone, or the context was closed before.
    pub fn close(&self) -> Operation<()> {
        let context = self.clone();
        Operation::new("close context".into(), move |progress, _| async move {
            let dispose = DisposeBrowserContext::new(context.id().clone());
            progress.acted();
            context.browser.let_workers_go(context.id());
            progress.run(context.browser.root.call(&dispose)).await?;
            context.browser.abandon_downloads(Some(context.id()));
            context.browser.forget_context(context.id());
            Ok(())
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("id", self.id()).finish_non_exhaustive()
    }
}
