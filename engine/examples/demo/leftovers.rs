//! What a browser left on the machine, found without asking the engine: the kernel's process table and the file
//! system. Knows Linux only; elsewhere there is no process to be found.

use std::fmt;
use std::fs;
use std::path::Path;

/// A process, as the kernel lists it.
#[derive(Debug, PartialEq)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) group: u32,
}

/// Processes of one of the groups, and those whose environment or command line names `scratch`. This process is left
/// out. So are zombies of other parents: they have ended, and when they are reaped is up to whoever adopted them.
pub(crate) fn processes(groups: &[u32], scratch: &Path) -> Vec<Process> {
    let belongs = |process: &Process| groups.contains(&process.group) || process.mentions(scratch);
    all().into_iter().filter(belongs).collect()
}

/// Temporary paths left of a browser: its scratch folder, if it is still there.
pub(crate) fn paths(scratch: &Path) -> Vec<String> {
    let there = fs::symlink_metadata(scratch).is_ok();
    there.then(|| scratch.display().to_string()).into_iter().collect()
}

impl Process {
    /// Whether the command line or the environment that the process was started with holds this path.
    fn mentions(&self, path: &Path) -> bool {
        let mark = path.to_string_lossy();
        ["cmdline", "environ"].iter().any(|file| {
            // A process that has ended meanwhile, or belongs to somebody else, has nothing to read.
            let bytes = fs::read(format!("/proc/{}/{file}", self.id)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(&*mark)
        })
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} {}", self.id, self.name)
    }
}

fn all() -> Vec<Process> {
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let process = |id: u32| {
        let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name stands in parentheses and may hold any character; what follows the last one is fixed.
        let (head, tail) = stat.rsplit_once(')')?;
        let mut fields = tail.split_whitespace();
        let (state, parent, group) = (fields.next()?, fields.next()?, fields.next()?);
        let ours = parent.parse() == Ok(own);
        let process = Process { id, name: head.split_once('(')?.1.to_owned(), group: group.parse().ok()? };
        (state != "Z" || ours).then_some(process)
    };
    ids.filter(|id| *id != own).filter_map(process).collect()
}
