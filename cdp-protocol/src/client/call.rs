//! A call under way. Its answer is decoded here, in the task that waits for it.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::handle::SessionHandle;
use crate::envelope::{self, Kind};
use crate::error::{CallError, DecodeError};
use crate::json;
use crate::mux::{Answer, CallId};

/// The answer to a call, once it comes. The call itself is on its way since [`Session::call`](crate::Session::call) returned.
///
/// The first poll tries to write what is queued in its own task. So calls that are made together and then awaited leave in one
/// write, and a single call leaves without a task switch.
///
/// It waits without a limit of its own: some commands are not answered while a dialog is open or a script is paused.
/// `tokio::time::timeout` around it gives up the answer.
///
/// # Cancel safety
///
/// Dropping it forgets the answer at once; the browser still runs the call.
#[must_use = "the call is made, but its answer is forgotten"]
pub struct Call<T> {
    handle: Arc<SessionHandle>,
    method: Cow<'static, str>,
    state: State,
    result: PhantomData<fn() -> T>,
}

enum State {
    /// Queued, and not polled yet.
    Queued(CallId),
    Waiting(CallId),
    /// Could not even be queued.
    Failed(CallError),
    Done,
}

impl<T> Call<T> {
    pub(super) fn make<P: Serialize + ?Sized>(
        handle: &Arc<SessionHandle>,
        method: Cow<'static, str>,
        params: &P,
    ) -> Self {
        let state = match handle.shared().call(handle.key, handle.id.as_ref(), &method, params) {
            Ok(id) => State::Queued(id),
            Err(refused) => State::Failed(refused.error(method.clone())),
        };
        Self { handle: handle.clone(), method, state, result: PhantomData }
    }

    /// The command's name.
    pub fn method(&self) -> &str {
        &self.method
    }
}

impl<T: DeserializeOwned + Send> Future for Call<T> {
    type Output = Result<T, CallError>;

    /// # Panics
    ///
    /// When polled again after it was ready.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let id = match std::mem::replace(&mut this.state, State::Done) {
            State::Queued(id) => {
                this.handle.shared().flush();
                id
            }
            State::Waiting(id) => id,
            State::Failed(error) => return Poll::Ready(Err(error)),
            State::Done => panic!("a call was polled after its answer"),
        };
        this.state = State::Waiting(id);
        let (answer, stale) = this.handle.shared().mux().poll(id, cx.waker());
        drop(stale);
        let answer = ready!(answer);
        this.state = State::Done;
        let Some(answer) = answer else { panic!("a call's answer was taken by someone else") };
        Poll::Ready(this.read(answer))
    }
}

impl<T: DeserializeOwned + Send> Call<T> {
    fn read(&self, answer: Answer) -> Result<T, CallError> {
        let method = self.method.clone();
        let (message, payload) = match answer {
            Answer::Reply { message, payload } => (message, payload),
            Answer::Error { message, payload } => {
                return Err(refusal(method, message.get(payload).unwrap_or_default()));
            }
            Answer::SessionEnded { end, sent } => return Err(CallError::SessionEnded { method, end, sent }),
            Answer::Closed { reason, sent } => return Err(CallError::Closed { method, reason, sent }),
        };
        let bytes = message.get(payload.clone()).filter(|bytes| !bytes.is_empty()).unwrap_or(b"{}");
        let product = || envelope::text_field(bytes, "product");
        if let Some(product) = (method == "Browser.getVersion").then(product).flatten() {
            self.handle.shared().mux().set_browser(&product);
        }
        let error = match json::decode_payload(bytes) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        // A member that no browser sends may have slipped into the payload; the general scanner tells (see `envelope::parse`).
        match envelope::scan(&message) {
            Ok(found) if matches!(found.kind, Kind::Error { .. }) => {
                return Err(refusal(method, message.get(found.payload).unwrap_or_default()));
            }
            Ok(found) if found.payload != payload => {
                if let Some(Ok(result)) = message.get(found.payload).map(json::decode_payload) {
                    return Ok(result);
                }
            }
            _ => {}
        }
        let browser = self.handle.shared().mux().browser();
        Err(DecodeError::new(method, &error, browser).into())
    }
}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        if let State::Queued(id) | State::Waiting(id) = self.state {
            let left = self.handle.shared().mux().forget(id);
            drop(left);
        }
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Reads an error object with whatever it has: gateways write codes as text and leave members out.
fn refusal(method: Cow<'static, str>, error: &[u8]) -> CallError {
    let text = |name| envelope::text_field(error, name).map(Cow::into_owned);
    let raw = |name| envelope::field(error, name).map(|raw| String::from_utf8_lossy(raw).into_owned());
    CallError::Refused {
        method,
        code: envelope::field(error, "code").and_then(|code| json::decode(code).ok()).unwrap_or(0),
        message: text("message").or_else(|| text("code")).unwrap_or_else(|| "no reason given".into()),
        data: text("data").or_else(|| raw("data")),
    }
}
