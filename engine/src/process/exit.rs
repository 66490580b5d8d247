//! How a process ended. Plain data.

use std::fmt;

use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;

/// How the browser's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exit {
    /// It ended by itself with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It has ended, but the system did not tell how: the host ignores `SIGCHLD`, or other code in the host
    /// waits for every child and took the answer away.
    Unknown,
}

impl Exit {
    /// Whether the process ended by itself with code 0.
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }

    /// `None` while the process lives (a stop or continue notice).
    pub(crate) fn from_wait(status: WaitStatus) -> Option<Exit> {
        match status {
            WaitStatus::Exited(_, code) => Some(Exit::Code(code)),
            WaitStatus::Signaled(_, signal, _) => Some(Exit::Signal(signal as i32)),
            _ => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit code {code}"),
            Exit::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "signal {signal}"),
                Err(_) => write!(f, "signal {number}"),
            },
            Exit::Unknown => f.write_str("an unknown status"),
        }
    }
}
