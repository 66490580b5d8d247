//! What became of a task that did not succeed: whether it began, and who ended it.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Outcome};

/// Why a task could not begin. It was never started, and nothing was done for it that outlives the attempt: it is safe to
/// run it again, in another pool when this one is closed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotStarted {
    /// The pool takes no tasks any more.
    #[error("never started: the pool is closed")]
    Closed,
    /// No browser runs, and launching one failed several times in a row. All that waited get the same error.
    #[error("never started: no browser could be launched for the pool: {0}")]
    Launch(#[source] Arc<Error>),
    /// Several browsers in turn were there and did not give the task its context and its page.
    #[error("never started: no context could be made for the task: {0}")]
    Setup(#[source] Error),
}

impl NotStarted {
    /// Always [`Outcome::NeverStarted`].
    pub fn outcome(&self) -> Outcome {
        Outcome::NeverStarted
    }
}

impl From<NotStarted> for Error {
    fn from(error: NotStarted) -> Self {
        let kind = match &error {
            NotStarted::Closed => ErrorKind::Closed,
            NotStarted::Launch(_) => ErrorKind::Launch,
            NotStarted::Setup(error) => error.kind(),
        };
        Error::new(kind, error.to_string()).with_outcome(error.outcome()).with_source(error)
    }
}

/// Why [`Pool::run`](crate::Pool::run) has no result. `E` is the error of the caller's own work.
///
/// The message begins with what is known of the effect: "never started", and it is safe to run the task again, or "started,
/// outcome unknown", and whoever runs it again has to look first at what was done. [`outcome`](Self::outcome) is the same
/// for programs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError<E = Error> {
    /// Never started: the work was not called.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// Started, outcome unknown: the work failed, and its browser had gone away by then: it crashed, or the pool was
    /// closed. What had been sent to it may have been done.
    #[error("started, outcome unknown: the browser went away while the task ran: {0}")]
    Lost(#[source] E),
    /// Started, outcome unknown: the pool was closed, and the work had not ended by the deadline. It was dropped where it
    /// waited.
    #[error("started, outcome unknown: the pool was closed while the task ran")]
    Cut,
    /// Started: the work failed, and its browser lives. The pool knows no more of the outcome; the work's own error may.
    #[error("started, outcome unknown: the task failed: {0}")]
    Failed(#[source] E),
}

impl<E> PoolError<E> {
    /// What is known of the effect of the task as a whole: [`Outcome::NeverStarted`] when it is safe to run again,
    /// [`Outcome::StartedUnknown`] as soon as the work was called. The error of a single call may know more.
    pub fn outcome(&self) -> Outcome {
        match self {
            PoolError::NotStarted(error) => error.outcome(),
            PoolError::Lost(_) | PoolError::Cut | PoolError::Failed(_) => Outcome::StartedUnknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_begins_with_what_is_known_of_the_outcome() {
        let inner = || Error::new(ErrorKind::Timeout, "inner");
        let errors: [PoolError; 6] = [
            NotStarted::Closed.into(),
            NotStarted::Launch(Arc::new(inner())).into(),
            NotStarted::Setup(inner()).into(),
            PoolError::Lost(inner()),
            PoolError::Cut,
            PoolError::Failed(inner()),
        ];
        for error in errors {
            let words = match error.outcome() {
                Outcome::NeverStarted => "never started: ",
                Outcome::StartedUnknown => "started, outcome unknown: ",
                Outcome::ReadOnly => panic!("{error:?}"),
            };
            assert!(error.to_string().starts_with(words), "{error}");
            let was_called = !matches!(error, PoolError::NotStarted(_));
            assert_eq!(error.outcome() == Outcome::StartedUnknown, was_called, "{error:?}");
        }
    }

    #[test]
    fn an_error_of_the_crate_keeps_kind_and_outcome() {
        let setup = NotStarted::Setup(Error::new(ErrorKind::Timeout, "inner"));
        for (error, kind) in [(NotStarted::Closed, ErrorKind::Closed), (setup, ErrorKind::Timeout)] {
            let message = error.to_string();
            let error = Error::from(error);
            assert_eq!((error.kind(), error.outcome()), (kind, Outcome::NeverStarted));
            assert_eq!(error.to_string(), message);
        }
    }
}
