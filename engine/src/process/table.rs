//! Looks into the system's process table for what belongs to a browser. Every function here blocks for some
//! milliseconds; async code calls them on a blocking thread.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::lock::lock;

/// A running process, as far as it concerns us.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Running {
    /// Its process id.
    pub pid: i32,
    /// The beginning of its command line.
    pub command: String,
    /// Start time; with the id it names one process for good. 0 where the system does not tell.
    start: u64,
}

/// What is still there of a browser that has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftovers {
    /// Processes that name the scratch folder in their command line or environment.
    pub processes: Vec<Running>,
    /// The scratch folder, if it still exists.
    pub paths: Vec<PathBuf>,
}

impl Leftovers {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty() && self.paths.is_empty()
    }
}

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} processes, {} temporary paths left", self.processes.len(), self.paths.len())?;
        for process in &self.processes {
            write!(f, "\n    process {}: {}", process.pid, process.command)?;
        }
        for path in &self.paths {
            write!(f, "\n    {}", path.display())?;
        }
        Ok(())
    }
}

/// What is still there of the browser whose scratch folder this was or is: every process that names it anywhere,
/// the caller's own excepted, and the folder itself. Blocks for some milliseconds.
pub fn leftovers(scratch: &Path) -> Leftovers {
    let needle = scratch.as_os_str().as_encoded_bytes();
    Leftovers {
        processes: matching(&[needle.to_vec()]),
        paths: scratch.symlink_metadata().is_ok().then(|| scratch.to_owned()).into_iter().collect(),
    }
}

/// The processes that have the profile or the temporary folder of this browser as a value in their command line
/// or environment: the browser and everything it started. Narrower than [`leftovers`], because these may be
/// killed: someone else's process that works on a downloaded file is none of them.
pub(crate) fn carriers(scratch: &Path) -> Vec<Running> {
    matching(&needles(scratch))
}

/// What the command line or environment of a process of this browser holds, one of them at least.
pub(crate) fn needles(scratch: &Path) -> [Vec<u8>; 2] {
    let needle = |folder: &str| [b"=", scratch.join(folder).as_os_str().as_encoded_bytes()].concat();
    [needle("profile"), needle("tmp")]
}

impl Running {
    /// Kills this process, but not another one that got its number meanwhile.
    pub(crate) fn end(&self) {
        if self.is_there() {
            // It may end at any moment; then there is nothing to do.
            let _ = kill(Pid::from_raw(self.pid), Signal::SIGKILL);
        }
    }

    /// For a host that adopts orphans: takes the exit status of this process if it has ended as a child of ours.
    /// `true`: it is gone for good.
    pub(crate) fn reap(&self) -> bool {
        reap(self.pid, self.start)
    }

    /// `false` also where the system does not tell.
    pub(crate) fn is_in_group(&self, group: i32) -> bool {
        system::group(self.pid) == Some(group)
    }

    fn is_there(&self) -> bool {
        is_there(self.pid, self.start)
    }
}

/// Held from the look at a process until its exit status is taken: a number that another thread of ours has freed
/// meanwhile may be that of a new child of the host.
static REAPING: Mutex<()> = Mutex::new(());

/// For a host that adopts orphans: takes the exit status of the process with this number and start time if it has
/// ended as a child of ours. `true`: it is gone for good.
pub(crate) fn reap(pid: i32, start: u64) -> bool {
    let _one_at_a_time = lock(&REAPING);
    if !is_there(pid, start) {
        return true;
    }
    // Another parent will die or reap it; either way we look again.
    is_our_child(pid) && !matches!(wait_without_blocking(pid), Ok(WaitStatus::StillAlive))
}

fn is_there(pid: i32, start: u64) -> bool {
    start == 0 || system::start(pid) == Some(start)
}

fn is_our_child(pid: i32) -> bool {
    system::parent(pid).is_some_and(|parent| parent.cast_unsigned() == std::process::id())
}

fn wait_without_blocking(pid: i32) -> nix::Result<WaitStatus> {
    waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG))
}

/// Whether a process group has a member that has not ended. `false` where the system does not tell.
pub(crate) fn group_lives(group: i32) -> bool {
    system::of_group(group).any(system::is_alive)
}

/// For a host that adopts orphans: takes the exit status of every ended member of a group whose leader has been
/// reaped. `true`: the group is empty. As long as it has members, ended ones too, no other group gets its number.
pub(crate) fn reap_group(group: i32) -> bool {
    system::of_group(group).filter(|pid| *pid != group).fold(true, |empty, pid| {
        let reaped = reap_child(pid);
        empty && reaped
    })
}

/// For a host that adopts orphans: takes the exit statuses of Chromium's crash handlers that ended before anyone saw them
/// alive, as they do in a launch that fails. They have forked twice, so each is in a session that is neither the host's
/// nor its own, where no child is that the host started itself.
pub(crate) fn reap_crash_handlers() {
    let _one_at_a_time = lock(&REAPING);
    for pid in system::pids().filter(|pid| is_our_child(*pid)) {
        if system::is_ended_crash_handler(pid) {
            // It fails when the host waits for all children itself.
            let _ = wait_without_blocking(pid);
        }
    }
}

