//! What a picture is to be of and how it is to look. How it is taken is in `take`.

use std::sync::Arc;

use super::place::Rect;
use crate::action::retry::Target;
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result};

/// How a picture is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PictureFormat {
    /// Every pixel as it was; takes no quality.
    #[default]
    Png,
    /// Of quality 80 unless set; has no transparency.
    Jpeg,
    /// Of quality 80 unless set.
    Webp,
}

/// What becomes of CSS animations, CSS transitions and animations by script (`Element.animate`) in a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Animations {
    /// They run, and the picture has whichever moment it is.
    #[default]
    Allow,
    /// Those with an end are brought to it, and stay there; the page gets their events. Those without are cancelled, and
    /// go on after the picture where they were. Those that are paused or driven by scrolling stay as they are.
    Disable,
}

/// What becomes of the text cursor in a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Caret {
    /// It is not in the picture.
    #[default]
    Hide,
    /// It blinks, and is in the picture or not.
    Initial,
}

/// How large a picture is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PictureScale {
    /// A pixel for each pixel of the device: a CSS pixel is several where the device's pixels are small.
    #[default]
    Device,
    /// A pixel for each CSS pixel.
    Css,
}

/// What a picture is of and how it looks.
pub(crate) struct Shot {
    pub(super) page: Arc<PageCore>,
    pub(super) element: Option<Target>,
    pub(super) full_page: bool,
    pub(super) clip: Option<Rect>,
    pub(super) format: PictureFormat,
    pub(super) quality: Option<u8>,
    pub(super) masks: Vec<Target>,
    pub(super) mask_color: String,
    pub(super) style: Option<String>,
    pub(super) omit_background: bool,
    pub(super) animations: Animations,
    pub(super) caret: Caret,
    pub(super) scale: PictureScale,
}

impl Shot {
    pub(crate) fn new(page: Arc<PageCore>) -> Self {
        Self {
            page,
            element: None,
            full_page: false,
            clip: None,
            format: PictureFormat::default(),
            quality: None,
            masks: Vec::new(),
            mask_color: "#f0f".into(),
            style: None,
            omit_background: false,
            animations: Animations::default(),
            caret: Caret::default(),
            scale: PictureScale::default(),
        }
    }

    /// Finds what no page could make right.
    pub(super) fn check(&self) -> Result<()> {
        let invalid = |what: &str| Err(Error::new(ErrorKind::Invalid, what));
        match (self.format, self.quality) {
            (PictureFormat::Png, Some(_)) => {
                return invalid("a PNG has no quality; choose the format Jpeg or Webp");
            }
            (_, Some(quality)) if quality > 100 => return invalid("the quality goes from 0 to 100"),
            _ => {}
        }
        if self.format == PictureFormat::Jpeg && self.omit_background {
            return invalid(
                "a JPEG can't be transparent; choose the format Png or Webp, or keep the background",
            );
        }
        if self.element.is_some() && (self.full_page || self.clip.is_some()) {
            return invalid("full_page and clip are for pictures of pages; this one is of an element");
        }
        if let Some(clip) = &self.clip {
            let finite = [clip.x, clip.y, clip.width, clip.height].iter().all(|it| it.is_finite());
            if !finite || clip.width <= 0.0 || clip.height <= 0.0 {
                return invalid("the clip is empty; its width and height must be more than 0");
            }
        }
        if self.masks.iter().any(|mask| !Arc::ptr_eq(&mask.page, &self.page)) {
            return invalid("a mask is a locator of another page");
        }
        Ok(())
    }
}
