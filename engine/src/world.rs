//! Calls into a frame: into its isolated world, where the injected script lives, and into the page's own world.

use cdp_protocol::domains::page::{CreateIsolatedWorld, FrameId};
use cdp_protocol::domains::runtime::{
    CallArgument, CallFunctionOn, CallFunctionOnResult, Evaluate, ExceptionDetails, RemoteObject,
    RemoteObjectId,
};
use cdp_protocol::{Call, CallError, Sent, Session, SessionEnd};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::core::page::{PageCore, PageEnd, PageState};
use crate::error::{Error, ErrorKind, Result};
use crate::js;
use crate::state::frames::{Context, Life, World};

/// Calls a function of the injected script by name.
const CALL: &str = "function(name, ...args) { return globalThis.__engine[name](...args); }";

/// Why a call into a frame gave no value.
#[derive(Debug)]
pub(crate) enum WorldError {
    /// The frame, or the document it showed, was gone before the call ran: it may be made again in what comes next.
    Gone(String),
    /// The document went away while the call ran. What it did is unknown.
    Lost(String),
    /// It would fail again.
    Failed(Error),
}

/// A call into an isolated world that was queued and not answered yet.
pub(crate) struct WorldCall<'a> {
    page: &'a PageCore,
    frame: FrameId,
    call: Call<CallFunctionOnResult>,
    function: &'static str,
}

/// Calls a function of the injected script in a frame's isolated world: one round trip, also the first time.
///
/// # Cancel safety
///
/// Dropping the future forgets the answer; the function runs.
pub(crate) async fn call<T: DeserializeOwned>(
    page: &PageCore,
    frame: &FrameId,
    function: &'static str,
    args: Vec<Value>,
) -> Result<T, WorldError> {
    let (session, context) = utility_world(page, frame).await?;
    queue(page, frame, &session, &context, function, args).answer().await
}

/// Queues a call into an isolated world that is known to be there, so that it leaves with other commands.
pub(crate) fn queue_in<'a>(
    page: &'a PageCore,
    frame: &FrameId,
    function: &'static str,
    args: Vec<Value>,
) -> Option<WorldCall<'a>> {
    let (session, context) = known_world(page, frame)?;
    Some(queue(page, frame, &session, &context, function, args))
}

impl WorldCall<'_> {
    pub(crate) async fn answer<T: DeserializeOwned>(self) -> Result<T, WorldError> {
        let answer = self.call.await.map_err(|error| failed_in(self.page, &self.frame, error))?;
        let value = returned(answer.result, answer.exception_details, "the injected script failed")
            .map_err(WorldError::Failed)?;
        serde_json::from_str(&value).map_err(|error| {
            let what =
                format!("the injected script's {} answered what it should not: {error}", self.function);
            WorldError::Failed(Error::new(ErrorKind::Protocol, what))
        })
    }
}

/// What a function of the injected script that gives an object found.
pub(crate) enum Found {
    Object(Session, RemoteObjectId),
    Nothing,
    /// The answer that [`call`] would have got, as JSON.
    Refused(String),
}

/// As [`call`], for a function that gives an object of the page, which is returned by reference.
pub(crate) async fn call_for_object(
    page: &PageCore,
    frame: &FrameId,
    function: &'static str,
    args: Vec<Value>,
) -> Result<Found, WorldError> {
    let (session, context) = utility_world(page, frame).await?;
    install(&session, &context);
    let command = command(&context, function, args).return_by_value(false);
    let answer = session.call(&command).await.map_err(|error| failed_in(page, frame, error))?;
    match (answer.exception_details, answer.result.object_id) {
        (None, Some(id)) => Ok(Found::Object(session, id)),
        (None, None) => Ok(Found::Nothing),
        (Some(details), _) => {
            // It can give either an object or a value, so it throws what is a value.
            let text = details.exception.as_ref().and_then(|thrown| thrown.value.as_ref());
            match text.and_then(|text| serde_json::from_str(text.get()).ok()) {
                Some(refused) => Ok(Found::Refused(refused)),
                None => Err(WorldError::Failed(thrown(*details, "the injected script failed"))),
            }
        }
    }
}

