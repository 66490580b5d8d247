//! Looks for what browsers left behind, independently of the code under test: every process, zombies of ours
//! included, that mentions a test's folder anywhere, and every entry of that folder.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use engine::process::BrowserProcess;

use crate::temp::Temp;

/// How soon after a host was killed nothing of its browser may be left.
pub(crate) const TWO_SECONDS: Duration = Duration::from_secs(2);

/// What a guardian may need on a machine that is busy with other things. A leak stays for good.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// A process as /proc shows it.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    pub(crate) state: String,
    pub(crate) command: String,
}

/// One process, if it is there.
pub(crate) fn process(pid: i32) -> Option<Process> {
    let stat = String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?).into_owned();
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    Some(Process {
        pid,
        state: fields[0].to_owned(),
        parent: fields[1].parse().unwrap(),
        group: fields[2].parse().unwrap(),
        session: fields[3].parse().unwrap(),
        command: String::from_utf8_lossy(&command).replace('\0', " "),
    })
}

fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Processes that mention the folder, but for this one.
pub(crate) fn processes(folder: &Path) -> Vec<Process> {
    let needle = folder.as_os_str().as_encoded_bytes();
    let mentions = |pid: i32, file: &str| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|text| text.windows(needle.len()).any(|window| window == needle))
    };
    pids()
        .filter(|pid| *pid as u32 != std::process::id())
        .filter(|pid| mentions(*pid, "cmdline") || mentions(*pid, "environ"))
        .filter_map(process)
        .collect()
}

/// The guardian of the only browser under this folder. A process that has just become a program shows no command
/// line for an instant.
pub(crate) fn guardian(folder: &Path) -> Process {
    let began = Instant::now();
    loop {
        let found = processes(folder).into_iter().find(|process| process.command.contains("engine-guardian"));
        match found {
            Some(guardian) => return guardian,
            None => assert!(began.elapsed() < Duration::from_secs(10), "no guardian"),
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the browser has written this line on its standard error; gives all the last ones.
pub(crate) async fn until_written(browser: &BrowserProcess, line: &str) -> Vec<String> {
    let began = Instant::now();
    loop {
        let lines = browser.stderr_tail();
        if lines.iter().any(|known| known == line) {
            return lines;
        }
        assert!(began.elapsed() < LONG, "{line:?} was not written: {lines:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Children of this process that have ended and that nobody has reaped.
pub(crate) fn zombies_of(parent: u32) -> Vec<Process> {
    pids().filter_map(process).filter(|found| found.parent == parent as i32 && found.state == "Z").collect()
}

/// Fails unless nothing is there now.
pub(crate) fn assert_nothing_left(temp: &Temp) {
    let (processes, entries) = (processes(temp.path()), temp.entries());
    assert!(processes.is_empty() && entries.is_empty(), "left: {entries:?}, {processes:#?}");
}

/// Returns how long it took until nothing was left; fails when something still is after `limit`.
pub(crate) fn until_nothing_left(temp: &Temp, limit: Duration) -> Duration {
    let began = Instant::now();
    loop {
        // The time is taken before looking, which takes a while itself on a busy machine.
        let elapsed = began.elapsed();
        if processes(temp.path()).is_empty() && temp.entries().is_empty() {
            return elapsed;
        }
        if elapsed > limit {
            assert_nothing_left(temp);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until a process is gone, also as a zombie.
pub(crate) fn until_gone(pid: i32) {
    let began = Instant::now();
    while let Some(found) = process(pid) {
        assert!(began.elapsed() < Duration::from_secs(10), "still there: {found:?}");
        thread::sleep(Duration::from_millis(5));
    }
}
