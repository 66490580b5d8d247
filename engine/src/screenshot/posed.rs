//! A page that is prepared for a picture: what was changed for it is put back when the guard is dropped.

use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::domains::dom::Rgba;
use cdp_protocol::domains::emulation::SetDefaultBackgroundColorOverride;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::runtime::{CallArgument, CallFunctionOn, CallFunctionOnResult};
use cdp_protocol::{Call, Session};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::place::{Rect, Size};
use super::shot::{Animations, Caret, Shot};
use crate::action::retry::{self, Step, to_json};
use crate::core::emulate;
use crate::core::page::{PageCore, PageState};
use crate::error::{Error, ErrorKind};
use crate::js;
use crate::state::frames::Life;
use crate::world::{self, WorldError};

/// How long is waited for frames that only decorate the picture: a frame with a process of its own may be busy for
/// ever. Three seconds of it may be spent on fonts.
const OTHER_FRAMES: Duration = Duration::from_secs(4);

/// A mask or an element, by the frame that it is in.
pub(super) struct Found {
    pub frame: FrameId,
    pub selector: Value,
}

/// Where things are in a frame that is prepared.
#[derive(Debug, Deserialize)]
pub(super) struct Measures {
    /// The size of the whole document.
    pub page: Size,
    /// What is seen of it, in its own coordinates.
    pub view: Rect,
    /// How far it is enlarged by pinching.
    pub zoom: f64,
    /// Pixels of the device for each CSS pixel.
    pub ratio: f64,
    /// The viewport that boxes are relative to.
    pub inner: Size,
    pub scrolled: Offset,
    /// The element's box in that viewport.
    #[serde(rename = "box")]
    pub element: Option<Rect>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Offset {
    pub x: f64,
    pub y: f64,
}

/// A page that is prepared. Dropping it queues what puts the page back: all that the page is asked later comes after.
pub(super) struct Posed {
    page: Arc<PageCore>,
    frames: Vec<Frame>,
    transparent: bool,
    /// The picture reached out of the viewport of a screen that can be touched.
    touch: bool,
}

/// A frame that was sent a request.
struct Frame {
    id: FrameId,
    session: Session,
    context: String,
    /// The picture would be another one if the frame showed another document.
    matters: bool,
}

impl Posed {
    pub(super) fn new(page: Arc<PageCore>) -> Self {
        Self { page, frames: Vec::new(), transparent: false, touch: false }
    }

    /// Prepares all frames at once: one round trip. Gives the measures of the main frame, and of the element's.
    pub(super) async fn prepare(
        &mut self,
        shot: &Shot,
        masks: &[Found],
        element: Option<&Found>,
    ) -> Result<(Measures, Option<Measures>), WorldError> {
        let page = self.page.clone();
        let main = page.state().frames.main().clone();
        if page.state().frames.main_frame().utility_world.is_none() {
            // A document that is older than the engine's scripts gets its world with the first call.
            world::call::<Value>(&page, &main, "viewport", Vec::new()).await?;
        }
        let background = shot.omit_background.then(|| self.clear_background());
        let mut calls = Vec::new();
        let ids = page.state().frames.ids();
        for id in ids {
            let masks: Vec<_> = masks.iter().filter(|it| it.frame == id).map(|it| &it.selector).collect();
            let element = element.filter(|it| it.frame == id).map(|it| &it.selector);
            let selects = element.is_some() || !masks.is_empty();
            let request = json!({
                "still": shot.animations == Animations::Disable,
                "hideCaret": shot.caret == Caret::Hide,
                "style": shot.style,
                "masks": masks,
                "color": shot.mask_color,
                "element": element,
            });
            match self.request(&id, &request, selects, selects || id == main) {
                Some(call) => calls.push((id, element.is_some(), selects, call)),
                None if selects || id == main => {
                    return Err(WorldError::Gone("the frame's document changed".into()));
                }
                None => {}
            }
        }
        if let Some(background) = background {
            background.await.map_err(|error| world::gone_or_failed(&page, error))?;
        }
        let (mut of_main, mut of_element) = (None, None);
        // The frames that matter come first, so that the others have time meanwhile.
        calls.sort_by_key(|(id, _, selects, _)| !(*selects || *id == main));
        let others = tokio::time::Instant::now() + OTHER_FRAMES;
        for (id, is_element, selects, call) in calls {
            if !selects && id != main {
                drop(tokio::time::timeout_at(others, call).await);
                continue;
            }
            let measures = measures(call.await.map_err(|error| world::gone_or_failed(&page, error))?, shot)?;
            if is_element && id != main {
                of_element = Some(measures);
            } else if id == main {
                of_main = Some(measures);
            }
        }
        let of_main = of_main.ok_or_else(|| WorldError::Gone("the page's document changed".into()))?;
        Ok((of_main, of_element))
    }

