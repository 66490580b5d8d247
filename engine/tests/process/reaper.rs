//! A host that adopts orphans: no browser leaves it a zombie however it ends, and every child of the host's own keeps its
//! exit status.
//!
//! The host is this test binary, run again with one test and with `ENGINE_TEST_REAPER` naming a folder.

use std::env;
use std::fs;
use std::future::pending;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use engine::process::{CloseTimings, Launcher, spawn};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::namespaces::unshared;
use crate::temp::Temp;
use crate::traces::{LONG, processes, zombies_of};
use crate::wire::ready;

const FOLDER: &str = "ENGINE_TEST_REAPER";

#[test]
fn a_host_that_adopts_orphans_keeps_its_childrens_statuses_and_no_zombies() {
    if let Some(folder) = env::var_os(FOLDER) {
        play(Path::new(&folder));
        return;
    }
    let name = "reaper::a_host_that_adopts_orphans_keeps_its_childrens_statuses_and_no_zombies";
    // As a subreaper, and as the first process of a namespace.
    for first in [false, true] {
        let temp = Temp::new();
        let test = env::current_exe().unwrap();
        let mut command = if first {
            let mut command = unshared(&["--fork", "--pid", "--mount-proc"]);
            command.arg(test);
            command
        } else {
            Command::new(test)
        };
        let output = command
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(FOLDER, temp.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (told, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(
            output.status.success() && told.contains("1 passed"),
            "first process: {first}\n{told}{errors}"
        );
        assert!(temp.entries().is_empty(), "{:?}", temp.entries());
    }
}

/// A child of the host's own that has mostly ended long before anyone waits for it.
fn child(code: i32) -> Child {
    Command::new("/bin/sh").args(["-c", &format!("exit {code}")]).stdin(Stdio::null()).spawn().unwrap()
}

fn play(folder: &Path) {
    if own() != 1 {
        nix::sys::prctl::set_child_subreaper(true).unwrap();
    }
    let mut children: Vec<Child> = (1..=25).map(child).collect();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let launcher = Launcher::new().temp_dir(folder);
        for number in 0..6 {
            let browser = spawn(launcher.options()).await.unwrap();
            let mut wire = ready(&browser).await;
            // Its crash handlers have left its group, and would be the host's zombies.
            let helpers = processes(folder)
                .into_iter()
                .filter(|it| it.parent == own() && !it.command.contains("engine-guardian"));
            assert!(helpers.count() > 0, "nothing that could become a zombie");
            children.extend((26 + number * 4..30 + number * 4).map(child));
            match number % 3 {
                0 => {
                    kill(Pid::from_raw(browser.pid() as i32), Signal::SIGKILL).unwrap();
                    browser.exited().await;
                }
                1 => {}
                _ => drop(
                    browser
                        .close(async move { wire.call("Browser.close").await }, CloseTimings::default())
                        .await,
                ),
            }
        }
    });
    children.extend((50..=50).map(child));
    fail_launches(folder);
    assert_eq!(children.len(), 50);
    for (number, child) in children.iter_mut().enumerate() {
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(number as i32 + 1), "{status}");
    }
    let began = Instant::now();
    loop {
        let (zombies, living) = (zombies_of(std::process::id()), processes(folder));
        if zombies.is_empty() && living.is_empty() {
            break;
        }
        assert!(began.elapsed() < LONG, "{zombies:#?}\n{living:#?}");
        thread::sleep(std::time::Duration::from_millis(5));
    }
    println!("nothing left after {:?}", began.elapsed());
}

/// Browsers that end while they start, with helpers that may have lived for an instant only.
fn fail_launches(folder: &Path) {
    let profile = folder.join("in-use");
    fs::create_dir(&profile).unwrap();
    symlink("another-machine-4711", profile.join("SingletonLock")).unwrap();
    let launcher = Launcher::new().temp_dir(folder).user_data_dir(&profile);
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        for _ in 0..8 {
            let browser = spawn(launcher.options()).await.unwrap();
            let error = browser.until_ready(pending::<io::Result<()>>()).await.unwrap_err();
            assert!(error.to_string().contains("profile is in use"), "{error}");
        }
    });
    fs::remove_dir_all(profile).unwrap();
}

fn own() -> i32 {
    std::process::id() as i32
}
