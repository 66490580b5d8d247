//! The guardian costs next to nothing and depends on nothing of the host.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};

use engine::process::CloseTimings;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::unistd::getsid;

use crate::temp::Temp;
use crate::traces::{guardian, process, until_nothing_left};
use crate::wire::ready;

#[tokio::test]
async fn it_stands_apart_holds_no_port_and_is_small() {
    // As foreign code in a host would open it: inherited by every child that takes no care.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    fcntl(&port, FcntlArg::F_SETFD(FdFlag::empty())).unwrap();

    let temp = Temp::new();
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    let guardian = guardian(temp.path());
    assert_eq!((guardian.session, guardian.group), (guardian.pid, guardian.pid), "a session of its own");
    assert_ne!(guardian.session, getsid(None).unwrap().as_raw());
    assert_eq!(guardian.parent as u32, std::process::id(), "the host reaps it");

    for pid in [guardian.pid, browser.pid() as i32] {
        let held: Vec<_> = fs::read_dir(format!("/proc/{pid}/fd"))
            .unwrap()
            .flatten()
            .filter_map(|entry| fs::read_link(entry.path()).ok())
            .filter(|target| target.to_string_lossy().starts_with("socket:"))
            .collect();
        assert!(held.is_empty(), "{:?} holds {held:?}", process(pid));
    }
    let descriptors = fs::read_dir(format!("/proc/{}/fd", guardian.pid)).unwrap().count();
    assert_eq!(descriptors, 3, "its input, and nothing for its output");

    let memory = fs::read_to_string(format!("/proc/{}/smaps_rollup", guardian.pid)).unwrap();
    let pss = memory.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap();
    let kib: u32 = pss.trim().trim_end_matches(" kB").parse().unwrap();
    println!("guardian: {kib} KiB PSS");
    assert!(kib < 2048, "{kib} KiB");
    browser.close(async {}, CloseTimings::at_once()).await;
}

#[tokio::test]
async fn it_sleeps_while_the_browser_works() {
    let temp = Temp::new();
    let browser = temp.spawn().await;
    let mut wire = ready(&browser).await;
    let guardian = guardian(temp.path()).pid;
    // Asleep at its only read: from here on every instruction of it is one too many.
    let asleep = scheduled(guardian);
    for _ in 0..3 {
        wire.call_with("Target.createTarget", "{\"url\":\"data:text/html,a\"}").await.unwrap();
    }
    assert!(wire.call("Target.getTargets").await.unwrap().contains("data:text/html,a"));
    assert_eq!(scheduled(guardian), asleep, "it ran while the browser worked");
    browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
}

/// The time in ns that a process has run, as `/proc/<pid>/schedstat` counts it, and how often it gave the processor away.
fn scheduled(pid: i32) -> (String, String) {
    let read = |file| fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
    let switches = read("status").lines().filter(|line| line.contains("ctxt_switches")).collect();
    (read("schedstat").split(' ').next().unwrap().to_owned(), switches)
}

#[tokio::test]
async fn it_ignores_the_signals_of_an_orderly_shutdown() {
    let temp = Temp::new();
    let browser = temp.spawn_script("trap '' TERM HUP INT; while :; do sleep 1; done").await.unwrap();
    let guardian = nix::unistd::Pid::from_raw(guardian(temp.path()).pid);
    for signal in ["TERM", "HUP", "INT"] {
        nix::sys::signal::kill(guardian, format!("SIG{signal}").parse::<nix::sys::signal::Signal>().unwrap())
            .unwrap();
    }
    drop(browser);
    tokio::task::spawn_blocking(move || until_nothing_left(&temp, crate::traces::LONG)).await.unwrap();
}