    /// The picture reaches out of the viewport. Chromium 156 takes the emulation of touch away behind it.
    pub(super) fn reach_out(&mut self) {
        self.touch = self.page.state().screen.touch;
    }

    /// Whether a frame that matters shows another document by now.
    pub(super) fn is_stale(&self, state: &PageState) -> bool {
        let same = |frame: &Frame| {
            let world = state.frames.get(&frame.id).and_then(|known| known.utility_world.as_ref());
            world.is_some_and(|world| world.unique == frame.context)
        };
        self.frames.iter().any(|frame| frame.matters && !same(frame))
    }

    fn clear_background(&mut self) -> Call<()> {
        self.transparent = true;
        let nothing = Rgba::new(0, 0, 0).a(0.0);
        self.page.session.call(&SetDefaultBackgroundColorOverride::default().color(nothing))
    }

    /// Queues a request to a frame whose world is known, and where selectors can be resolved if they have to.
    fn request(
        &mut self,
        id: &FrameId,
        request: &Value,
        selects: bool,
        matters: bool,
    ) -> Option<Call<CallFunctionOnResult>> {
        let (session, context) = {
            let state = self.page.state();
            let frame = state.frames.get(id).filter(|frame| frame.life == Life::Alive)?;
            let world = frame.utility_world.as_ref().filter(|world| world.installed || !selects)?;
            (self.page.session_of(&frame.session), world.unique.clone())
        };
        let call = session.call(&command(&context, request));
        self.frames.push(Frame { id: id.clone(), session, context, matters });
        Some(call)
    }
}

impl Drop for Posed {
    fn drop(&mut self) {
        for frame in &self.frames {
            drop(frame.session.call(&command(&frame.context, &Value::Null)));
        }
        if self.transparent {
            drop(self.page.session.call(&SetDefaultBackgroundColorOverride::default()));
        }
        if self.touch {
            drop(emulate::touch(&self.page.session, true));
        }
    }
}

fn command(context: &str, request: &Value) -> CallFunctionOn {
    let request = to_raw_value(request).expect("a JSON value is JSON");
    CallFunctionOn::new(js::PICTURE)
        .unique_context_id(context)
        .arguments(vec![CallArgument::default().value(request)])
        .return_by_value(true)
        .await_promise(true)
}

fn measures(answer: CallFunctionOnResult, shot: &Shot) -> Result<Measures, WorldError> {
    let failed = |kind, what: String| WorldError::Failed(Error::new(kind, what));
    let Some(details) = answer.exception_details else {
        let value = answer.result.value.filter(|value| value.get() != "null");
        // It has no value when the document was left while it waited for fonts.
        let value = value.ok_or_else(|| WorldError::Gone("the document was left".into()))?;
        return serde_json::from_str(value.get())
            .map_err(|error| failed(ErrorKind::Protocol, format!("the picture's measures: {error}")));
    };
    // What the script throws itself is text: a refusal of the selector as JSON, or words for the user.
    let thrown = details.exception.as_ref().and_then(|thrown| thrown.value.as_ref());
    let Some(text) = thrown.and_then(|text| serde_json::from_str::<String>(text.get()).ok()) else {
        return Err(failed(ErrorKind::Script, format!("preparing the picture failed: {}", details.text)));
    };
    match (serde_json::from_str(&text), &shot.element) {
        (Ok(refused), Some(target)) => Err(match retry::sort::<()>(&target.selector, refused)? {
            Step::Again(why) => WorldError::Gone(why),
            Step::Done(_) => WorldError::Gone("the element was not found any more".into()),
        }),
        _ => Err(failed(ErrorKind::Invalid, text)),
    }
}

/// What a target is to the script in the page.
pub(super) fn found(frame: FrameId, target: &retry::Target) -> Found {
    Found { frame, selector: to_json(&target.selector) }
}
