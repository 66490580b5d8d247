//! A close ends whatever state the browser is in, and every caller gets the same answer.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use engine::process::{CloseTimings, ClosedBy, Exit, spawn};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::temp::Temp;
use crate::traces::{LONG, assert_nothing_left, until_nothing_left, until_written};
use crate::wire::ready;

/// Not asked for long, then told to terminate, with time enough for it on a busy machine.
fn told() -> CloseTimings {
    CloseTimings::default().ask(Duration::from_millis(100)).terminate(Duration::from_secs(30))
}

/// Short steps, for what only the last one ends.
fn short() -> CloseTimings {
    told().terminate(Duration::from_millis(300)).kill(Duration::from_secs(30))
}

fn signal(pid: u32, signal: Signal) {
    killpg(Pid::from_raw(pid as i32), signal).unwrap();
}

/// What stands in the browser's place, and what must have ended it.
async fn check_script(body: &str, timings: CloseTimings, expected: ClosedBy, exit: Option<Exit>) {
    let temp = Temp::new();
    let browser =
        temp.spawn_script(&format!("{body}\necho started >&2\nwhile :; do sleep 1; done")).await.unwrap();
    until_written(&browser, "started").await;
    let closed = browser.close(pending::<()>(), timings).await;
    assert_eq!(closed.by, expected, "{body}: {closed}");
    assert_eq!(closed.exit, exit, "{body}");
    assert!(closed.left.is_empty(), "{body}: {closed}");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn the_step_that_ended_the_browser_is_named() {
    check_script("trap 'exit 3' TERM", told(), ClosedBy::Terminated, Some(Exit::Code(3))).await;
    check_script("trap '' TERM", short(), ClosedBy::Killed, Some(Exit::Signal(9))).await;
    check_script("", CloseTimings::at_once(), ClosedBy::Killed, Some(Exit::Signal(9))).await;
}

#[tokio::test]
async fn a_stopped_browser_closes() {
    let temp = Temp::new();
    let browser = temp.spawn().await;
    let mut wire = ready(&browser).await;
    signal(browser.pid(), Signal::SIGSTOP);
    let ask = async move { wire.call("Browser.close").await };
    let closed = browser.close(ask, short()).await;
    assert!(matches!(closed.by, ClosedBy::Terminated | ClosedBy::Killed), "{closed}");
    assert!(closed.exit.is_some() && closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_browser_stopped_behind_a_deaf_one_is_killed() {
    // Stops itself again each time it is told to go on or to end.
    check_script("trap 'kill -s STOP $$' TERM CONT", short(), ClosedBy::Killed, Some(Exit::Signal(9))).await;
}

#[tokio::test]
async fn a_helper_that_left_the_group_is_ended_too() {
    let temp = Temp::new();
    let body =
        "(setsid sh -c 'trap \"\" TERM HUP; echo started >&2; exec sleep 1000' &) \n wait; exec sleep 1000";
    let browser = temp.spawn_script(body).await.unwrap();
    until_written(&browser, "started").await;
    let closed = browser.close(async {}, CloseTimings::at_once()).await;
    assert!(closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_process_that_merely_works_on_a_download_is_spared_and_reported() {
    let temp = Temp::new();
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    let file = browser.downloads().join("invoice.pdf");
    std::fs::write(&file, "").unwrap();
    let mut reader = std::process::Command::new("tail").arg("-f").arg(&file).spawn().unwrap();
    let closed = browser.close(async {}, CloseTimings::at_once()).await;
    assert_eq!(reader.try_wait().unwrap(), None, "the reader is none of ours");
    assert_eq!(closed.left.processes.len(), 1, "{closed}");
    assert_eq!(closed.left.processes[0].pid, reader.id() as i32);
    assert!(closed.left.paths.is_empty());
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_browser_that_ended_before_is_told_apart() {
    for (end, expected) in [("exit 0", ClosedBy::Itself), ("kill -s KILL $$", ClosedBy::Crashed)] {
        let temp = Temp::new();
        let browser = temp.spawn_script(end).await.unwrap();
        browser.exited().await;
        let closed = browser.close(pending::<()>(), CloseTimings::default()).await;
        assert_eq!(closed.by, expected, "{end}");
        assert_nothing_left(&temp);
    }
}

#[tokio::test]
async fn all_callers_get_the_same_answer_and_the_browser_is_asked_once() {
    let temp = Temp::new();
    let browser = Arc::new(temp.spawn_script("exec sleep 1000").await.unwrap());
    let (asked, mut asks) = tokio::sync::mpsc::unbounded_channel();
    let callers: Vec<_> = (0..5)
        .map(|_| {
            let (browser, asked) = (Arc::clone(&browser), asked.clone());
            tokio::spawn(async move { browser.close(async move { asked.send(()) }, told()).await })
        })
        .collect();
    drop(asked);
    let mut took = Vec::new();
    for caller in callers {
        let closed = caller.await.unwrap();
        assert_eq!((closed.by, closed.exit), (ClosedBy::Terminated, Some(Exit::Signal(15))));
        took.push(closed.took);
    }
    took.push(browser.close(async {}, told()).await.took);
    assert!(took.windows(2).all(|pair| pair[0] == pair[1]), "one close for all: {took:?}");
    assert_eq!(asks.recv().await, Some(()));
    assert_eq!(asks.recv().await, None, "only the first caller's question was put");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_close_goes_on_when_its_caller_is_dropped() {
    let temp = Temp::new();
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    let at_once = tokio::time::timeout(Duration::ZERO, browser.close(pending::<()>(), told())).await;
    assert!(at_once.is_err());
    assert_eq!(browser.exited().await, Exit::Signal(15));
    let temp = tokio::task::spawn_blocking(move || {
        // The handle is still there: it is not the guardian that cleans up.
        until_nothing_left(&temp, LONG);
        temp
    });
    temp.await.unwrap();
    drop(browser);
}

#[tokio::test]
async fn a_question_that_panics_does_not_keep_the_browser_open() {
    let temp = Temp::new();
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    let closed = browser.close(async { panic!("on purpose") }, told()).await;
    assert_eq!(closed.by, ClosedBy::Terminated, "{closed}");
    assert_nothing_left(&temp);
}

#[test]
fn a_close_without_a_runtime_to_work_on_ends_at_once() {
    let temp = Temp::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let browser = runtime.block_on(temp.spawn_script("exec sleep 1000")).unwrap();
    let handle = runtime.handle().clone();
    runtime.shutdown_timeout(LONG);
    let closed = handle.block_on(browser.close(async {}, told()));
    assert_eq!((closed.by, closed.exit), (ClosedBy::Killed, None), "{closed}");
    // The handle is still there, and yet the guardian cleans up.
    until_nothing_left(&temp, LONG);
    drop(browser);
}

#[tokio::test]
async fn times_that_no_clock_can_hold_are_no_end() {
    let temp = Temp::new();
    let launcher = temp.launcher().executable(temp.script("exec sleep 1000")).timeout(Duration::MAX);
    let browser = spawn(launcher.options()).await.unwrap();
    let for_ever = told().ask(Duration::MAX).terminate(Duration::MAX).kill(Duration::MAX);
    let closed = browser.close(async { panic!("on purpose") }, for_ever).await;
    assert_eq!(closed.by, ClosedBy::Terminated, "{closed}");
    assert_nothing_left(&temp);
}
