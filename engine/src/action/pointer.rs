//! Mouse actions: one attempt that proves the element ready, input written back to back, one verdict on whom it hit.

use cdp_protocol::domains::input::{DispatchMouseEvent, DispatchMouseEventType, MouseButton as Button};
use cdp_protocol::domains::page::{Enable, FrameId};
use cdp_protocol::{Call, CallError, SessionEnd};
use serde::Deserialize;
use serde_json::{Value, json};

use super::geometry::{self, Mapped, Point};
use super::retry::{self, Attempt, Step, Target, to_json};
use super::watch::{Verdict, Watch};
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result};
use crate::navigation;
use crate::progress::Progress;
use crate::world::{self, WorldError};

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
    let _turn = page.turn.lock().await;
    let watch = Watch::new(page, frame.clone());
    let attempt = attempt(target, options, pass, &frame, &watch).await?;
    let ready = match retry::sort(&target.selector, attempt) {
        Ok(Step::Done(Attempt::Ready(ready))) => ready,
        other => {
            watch.forget();
            return match other? {
                Step::Again(why) => Ok(Step::Again(why)),
                Step::Done(_) => Ok(Step::Done(())),
            };
        }
    };
    progress.log(format_args!("{} is ready", ready.element));
    let point = Point { x: ready.x, y: ready.y };
    let mapped = geometry::to_page(page, &frame, point, (ready.width, ready.height));
    let (mapped, shields) = tokio::join!(mapped, shields(page, &frame, options));
    let (at, mut shields) = match mapped? {
        Mapped::At(point) => (point, shields?),
        Mapped::Covered(by) => return Ok(Step::Again(format!("{by} covers {}", ready.element))),
    };
    progress.acted();
    let verdict = dispatch(page, watch, options, at).await.map_err(WorldError::Failed)?;
    // What was held back the page never saw: it was stopped before any of its listeners.
    let held_back = match verdict {
        Some(Verdict::Hit) => return Ok(Step::Done(())),
        Some(Verdict::Unseen) if options.force => return Ok(Step::Done(())),
        Some(Verdict::Covered { by }) => format!("{by} came over {}", ready.element),
        Some(Verdict::Detached) => format!("{} was removed", ready.element),
        Some(Verdict::Astray) => "the button went down in another frame".into(),
        Some(Verdict::Unseen) | None if is_astray(&mut shields).await => {
            "the input went to a frame further out".into()
        }
        Some(Verdict::Unseen) => return Err(missed("no input reached it or anything around it")),
        None => return Err(missed("the document went away before it told whether the input reached it")),
    };
    progress.not_acted();
    Ok(Step::Again(held_back))
}

pub(super) fn missed(why: &str) -> WorldError {
    WorldError::Failed(Error::new(ErrorKind::Missed, why))
}

/// Keeps the gesture from every frame around the element's. Which process gets the input is decided by what the
/// browser last drew, which may be older than the last scroll or an overlay.
async fn shields<'a>(
    page: &'a PageCore,
    frame: &FrameId,
    options: PointerOptions,
) -> Result<Vec<Watch<'a>>, WorldError> {
    let mut shields = Vec::new();
    if options.force {
        return Ok(shields);
    }
    let gesture = if options.count == 0 { "hover" } else { "mouse" };
    let around = page.state().frames.ancestors(frame);
    for frame in around {
        let shield = Watch::new(page, frame.clone());
        let args = vec![json!(gesture), json!(options.count.max(1)), json!(shield.token())];
        world::call::<Value>(page, &frame, "shield", args).await?;
        shields.push(shield);
    }
    Ok(shields)
}

async fn is_astray(shields: &mut [Watch<'_>]) -> bool {
    let answers: Vec<_> = shields.iter_mut().filter_map(Watch::release).collect();
    for answer in answers {
        if let Ok(Verdict::Astray) = answer.answer().await {
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
    watch: &Watch<'_>,
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
        "token": watch.token(),
    });
    world::call(&target.page, frame, "attempt", vec![to_json(&target.selector), request]).await
}

/// Writes the question for the verdict and the input back to back, then waits for both. Gives no verdict if the
/// document went away with it.
async fn dispatch(
    page: &PageCore,
    mut watch: Watch<'_>,
    options: PointerOptions,
    at: Point,
) -> Result<Option<Verdict>> {
    // Asked first, so that it waits in the document before the input comes: what that begins may end the document.
    let verdict = watch.verdict();
    let input = queue(page, options, at);
    let mut refused = Ok(());
    for call in input {
        if let Err(error) = call.await {
            refused = Err(error);
        }
    }
    // The renderer has handled the input. A verdict that is still open will not come by itself.
    drop(watch.release());
    let verdict = match verdict.answer().await {
        Ok(verdict) => verdict,
        Err(WorldError::Failed(error)) => return Err(error),
        Err(WorldError::Gone(_) | WorldError::Lost(_)) => None,
    };
    match (verdict, refused) {
        // The page the input went to is closed or crashed, and nothing is known of the input.
        (None | Some(Verdict::Unseen), Err(error)) => Err(error.into()),
        (verdict, _) => Ok(verdict),
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

/// What `check` and `uncheck` promise once the click was made.
pub(crate) async fn has_state(target: &Target, checked: bool, progress: &Progress) -> Result<()> {
    let now: Value = retry::read(target, progress, "checked", Value::Null).await?;
    if now == checked {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Unfit, "clicking the checkbox did not change its state"))
}
