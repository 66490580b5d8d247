//! Mouse actions: one attempt that proves the element ready, input written back to back, one verdict on whom it hit.

use cdp_protocol::domains::input::{DispatchMouseEvent, DispatchMouseEventType, MouseButton as Button};
use cdp_protocol::domains::page::{Enable, FrameId};
use cdp_protocol::{Call, CallError, SessionEnd};
use serde::Deserialize;
use serde_json::{Value, json};

use super::geometry::{self, Mapped, Point};
use super::retry::{self, Attempt, Step, Target, to_json};
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result};
use crate::navigation;
use crate::progress::Progress;
use crate::world::{self, WorldCall, WorldError};

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MouseButton {
    /// The one that clicks.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The one that opens context menus.
    Right,
}

/// How to click.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointerOptions {
    /// The injected script's name of the action: `click`, `hover`, `check`, `uncheck`.
    pub action: &'static str,
    pub button: MouseButton,
    /// How often the button goes down; 0 only moves the mouse.
    pub count: i64,
    /// From the top left of the element's padding box, in CSS pixels; its centre if none is given.
    pub position: Option<Point>,
    /// Do it even if checks would hold it back.
    pub force: bool,
}

/// An element that is ready for the mouse.
#[derive(Debug, Deserialize)]
struct Ready {
    element: String,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    token: Value,
}

/// Whom the input hit.
#[derive(Debug, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum Verdict {
    Hit,
    Covered {
        by: String,
    },
    /// The element was gone before the input came.
    Detached,
    /// Not all of the gesture was meant for this frame, or not all of it came.
    Astray,
    /// No input came, or none that was watched for.
    Unseen,
}

/// Moves to the element and clicks as asked. The page sees the input once, or not at all when this fails before it
/// was sent.
pub(crate) async fn act(target: &Target, options: PointerOptions, progress: &Progress) -> Result<()> {
    let page = &target.page;
    retry::retry(target, progress, |pass, frame| one_pass(target, options, pass, frame, progress)).await?;
    if options.count > 0 {
        after_input(page, progress).await?;
    }
    Ok(())
}

async fn one_pass(
    target: &Target,
    options: PointerOptions,
    pass: usize,
    frame: FrameId,
    progress: &Progress,
) -> Result<Step<()>, WorldError> {
    let page = &target.page;
    let attempt = attempt(target, options, pass, &frame).await?;
    let ready = match retry::sort(&target.selector, attempt)? {
        Step::Done(Attempt::Ready(ready)) => ready,
        Step::Done(_) => return Ok(Step::Done(())),
        Step::Again(why) => return Ok(Step::Again(why)),
    };
    progress.log(format_args!("{} is ready", ready.element));
    let armed = Armed { page, frame: frame.clone(), token: Some(ready.token) };
    let point = Point { x: ready.x, y: ready.y };
    let mapped = geometry::to_page(page, &frame, point, (ready.width, ready.height));
    let (mapped, shields) = tokio::join!(mapped, shields(page, &frame, options));
    let (at, shields) = match mapped? {
        Mapped::At(point) => (point, shields?),
        Mapped::Covered(by) => return Ok(Step::Again(format!("{by} covers {}", ready.element))),
    };
    progress.acted();
    match dispatch(armed, options, at).await.map_err(WorldError::Failed)? {
        // In all these cases the page never saw the input: it was stopped before any of its listeners.
        Verdict::Unseen if is_astray(shields).await => {
            progress.not_acted();
            Ok(Step::Again("the input went to a frame further out".into()))
        }
        Verdict::Astray => {
            progress.not_acted();
            Ok(Step::Again("the button went down in another frame".into()))
        }
        Verdict::Covered { by } => {
            progress.not_acted();
            Ok(Step::Again(format!("{by} came over {}", ready.element)))
        }
        Verdict::Detached => {
            progress.not_acted();
            Ok(Step::Again(format!("{} was removed", ready.element)))
        }
        Verdict::Hit | Verdict::Unseen => Ok(Step::Done(())),
    }
}

/// Keeps the gesture from every frame around the element's. Which process gets the input is decided by what the
/// browser last drew, which may be older than the last scroll or an overlay.
async fn shields<'a>(
    page: &'a PageCore,
    frame: &FrameId,
    options: PointerOptions,
) -> Result<Vec<Armed<'a>>, WorldError> {
    let mut shields = Vec::new();
    if options.force {
        return Ok(shields);
    }
    let gesture = if options.count == 0 { "hover" } else { "mouse" };
    let around = page.state().frames.ancestors(frame);
    for frame in around {
        let args = vec![json!(gesture), json!(options.count.max(1))];
        let token = Some(world::call(page, &frame, "shield", args).await?);
        shields.push(Armed { page, frame, token });
    }
    Ok(shields)
}

