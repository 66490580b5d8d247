//! Putting text into fields.

use cdp_protocol::domains::input::{DispatchKeyEvent, DispatchKeyEventType, InsertText};
use cdp_protocol::domains::page::FrameId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::pointer;
use super::retry::{self, Attempt, Step, Target, to_json};
use super::watch::{Verdict, Watch};
use crate::error::Result;
use crate::progress::Progress;
use crate::world::{self, WorldError};

/// A field that has the focus and all of its text selected.
#[derive(Debug, Deserialize)]
struct Ready {
    element: String,
    /// What to type over the selection; nothing means that it is deleted.
    insert: Option<String>,
    /// Nothing is typed into such a field: the page sets its value when asked again.
    #[serde(default)]
    commit: bool,
    /// There is nothing to delete.
    #[serde(default)]
    empty: bool,
}

/// Replaces the content of a field: one attempt that checks, focuses and selects, one insertion. The attempt changes
/// nothing yet, so it is made again when its answer is lost.
pub(crate) async fn fill(target: &Target, value: &str, force: bool, progress: &Progress) -> Result<()> {
    let page = &target.page;
    retry::retry(target, progress, |_, frame| async move {
        let _turn = page.turn.lock().await;
        let mut watch = Watch::new(page, frame.clone());
        let ready = match fill_once(target, &frame, value, force, watch.token()).await {
            Ok(Step::Done(Attempt::Ready(ready))) => ready,
            other => {
                watch.forget();
                return match other? {
                    Step::Again(why) => Ok(Step::Again(why)),
                    Step::Done(_) => Ok(Step::Done(())),
                };
            }
        };
        progress.log(format_args!("{} can be filled", ready.element));
        progress.acted();
        if ready.commit {
            watch.forget();
            return match retry::unless_lost(fill_once(target, &frame, value, force, None).await)? {
                Step::Done(_) => Ok(Step::Done(())),
                Step::Again(why) => Ok(Step::Again(why)),
            };
        }
        if ready.insert.is_none() && ready.empty {
            return Ok(Step::Done(()));
        }
        let verdict = watch.verdict();
        let typed = match ready.insert {
            Some(text) => page.session.call(&InsertText::new(text)).await,
            None => delete(page).await,
        };
        drop(watch.release());
        let verdict = verdict.answer().await?;
        match (verdict, typed) {
            (Some(Verdict::Hit), _) => Ok(Step::Done(())),
            // Nothing was typed: it was stopped before any of the page's listeners.
            (Some(Verdict::Astray), _) => {
                progress.not_acted();
                Ok(Step::Again("the page moved the focus elsewhere".into()))
            }
            (_, Err(error)) => Err(WorldError::Failed(error.into())),
            (Some(_), Ok(())) => {
                Err(pointer::missed("the page took no text: the field lost the focus or is not editable"))
            }
            (None, Ok(())) => {
                Err(pointer::missed("the document went away before it told whether the text reached it"))
            }
        }
    })
    .await
}

async fn fill_once(
    target: &Target,
    frame: &FrameId,
    value: &str,
    force: bool,
    token: Option<u32>,
) -> Result<Step<Attempt<Ready>>, WorldError> {
    let checks: &[&str] = if force { &[] } else { &["visible", "enabled", "editable", "inert"] };
    let mut request = json!({
        "action": "fill", "checks": checks, "strict": true, "force": force, "value": value,
        "scroll": null, "position": null, "hit": false,
    });
    // With a token nothing is done yet that the page's scripts would see but for the focus.
    if let Some(token) = token {
        request["token"] = json!(token);
        request["commit"] = json!(false);
    }
    let args = vec![to_json(&target.selector), request];
    retry::sort(&target.selector, world::call(&target.page, frame, "attempt", args).await?)
}

async fn delete(page: &crate::core::page::PageCore) -> Result<(), cdp_protocol::CallError> {
    let event = |kind| DispatchKeyEvent::new(kind).key("Delete").code("Delete").windows_virtual_key_code(46);
    let down = page.session.call(&event(DispatchKeyEventType::RawKeyDown));
    let up = page.session.call(&event(DispatchKeyEventType::KeyUp));
    down.await?;
    up.await
}

/// Chooses options. The injected script does it on its own, so an answer that is lost may mean that it was done.
pub(crate) async fn select(
    target: &Target,
    options: Value,
    force: bool,
    progress: &Progress,
) -> Result<Value> {
    let checks: &[&str] = if force { &[] } else { &["visible", "enabled", "inert"] };
    let options = &options;
    retry::retry(target, progress, |_, frame| async move {
        let _turn = target.page.turn.lock().await;
        progress.acted();
        retry::unless_lost(in_page_once(target, &frame, "select_option", checks, None, options).await)
    })
    .await
}

/// What the injected script does on its own and may do again: focus, blur, scrolling.
pub(crate) async fn in_page(target: &Target, action: &'static str, progress: &Progress) -> Result<()> {
    retry::retry(target, progress, |pass, frame| async move {
        let scroll = (action == "scroll_into_view").then_some(pass);
        in_page_once(target, &frame, action, &[], scroll, &Value::Null).await
    })
    .await
    .map(drop)
}

async fn in_page_once(
    target: &Target,
    frame: &FrameId,
    action: &str,
    checks: &[&str],
    scroll: Option<usize>,
    value: &Value,
) -> Result<Step<Value>, WorldError> {
    let request = json!({
        "action": action, "checks": checks, "strict": true, "force": false, "value": value,
        "scroll": scroll, "position": null, "hit": false,
    });
    let args = vec![to_json(&target.selector), request];
    let attempt: Attempt<Value> = world::call(&target.page, frame, "attempt", args).await?;
    match retry::sort(&target.selector, attempt)? {
        Step::Done(Attempt::Done(done)) => Ok(Step::Done(done.value)),
        Step::Done(_) => Ok(Step::Done(Value::Null)),
        Step::Again(why) => Ok(Step::Again(why)),
    }
}
