//! What became of a task that did not succeed: whether it began, and who ended it.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Outcome};

/// Why a task could not begin. Nothing was done for it that outlives the attempt: it is safe to run it again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotStarted {
    /// The pool takes no tasks any more.
    #[error("the pool is closed")]
    Closed,
    /// No browser runs, and launching one failed several times in a row. All that waited get the same error.
    #[error("no browser could be launched for the pool: {0}")]
    Launch(#[source] Arc<Error>),
    /// Several browsers in turn were there and did not give the task its context and its page.
    #[error("no context could be made for the task: {0}")]
    Setup(#[source] Error),
}

impl From<NotStarted> for Error {
    fn from(error: NotStarted) -> Self {
        let kind = match &error {
            NotStarted::Closed => ErrorKind::Closed,
            NotStarted::Launch(_) => ErrorKind::Launch,
            NotStarted::Setup(error) => error.kind(),
        };
        Error::new(kind, error.to_string()).with_outcome(Outcome::NeverStarted).with_source(error)
    }
}

/// Why [`Pool::run`](crate::Pool::run) has no result. `E` is the error of the caller's own work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError<E = Error> {
    /// The work was not called.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// The work failed, and its browser had gone away by then: it crashed, or the pool was closed. What had been sent
    /// to it may have been done.
    #[error("the browser went away while the task ran: {0}")]
    Lost(#[source] E),
    /// The pool was closed, and the work had not ended by the deadline. It was dropped where it waited.
    #[error("the pool was closed while the task ran")]
    Cut,
    /// The work failed, and its browser lives.
    #[error("the task failed: {0}")]
    Failed(#[source] E),
}

impl<E> PoolError<E> {
    /// What is known of the effect of the task as a whole: [`Outcome::NeverStarted`] when it is safe to run again,
    /// [`Outcome::StartedUnknown`] as soon as the work was called. The error of a single call may know more.
    pub fn outcome(&self) -> Outcome {
        match self {
            PoolError::NotStarted(_) => Outcome::NeverStarted,
            PoolError::Lost(_) | PoolError::Cut | PoolError::Failed(_) => Outcome::StartedUnknown,
        }
    }
}
