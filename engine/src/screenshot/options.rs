//! The methods that take pictures, and what they can be told.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::place::Rect;
use super::shot::{Animations, Caret, PictureFormat, PictureScale, Shot};
use super::take;
use crate::core::browser::BrowserCore;
use crate::core::page::PageCore;
use crate::error::Result;
use crate::locator::Locator;
use crate::operation::{BoxFuture, Operation, Options};

/// A picture to be taken of a page or an element; a PNG unless told otherwise. It comes whole: the protocol has no
/// stream of one.
///
/// Fonts that are on their way are waited for, three seconds at most. Where the picture does not fit into the viewport,
/// the browser resizes the page for a moment. `resize` events are kept from the page then, but media queries about the
/// size can change, and a script that looks at the right moment reads another size.
///
/// Pictures and actions on one page take turns. What is changed for the picture is put back on every path, also when
/// the document is left meanwhile.
///
/// # Errors
///
/// As [`Operation`]. [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for options that don't go together, for a clip of which nothing is in the
/// picture, and for a mask that is not valid; [`ErrorKind::Unfit`](crate::ErrorKind::Unfit) for an element that has become empty.
///
/// # Cancel safety
///
/// Nothing is lost. What was changed in the page is put back by a task of the engine's.
#[must_use = "a screenshot is taken when it is awaited"]
pub struct Screenshot {
    shot: Shot,
    /// It must outlive the call, also when every other handle is dropped meanwhile.
    browser: Arc<BrowserCore>,
    options: Options,
}

impl Screenshot {
    pub(crate) fn new(page: Arc<PageCore>, browser: Arc<BrowserCore>) -> Self {
        Self { shot: Shot::new(page), browser, options: Options::default() }
    }

    /// Whether to take the whole document instead of what the viewport shows. Not for elements.
    pub fn full_page(mut self, full_page: bool) -> Self {
        self.shot.full_page = full_page;
        self
    }

    /// Takes a part only, in CSS pixels from the top left of what would be taken: the viewport, or the document with
    /// [`Screenshot::full_page`]. What of it lies outside is left out. Not for elements.
    pub fn clip(mut self, x: f64, y: f64, width: f64, height: f64) -> Self {
        self.shot.clip = Some(Rect { x, y, width, height });
        self
    }

    /// How the picture is encoded; as a PNG unless set.
    pub fn format(mut self, format: PictureFormat) -> Self {
        self.shot.format = format;
        self
    }

    /// The quality of a JPEG or WebP, 0 to 100; 80 unless set.
    pub fn quality(mut self, quality: u8) -> Self {
        self.shot.quality = Some(quality);
        self
    }

    /// Gives a JPEG of this quality, 0 to 100.
    pub fn jpeg(self, quality: u8) -> Self {
        self.format(PictureFormat::Jpeg).quality(quality)
    }

    /// Gives a WebP of this quality, 0 to 100.
    pub fn webp(self, quality: u8) -> Self {
        self.format(PictureFormat::Webp).quality(quality)
    }

    /// Covers every element that these locators match with a box; those that match none cover nothing. A frame that a
    /// locator leads through is waited for.
    pub fn mask<'a>(mut self, locators: impl IntoIterator<Item = &'a Locator>) -> Self {
        self.shot.masks.extend(locators.into_iter().map(|locator| locator.target.clone()));
        self
    }

    /// The colour of masks, as CSS writes it; `#f0f`, a pink, unless set.
    pub fn mask_color(mut self, color: impl Into<String>) -> Self {
        self.shot.mask_color = color.into();
        self
    }

    /// A style sheet that holds for the picture, in every frame and every open shadow tree; `@import` is passed over.
    pub fn style(mut self, css: impl Into<String>) -> Self {
        self.shot.style = Some(css.into());
        self
    }

    /// Whether the white behind the page is left out, so that the page is transparent where it draws nothing. Not for
    /// JPEG.
    ///
    /// Chromium 156 has a fault here that can't be put right from outside: where the page goes to another process at
    /// that very moment, its next documents stay transparent in pictures until it changes the process again.
    pub fn omit_background(mut self, omit: bool) -> Self {
        self.shot.omit_background = omit;
        self
    }

    /// What becomes of animations; they run unless set.
    pub fn animations(mut self, animations: Animations) -> Self {
        self.shot.animations = animations;
        self
    }

    /// What becomes of the text cursor; it is hidden unless set.
    pub fn caret(mut self, caret: Caret) -> Self {
        self.shot.caret = caret;
        self
    }

    /// How large the picture is; a pixel for each of the device unless set.
    pub fn scale(mut self, scale: PictureScale) -> Self {
        self.shot.scale = scale;
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }
}

impl Locator {
    /// Takes a picture of the element once it is visible and stands still. It is scrolled into view and stays there;
    /// what covers it is in the picture.
    ///
    /// # Errors
    ///
    /// As [`Screenshot`]; a timeout that names the check that failed.
    pub fn screenshot(&self) -> Screenshot {
        let mut screenshot = Screenshot::new(self.target.page.clone(), self.browser.clone());
        screenshot.shot.element = Some(self.target.clone());
        screenshot
    }
}

impl IntoFuture for Screenshot {
    type Output = Result<Bytes>;
    type IntoFuture = BoxFuture<Result<Bytes>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { shot, browser, options } = self;
        let what = match &shot.element {
            Some(target) => format!("{}.screenshot()", target.selector),
            None => "screenshot".into(),
        };
        Operation::new(what, move |progress, _| async move {
            let _browser = browser;
            shot.check()?;
            take::take(Arc::new(shot), progress).await
        })
        .with(options)
        .into_future()
    }
}
