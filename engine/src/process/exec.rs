//! Starts a program in a process group or session of its own with exactly the descriptors it is given. Waits
//! for nothing.
//!
//! `posix_spawn` instead of `std::process::Command`: it puts the child into a session of its own without
//! `unsafe`, places descriptors 3 and above, and does not copy the page tables of a large host.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::SigSet;
use nix::unistd::Pid;

/// Where the child stands among the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A process group of its own in the host's session.
    Group,
    /// A session of its own: no signal meant for the host's group or session reaches it.
    Session,
}

/// A shell script to be run by `/bin/sh`.
pub(crate) struct Script {
    pub(crate) text: &'static str,
    /// `$0`, then `$1` and so on.
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// The child's descriptors; the ones of 0 to 2 that are missing are `/dev/null`, and there are no others.
    pub(crate) fds: Vec<(OwnedFd, RawFd)>,
    pub(crate) place: Place,
}

const SHELL: &str = "/bin/sh";

impl Script {
    /// Starts the script. The caller must wait for the process by its id.
    pub(crate) fn start(mut self) -> io::Result<Pid> {
        for number in 0..=2 {
            if !self.fds.iter().any(|(_, target)| *target == number) {
                let null = File::options().read(true).write(true).open("/dev/null")?;
                self.fds.push((null.into(), number));
            }
        }
        let highest = self.fds.iter().map(|(_, target)| *target).max().unwrap_or(2);
        let sources = self
            .fds
            .into_iter()
            .map(|(fd, target)| Ok((above(fd, highest)?, target)))
            .collect::<io::Result<Vec<_>>>()?;

        let mut actions = PosixSpawnFileActions::init()?;
        for (fd, target) in &sources {
            actions.add_dup2(fd.as_raw_fd(), *target)?;
        }
        for number in open_descriptors() {
            if sources.iter().any(|(_, target)| *target == number) {
                continue;
            }
            match actions.add_close(number) {
                // Opened before the limit was lowered below its number: nobody can name it to be closed.
                Err(Errno::EBADF) => {}
                added => added?,
            }
        }

        let mut flags = PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
        let mut attributes = PosixSpawnAttr::init()?;
        match self.place {
            Place::Group => {
                flags |= PosixSpawnFlags::POSIX_SPAWN_SETPGROUP;
                attributes.set_pgroup(Pid::from_raw(0))?;
            }
            Place::Session => flags |= PosixSpawnFlags::from_bits_retain(SETSID),
        }
        flags |= PosixSpawnFlags::from_bits_retain(CLOEXEC_DEFAULT);
        attributes.set_flags(flags)?;
        // Rust ignores SIGPIPE and a host may block or ignore others; none of that is the child's business.
        attributes.set_sigdefault(&SigSet::all())?;
        attributes.set_sigmask(&SigSet::empty())?;

        let mut args =
            vec![c_string(OsStr::new("sh"))?, c_string(OsStr::new("-c"))?, c_string(OsStr::new(self.text))?];
        for arg in &self.args {
            args.push(c_string(arg)?);
        }
        let env = self
            .env
            .iter()
            .map(|(name, value)| {
                let mut entry = name.clone();
                entry.push("=");
                entry.push(value);
                c_string(&entry)
            })
            .collect::<io::Result<Vec<_>>>()?;
        Ok(posix_spawn(SHELL, &actions, &attributes, &args, &env)?)
    }
}

/// The same file on a descriptor above `limit`, so that no `dup2` overwrites the source of a later one.
fn above(fd: OwnedFd, limit: RawFd) -> io::Result<OwnedFd> {
    let mut held = Vec::new();
    let mut fd = fd;
    while fd.as_raw_fd() <= limit {
        let next = fd.try_clone()?;
        held.push(std::mem::replace(&mut fd, next));
    }
    Ok(fd)
}

/// Descriptors from 3 on that are open now. Most would close by themselves at the exec, but a port that foreign
/// code opened without that precaution must not be kept open by a browser or a guardian.
#[cfg(target_os = "linux")]
fn open_descriptors() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect()
}

/// The system closes them itself, see [`CLOEXEC_DEFAULT`].
#[cfg(not(target_os = "linux"))]
fn open_descriptors() -> Vec<RawFd> {
    Vec::new()
}

#[cfg(target_os = "linux")]
const SETSID: i32 = nix::libc::POSIX_SPAWN_SETSID as i32;
#[cfg(target_os = "linux")]
const CLOEXEC_DEFAULT: i32 = 0;
/// `POSIX_SPAWN_SETSID` and `POSIX_SPAWN_CLOEXEC_DEFAULT` of Apple's `spawn.h`.
#[cfg(not(target_os = "linux"))]
const SETSID: i32 = 0x0400;
#[cfg(not(target_os = "linux"))]
const CLOEXEC_DEFAULT: i32 = 0x4000;

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "an argument or variable holds a NUL byte"))
}
