//! What tests leave on the machine: processes of this one, and paths in the folder in which it launches browsers. What
//! belongs to the shared browser is none of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::{Browser, Launcher};

use crate::leftovers;

/// The folder of all browsers that tests launch. Removed at the end of the run, when it is empty.
pub(crate) struct Temp(PathBuf);

impl Temp {
    pub(crate) fn new() -> std::io::Result<Temp> {
        // Short: the path of a socket below it may not exceed 108 bytes.
        let path = std::env::temp_dir().join(format!("browser-tests-{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Temp(path))
    }

    /// A launcher whose every trace lies in this folder or names it.
    pub(crate) fn launcher(&self) -> Launcher {
        Launcher::new().temp_dir(&self.0)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What lies in the folder.
    pub(crate) fn entries(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        // One that is not empty stays, as the evidence of what the last trial reports.
        let _ = fs::remove_dir(&self.0);
    }
}

/// The processes and paths that are there with the shared browser alone.
pub(crate) struct Baseline {
    group: u32,
    scratch: PathBuf,
    children: BTreeSet<u32>,
}

impl Baseline {
    /// Taken when the browser has just been launched: every child of this process is the browser's then.
    pub(crate) fn of(browser: &Browser) -> Baseline {
        let (group, scratch) = (
            browser.process().expect("it was launched").pid(),
            browser.process().expect("it was launched").scratch().to_owned(),
        );
        Baseline { group, scratch, children: children() }
    }

    /// What is there beyond it.
    pub(crate) fn left(&self, temp: &Temp) -> Vec<String> {
        let own: BTreeSet<u32> = leftovers::processes(&[self.group], &self.scratch)
            .into_iter()
            .map(|process| process.id)
            .collect();
        let named = leftovers::processes(&[], temp.path()).into_iter().filter(|it| !own.contains(&it.id));
        let children =
            children().difference(&self.children).map(|id| format!("child {id}")).collect::<Vec<_>>();
        let paths = temp.entries().into_iter().filter(|path| *path != self.scratch);
        let paths = paths.map(|path| path.display().to_string());
        named.map(|process| process.to_string()).chain(children).chain(paths).collect()
    }
}

/// The children of this process, also those that have ended and were not reaped.
fn children() -> BTreeSet<u32> {
    let own = std::process::id();
    let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |id: &u32| {
        // What has ended meanwhile has nothing to read.
        let stat = fs::read(format!("/proc/{id}/stat")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&stat);
        let parent = stat.rsplit_once(')').and_then(|(_, tail)| tail.split_whitespace().nth(1));
        parent.and_then(|parent| parent.parse().ok()) == Some(own)
    };
    ids.filter(is_child).collect()
}
