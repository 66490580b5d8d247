//! A launched browser process: what can be asked of it while it lives, and the owner of all that goes with it.
//! How it is started and ended stands elsewhere.

use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::process::closed::Closing;
use crate::process::guardian::Guardian;
use crate::process::incident::Incidents;
use crate::process::keeper::{Keeper, Leader};
use crate::process::reaper::Reaper;
use crate::process::scratch::Scratch;
use crate::process::tail::Tail;
use crate::process::{Exit, IncidentStream};

/// A browser that runs, with its scratch folder and its guardian.
///
/// Dropping it without [`close`](Self::close) lets go of the guardian, which then kills the browser and removes
/// the scratch folder; the drop itself neither blocks nor waits.
pub struct BrowserProcess {
    pub(crate) shared: Arc<Shared>,
    pub(crate) pipe: Mutex<Option<(OwnedFd, OwnedFd)>>,
}

/// What the handle and a close under way have in common. The fields are let go in the order of their declaration:
/// the guardian sets to work before the lock on the scratch folder is free for a sweep.
pub(crate) struct Shared {
    pub(crate) guardian: Arc<Guardian>,
    pub(crate) keeper: Keeper,
    pub(crate) leader: Arc<Leader>,
    pub(crate) exit: watch::Receiver<Option<Exit>>,
    pub(crate) stderr: Stderr,
    pub(crate) incidents: Arc<Incidents>,
    /// In hosts that adopt orphans.
    pub(crate) reaper: Option<Reaper>,
    pub(crate) scratch: Scratch,
    pub(crate) downloads: PathBuf,
    pub(crate) executable: PathBuf,
    pub(crate) started: Instant,
    pub(crate) deadline: Instant,
    pub(crate) closing: Mutex<Option<Closing>>,
}

/// The browser's standard error, read by a task that ends with it.
pub(crate) struct Stderr {
    pub(crate) tail: Arc<Mutex<Tail>>,
    pub(crate) endpoint: watch::Receiver<Option<String>>,
    pub(crate) ended: watch::Receiver<bool>,
    pub(crate) task: JoinHandle<()>,
}

impl Drop for Stderr {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl BrowserProcess {
    /// The two ends of the debugging pipe: what the browser writes, and where it reads. `None` with a
    /// port, and when they have been taken already. The browser ends by itself when both are closed.
    pub fn take_pipe(&self) -> Option<(OwnedFd, OwnedFd)> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The `ws://` address of the browser; `None` with [`Transport::Pipe`](crate::process::Transport::Pipe).
    pub fn endpoint(&self) -> Option<String> {
        self.shared.stderr.endpoint.borrow().clone()
    }

    /// The id of the browser's first process, which leads its process group.
    pub fn pid(&self) -> u32 {
        self.shared.leader.pid().as_raw().cast_unsigned()
    }

    /// The folder that holds every temporary thing of this browser. It goes when the browser goes.
    pub fn scratch(&self) -> &Path {
        self.shared.scratch.path()
    }

    /// Where downloads may go: a folder inside the scratch folder, unless
    /// [`Launcher::downloads`](crate::process::Launcher::downloads) named one.
    pub fn downloads(&self) -> &Path {
        &self.shared.downloads
    }

    /// The last lines the browser wrote on its standard error, oldest first: at most 64 lines and 16 KiB.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.shared.stderr_tail()
    }

    /// What happens to the browser from its launch on, as far as its process tells: ends of services and its own.
    /// `Browser::incidents` of the layer above has crashed renderers as well.
    pub fn incidents(&self) -> IncidentStream {
        self.shared.incidents.stream()
    }

    /// Where a layer above adds what it has seen.
    pub(crate) fn log(&self) -> Arc<Incidents> {
        self.shared.incidents.clone()
    }

    /// Resolves when the browser's first process has ended and is reaped. Any number may wait.
    ///
    /// # Cancel safety
    ///
    /// Waiting changes nothing.
    pub async fn exited(&self) -> Exit {
        self.shared.exited().await
    }
}

impl Shared {
    pub(crate) async fn exited(&self) -> Exit {
        // An error means that the keeper's thread is gone, and the browser before it.
        self.exit.clone().wait_for(Option::is_some).await.ok().and_then(|exit| *exit).unwrap_or(Exit::Unknown)
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.stderr.tail.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }
}

impl fmt::Debug for BrowserProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserProcess")
            .field("pid", &self.pid())
            .field("scratch", &self.scratch())
            .field("exit", &*self.shared.exit.borrow())
            .finish_non_exhaustive()
    }
}
