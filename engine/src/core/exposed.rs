//! What happens when a page calls a function of the host.

use std::sync::Arc;

use cdp_protocol::domains::runtime::{BindingCalled, CallArgument, CallFunctionOn};
use cdp_protocol::domains::target::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::page::PageCore;

/// Settles the promise of a call.
const SETTLE: &str = "(name, sequence, done, value) => globalThis[name]?.settle?.(sequence, done, value)";

/// What `expose.js` sends.
#[derive(Deserialize)]
struct Payload {
    sequence: u64,
    args: Box<RawValue>,
}

/// The page called a binding. Runs on the reader: what the host has to do for it is done by a task, which ends with
/// the page.
pub(crate) fn called(page: &Arc<PageCore>, session: &SessionId, event: &BindingCalled) {
    let number = event.execution_context_id;
    let found = {
        let state = page.state();
        let function = state.exposed.get(&event.name).cloned();
        function.zip(state.frames.frame_of(session, number))
    };
    let (Some((function, (frame, context))), Ok(payload)) =
        (found, serde_json::from_str::<Payload>(&event.payload))
    else {
        // Not one of ours, or not called by the function that stands before it, or its document has gone.
        return;
    };
    let (page, session, name) = (page.clone(), page.session_of(session), event.name.clone());
    let call = function(page.target.clone(), frame, payload.args);
    tokio::spawn(async move {
        let result = tokio::select! {
            result = call => result,
            _ = page.when(|_| None::<()>) => return,
        };
        let (done, value) = match result {
            Ok(value) => (true, value),
            Err(message) => (false, json(&message)),
        };
        let arguments = [json(&name), json(&payload.sequence), json(&done), value];
        let arguments: Vec<_> = arguments.into_iter().map(|it| CallArgument::default().value(it)).collect();
        let settle = CallFunctionOn::new(SETTLE).unique_context_id(context).arguments(arguments);
        // The document that called may be gone, and nobody waits then.
        let _ = session.call(&settle).await;
    });
}

fn json(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("strings, numbers and booleans are JSON")
}
