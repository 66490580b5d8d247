//! Watches that the injected script keeps over input on its way: whom it hits, and that nobody else gets it.

use std::sync::atomic::{AtomicU32, Ordering};

use cdp_protocol::domains::page::{Enable, FrameId};
use serde::Deserialize;
use serde_json::json;

use crate::core::page::PageCore;
use crate::world::{self, WorldCall, WorldError};

/// Whom the input hit.
#[derive(Debug, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub(crate) enum Verdict {
    Hit,
    /// Held back: another element would have got it.
    Covered {
        by: String,
    },
    /// Held back: the element was gone before the input came.
    Detached,
    /// Held back: not all of the gesture was meant for this frame or field, or not all of it came.
    Astray,
    /// No input came, or none that was watched for.
    Unseen,
}

/// A watch that may stand in a frame, taken away when this is dropped.
///
/// Its name is chosen here, before the call that arms it is sent: so it is taken away also when nobody waits for the
/// answer of that call any more, and does not come to stand if it was not armed by then.
pub(crate) struct Watch<'a> {
    page: &'a PageCore,
    frame: FrameId,
    token: Option<u32>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(page: &'a PageCore, frame: FrameId) -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self { page, frame, token: Some(LAST.fetch_add(1, Ordering::Relaxed)) }
    }

    pub(crate) fn token(&self) -> Option<u32> {
        self.token
    }

    /// It was not armed: there is nothing to take away.
    pub(crate) fn forget(mut self) {
        self.token = None;
    }

    /// Asks for the verdict, which comes with the input.
    pub(crate) fn verdict(&self) -> Question<'a> {
        let call = world::queue_in(self.page, &self.frame, "verdict", vec![json!(self.token)]);
        Question { page: self.page, token: self.token, call }
    }

    /// Takes it away; the answer says what it saw.
    pub(crate) fn release(&mut self) -> Option<WorldCall<'a>> {
        world::queue_in(self.page, &self.frame, "release", vec![json!(self.token.take()?)])
    }
}

/// A verdict that was asked for.
pub(crate) struct Question<'a> {
    page: &'a PageCore,
    token: Option<u32>,
    call: Option<WorldCall<'a>>,
}

impl Question<'_> {
    /// The verdict, if it could be told before the document went away.
    pub(crate) async fn answer(self) -> Result<Option<Verdict>, WorldError> {
        let answer = match self.call {
            Some(call) => call.answer::<Verdict>().await,
            None => Err(WorldError::Gone("the document went away".into())),
        };
        let lost = match answer {
            Ok(verdict) => return Ok(Some(verdict)),
            Err(lost) => lost,
        };
        // The watch also told it by an event. What the renderer reported before it answers this has been seen by then.
        drop(self.page.session.call(&Enable::default()).await);
        let state = self.page.state();
        let told = self.token.and_then(|token| serde_json::from_str(state.verdict(token)?).ok());
        match (told, lost) {
            (Some(verdict), _) => Ok(Some(verdict)),
            (None, WorldError::Failed(error)) => Err(WorldError::Failed(error)),
            (None, WorldError::Gone(_) | WorldError::Lost(_)) => Ok(None),
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        drop(self.release());
    }
}
