//! The guardian: a shell outside the host's group and session that ends the browser and removes its scratch
//! folder when the host vanishes. Here is the host's end of it; its own part is `guardian.sh`.

use std::ffi::OsString;
use std::io::{self, PipeWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nix::unistd::Pid;

use crate::process::exec::{Place, Script};

const SCRIPT: &str = include_str!("guardian.sh");

/// The only write end of the guardian's input. When it closes, by a drop or because the host is gone, the guardian
/// sets to work.
#[derive(Debug)]
pub(crate) struct Guardian {
    line: Mutex<Option<PipeWriter>>,
}

impl Guardian {
    /// Starts a guardian for the scratch folder at `scratch`, which need not exist yet. The caller must wait for
    /// the process.
    pub(crate) fn start(scratch: &Path) -> io::Result<(Guardian, Pid)> {
        let (input, line) = io::pipe()?;
        let pid = Script {
            // The script itself travels in the environment, so that a process list stays readable.
            text: "eval \"$ENGINE_GUARDIAN\"",
            args: vec![OsString::from("engine-guardian"), scratch.as_os_str().to_owned()],
            env: vec![(OsString::from("ENGINE_GUARDIAN"), OsString::from(SCRIPT))],
            fds: vec![(input.into(), 0)],
            place: Place::Session,
        }
        .start()?;
        Ok((Guardian { line: Mutex::new(Some(line)) }, pid))
    }

    /// The browser's process has ended and its id is about to be free for others.
    pub(crate) fn browser_is_gone(&self) {
        self.say("gone\n");
    }

    /// The host has cleaned up; the guardian ends without doing anything.
    pub(crate) fn dismiss(&self) {
        self.say("done\n");
        self.let_go();
    }

    /// Leaves the rest to the guardian.
    pub(crate) fn let_go(&self) {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// A few bytes into a pipe of at least 4 KiB never block.
    fn say(&self, message: &str) {
        if let Some(line) = &mut *self.line.lock().unwrap_or_else(PoisonError::into_inner) {
            // It fails when someone has killed the guardian, which changes nothing for an orderly close.
            if let Err(error) = line.write_all(message.as_bytes()) {
                tracing::warn!(%error, "the browser's guardian is gone");
            }
        }
    }
}