/// Whether a value comes as it is, or a name for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gives {
    /// The value, by `returnByValue`.
    Value,
    /// A name for the object that it is; a value if it is none.
    Object,
}

/// A context of a frame's document, and the session that drives it.
#[derive(Clone)]
pub(crate) struct Place {
    pub session: Session,
    pub context: String,
    /// Whether what is done there is said to be a user's doing.
    pub user_gesture: bool,
}

/// Where calls into one of a frame's worlds go now: one round trip where the isolated world has to be made first.
pub(crate) async fn place(page: &PageCore, frame: &FrameId, world: World) -> Result<Place, WorldError> {
    let (session, context) = match world {
        World::Main => main_world(page, frame).await?,
        World::Utility => {
            let (session, context) = utility_world(page, frame).await?;
            install(&session, &context);
            (session, context)
        }
    };
    Ok(Place { session, context: context.unique, user_gesture: false })
}

/// Evaluates an expression; promises are awaited.
pub(crate) async fn evaluate_in(
    page: &PageCore,
    frame: &FrameId,
    place: &Place,
    expression: &str,
    gives: Gives,
) -> Result<RemoteObject, WorldError> {
    let command = Evaluate::new(expression)
        .unique_context_id(place.context.as_str())
        .return_by_value(gives == Gives::Value)
        .await_promise(true)
        .user_gesture(place.user_gesture);
    let answer = place.session.call(&command).await.map_err(|error| failed_in(page, frame, error))?;
    succeeded(answer.result, answer.exception_details)
}

/// Calls a function with arguments, the first of which is JSON and the others are objects of the same context.
pub(crate) async fn call_in(
    page: &PageCore,
    frame: &FrameId,
    place: &Place,
    function: &str,
    argument: Box<RawValue>,
    objects: impl Iterator<Item = String>,
    gives: Gives,
) -> Result<RemoteObject, WorldError> {
    let json = CallArgument::default().value(argument);
    let objects = objects.map(|id| CallArgument::default().object_id(id));
    let command = CallFunctionOn::new(function)
        .unique_context_id(place.context.as_str())
        .arguments(std::iter::once(json).chain(objects).collect::<Vec<_>>())
        .return_by_value(gives == Gives::Value)
        .await_promise(true)
        .user_gesture(place.user_gesture);
    let answer = place.session.call(&command).await.map_err(|error| failed_in(page, frame, error))?;
    succeeded(answer.result, answer.exception_details)
}

fn succeeded(
    result: RemoteObject,
    details: Option<Box<ExceptionDetails>>,
) -> Result<RemoteObject, WorldError> {
    match details {
        None => Ok(result),
        Some(details) => Err(WorldError::Failed(thrown(*details, "the script threw"))),
    }
}

/// Evaluates an expression in the page's own world and gives its JSON; promises are awaited.
pub(crate) async fn evaluate(
    page: &PageCore,
    frame: &FrameId,
    expression: &str,
) -> Result<String, WorldError> {
    let place = place(page, frame, World::Main).await?;
    evaluate_in(page, frame, &place, expression, Gives::Value).await.map(json_of)
}

/// As [`evaluate`], in a document that has run a script or will run none; one that has not begun is left alone.
pub(crate) async fn evaluate_if_there(
    page: &PageCore,
    frame: &FrameId,
    expression: &str,
) -> Result<(), WorldError> {
    let context = page.state().frames.get(frame).and_then(|frame| frame.main_world.clone());
    if context.is_some() { evaluate(page, frame, expression).await.map(drop) } else { Ok(()) }
}

