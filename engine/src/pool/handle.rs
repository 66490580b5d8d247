//! The pool, as the user holds it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::error::{NotStarted, PoolError};
use super::options::PoolBuilder;
use super::plan::Turn;
use super::shared::Shared;
use super::snapshot::Snapshot;
use super::task::Task;
use crate::error::Result;
use crate::process::Launcher;

/// Browsers that a task may have been given before it is told that none of them will do.
const BROWSERS_TRIED: usize = 3;

/// A pool of browsers that runs many tasks, each in a context of its own, and no more at once than it was told.
///
/// Places are given out first come, first served, in the browser with the fewest tasks. Cloning the pool gives another
/// handle to it. When the last handle and the last [`Task`] are dropped, its browsers are closed.
///
/// ```no_run
/// use engine::{Launcher, Pool};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Pool::builder(Launcher::new()).browsers(2).pages(8).replace_after(500).start().await?;
/// let title = pool
///     .run(|task| async move {
///         task.page().goto("https://example.org").await?;
///         task.page().title().await
///     })
///     .await?;
/// println!("{title}");
/// pool.drain().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

impl PoolBuilder {
    /// Launches the first browser, and with it the pool. Must be called on a tokio runtime with I/O and time. When that
    /// runtime ends, the pool is closed and its browsers end; handles and tasks may be dropped later, and anywhere.
    ///
    /// The first browser is not left to the first task: a machine without a browser is to be noticed now. It is tried
    /// once; later launches that fail are tried again, with growing pauses.
    ///
    /// # Errors
    ///
    /// As [`Launcher::launch`](crate::Launcher::launch). And of kind [`Invalid`](crate::ErrorKind::Invalid), before
    /// anything is launched, when the launcher names a profile folder or a port: browsers of a pool can't share them.
    ///
    /// # Cancel safety
    ///
    /// As [`Launcher::launch`](crate::Launcher::launch).
    pub async fn start(self) -> Result<Pool> {
        if let Some(error) = self.refused() {
            return Err(error);
        }
        let first = self.launcher.clone().launch().await?;
        Ok(Pool { shared: Shared::start(self, first) })
    }
}

impl Pool {
    /// A pool of browsers that are launched like this, to be set up further and started. The launcher may
    /// name neither a profile folder nor a port of its own.
    pub fn builder(launcher: Launcher) -> PoolBuilder {
        PoolBuilder::new(launcher)
    }

    /// Runs `work` in a task of its own when its turn has come. The task ends when `work` drops it, which it does with
    /// its last line if it takes no other care.
    ///
    /// `work` may drop its task before it ends, and so free the place for another while it goes on without a browser.
    /// [`Pool::drain`] and [`Pool::close`] wait for it all the same. So `work` must not wait for either on its own pool:
    /// it would wait for itself.
    ///
    /// Nothing is run twice. When the browser crashes meanwhile, calls on the page fail and `work` goes on to its own
    /// end; only [`Pool::close`], or the end of the pool's runtime, drops it where it waits.
    ///
    /// # Errors
    ///
    /// [`PoolError`] says whether `work` was called, and whether its own failure comes from the loss of its browser.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the turn or drops `work`; its context is closed.
    pub async fn run<T, E, F>(&self, work: impl FnOnce(Task) -> F) -> Result<T, PoolError<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        let (task, browser) = self.begin().await?;
        if self.shared.is_cut() {
            return Err(NotStarted::Closed.into());
        }
        let _at_work = self.shared.at_work();
        let result = tokio::select! {
            biased;
            result = work(task) => result,
            () = self.shared.until_cut() => return Err(PoolError::Cut),
        };
        result.map_err(|error| {
            let lost = browser.client().browser().is_ended();
            if lost { PoolError::Lost(error) } else { PoolError::Failed(error) }
        })
    }

    /// Waits for a turn and begins a task that the caller ends by dropping it. [`Pool::run`] is harder to misuse: a
    /// task that is kept keeps its place.
    ///
    /// # Errors
    ///
    /// [`NotStarted`] says why there is no task: the pool is closed, no browser can be launched, or several browsers in
    /// turn gave no context.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the turn. Nobody else's is lost.
    pub async fn acquire(&self) -> Result<Task, NotStarted> {
        Ok(self.begin().await?.0)
    }

    async fn begin(&self) -> Result<(Task, crate::Browser), NotStarted> {
        let mut tried = 0;
        let mut turn = Turn::Last;
        loop {
            let lease = self.shared.place(turn).await?;
            let browser = lease.browser.clone();
            match Task::begin(lease).await {
                Ok(task) => return Ok((task, browser)),
                Err(error) => {
                    tracing::debug!(%error, "a browser of the pool gave no context");
                    tried += 1;
                    if tried == BROWSERS_TRIED {
                        return Err(NotStarted::Setup(error));
                    }
                }
            }
            turn = Turn::Again;
        }
    }

    /// What the pool is doing now.
    pub fn snapshot(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// Takes no new tasks, refuses those that wait, waits until those that run and all work of [`Pool::run`] have ended,
    /// and closes the browsers.
    ///
    /// # Cancel safety
    ///
    /// From the first poll on the pool is closed to new tasks, and its browsers end with their last one, also when the
    /// future is dropped.
    pub async fn drain(&self) {
        self.close(Duration::MAX).await;
    }

    /// As [`Pool::drain`], but when `deadline` has passed, tasks that still run are ended: the work of [`Pool::run`] is
    /// dropped where it waits, other tasks find their browser closed. Takes some seconds more at most, which an
    /// unwilling browser may need to be closed.
    ///
    /// Gives the snapshot of the moment when all tasks had ended or the deadline passed: its `tasks` were cut off. Work
    /// that had let its task go is cut off as well, but not counted. With several calls at once the earliest deadline
    /// counts.
    ///
    /// # Cancel safety
    ///
    /// As [`Pool::drain`]. A deadline that has not passed then is forgotten.
    pub async fn close(&self, deadline: Duration) -> Snapshot {
        self.shared.shut();
        if tokio::time::timeout(deadline, self.shared.until_over()).await.is_ok() {
            return self.snapshot();
        }
        let snapshot = self.snapshot();
        self.shared.cut();
        self.shared.until_over().await;
        snapshot
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("now", &self.snapshot()).finish_non_exhaustive()
    }
}
