//! For a host that adopts orphans: takes the exit statuses of a browser's processes that become children of the host,
//! and of no other child. Needed when a browser crashes, is dropped, or loses a helper while it lives; an ordered close
//! would do without.
//!
//! What has ended shows neither command line nor environment any more, so nothing tells an orphan of a browser from a
//! child that the host started itself. Therefore a thread notes the browser's processes while they live, by number and
//! start time, and waits for these alone. Only crash handlers may come and go between two looks; what tells those apart
//! stands where they are reaped.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::process::{table, tree};

/// Between two looks at a browser that is starting, at first and then at most: its helpers come in that time.
const SOON: Duration = Duration::from_millis(5);
const STARTING: Duration = Duration::from_millis(100);
/// How long it counts as starting if nobody says that it is ready.
const STARTED: Duration = Duration::from_secs(10);
/// And between two looks later on. Its processes stay the same then, but for members of its group.
const LATER: Duration = Duration::from_secs(5);
/// Between two looks once the browser has ended.
const AT_THE_END: Duration = Duration::from_millis(100);
/// How long after that its processes may take to end. The guardian kills what is left within about three seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The thread's outside.
#[derive(Debug, Clone)]
pub(crate) struct Reaper {
    messages: mpsc::Sender<Message>,
}

#[derive(Debug)]
enum Message {
    /// The browser is ready: what it started for itself is there. Answered when that has been noted.
    Ready(oneshot::Sender<()>),
    /// Its first process has ended and is reaped.
    Ended,
}

impl Reaper {
    /// Starts the thread if this host adopts orphans. `leader` is the browser's first process.
    pub(crate) fn start(leader: i32, scratch: PathBuf) -> Option<Reaper> {
        if !table::host_adopts_orphans() {
            return None;
        }
        let (messages, received) = mpsc::channel();
        let work = move || Work { leader, scratch, noted: Vec::new(), group_is_empty: false }.run(&received);
        match thread::Builder::new().name("browser-reaper".to_owned()).stack_size(128 * 1024).spawn(work) {
            Ok(_) => Some(Reaper { messages }),
            Err(error) => {
                tracing::warn!(%error, "orphans of the browser may stay as zombies");
                None
            }
        }
    }

    /// Says that the browser is ready, and waits until what it has started is noted: from then on it may end at any
    /// instant.
    pub(crate) async fn ready(&self) {
        let (answer, noted) = oneshot::channel();
        // Errors mean that the browser has ended.
        if self.messages.send(Message::Ready(answer)).is_ok() {
            let _ = noted.await;
        }
    }

    /// Says that the browser's first process has ended and is reaped.
    pub(crate) fn ended(&self) {
        let _ = self.messages.send(Message::Ended);
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
    fn run(mut self, messages: &Receiver<Message>) {
        let began = Instant::now();
        let (mut pause, mut ready) = (SOON, false);
        loop {
            self.note(Some(self.leader));
            self.reap();
            match messages.recv_timeout(pause) {
                Ok(Message::Ready(answer)) => {
                    ready = true;
                    self.note(Some(self.leader));
                    // An error: whoever asked has gone.
                    let _ = answer.send(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Ended) | Err(RecvTimeoutError::Disconnected) => break,
            }
            let longest = if ready || began.elapsed() > STARTED { LATER } else { STARTING };
            pause = (pause * 2).min(longest);
        }
        self.finish();
    }

    /// Waits for what was noted, and for what still shows itself.
    fn finish(mut self) {
        let until = Instant::now() + PATIENCE;
        let mut pause = SOON;
        loop {
            self.note(None);
            self.reap();
            table::reap_crash_handlers();
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
