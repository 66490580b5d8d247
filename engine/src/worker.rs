//! A worker, as the user holds it.

use std::fmt;
use std::sync::Arc;

use cdp_protocol::domains::runtime::{
    CallArgument, CallFunctionOn, Evaluate, ExceptionDetails, RemoteObject,
};
use cdp_protocol::{CallError, Session};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;

use crate::context::Context;
use crate::core::workers::{WorkerCore, WorkerKind};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::typed;
use crate::operation::Operation;
use crate::page::Page;
use crate::world;

/// A worker: a script that runs beside a page, or between pages and the network.
#[derive(Clone)]
pub struct Worker {
    core: Arc<WorkerCore>,
}

impl Page {
    /// The dedicated workers of the page, of its frames in other processes and of other workers too; oldest first.
    pub fn workers(&self) -> Vec<Worker> {
        let state = self.core().state();
        state.workers.iter().filter(|it| !it.is_closed()).map(|core| Worker { core: core.clone() }).collect()
    }
}

impl Context {
    /// The shared workers and the service workers of the context; oldest first. A service worker lives on as long as it is
    /// watched from here.
    pub fn workers(&self) -> Vec<Worker> {
        self.core().workers_of(self.id()).into_iter().map(|core| Worker { core }).collect()
    }
}

impl Worker {
    /// The URL of its script.
    pub fn url(&self) -> &str {
        &self.core.url
    }

    /// Whose worker it is.
    pub fn kind(&self) -> WorkerKind {
        self.core.kind
    }

    /// Whether it has ended.
    pub fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    /// The protocol session of the worker, for what the engine has no method for.
    pub fn session(&self) -> &Session {
        &self.core.session
    }

    /// Evaluates a JavaScript expression in the worker, as [`Page::evaluate`] does in a page.
    ///
    /// # Errors
    ///
    /// As [`Page::evaluate`]; [`ErrorKind::Closed`] when the worker ends first.
    pub fn evaluate<T: DeserializeOwned + Send + 'static>(
        &self,
        expression: impl Into<String>,
    ) -> Operation<T> {
        let (worker, expression) = (self.clone(), expression.into());
        Operation::new("evaluate in a worker".into(), move |progress, _| async move {
            let command = Evaluate::new(expression).return_by_value(true).await_promise(true);
            progress.acted();
            let answer = progress.wait(worker.core.session.call(&command)).await?.map_err(failed)?;
            value(answer.result, answer.exception_details)
        })
    }

    /// Calls a JavaScript function in the worker with one argument, as [`Page::evaluate_with`] does in a page, but for
    /// values that JSON can't say.
    ///
    /// # Errors
    ///
    /// As [`Worker::evaluate`]; [`ErrorKind::Invalid`] when the argument can't be written as JSON.
    pub fn evaluate_with<T: DeserializeOwned + Send + 'static>(
        &self,
        function: impl Into<String>,
        argument: impl Serialize,
    ) -> Operation<T> {
        let (worker, function, argument) = (self.clone(), function.into(), to_raw_value(&argument));
        Operation::new("evaluate_with in a worker".into(), move |progress, _| async move {
            let argument = argument.map_err(|error| {
                Error::new(ErrorKind::Invalid, format!("the argument can't be written as JSON: {error}"))
            })?;
            progress.acted();
            let session = &worker.core.session;
            // A function is called on an object of the worker, since its context has no name here.
            let global = Evaluate::new("globalThis");
            let global = progress.wait(session.call(&global)).await?.map_err(failed)?.result.object_id;
            let Some(global) = global else {
                return Err(Error::new(ErrorKind::Protocol, "the worker has no global object"));
            };
            let command = CallFunctionOn::new(function)
                .object_id(global)
                .arguments(vec![CallArgument::default().value(argument)])
                .return_by_value(true)
                .await_promise(true);
            let answer = progress.wait(session.call(&command)).await?.map_err(failed)?;
            value(answer.result, answer.exception_details)
        })
    }
}

fn failed(error: CallError) -> Error {
    match error {
        CallError::Refused { message, .. } => Error::new(ErrorKind::Script, message),
        error @ CallError::SessionEnded { .. } => {
            Error::new(ErrorKind::Closed, "the worker has ended").with_source(error)
        }
        error => error.into(),
    }
}

fn value<T: DeserializeOwned + Send>(
    result: RemoteObject,
    details: Option<Box<ExceptionDetails>>,
) -> Result<T> {
    match details {
        Some(details) => Err(world::thrown(*details, "the script threw")),
        None => typed(&world::json_of(result)),
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("kind", &self.kind()).field("url", &self.url()).finish_non_exhaustive()
    }
}
