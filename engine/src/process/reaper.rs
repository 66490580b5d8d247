//! For a host that adopts orphans: takes the exit statuses of a browser's processes that become children of the host,
//! and of no other child. Needed when a browser crashes, is dropped, or loses a helper while it lives; an ordered close
//! would do without.
//!
//! What has ended shows neither command line nor environment any more, so nothing tells an orphan of a browser from a
//! child that the host started itself. Therefore a thread notes the browser's processes while they live, by number and
//! start time, and waits for these alone.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{table, tree};

/// Between two looks at a browser that has just been started: its helpers come then.
const SOON: Duration = Duration::from_millis(5);
/// And at one that has been running for a while. Its processes stay the same, but for those that its group tells of.
const LATER: Duration = Duration::from_secs(5);
/// Between two looks once the browser has ended.
const AT_THE_END: Duration = Duration::from_millis(100);
/// How long after that its processes may take to end. The guardian kills what is left within about three seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The thread's outside: dropping it says that the browser's first process has ended and is reaped.
pub(crate) struct Reaper {
    _browser_lives: mpsc::Sender<()>,
}

impl Reaper {
    /// Starts the thread if this host adopts orphans. `leader` is the browser's first process.
    pub(crate) fn start(leader: i32, scratch: PathBuf) -> Option<Reaper> {
        if !table::host_adopts_orphans() {
            return None;
        }
        let (lives, watched) = mpsc::channel();
        let work = move || Work { leader, scratch, noted: Vec::new(), group_is_empty: false }.run(&watched);
        match thread::Builder::new().name("browser-reaper".to_owned()).stack_size(128 * 1024).spawn(work) {
            Ok(_) => Some(Reaper { _browser_lives: lives }),
            Err(error) => {
                tracing::warn!(%error, "orphans of the browser may stay as zombies");
                None
            }
        }
    }
}

struct Work {
    leader: i32,
    scratch: PathBuf,
    /// Numbers and start times.
    noted: Vec<(i32, u64)>,
    group_is_empty: bool,
}

impl Work {
    fn run(mut self, browser: &Receiver<()>) {
        let mut pause = SOON;
        loop {
            self.note(Some(self.leader));
            self.reap();
            // Nothing is ever sent: it waits, or learns of the end.
            if browser.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            pause = (pause * 2).min(LATER);
        }
        let until = Instant::now() + PATIENCE;
        let mut pause = SOON;
        loop {
            self.note(None);
            self.reap();
            // The group's number is no other's as long as the group has members, hence never looked at again.
            self.group_is_empty = self.group_is_empty || table::reap_group(self.leader);
            if (self.group_is_empty && self.noted.is_empty()) || Instant::now() > until {
                tracing::debug!(pid = self.leader, left = self.noted.len(), "orphans of the browser reaped");
                return;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(AT_THE_END);
        }
    }

    fn note(&mut self, leader: Option<i32>) {
        for entry in tree::of(leader, &self.scratch) {
            let name = (entry.pid, entry.start);
            if entry.pid != self.leader && !self.noted.contains(&name) {
                self.noted.push(name);
            }
        }
    }

    /// Lets go of those that are gone, and of those that have ended as children of this process.
    fn reap(&mut self) {
        self.noted.retain(|(pid, start)| !table::reap(*pid, *start));
    }
}
