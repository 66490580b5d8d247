//! The one retry loop: resolve, attempt, and if the page is not ready yet, say why and try again.

use std::sync::Arc;

use cdp_protocol::domains::dom::DescribeNode;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::runtime::ReleaseObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Outcome, Result};
use crate::navigation;
use crate::progress::Progress;
use crate::selector::Selector;
use crate::world::{self, Found, WorldError};

/// What a locator points at: a query in a frame, reached through the frames before it.
#[derive(Clone)]
pub(crate) struct Target {
    pub page: Arc<PageCore>,
    /// The frame the query starts in; the page's main frame if none is named.
    pub frame: Option<FrameId>,
    /// Queries for the frame elements on the way, outermost first.
    pub through: Vec<Selector>,
    pub selector: Selector,
}

impl Target {
    /// Names the place that the query runs in: a locator made elsewhere can't be a part of it.
    pub(crate) fn scope(&self) -> String {
        let frame = self.frame.as_ref().map(FrameId::as_str).unwrap_or_default();
        let through = self.through.iter().map(|owner| format!(" {owner}"));
        format!("{}/{frame}{}", self.page.target, through.collect::<String>())
    }

    fn check(&self) -> Result<()> {
        if self.selector.scopes().all(|scope| *scope == self.scope()) {
            return Ok(());
        }
        let what =
            "a locator of another page or frame was made a part of it; begin both at the same page or frame";
        Err(Error::new(ErrorKind::Invalid, what))
    }
}

/// What an attempt found. The injected script decides it in one call.
#[derive(Debug, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub(crate) enum Attempt<T> {
    /// Nothing matches.
    Missing,
    /// A strict query matches several elements.
    Ambiguous { count: usize, matches: Vec<String> },
    /// The element lacks a state that the action needs.
    Not { state: String, element: String, why: Option<String> },
    /// No part of the element can be brought into view.
    Offscreen { element: String },
    /// Another element would receive the click.
    Covered { by: String, element: String },
    /// It left the document meanwhile.
    Detached,
    /// It can't do this, however long one waits.
    Unfit { why: String, element: String },
    /// The selector itself is wrong.
    Invalid { why: String },
    /// Everything holds; the rest is done from here.
    Ready(T),
    /// The action was done inside the page, or there was nothing to do.
    Done(Done),
    /// What a read found.
    Value { value: Value },
}

/// An action that was completed inside the page.
#[derive(Debug, Deserialize)]
pub(crate) struct Done {
    #[serde(default)]
    pub value: Value,
}

/// The result of one pass.
pub(crate) enum Step<T> {
    Done(T),
    /// Not yet; the reason, for the call log.
    Again(String),
}

/// Runs passes until one is done, an error is final, or time is up. A pass gets the frame that the target is in.
pub(crate) async fn retry<T, F>(
    target: &Target,
    progress: &Progress,
    mut pass: impl FnMut(usize, FrameId) -> F,
) -> Result<T>
where
    F: Future<Output = Result<Step<T>, WorldError>>,
{
    target.check()?;
    progress.log(format_args!("waiting for {}", target.selector));
    let mut attempt = 0;
    loop {
        progress.pause(attempt).await?;
        navigation::let_finish(&target.page, progress).await?;
        let step = match progress.wait(frame(target, progress)).await? {
            Ok(Step::Done(frame)) => progress.wait(pass(attempt, frame)).await?,
            Ok(Step::Again(why)) => Ok(Step::Again(why)),
            Err(error) => Err(error),
        };
        match step {
            Ok(Step::Done(done)) => return Ok(done),
            Ok(Step::Again(why)) => progress.log(why),
            // A pass whose loss matters has made a failure of it.
            Err(WorldError::Gone(why) | WorldError::Lost(why)) => {
                progress.log(format_args!("the document changed: {why}"));
            }
            Err(WorldError::Failed(error)) => return Err(error),
        }
        attempt += 1;
    }
}

/// For passes that act inside the page: what was lost may have been done, so it is not done again.
pub(crate) fn unless_lost<T>(result: Result<T, WorldError>) -> Result<T, WorldError> {
    result.map_err(|error| match error {
        WorldError::Lost(why) => {
            let error = Error::new(ErrorKind::Navigation, format!("the document went away meanwhile: {why}"));
            WorldError::Failed(error.with_outcome(Outcome::StartedUnknown))
        }
        error => error,
    })
}

