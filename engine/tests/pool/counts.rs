//! What this process holds of the system, and the processes of a browser, found without asking the engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

use crate::GONE_WITHIN;

const MEMORY_MAY_GROW_KIB: u64 = 8 * 1024;

/// The folder of all browsers of this run; removed at its end if nothing is in it.
pub(crate) struct Temp(PathBuf);

impl Temp {
    pub(crate) fn new() -> Temp {
        // Short: the path of a socket below it may not exceed 108 bytes.
        let path = std::env::temp_dir().join(format!("pool-tests-{}", std::process::id()));
        fs::create_dir(&path).expect("a temporary folder");
        Temp(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        // One that is not empty stays, as the evidence of what the test reports.
        let _ = fs::remove_dir(&self.0);
    }
}

/// Counts of one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    descriptors: usize,
    threads: usize,
    tasks: usize,
    children: usize,
    paths: usize,
    resident_kib: u64,
}

impl Counts {
    fn now(temp: &Temp) -> Counts {
        let entries = |path: &Path| fs::read_dir(path).map(|entries| entries.count()).unwrap_or(0);
        Counts {
            descriptors: entries(Path::new("/proc/self/fd")),
            // Those that block are the runtime's own, and come and go as it likes.
            threads: named_threads().filter(|name| !name.starts_with("tokio-")).count(),
            tasks: Handle::current().metrics().num_alive_tasks(),
            children: children(),
            paths: entries(temp.path()),
            resident_kib: resident_kib(),
        }
    }

    /// The counts when nothing of a browser is left and none exceeds those of `before`, or after some time as they are.
    pub(crate) async fn settled(temp: &Temp, before: Option<Counts>) -> Counts {
        let end = Instant::now() + GONE_WITHIN;
        loop {
            let now = Counts::now(temp);
            let bare = now.children + now.paths + now.tasks == 0;
            if Instant::now() >= end || (bare && before.is_none_or(|before| now.is_within(&before))) {
                return now;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether nothing has become more. Memory may, a little: what was freed is not all given back to the system.
    pub(crate) fn is_within(&self, before: &Counts) -> bool {
        self.descriptors <= before.descriptors
            && self.threads <= before.threads
            && self.tasks <= before.tasks
            && self.children <= before.children
            && self.paths <= before.paths
            && self.resident_kib <= before.resident_kib + MEMORY_MAY_GROW_KIB
    }
}

fn resident_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("the memory of this process")
}

fn named_threads() -> impl Iterator<Item = String> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok())
}

/// Children of this process, also those that have ended and were not reaped.
fn children() -> usize {
    let own = std::process::id().to_string();
    pids().filter(|pid| field(*pid, 4).is_some_and(|parent| parent == own)).count()
}

/// The renderers of a browser.
pub(crate) fn renderers(browser: u32) -> Vec<i32> {
    let group = browser.to_string();
    let is_renderer = |pid: &i32| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains("--type=renderer")
    };
    let in_group = pids().filter(|pid| field(*pid, 5).is_some_and(|its| its == group));
    in_group.filter(is_renderer).collect()
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A field of a process, numbered from 1 as in proc(5).
fn field(pid: i32, number: usize) -> Option<String> {
    // What has ended meanwhile has nothing to read.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat).into_owned();
    // The name stands in parentheses and may hold any character; what follows the last one is fixed.
    Some(stat.rsplit_once(')')?.1.split_whitespace().nth(number - 3)?.to_owned())
}
