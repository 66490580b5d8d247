//! Pictures of a page.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cdp_protocol::domains::page::{CaptureScreenshot, CaptureScreenshotFormat, GetLayoutMetrics, Viewport};

use crate::core::browser::BrowserCore;
use crate::core::page::PageCore;
use crate::error::Result;
use crate::operation::{BoxFuture, Operation, Options};
use crate::progress::Progress;

/// A screenshot to be taken; a PNG of the viewport unless told otherwise.
///
/// # Errors
///
/// As [`Operation`].
///
/// # Cancel safety
///
/// Nothing is lost.
#[must_use = "a screenshot is taken when it is awaited"]
pub struct Screenshot {
    page: Arc<PageCore>,
    browser: Arc<BrowserCore>,
    full_page: bool,
    jpeg_quality: Option<u8>,
    options: Options,
}

impl Screenshot {
    pub(crate) fn new(page: Arc<PageCore>, browser: Arc<BrowserCore>) -> Self {
        Self { page, browser, full_page: false, jpeg_quality: None, options: Options::default() }
    }

    /// Whether to take the whole document instead of what the viewport shows.
    pub fn full_page(mut self, full_page: bool) -> Self {
        self.full_page = full_page;
        self
    }

    /// Gives a JPEG of this quality, 0 to 100, instead of a PNG.
    pub fn jpeg(mut self, quality: u8) -> Self {
        self.jpeg_quality = Some(quality.min(100));
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    async fn take(self, progress: &Progress) -> Result<Bytes> {
        // The browser must outlive the call, also when every other handle is dropped meanwhile.
        let _browser = self.browser;
        let session = &self.page.session;
        let mut command = match self.jpeg_quality {
            Some(quality) => {
                CaptureScreenshot::default().format(CaptureScreenshotFormat::Jpeg).quality(i64::from(quality))
            }
            None => CaptureScreenshot::default().format(CaptureScreenshotFormat::Png),
        };
        if self.full_page {
            let size = progress.run(session.call(&GetLayoutMetrics)).await?.css_content_size;
            let clip = Viewport::new(0.0, 0.0, size.width.ceil(), size.height.ceil(), 1.0);
            command = command.clip(clip).capture_beyond_viewport(true);
        }
        let taken = progress.run(session.call(&command)).await?;
        Ok(taken.data.into_bytes())
    }
}

impl IntoFuture for Screenshot {
    type Output = Result<Bytes>;
    type IntoFuture = BoxFuture<Result<Bytes>>;

    fn into_future(self) -> Self::IntoFuture {
        let options = self.options;
        Operation::new("screenshot".into(), move |progress, _| async move { self.take(&progress).await })
            .with(options)
            .into_future()
    }
}