/// Finds the frame that a target's last query runs in, through the frame elements before it.
async fn frame(target: &Target, progress: &Progress) -> Result<Step<FrameId>, WorldError> {
    let page = &target.page;
    let mut frame = match &target.frame {
        Some(frame) if page.state().frames.get(frame).is_none() => {
            return Err(WorldError::Failed(Error::new(ErrorKind::Closed, "the frame was detached")));
        }
        Some(frame) => frame.clone(),
        None => page.state().frames.main().clone(),
    };
    for selector in &target.through {
        let args = vec![to_json(selector)];
        let (session, object) = match world::call_for_object(page, &frame, "element", args).await? {
            Found::Object(session, object) => (session, object),
            Found::Nothing => return Ok(Step::Again(format!("no frame matches {selector}"))),
            Found::Refused(answer) => match sort::<()>(selector, refused(&answer)?)? {
                Step::Again(why) => return Ok(Step::Again(why)),
                Step::Done(_) => return Ok(Step::Again(format!("no frame matches {selector}"))),
            },
        };
        let node = session.call(&DescribeNode::default().object_id(object.clone()).depth(0));
        // A reference that is kept keeps the element, also when the page has thrown it away.
        drop(session.call(&ReleaseObject::new(object)));
        let node = node.await.map_err(|error| world::gone_or_failed(page, error))?.node;
        match node.frame_id {
            Some(inner) if page.state().frames.get(&inner).is_some() => frame = inner,
            Some(_) => return Ok(Step::Again(format!("the frame of {selector} is still loading"))),
            None => {
                let what = format!("{selector} is a <{}>, not a frame", node.node_name.to_lowercase());
                return Err(WorldError::Failed(Error::new(ErrorKind::Unfit, what)));
            }
        }
        progress.log(format_args!("entered the frame of {selector}"));
    }
    Ok(Step::Done(frame))
}

fn refused(answer: &str) -> Result<Attempt<()>, WorldError> {
    serde_json::from_str(answer).map_err(|_| {
        WorldError::Failed(Error::new(ErrorKind::Protocol, "the injected script answered what it should not"))
    })
}

/// Sorts an attempt into what to do next: go on with what is ready or done, try again, or give up.
pub(crate) fn sort<T>(selector: &Selector, attempt: Attempt<T>) -> Result<Step<Attempt<T>>, WorldError> {
    let again = |why: String| Ok(Step::Again(why));
    let fail = |kind, why: String| Err(WorldError::Failed(Error::new(kind, why)));
    match attempt {
        Attempt::Ready(_) | Attempt::Done(_) | Attempt::Value { .. } => Ok(Step::Done(attempt)),
        Attempt::Missing => again("nothing matches".into()),
        Attempt::Not { why: Some(why), element, .. } => again(format!("{element}: {why}")),
        Attempt::Not { state, element, .. } if state == "inert" => again(format!("{element} is inert")),
        Attempt::Not { state, element, .. } => again(format!("{element} is not {state}")),
        Attempt::Offscreen { element } => again(format!("{element} is outside of the viewport")),
        Attempt::Covered { by, element } => again(format!("{by} covers {element}")),
        Attempt::Detached => again("the element was removed from the document".into()),
        Attempt::Unfit { why, element } => fail(ErrorKind::Unfit, format!("{why}: {element}")),
        Attempt::Invalid { why } => fail(ErrorKind::Invalid, format!("{selector} is not valid: {why}")),
        Attempt::Ambiguous { count, matches } => {
            fail(ErrorKind::Strict, ambiguous(selector, count, &matches))
        }
    }
}

/// Reads from what the target matches. The injected script decides which reads wait for a match.
pub(crate) async fn read<T: DeserializeOwned>(
    target: &Target,
    progress: &Progress,
    what: &'static str,
    arg: Value,
) -> Result<T> {
    let value = retry(target, progress, |_, frame| read_once(target, frame, what, &arg)).await?;
    serde_json::from_value(value).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("reading {what} gave something else: {error}"))
    })
}

async fn read_once(
    target: &Target,
    frame: FrameId,
    what: &str,
    arg: &Value,
) -> Result<Step<Value>, WorldError> {
    let args = vec![to_json(&target.selector), json!(what), arg.clone()];
    let attempt: Attempt<Value> = world::call(&target.page, &frame, "read", args).await?;
    match sort(&target.selector, attempt)? {
        Step::Done(Attempt::Value { value }) => Ok(Step::Done(value)),
        Step::Done(_) => Ok(Step::Again("the read gave no value".into())),
        Step::Again(why) => Ok(Step::Again(why)),
    }
}

pub(crate) fn to_json(selector: &Selector) -> Value {
    serde_json::to_value(selector).expect("a selector is JSON")
}

fn ambiguous(selector: &Selector, count: usize, matches: &[String]) -> String {
    let mut text = format!("{selector} must match one element and matches {count}:");
    for (index, preview) in matches.iter().enumerate() {
        text += &format!("\n  {}) {preview}", index + 1);
    }
    if count > matches.len() {
        text += "\n  …";
    }
    text + "\nnarrow it with filter(…), or choose one with first(), last() or nth(…)"
}
