//! A browser context: an identity of its own, with cookies, storage and cache apart from all others.

use std::fmt;
use std::sync::Arc;

use cdp_protocol::domains::browser::{BrowserContextId, SetDownloadBehavior, SetDownloadBehaviorBehavior};
use cdp_protocol::domains::target::{CreateBrowserContext, CreateTarget, DisposeBrowserContext};

use crate::core::browser::BrowserCore;
use crate::error::{Error, ErrorKind, Result};
use crate::operation::{Operation, make_or_undo};
use crate::page::Page;
use crate::progress::Progress;

/// An isolated context of a browser. Its pages share cookies, storage and cache with each other and with nobody else.
///
/// Dropping the handle leaves it open; it ends with [`Context::close`] or with the browser.
#[derive(Clone)]
pub struct Context {
    id: BrowserContextId,
    browser: Arc<BrowserCore>,
}

impl Context {
    pub(crate) async fn create(browser: Arc<BrowserCore>, progress: &Progress) -> Result<Self> {
        progress.acted();
        let make = Self::make(browser);
        progress.run(make_or_undo(make, |context| context.dispose())).await
    }

    async fn make(browser: Arc<BrowserCore>) -> Result<Self> {
        let create = CreateBrowserContext::default().dispose_on_detach(true);
        let id = browser.root.call(&create).await?.browser_context_id;
        let context = Self { id, browser };
        // Files are named by the browser's own ids; a name from the network never becomes a path.
        let downloads = SetDownloadBehavior::new(SetDownloadBehaviorBehavior::AllowAndName)
            .browser_context_id(context.id.clone())
            .download_path(context.browser.downloads.to_string_lossy())
            .events_enabled(true);
        match context.browser.root.call(&downloads).await {
            Ok(()) => Ok(context),
            Err(error) => {
                context.dispose();
                Err(error.into())
            }
        }
    }

    async fn make_page(self) -> Result<Page> {
        let Self { id, browser } = self;
        let create = CreateTarget::new("about:blank").browser_context_id(id);
        let target = browser.root.call(&create).await?.target_id;
        // Attaching is reported before the reply.
        let core = browser.page(&target).ok_or_else(|| {
            Error::new(ErrorKind::Protocol, "the browser made a page and did not attach to it")
        })?;
        Ok(Page::new(core, browser))
    }

    fn dispose(&self) {
        drop(self.browser.root.call(&DisposeBrowserContext::new(self.id.clone())));
    }

    /// Opens a page, blank and set up.
    ///
    /// # Errors
    ///
    /// When the browser or the context is gone.
    pub fn new_page(&self) -> Operation<Page> {
        let context = self.clone();
        Operation::new("new_page".into(), move |progress, _| async move {
            progress.acted();
            let page = progress.run(make_or_undo(context.make_page(), |page: Page| page.dismiss())).await?;
            progress.run(page.ready()).await?;
            Ok(page)
        })
    }

    /// The pages that are open, popups included, in no order.
    pub fn pages(&self) -> Vec<Page> {
        let pages = self.browser.pages_of(&self.id).into_iter();
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
            let dispose = DisposeBrowserContext::new(context.id.clone());
            progress.acted();
            progress.run(context.browser.root.call(&dispose)).await?;
            context.browser.abandon_downloads(Some(&context.id));
            Ok(())
        })
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("id", &self.id).finish_non_exhaustive()
    }
}
