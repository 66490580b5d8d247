//! What a user call returns: an operation that is set up further, then awaited.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument;

use crate::error::Result;
use crate::progress::Progress;

/// Time that an operation has unless it is told otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

type Run<T> = Box<dyn FnOnce(Arc<Progress>, Options) -> BoxFuture<Result<T>> + Send>;

/// An operation on a page. It begins when it is awaited.
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

    /// Acts without checking that the element is visible, enabled, editable and not covered.
    pub fn force(mut self) -> Self {
        self.options.force = true;
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