fn queue<'a>(
    page: &'a PageCore,
    frame: &FrameId,
    session: &Session,
    context: &Context,
    function: &'static str,
    args: Vec<Value>,
) -> WorldCall<'a> {
    install(session, context);
    let call = session.call(&command(context, function, args).return_by_value(true));
    WorldCall { page, frame: frame.clone(), call, function }
}

/// Sends the injected script ahead of the first call; it need not be answered before that call is sent.
fn install(session: &Session, context: &Context) {
    if !context.installed {
        let script = format!("({})()", js::source());
        drop(session.call(&Evaluate::new(script).unique_context_id(context.unique.as_str())));
    }
}

fn command(context: &Context, function: &'static str, args: Vec<Value>) -> CallFunctionOn {
    let args = std::iter::once(Value::from(function)).chain(args);
    let argument = |value| CallArgument::default().value(to_raw_value(&value).expect("a JSON value is JSON"));
    CallFunctionOn::new(CALL)
        .unique_context_id(context.unique.as_str())
        .arguments(args.map(argument).collect::<Vec<_>>())
        .await_promise(true)
        .user_gesture(true)
}

/// The isolated world of a frame's document, made if no document made it yet.
async fn utility_world(page: &PageCore, frame: &FrameId) -> Result<(Session, Context), WorldError> {
    if let Some(known) = known_world(page, frame) {
        return Ok(known);
    }
    let session = session_of(page, frame)?;
    let create = CreateIsolatedWorld::new(frame.clone())
        .world_name(page.world.as_str())
        // The protocol's own spelling.
        .grant_univeral_access(true);
    session.call(&create).await.map_err(|error| failed_in(page, frame, error))?;
    // The world was announced before the reply.
    known_world(page, frame).ok_or_else(|| WorldError::Gone("the frame's document changed".into()))
}

/// The world as it was before this call; from now on it counts as having the injected script.
fn known_world(page: &PageCore, frame: &FrameId) -> Option<(Session, Context)> {
    let mut state = page.state();
    let frame = state.frames.get_mut(frame)?;
    let world = frame.utility_world.as_mut()?;
    let before = world.clone();
    world.installed = true;
    let session = page.session_of(&frame.session);
    Some((session, before))
}

async fn main_world(page: &PageCore, frame: &FrameId) -> Result<(Session, Context), WorldError> {
    let find = |state: &mut PageState| match state.frames.get(frame) {
        None => Some(Err(detached())),
        Some(known) if known.life == Life::Crashed => {
            Some(Err(WorldError::Failed(state.frame_crashed(frame))))
        }
        Some(known) => known.main_world.clone().map(|context| Ok((page.session_of(&known.session), context))),
    };
    page.when(find).await.map_err(WorldError::Failed)?
}

fn session_of(page: &PageCore, frame: &FrameId) -> Result<Session, WorldError> {
    let state = page.state();
    if let Some(end) = &state.end {
        return Err(WorldError::Failed(end.error()));
    }
    let known = state.frames.get(frame).ok_or_else(detached)?;
    match known.life {
        Life::Alive => Ok(page.session_of(&known.session)),
        Life::Crashed => Err(WorldError::Failed(state.frame_crashed(frame))),
        Life::Between => Err(WorldError::Gone("the frame is moving to another process".into())),
        Life::Awaited | Life::Returning => {
            Err(WorldError::Gone("the frame has crashed, and its next document is on its way".into()))
        }
    }
}

fn detached() -> WorldError {
    WorldError::Gone("the frame was detached".into())
}

/// Chromium's words for a context, frame or node that was gone when a call came for it.
const GONE: [&str; 6] = [
    "uniqueContextId not found",
    "No frame for given id found",
    "Frame with the given id was not found",
    "No node with given id found",
    "Node with given id does not belong to the document",
    "Could not compute box model",
];

/// Chromium's words for a call that was running when its document went away.
const LOST: [&str; 4] = [
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "Promise was collected",
    // Contexts are called by their unique names here, so this one is only said of a context that the call itself ended.
    "Cannot find context with specified id",
];

