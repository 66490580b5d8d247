//! A frame, as the user holds it.

use std::sync::Arc;

use cdp_protocol::domains::page::FrameId;
use serde::de::DeserializeOwned;

use crate::core::browser::BrowserCore;
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result};
use crate::locator::Locator;
use crate::navigation;
use crate::operation::Operation;
use crate::selector::Selector;
use crate::world::{self, WorldError};

/// A frame of a page: the main frame, or one in an `<iframe>`, wherever its process is.
#[derive(Clone)]
pub struct Frame {
    core: Arc<PageCore>,
    browser: Arc<BrowserCore>,
    /// The main frame, whichever that is, if none is named.
    id: Option<FrameId>,
}

impl Frame {
    pub(crate) fn new(core: Arc<PageCore>, browser: Arc<BrowserCore>, id: Option<FrameId>) -> Self {
        Self { core, browser, id }
    }

    pub(crate) fn core(&self) -> &Arc<PageCore> {
        &self.core
    }

    /// The frame's id in the protocol, for what the engine has no method for. A frame keeps it when its document
    /// changes and when it moves to another process.
    pub fn id(&self) -> FrameId {
        self.id.clone().unwrap_or_else(|| self.core.state().frames.main().clone())
    }

    /// The frame around this one; `None` for the main frame and for a frame that has left the page.
    pub fn parent(&self) -> Option<Self> {
        let id = self.id();
        let parent = self.core.state().frames.get(&id)?.parent.clone()?;
        Some(Self::new(self.core.clone(), self.browser.clone(), Some(parent)))
    }

    /// The frames directly in this one, in no order.
    pub fn children(&self) -> Vec<Self> {
        let id = self.id();
        let children = self.core.state().frames.children(&id).into_iter();
        children.map(|child| Self::new(self.core.clone(), self.browser.clone(), Some(child))).collect()
    }

    pub(crate) fn find(&self, selector: Selector) -> Locator {
        Locator::new(self.core.clone(), self.browser.clone(), self.id.clone(), Vec::new(), selector)
    }

    /// The URL of the frame's document; empty once the frame is gone.
    pub fn url(&self) -> String {
        let id = self.id();
        self.core.state().frames.get(&id).map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// Whether the frame has left the page.
    pub fn is_detached(&self) -> bool {
        let id = self.id();
        self.core.state().frames.get(&id).is_none()
    }

    /// Evaluates an expression of ours that changes nothing.
    pub(crate) fn look(&self, what: &str, expression: &'static str) -> Operation<String> {
        let frame = self.clone();
        Operation::new(what.into(), move |progress, _| async move {
            navigation::let_finish(&frame.core, &progress).await?;
            let id = frame.id();
            let json = progress.wait(world::evaluate(&frame.core, &id, expression)).await?;
            typed(&json.map_err(went_away)?)
        })
    }
}

/// The error of a script whose document went away.
pub(crate) fn went_away(error: WorldError) -> Error {
    match error {
        WorldError::Gone(why) | WorldError::Lost(why) => Error::new(
            ErrorKind::Navigation,
            format!("the document went away before the script ended: {why}"),
        ),
        WorldError::Failed(error) => error,
    }
}

/// The value that JSON says.
pub(crate) fn typed<T: DeserializeOwned + Send>(json: &str) -> Result<T> {
    cdp_protocol::json::decode(json.as_bytes()).map_err(|error| {
        // The value itself may be a secret, and serde's own message quotes it.
        let place = error.path();
        let place = if place.is_empty() { String::new() } else { format!(", at {place}") };
        let what =
            format!("the script gave {}, which is no {}{place}", kind_of(json), std::any::type_name::<T>());
        Error::new(ErrorKind::Invalid, what)
    })
}

fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