async fn is_astray(mut shields: Vec<Armed<'_>>) -> bool {
    let answers: Vec<_> =
        shields.iter_mut().filter_map(|shield| Some((shield.page, shield.release()?))).collect();
    for (page, answer) in answers {
        if let Ok(Verdict::Astray) = answer.answer(page).await {
            return true;
        }
    }
    false
}

async fn attempt(
    target: &Target,
    options: PointerOptions,
    pass: usize,
    frame: &FrameId,
) -> Result<Attempt<Ready>, WorldError> {
    let checks: &[&str] = match (options.force, options.action) {
        (true, _) => &[],
        (_, "hover") => &["stable", "visible"],
        _ => &["stable", "visible", "enabled", "inert"],
    };
    let request = json!({
        "action": options.action,
        "checks": checks,
        "scroll": pass,
        "position": options.position.map(|at| json!({ "x": at.x, "y": at.y })),
        "strict": true,
        "hit": !options.force,
        "force": options.force,
    });
    world::call(&target.page, frame, "attempt", vec![to_json(&target.selector), request]).await
}

/// Writes the input and the question for the verdict back to back, then waits for both.
async fn dispatch(mut armed: Armed<'_>, options: PointerOptions, at: Point) -> Result<Verdict> {
    let input = queue(armed.page, options, at);
    let token = armed.token.take().unwrap_or_default();
    let verdict = world::queue_in(armed.page, &armed.frame, "verdict", vec![token.clone()]);
    armed.token = Some(token);
    let mut refused = Ok(());
    for call in input {
        if let Err(error) = call.await {
            refused = Err(error);
        }
    }
    // The renderer has handled the input. A verdict that is still open will not come by itself.
    drop(armed.release());
    let verdict = match verdict {
        Some(verdict) => verdict.answer::<Verdict>(armed.page).await,
        None => Err(WorldError::Gone("the document went away".into())),
    };
    match (verdict, refused) {
        (Ok(verdict), _) if !matches!(verdict, Verdict::Unseen) => Ok(verdict),
        // The page the input went to is closed or crashed: what became of the click can't be known.
        (_, Err(error)) => Err(error.into()),
        (Ok(verdict), Ok(())) => Ok(verdict),
        // Its document went away because of the input.
        (Err(WorldError::Gone(_) | WorldError::Lost(_)), Ok(())) => Ok(Verdict::Hit),
        (Err(WorldError::Failed(error)), Ok(())) => Err(error),
    }
}

fn queue(page: &PageCore, options: PointerOptions, at: Point) -> Vec<Call<()>> {
    let session = &page.session;
    let event = |kind| DispatchMouseEvent::new(kind, at.x, at.y);
    let mut calls = vec![session.call(&event(DispatchMouseEventType::MouseMoved))];
    let (button, mask) = match options.button {
        MouseButton::Left => (Button::Left, 1),
        MouseButton::Right => (Button::Right, 2),
        MouseButton::Middle => (Button::Middle, 4),
    };
    for count in 1..=options.count {
        let pressed = event(DispatchMouseEventType::MousePressed).buttons(mask).force(0.5);
        let released = event(DispatchMouseEventType::MouseReleased).buttons(0);
        for event in [pressed, released] {
            calls.push(session.call(&event.button(button.clone()).click_count(count)));
        }
    }
    calls
}

/// Waits for what the input began: the page knows of a navigation by now, and what the caller does next is meant for
/// the page to come.
pub(crate) async fn after_input(page: &PageCore, progress: &Progress) -> Result<()> {
    // Everything that the renderer reported before it answers this has been seen by then.
    match progress.wait(page.session.call(&Enable::default())).await? {
        Ok(()) => navigation::let_finish(page, progress).await,
        // A page may close itself when it is clicked.
        Err(CallError::SessionEnded { end: SessionEnd::Detached, .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A watch that stands in a frame, taken away when this is dropped.
struct Armed<'a> {
    page: &'a PageCore,
    frame: FrameId,
    token: Option<Value>,
}

impl Armed<'_> {
    /// Takes it away; the answer says what it saw.
    fn release(&mut self) -> Option<WorldCall> {
        world::queue_in(self.page, &self.frame, "release", vec![self.token.take()?])
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        drop(self.release());
    }
}

/// What `check` and `uncheck` promise once the click was made.
pub(crate) async fn has_state(target: &Target, checked: bool, progress: &Progress) -> Result<()> {
    let now: Value = retry::read(target, progress, "checked", Value::Null).await?;
    if now == checked {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Unfit, "clicking the checkbox did not change its state"))
}
