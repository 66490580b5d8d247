//! The sweep removes what dead owners left and touches nothing else.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use engine::process::{CloseTimings, sweep};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::killed_host;
use crate::temp::Temp;
use crate::traces::{Process, assert_nothing_left, processes};
use crate::wire::ready;

/// A scratch folder as a dead owner leaves it.
fn abandoned(temp: &Temp, name: &str) -> PathBuf {
    let folder = temp.path().join(name);
    fs::create_dir_all(folder.join("profile/Default")).unwrap();
    fs::write(folder.join("profile/Default/Cookies"), "x").unwrap();
    fs::write(folder.join("lock"), "").unwrap();
    folder
}

fn make_old(path: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    File::open(path).unwrap().set_modified(long_ago).unwrap();
}

#[tokio::test]
async fn a_dead_owners_browser_goes_and_a_live_owners_stays() {
    let temp = Temp::new();
    // An owner that dies together with its guardian, with the browser stopped: nobody is left to clean up.
    let mut host = killed_host::start(&temp);
    let launched = killed_host::until(&mut host, "a browser with a zygote", || {
        let found = processes(temp.path());
        found.iter().any(|process| process.command.contains("--type=zygote")).then_some(found)
    });
    let stop = |process: &Process| kill(Pid::from_raw(process.pid), Signal::SIGSTOP);
    let is_guardian = |process: &&Process| process.command.contains("engine-guardian");
    let guardian = launched.iter().find(is_guardian).unwrap();
    stop(guardian).unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    processes(temp.path())
        .iter()
        .filter(|process| !is_guardian(process))
        .for_each(|process| _ = stop(process));
    kill(Pid::from_raw(guardian.pid), Signal::SIGKILL).unwrap();
    let dead = temp.entries();
    assert_eq!(dead.len(), 1);

    let live = Temp::new();
    let browser = live.spawn().await;
    let mut wire = ready(&browser).await;
    fs::rename(temp.path().join(&dead[0]), live.path().join(&dead[0]))
        .unwrap_or_else(|error| panic!("{error}"));
    fs::rename(live.path().join(&dead[0]), temp.path().join(&dead[0]))
        .unwrap_or_else(|error| panic!("{error}"));

    assert_eq!(sweep(temp.path()), [temp.path().join(&dead[0])]);
    assert_nothing_left(&temp);
    assert_eq!(sweep(live.path()), [] as [PathBuf; 0]);
    assert!(wire.call("Browser.getVersion").await.unwrap().contains("Chrom"));
    let closed = browser.close(async {}, CloseTimings::at_once()).await;
    assert!(closed.left.is_empty());
}

#[tokio::test]
async fn each_launch_sweeps_first() {
    let temp = Temp::new();
    let dead = abandoned(&temp, "engine-abcdefghijkl");
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    assert!(!dead.exists());
    assert!(browser.scratch().exists());
    browser.close(async {}, CloseTimings::at_once()).await;
    assert_nothing_left(&temp);
}

#[test]
fn several_sweeps_at_once_share_the_work() {
    let temp = Temp::new();
    let mut expected: Vec<PathBuf> = (0..100)
        .map(|number| {
            let digits = [number / 26, number % 26].map(|digit| char::from(b'a' + digit as u8));
            abandoned(&temp, &format!("engine-aaaaaaaaaa{}{}", digits[0], digits[1]))
        })
        .collect();
    let mut swept: Vec<PathBuf> = thread::scope(|scope| {
        let sweeps: Vec<_> = (0..4).map(|_| scope.spawn(|| sweep(temp.path()))).collect();
        sweeps.into_iter().flat_map(|sweep| sweep.join().unwrap()).collect()
    });
    swept.sort();
    expected.sort();
    assert_eq!(swept, expected, "each once");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn launches_and_sweeps_at_once_do_not_take_each_others_folders() {
    let temp = Temp::new();
    let folder = temp.path().to_owned();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let sweeper = thread::spawn(move || {
        let mut swept = Vec::new();
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            swept.extend(sweep(&folder));
        }
        swept
    });
    for _ in 0..40 {
        let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
        assert!(browser.scratch().join("lock").exists());
        let closed = browser.close(async {}, CloseTimings::at_once()).await;
        assert!(closed.left.is_empty(), "{closed}");
    }
    drop(stop);
    assert_eq!(sweeper.join().unwrap(), [] as [PathBuf; 0]);
    assert_nothing_left(&temp);
}

#[test]
fn nothing_else_is_touched() {
    let temp = Temp::new();
    let keep = |path: PathBuf| {
        fs::create_dir_all(path.join("profile")).unwrap();
        path
    };
    let other_name = keep(temp.path().join("engine-cache"));
    fs::write(other_name.join("lock"), "").unwrap();
    let young = keep(temp.path().join("engine-youngwithout"));
    let foreign = keep(temp.path().join("engine-foreignthing"));
    fs::write(foreign.join("thesis.txt"), "").unwrap();
    make_old(&foreign);
    let file = temp.path().join("engine-justonefile2");
    fs::write(&file, "").unwrap();
    let elsewhere = Temp::new();
    let target = abandoned(&elsewhere, "target");
    let link = temp.path().join("engine-linkedfolder");
    symlink(&target, &link).unwrap();
    let linked_lock = keep(temp.path().join("engine-linkedlockss"));
    symlink(target.join("lock"), linked_lock.join("lock")).unwrap();

    for kept in [&other_name, &young, &foreign, &file, &link, &linked_lock] {
        let name = kept.file_name().unwrap().to_str().unwrap();
        assert!(name == "engine-cache" || name.len() == "engine-".len() + 12, "{name}");
    }
    let old = keep(temp.path().join("engine-oldandempty2"));
    make_old(&old);
    assert_eq!(sweep(temp.path()), [old]);
    let linked_file = target.join("profile/Default/Cookies");
    for kept in [other_name, young, foreign, file, link, linked_lock, linked_file] {
        assert!(kept.symlink_metadata().is_ok(), "{} is gone", kept.display());
    }
}