/// Whether processes whose parent has died become children of this one: it is the first process of a container,
/// or asked for it.
pub(crate) fn host_adopts_orphans() -> bool {
    std::process::id() == 1 || system::is_subreaper()
}

/// Takes the exit status of a process if it is a child of ours and has ended; never waits.
fn reap_child(pid: i32) -> bool {
    let _one_at_a_time = lock(&REAPING);
    is_our_child(pid) && wait_without_blocking(pid).is_ok_and(|status| status != WaitStatus::StillAlive)
}

fn matching(needles: &[Vec<u8>]) -> Vec<Running> {
    let own = std::process::id().cast_signed();
    let mut found = system::processes(|text| {
        needles.iter().any(|needle| text.windows(needle.len()).any(|window| window == needle))
    });
    found.retain(|process| process.pid != own);
    found
}

/// A command line for people: spaces for the separators, cut.
fn shown(command: &[u8]) -> String {
    let text: Vec<u8> = command.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
    String::from_utf8_lossy(&text).trim_end().chars().take(120).collect()
}

/// Linux: /proc.
#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use super::{Running, shown};

    pub(super) fn processes(matches: impl Fn(&[u8]) -> bool) -> Vec<Running> {
        pids()
            .filter_map(|pid| {
                // Read first: should the number change hands in between, then `end` sees another start time.
                let start = start(pid)?;
                let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                let found = matches(&command)
                    || fs::read(format!("/proc/{pid}/environ"))
                        .is_ok_and(|environment| matches(&environment));
                found.then(|| Running { pid, command: shown(&command), start })
            })
            .collect()
    }

    pub(super) fn start(pid: i32) -> Option<u64> {
        field(pid, 22)
    }

    pub(super) fn parent(pid: i32) -> Option<i32> {
        field(pid, 4)
    }

    pub(super) fn is_subreaper() -> bool {
        nix::sys::prctl::get_child_subreaper().unwrap_or(false)
    }

    /// Members of a process group, ended ones that are not reaped included.
    pub(super) fn of_group(group: i32) -> impl Iterator<Item = i32> {
        pids().filter(move |pid| self::group(*pid) == Some(group))
    }

    pub(super) fn group(pid: i32) -> Option<i32> {
        field(pid, 5)
    }

    pub(super) fn is_alive(pid: i32) -> bool {
        !matches!(field(pid, 3), Some('Z' | 'X') | None)
    }

    pub(super) fn is_ended_crash_handler(pid: i32) -> bool {
        let session = field(pid, 6);
        let own = field(std::process::id().cast_signed(), 6);
        let is_handler = || {
            // The system cuts names to 15 bytes.
            fs::read(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_ascii() == b"chrome_crashpad")
        };
        !is_alive(pid) && session.is_some() && session != own && session != Some(pid) && is_handler()
    }

    pub(super) fn pids() -> impl Iterator<Item = i32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// Field of `/proc/<pid>/stat`, numbered from 1 as in proc(5). The name, field 2, may hold anything.
    fn field<T: std::str::FromStr>(pid: i32, number: usize) -> Option<T> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        rest.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
    }
}

/// Elsewhere: `ps`, which shows the environment of the user's own processes behind the command.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::{Command, Stdio};

    use super::{Running, shown};

    pub(super) fn processes(matches: impl Fn(&[u8]) -> bool) -> Vec<Running> {
        let output = Command::new("/bin/ps")
            .args(["-A", "-E", "-ww", "-o", "pid=,command="])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let Ok(output) = output else { return Vec::new() };
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| matches(line));
        lines
            .filter_map(|line| {
                let line = line.trim_ascii();
                let end = line.iter().position(u8::is_ascii_whitespace)?;
                let pid = std::str::from_utf8(line.get(..end)?).ok()?.parse().ok()?;
                Some(Running { pid, command: shown(line.get(end + 1..)?), start: 0 })
            })
            .collect()
    }

    pub(super) fn start(_pid: i32) -> Option<u64> {
        None
    }

    pub(super) fn parent(_pid: i32) -> Option<i32> {
        None
    }

    pub(super) fn is_subreaper() -> bool {
        false
    }

    pub(super) fn of_group(_group: i32) -> impl Iterator<Item = i32> {
        std::iter::empty()
    }

    pub(super) fn group(_pid: i32) -> Option<i32> {
        None
    }

    pub(super) fn is_alive(_pid: i32) -> bool {
        false
    }

    pub(super) fn is_ended_crash_handler(_pid: i32) -> bool {
        false
    }

    pub(super) fn pids() -> impl Iterator<Item = i32> {
        std::iter::empty()
    }
}
