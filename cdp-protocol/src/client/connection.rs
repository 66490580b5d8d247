//! The connection to one browser: how it begins, how it ends, and what it counts. Calls and events belong to sessions.

use std::fmt;
#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::sync::Arc;

#[cfg(unix)]
use crate::Settings;
#[cfg(unix)]
use crate::carrier;
use crate::carrier::Shared;
use crate::error::CloseReason;

/// A connection to a browser.
///
/// Cloning it is cheap. The connection lives as long as anyone holds a part of it: a `Client`, a [`Session`](crate::Session), a
/// [`Call`](crate::Call) or an event stream; when the last is dropped, what was queued is still written, and the connection is
/// closed. An [`Observer`](crate::Observer) that owns one of them keeps it open until [`close`](Self::close).
///
/// Works in any tokio runtime that has I/O and time enabled. On one with several threads do the work in spawned tasks where an
/// answer's way counts: a task goes on where the connection was read, while the future given to `block_on`, and so the body of
/// `#[tokio::main]`, is woken on another thread. Measured for a sequence of small calls: 1.2 times the time, twice the CPU.
#[derive(Clone)]
pub struct Client {
    connection: Arc<Connection>,
}

/// Ends the connection when its last holder goes.
struct Connection {
    shared: Arc<Shared>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.request_close();
    }
}

/// Counts of a connection, to watch for leaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Calls that wait for their answer.
    pub pending_calls: usize,
    /// Answers that came when nobody waited for them any more.
    pub late_replies: u64,
    /// Sessions that are attached or in use, without the browser's own.
    pub sessions: usize,
    /// Bytes that wait to be written: calls, and on a websocket control frames.
    pub queued_bytes: usize,
    /// Messages that were neither a reply nor an event, and were passed over.
    pub ignored_messages: u64,
}

impl Client {
    /// Takes over the two pipes of a browser started with `--remote-debugging-pipe`: `reads` is the end whose other one is the
    /// browser's descriptor 4, `writes` that of its descriptor 3. The browser exits when they close. [`Settings::ping`] does nothing
    /// here.
    ///
    /// # Errors
    ///
    /// When a descriptor is no pipe or of the wrong direction, which is named; or outside of a tokio runtime.
    ///
    /// # Panics
    ///
    /// In a tokio runtime without I/O. The connection wants one with time as well.
    ///
    /// # Examples
    ///
    /// The crate `command-fds` puts the browser's ends at 3 and 4. The `engine` crate's launcher does all of this, and sees to it that
    /// the browser ends with its owner.
    ///
    /// ```no_run
    /// use std::{io, process::Command};
    ///
    /// use cdp_protocol::{Client, Settings};
    /// use command_fds::{CommandFdExt, FdMapping};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let (browser_reads, writes) = io::pipe()?;
    /// let (reads, browser_writes) = io::pipe()?;
    /// let mut command = Command::new("chromium");
    /// command.args(["--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/profile"]);
    /// command.fd_mappings(vec![
    ///     FdMapping { parent_fd: browser_reads.into(), child_fd: 3 },
    ///     FdMapping { parent_fd: browser_writes.into(), child_fd: 4 },
    /// ])?;
    /// let mut browser = command.spawn()?;
    /// drop(command); // It holds the browser's ends as well, and the pipes would never end.
    /// let client = Client::from_pipe(reads.into(), writes.into(), Settings::default())?;
    /// client.close();
    /// browser.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(unix)]
    pub fn from_pipe(reads: OwnedFd, writes: OwnedFd, settings: Settings) -> io::Result<Self> {
        Ok(Self::new(carrier::from_pipe(reads, writes, settings)?))
    }

    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { connection: Arc::new(Connection { shared }) }
    }

    /// Starts closing: calls are refused from now on, those queued before are still written. Returns at once. A second is given for
    /// the writing, and on a websocket another one for the close handshake.
    pub fn close(&self) {
        self.shared().request_close();
    }

    /// Waits until the connection has ended and its socket or pipe is released, and says why it ended.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost by dropping it.
    pub async fn closed(&self) -> CloseReason {
        self.shared().closed().await
    }

    /// Counts of this moment.
    pub fn stats(&self) -> Stats {
        // Not in one expression: both locks would be held at once, and in the wrong order.
        let queued_bytes = self.shared().queued_bytes();
        let mux = self.shared().mux();
        Stats {
            pending_calls: mux.pending_calls(),
            late_replies: mux.late_replies(),
            sessions: mux.known_sessions(),
            queued_bytes,
            ignored_messages: mux.ignored_messages(),
        }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.connection.shared
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