/// Chromium's words for what the caller asked for in vain, with what to do instead.
const ADVICE: [(&str, ErrorKind, &str); 5] = [
    ("does not evaluate to a function", ErrorKind::Invalid, "a function is wanted, such as `x => x + 1`"),
    ("Object reference chain is too long", ErrorKind::Invalid, NO_JSON),
    ("returned by value", ErrorKind::Invalid, NO_JSON),
    ("Could not find object with given id", ErrorKind::Navigation, STALE),
    ("Argument should belong to the same JavaScript world", ErrorKind::Navigation, STALE),
];

const NO_JSON: &str =
    "its value can't be written as JSON; give plain data, or see evaluate_value and evaluate_handle";

const STALE: &str = "a handle is of another document, or of one that has gone: get it anew";

/// Sorts the error of a call into this frame.
fn failed_in(page: &PageCore, frame: &FrameId, error: CallError) -> WorldError {
    if let CallError::SessionEnded { end: SessionEnd::Crashed, .. } = &error {
        // The call may hear of it before the state has changed.
        let state = page.state();
        let own = state.frames.get(frame).is_some_and(|known| page.session.id() != Some(&known.session));
        let crashed = if own { state.frame_crashed(frame) } else { PageEnd::Crashed.error() };
        return WorldError::Failed(crashed.with_source(error));
    }
    gone_or_failed(page, error)
}

/// Sorts the error of a call that is about a frame, on the session of whichever frame.
pub(crate) fn gone_or_failed(page: &PageCore, error: CallError) -> WorldError {
    let page_ended = page.state().end.clone();
    let says = |texts: &[&str], message: &str| texts.iter().any(|text| message.contains(text));
    match (error, page_ended) {
        (_, Some(end)) => WorldError::Failed(end.error()),
        (CallError::Refused { message, .. }, _) if says(&GONE, &message) => WorldError::Gone(message),
        (CallError::Refused { message, .. }, _) if says(&LOST, &message) => WorldError::Lost(message),
        (error @ CallError::SessionEnded { end: SessionEnd::Crashed, .. }, _) => {
            WorldError::Failed(error.into())
        }
        // A frame ended or went to another process; the page lives.
        (error @ CallError::SessionEnded { sent: Sent::No, .. }, _) => WorldError::Gone(error.to_string()),
        (error @ CallError::SessionEnded { .. }, _) => WorldError::Lost(error.to_string()),
        (CallError::Refused { message, .. }, _) => {
            WorldError::Failed(match ADVICE.iter().find(|(text, ..)| message.contains(text)) {
                Some((_, kind, advice)) => Error::new(*kind, *advice),
                None => Error::new(ErrorKind::Script, message),
            })
        }
        (error, _) => WorldError::Failed(error.into()),
    }
}

fn returned(result: RemoteObject, details: Option<Box<ExceptionDetails>>, what: &str) -> Result<String> {
    match details {
        Some(details) => Err(thrown(*details, what)),
        None => Ok(json_of(result)),
    }
}

/// The JSON of a value. What JSON can't say is as near to it as can be: `undefined` and `NaN` are `null`, big integers are numbers.
pub(crate) fn json_of(result: RemoteObject) -> String {
    if let Some(value) = result.value {
        return value.get().to_owned();
    }
    match result.unserializable_value.as_ref().map(|value| value.as_str()) {
        Some("-0") => "-0.0".into(),
        Some(value) if value.ends_with('n') => value.trim_end_matches('n').to_owned(),
        _ => "null".into(),
    }
}

pub(crate) fn thrown(details: ExceptionDetails, what: &str) -> Error {
    let text = details.exception.map(|thrown| {
        let value = thrown.value.map(|value| value.get().to_owned());
        thrown.description.or(value).unwrap_or_else(|| thrown.r#type.to_string())
    });
    Error::new(ErrorKind::Script, format!("{what}: {}", text.unwrap_or(details.text)))
}
