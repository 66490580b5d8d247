//! What a user call returns: an operation that is set up further, then awaited.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tracing::Instrument;

use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

/// Time that an operation has unless it is told otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

type Run<T> = Box<dyn FnOnce(Arc<Progress>, Options) -> BoxFuture<Result<T>> + Send>;

/// An operation on a page. It begins when it is awaited.
///
/// # Errors
///
/// Besides what the method that gave it says: [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) when it takes longer
/// than it may, [`ErrorKind::Closed`](crate::ErrorKind::Closed) or [`ErrorKind::Crashed`](crate::ErrorKind::Crashed)
/// when the page or the browser goes away, or the process of the frame that it is for.
/// [`Error::outcome`](crate::Error::outcome) says whether anything may have been done.
///
/// # Cancel safety
///
/// Dropping the future ends the waiting. Input and commands that were sent are not taken back; a mouse button never
/// stays down, since its release is queued together with its press.
#[must_use = "an operation begins when it is awaited"]
pub struct Operation<T> {
    what: String,
    options: Options,
    run: Run<T>,
}

/// What every operation can be told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub timeout: Duration,
    pub force: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeout: DEFAULT_TIMEOUT, force: false }
    }
}

impl<T: 'static> Operation<T> {
    /// An operation that errors will call `what`.
    pub(crate) fn new<F>(what: String, run: impl FnOnce(Arc<Progress>, Options) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let run: Run<T> = Box::new(move |progress, options| Box::pin(run(progress, options)));
        Self { what, options: Options::default(), run }
    }

    pub(crate) fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }
}

impl<T: 'static> IntoFuture for Operation<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let span = tracing::debug_span!("operation", what = %self.what);
        let progress = Arc::new(Progress::new(self.what, self.options.timeout));
        let run = (self.run)(progress.clone(), self.options);
        Box::pin(async move { run.await.map_err(|error| progress.fail(error)) }.instrument(span))
    }
}

/// An action on an element: an [`Operation`] that can also be forced.
///
/// # Errors
///
/// As [`Operation`]; a timeout names the check that failed last.
///
/// # Cancel safety
///
/// As [`Operation`].
#[must_use = "an action begins when it is awaited"]
pub struct Action<T>(pub(crate) Operation<T>);

impl<T: 'static> Action<T> {
    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self(self.0.timeout(timeout))
    }

    /// Acts without checking that the element is visible, enabled, editable and not covered. What needs the mouse still
    /// needs a box to move it to.
    pub fn force(mut self) -> Self {
        self.0.options.force = true;
        self
    }
}

impl<T: 'static> IntoFuture for Action<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        self.0.into_future()
    }
}

/// Makes something that must not be left behind. If nobody waits for it any more when it is made, it is undone.
pub(crate) async fn make_or_undo<T: Send + 'static>(
    make: impl Future<Output = Result<T>> + Send + 'static,
    undo: impl FnOnce(T) + Send + 'static,
) -> Result<T> {
    let (made, waiting) = oneshot::channel();
    // The task ends with the browser's answer, or with the connection.
    tokio::spawn(async move {
        if let Err(Ok(unwanted)) = made.send(make.await) {
            undo(unwanted);
        }
    });
    waiting.await.unwrap_or_else(|_| Err(Error::new(ErrorKind::Closed, "the runtime is shutting down")))
}
