//! How a browser is to be ended, and how it ended. Plain data.

use std::fmt;
use std::time::Duration;

use tokio::sync::watch;

use crate::process::{Exit, Leftovers};

/// How long each step of a close may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloseTimings {
    /// After asking the browser to close. Default: 5 s.
    pub ask: Duration,
    /// After telling its processes to terminate (`SIGTERM`). Default: 2 s.
    pub terminate: Duration,
    /// After killing them (`SIGKILL`), and again for removing what it left. Default: 3 s.
    pub kill: Duration,
}

impl Default for CloseTimings {
    fn default() -> Self {
        CloseTimings {
            ask: Duration::from_secs(5),
            terminate: Duration::from_secs(2),
            kill: Duration::from_secs(3),
        }
    }
}

impl CloseTimings {
    /// Kills at once.
    pub fn at_once() -> Self {
        CloseTimings { ask: Duration::ZERO, terminate: Duration::ZERO, ..CloseTimings::default() }
    }

    /// Sets the time for the browser to close as asked. Zero: it is not asked.
    #[must_use]
    pub fn ask(mut self, time: Duration) -> Self {
        self.ask = time;
        self
    }

    /// Sets the time for its processes to terminate. Zero: they are not told to.
    #[must_use]
    pub fn terminate(mut self, time: Duration) -> Self {
        self.terminate = time;
        self
    }

    /// Sets the time for killed processes to be gone.
    #[must_use]
    pub fn kill(mut self, time: Duration) -> Self {
        self.kill = time;
        self
    }
}

/// Which step ended the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClosedBy {
    /// It closed when it was asked.
    Asked,
    /// It had to be told by `SIGTERM`.
    Terminated,
    /// It had to be killed.
    Killed,
    /// It had ended with code 0 before it was asked.
    Itself,
    /// It had crashed or been killed by someone else before it was asked.
    Crashed,
    /// It was somebody else's: the connection was closed, and it goes on.
    Detached,
}

impl fmt::Display for ClosedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClosedBy::Asked => "closed when asked",
            ClosedBy::Terminated => "terminated",
            ClosedBy::Killed => "killed",
            ClosedBy::Itself => "had ended by itself",
            ClosedBy::Crashed => "had crashed",
            ClosedBy::Detached => "let go",
        })
    }
}

/// How a browser ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Closed {
    /// The step that ended it.
    pub by: ClosedBy,
    /// How its first process ended. `None`: it was still there when the last step's time was over.
    pub exit: Option<Exit>,
    /// The time the close took.
    pub took: Duration,
    /// What is still there of it.
    pub left: Leftovers,
}

impl Closed {
    /// Of a browser that goes on.
    pub(crate) fn detached() -> Self {
        Closed { by: ClosedBy::Detached, exit: None, took: Duration::ZERO, left: Leftovers::default() }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:?}", self.by, self.took)?;
        match self.exit {
            Some(exit) => write!(f, " with {exit}; {}", self.left),
            None => write!(f, ", still there; {}", self.left),
        }
    }
}

/// A close under way or done; every caller waits for the same one.
pub(crate) type Closing = watch::Receiver<Option<Closed>>;
