//! Taking a picture: the element is waited for, the page prepared, the picture taken, and the page put back.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cdp_protocol::CallError;
use cdp_protocol::domains::page::{CaptureScreenshot, CaptureScreenshotFormat, FrameId, Viewport};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::place::{self, Rect};
use super::posed::{Found, Measures, Posed, found};
use super::shot::{PictureFormat, PictureScale, Shot};
use crate::action::retry::{self, Attempt, Step, Target, to_json};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;
use crate::world::{self, WorldError};

/// How long the answer may take once the document has been left. Chromium 156 forgets about a picture when the page goes
/// to another process meanwhile.
const LEFT: Duration = Duration::from_millis(500);

/// Chromium's words for a picture of a document that another one is taking the place of.
const INACTIVE: &str = "Not attached to an active page";

/// What is taken, in the document's coordinates.
struct Area {
    /// Nothing: what the viewport shows.
    rect: Option<Rect>,
    /// Pixels for each CSS pixel, in those of the device.
    scale: f64,
    /// Whether some of it is outside of the viewport.
    beyond: bool,
}

/// Takes the picture. A document that goes away meanwhile is followed by another attempt.
pub(crate) async fn take(shot: Arc<Shot>, progress: Arc<Progress>) -> Result<Bytes> {
    let mut attempt = 0;
    loop {
        let mut masks = Vec::new();
        for mask in &shot.masks {
            masks.push(found(frame_of_mask(mask, &progress).await?, mask));
        }
        let element = match &shot.element {
            Some(target) => Some(found(frame_when_ready(target, &progress).await?, target)),
            None => None,
        };
        match in_task(&shot, masks, element, &progress).await? {
            Ok(picture) => return Ok(picture),
            Err(WorldError::Gone(why) | WorldError::Lost(why)) => {
                progress.log(format_args!("the document changed: {why}"));
            }
            Err(WorldError::Failed(error)) => return Err(error),
        }
        attempt += 1;
        progress.pause(attempt).await?;
    }
}

/// The frame that a mask is in. Its selector is tried, so that it is known to be valid.
async fn frame_of_mask(mask: &Target, progress: &Progress) -> Result<FrameId> {
    retry::retry(mask, progress, |_, frame| async move {
        let args = vec![to_json(&mask.selector), json!("count"), Value::Null];
        let attempt: Attempt<Value> = world::call(&mask.page, &frame, "read", args).await?;
        Ok(match retry::sort(&mask.selector, attempt)? {
            Step::Done(_) => Step::Done(frame),
            Step::Again(why) => Step::Again(why),
        })
    })
    .await
}

/// The frame of the element, once it is visible, stands still and is in view.
async fn frame_when_ready(target: &Target, progress: &Progress) -> Result<FrameId> {
    retry::retry(target, progress, |pass, frame| async move {
        let _turn = target.page.turn.lock().await;
        let request =
            json!({ "action": "scroll_into_view", "checks": ["stable", "visible"], "scroll": pass });
        let args = vec![to_json(&target.selector), request];
        let attempt: Attempt<Value> = world::call(&target.page, &frame, "attempt", args).await?;
        Ok(match retry::sort(&target.selector, attempt)? {
            Step::Done(_) => Step::Done(frame),
            Step::Again(why) => Step::Again(why),
        })
    })
    .await
}

/// Prepares, takes and puts back in a task, which ends when the call's time is over at the latest. A caller who is gone
/// is noticed until the picture is asked for; from then on the page is put back when the browser has answered, since
/// the page would notice what happens to it for the picture.
async fn in_task(
    shot: &Arc<Shot>,
    masks: Vec<Found>,
    element: Option<Found>,
    progress: &Arc<Progress>,
) -> Result<Result<Bytes, WorldError>> {
    let (mut answer, waiting) = oneshot::channel();
    let (shot, progress) = (shot.clone(), progress.clone());
    tokio::spawn(async move {
        let prepared = async {
            let turn = progress.wait(shot.page.turn.lock()).await?;
            let mut posed = Posed::new(shot.page.clone());
            let area = progress.wait(prepare(&shot, &mut posed, &masks, element.as_ref())).await?;
            if area.as_ref().is_ok_and(|area| area.beyond) {
                posed.reach_out();
            }
            Ok::<_, Error>((turn, posed, area))
        };
        let taken = tokio::select! {
            () = answer.closed() => None,
            prepared = prepared => Some(match prepared {
                Ok((turn, posed, Ok(area))) => {
                    progress.log("the page is prepared; the picture was asked for");
                    let taken = progress.wait(picture(&shot, &posed, &area)).await;
                    drop((posed, turn));
                    taken
                }
                Ok((_, _, Err(error))) => Ok(Err(error)),
                Err(error) => Err(error),
            }),
        };
        if let Some(taken) = taken {
            // Nobody may wait for it any more.
            let _ = answer.send(taken);
        }
    });
    waiting.await.unwrap_or_else(|_| Err(Error::new(ErrorKind::Closed, "the runtime is shutting down")))
}

