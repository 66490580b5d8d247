//! A frame, as the user holds it.

use std::sync::Arc;

use cdp_protocol::domains::page::FrameId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

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

    pub(crate) fn page(&self) -> &PageCore {
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

    /// Evaluates a JavaScript expression in the frame; see [`Page::evaluate`](crate::Page::evaluate).
    pub fn evaluate<T: DeserializeOwned + Send + 'static>(
        &self,
        expression: impl Into<String>,
    ) -> Operation<T> {
        let (frame, expression) = (self.clone(), expression.into());
        Operation::new("evaluate".into(), move |progress, _| async move {
            navigation::let_finish(&frame.core, &progress).await?;
            progress.log("running the script");
            progress.acted();
            let id = frame.id();
            typed(progress.wait(world::evaluate(&frame.core, &id, &expression)).await?)
        })
    }

    /// Evaluates an expression of ours that changes nothing.
    pub(crate) fn look(&self, what: &str, expression: &'static str) -> Operation<String> {
        let frame = self.clone();
        Operation::new(what.into(), move |progress, _| async move {
            navigation::let_finish(&frame.core, &progress).await?;
            let id = frame.id();
            typed(progress.wait(world::evaluate(&frame.core, &id, expression)).await?)
        })
    }

    /// Calls a JavaScript function in the frame; see [`Page::evaluate_with`](crate::Page::evaluate_with).
    pub fn evaluate_with<T: DeserializeOwned + Send + 'static>(
        &self,
        function: impl Into<String>,
        argument: impl Serialize,
    ) -> Operation<T> {
        let (frame, function) = (self.clone(), function.into());
        let argument = to_raw_value(&argument);
        Operation::new("evaluate_with".into(), move |progress, _| async move {
            let argument: Box<RawValue> = argument.map_err(|error| {
                Error::new(ErrorKind::Invalid, format!("the argument can't be written as JSON: {error}"))
            })?;
            navigation::let_finish(&frame.core, &progress).await?;
            progress.log("running the script");
            progress.acted();
            let id = frame.id();
            typed(progress.wait(world::evaluate_with(&frame.core, &id, &function, argument)).await?)
        })
    }
}

fn typed<T: DeserializeOwned + Send>(json: Result<String, WorldError>) -> Result<T> {
    let json = json.map_err(|error| match error {
        WorldError::Gone(why) | WorldError::Lost(why) => Error::new(
            ErrorKind::Navigation,
            format!("the document went away before the script ended: {why}"),
        ),
        WorldError::Failed(error) => error,
    })?;
    cdp_protocol::json::decode(json.as_bytes()).map_err(|_| {
        // The value itself may be a secret, and serde's own message quotes it.
        let what = format!("the script gave {}, which is no {}", kind_of(&json), std::any::type_name::<T>());
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
