//! One thread per browser that waits for it and for its guardian, and for nothing else.
//!
//! A thread and not a task: children are reaped also while no runtime polls and after it has gone, and the thread
//! sees the browser's end before its process id is free again, which makes killing its group safe.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::waitpid;
use nix::unistd::Pid;
use tokio::sync::watch;

use crate::process::guardian::Guardian;
use crate::process::incident::{IncidentKind, Incidents};
use crate::process::reaper::Reaper;
use crate::process::{Exit, table};

/// With a profile that is kept, its own helpers get this long to write their files after the browser has ended.
const HELPERS_MAY_WRITE: Duration = Duration::from_millis(500);

/// The browser's first process, which is also the leader of its group.
#[derive(Debug)]
pub(crate) struct Leader {
    pid: Pid,
    /// Whether the process id is still ours. Held while a signal is sent and while the process is reaped, never
    /// over anything that waits.
    unreaped: Mutex<bool>,
}

impl Leader {
    pub(crate) fn new(pid: Pid) -> Leader {
        Leader { pid, unreaped: Mutex::new(true) }
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to the whole group, unless its leader has been reaped: then the number may be another's.
    pub(crate) fn signal_group(&self, signal: Signal) {
        let unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        if *unreaped {
            // A group that has just ended is no fault.
            let _ = killpg(self.pid, signal);
        }
    }

    /// Waits for the leader's end, calls `ended` while its id is still its own, ends what is left of the group and
    /// takes the exit status.
    #[cfg(target_os = "linux")]
    fn outlive(&self, ended: impl FnOnce()) -> Exit {
        use nix::sys::wait::{Id, WaitPidFlag, waitid};

        let seen = loop {
            match waitid(Id::Pid(self.pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
                Err(Errno::EINTR) => {}
                seen => break seen,
            }
        };
        ended();
        let mut unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_ok() {
            let _ = killpg(self.pid, Signal::SIGKILL);
        }
        // At once: the process has ended, or something else has reaped it.
        let exit = wait(self.pid);
        *unreaped = false;
        exit
    }

    /// The same where `nix` has no way to see an end without reaping: the group is ended an instant after the id
    /// became free. As long as the group has members its number is not given away.
    #[cfg(not(target_os = "linux"))]
    fn outlive(&self, ended: impl FnOnce()) -> Exit {
        use nix::sys::wait::WaitPidFlag;

        loop {
            let mut unreaped = self.unreaped.lock().unwrap_or_else(PoisonError::into_inner);
            let exit = match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)).map(Exit::from_wait) {
                Ok(None) | Err(Errno::EINTR) => None,
                Ok(exit) => exit,
                Err(_) => Some(Exit::Unknown),
            };
            if let Some(exit) = exit {
                *unreaped = false;
                drop(unreaped);
                ended();
                let _ = killpg(self.pid, Signal::SIGKILL);
                return exit;
            }
            drop(unreaped);
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// What the thread is given once the browser's process exists.
pub(crate) struct Charge {
    pub(crate) leader: Arc<Leader>,
    /// Weak: the guardian's line must close when the last handle goes, also while the browser lives.
    pub(crate) guardian: Weak<Guardian>,
    /// Whether the browser's helpers have a profile to write that outlives the browser.
    pub(crate) profile_is_kept: bool,
    pub(crate) exit: watch::Sender<Option<Exit>>,
    pub(crate) incidents: Arc<Incidents>,
    pub(crate) scratch: PathBuf,
}

/// The thread's outside.
#[derive(Debug)]
pub(crate) struct Keeper {
    charge: mpsc::Sender<Charge>,
    guardian_ended: watch::Receiver<bool>,
}

impl Keeper {
    /// Starts the thread for a guardian that has just been started. It ends with that guardian.
    pub(crate) fn start(guardian: Pid) -> io::Result<Keeper> {
        let (charge, charges) = mpsc::channel();
        let (ended, guardian_ended) = watch::channel(false);
        let work = move || {
            // An error means that the launch failed before there was a browser.
            if let Ok(charge) = charges.recv() {
                keep(charge);
            }
            wait(guardian);
            ended.send_replace(true);
        };
        thread::Builder::new().name("browser-keeper".to_owned()).stack_size(128 * 1024).spawn(work)?;
        Ok(Keeper { charge, guardian_ended })
    }

    /// Hands over the browser.
    pub(crate) fn keep(&self, charge: Charge) {
        // The thread waits for this message; it can't have ended.
        let _ = self.charge.send(charge);
    }

    /// Resolves when the guardian has ended and is reaped.
    pub(crate) async fn guardian_ended(&self) {
        // An error means that the thread is gone, and the guardian before it.
        let _ = self.guardian_ended.clone().wait_for(|ended| *ended).await;
    }
}

fn keep(charge: Charge) {
    let pid = charge.leader.pid();
    let reaper = Reaper::start(pid.as_raw(), charge.scratch);
    let exit = charge.leader.outlive(|| {
        let until = Instant::now() + HELPERS_MAY_WRITE;
        while charge.profile_is_kept && Instant::now() < until && table::group_lives(pid.as_raw()) {
            thread::sleep(Duration::from_millis(10));
        }
        if let Some(guardian) = charge.guardian.upgrade() {
            guardian.browser_is_gone();
        }
    });
    drop(reaper);
    tracing::debug!(pid = pid.as_raw(), %exit, "browser process ended");
    charge.incidents.push(IncidentKind::BrowserEnded { exit });
    charge.exit.send_replace(Some(exit));
}

/// Waits for the end of a child and reaps it.
fn wait(pid: Pid) -> Exit {
    loop {
        match waitpid(pid, None).map(Exit::from_wait) {
            Ok(Some(exit)) => return exit,
            Ok(None) | Err(Errno::EINTR) => {}
            Err(_) => return Exit::Unknown,
        }
    }
}