/// Has the browser take the picture.
async fn picture(shot: &Shot, posed: &Posed, area: &Area) -> Result<Bytes, WorldError> {
    let page = &shot.page;
    let left = || WorldError::Gone("it was left while the picture was taken".into());
    let lost = async {
        page.when(|state| posed.is_stale(state).then_some(())).await.map_err(WorldError::Failed)?;
        tokio::time::sleep(LEFT).await;
        Ok(Err(left()))
    };
    let taken = tokio::select! {
        biased;
        taken = page.session.call(&command(shot, area)) => taken.map_err(|error| match error {
            CallError::Refused { message, .. } if message.contains(INACTIVE) => WorldError::Gone(message),
            error => world::gone_or_failed(page, error),
        }),
        lost = lost => return lost?,
    };
    if posed.is_stale(&page.state()) { Err(left()) } else { Ok(taken?.data.into_bytes()) }
}

async fn prepare(
    shot: &Shot,
    posed: &mut Posed,
    masks: &[Found],
    element: Option<&Found>,
) -> Result<Area, WorldError> {
    let (main, inner) = posed.prepare(shot, masks, element).await?;
    let unfit = |kind, what: &str| WorldError::Failed(Error::new(kind, what));
    let scale = match shot.scale {
        PictureScale::Device => 1.0,
        PictureScale::Css => 1.0 / main.ratio,
    };
    let whole = Rect { x: 0.0, y: 0.0, width: main.page.width, height: main.page.height };
    let (all, scale) = match element {
        Some(element) => {
            let measured = inner.as_ref().unwrap_or(&main);
            let rect = measured.element.ok_or_else(|| WorldError::Gone("the element is gone".into()))?;
            let rect = place::to_page(&shot.page, &element.frame, rect, measured.inner).await?;
            let rect = rect.moved(main.scrolled.x, main.scrolled.y).enclosing();
            if rect.width <= 0.0 || rect.height <= 0.0 {
                return Err(unfit(ErrorKind::Unfit, "the element's box is empty"));
            }
            (rect, scale)
        }
        None if shot.full_page => (whole, scale),
        None => (main.view, scale * main.zoom),
    };
    let Some(clip) = shot.clip else { return Ok(area(&main, all, scale, shot)) };
    let clip = clip.moved(all.x, all.y).within(all);
    let clip = clip.ok_or_else(|| {
        let Rect { width, height, .. } = all;
        let what = format!("the clip is outside of the picture, which is {width}×{height}");
        unfit(ErrorKind::Invalid, &what)
    })?;
    Ok(area(&main, clip.enclosing(), scale, shot))
}

fn area(main: &Measures, rect: Rect, scale: f64, shot: &Shot) -> Area {
    let plain = shot.element.is_none() && !shot.full_page && shot.clip.is_none() && main.zoom == scale;
    Area { rect: (!plain).then_some(rect), scale, beyond: !plain && !main.view.contains(&rect) }
}

fn command(shot: &Shot, area: &Area) -> CaptureScreenshot {
    let command = CaptureScreenshot::default().format(match shot.format {
        PictureFormat::Png => CaptureScreenshotFormat::Png,
        PictureFormat::Jpeg => CaptureScreenshotFormat::Jpeg,
        PictureFormat::Webp => CaptureScreenshotFormat::Webp,
    });
    let command = match shot.quality {
        Some(quality) => command.quality(i64::from(quality)),
        None => command,
    };
    match area.rect {
        Some(Rect { x, y, width, height }) => {
            command.clip(Viewport::new(x, y, width, height, area.scale)).capture_beyond_viewport(area.beyond)
        }
        None => command,
    }
}
