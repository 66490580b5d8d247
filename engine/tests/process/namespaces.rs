//! Hosts in namespaces of their own: the first process of a container, and a temporary folder that is full.
//!
//! Namespaces want root or the right of every user to make them.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::process::sweep;
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, close};

use crate::killed_host::{ADOPTS, FOLDER, LAUNCHES, ROLE, SEED, asked, at_once, random, seed, words};
use crate::temp::Temp;
use crate::traces::{TWO_SECONDS, assert_nothing_left, processes};

/// A command that runs what follows in such namespaces.
pub(crate) fn unshared(switches: &[&str]) -> Command {
    let with = |user: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(user).args(switches).stdin(Stdio::null());
        command
    };
    let allowed = [&[][..], &["--user", "--map-root-user"]].into_iter().find_map(|user| {
        let mut probe = with(user);
        let works = probe.arg("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
        works.is_ok_and(|status| status.success()).then(|| with(user))
    });
    allowed.unwrap_or_else(|| {
        panic!("no `unshare {switches:?}` here: run this test as root, or let users make namespaces")
    })
}

/// A host that is process 1 of its namespace, as that of a container. It ends with the namespace.
fn first_process(temp: &Temp) -> Command {
    let mut command = unshared(&["--pid", "--fork", "--mount-proc", "--kill-child"]);
    command
        .args(words())
        .env(FOLDER, temp.path())
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The host closes browsers, counts its zombies after each close, and ends.
fn close_in_namespace() {
    let temp = Temp::new();
    let mut host = first_process(&temp);
    let output = host.env(ROLE, ADOPTS).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_nothing_left(&temp);
}

/// With its first process the whole namespace dies, guardian included. Its files are for the sweep of the next launch. Says
/// whether it died at the one instant at which its folder has no lock yet, or no more: that one holds next to nothing, and
/// can't be told from one in the making until it has become old.
fn kill_in_namespace(delay: Duration) -> bool {
    let temp = Temp::new();
    let mut host = first_process(&temp).spawn().unwrap();
    thread::sleep(delay);
    killpg(Pid::from_raw(host.id() as i32), Signal::SIGKILL).unwrap();
    host.wait().unwrap();
    let killed = Instant::now();
    while !processes(temp.path()).is_empty() {
        assert!(killed.elapsed() < TWO_SECONDS, "left: {:#?}", processes(temp.path()));
        thread::sleep(Duration::from_millis(5));
    }
    sweep(temp.path());
    let left = temp.entries();
    assert!(left.iter().all(|name| !temp.path().join(name).join("lock").exists()), "left: {left:?}");
    for name in &left {
        let folder = temp.path().join(name);
        let entries: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(entries.iter().all(|entry| entry == "lock.new" || entry == "browser"), "left: {entries:?}");
        fs::remove_dir_all(folder).unwrap();
    }
    !left.is_empty()
}

#[test]
fn a_host_that_is_the_first_process_has_no_zombies_and_leaves_nothing() {
    let (closing, killed) = asked().map_or((1, 2), |times| (times.div_ceil(4), times.div_ceil(20)));
    let seed = seed();
    eprintln!("{SEED}={seed}");
    let unlocked = at_once(closing + killed, |number| match number.checked_sub(closing) {
        None => {
            close_in_namespace();
            false
        }
        Some(number) => kill_in_namespace(Duration::from_micros(random(seed, number) % 2_000_000)),
    });
    println!(
        "chaos: seed {seed}, {closing} hosts as process 1: 0 zombies after each of {} closes, 0 processes and 0 paths \
         left; {killed} more killed with their namespace: 0 processes, 0 paths after a sweep \
         but for {} that had no lock",
        closing * 2,
        unlocked.into_iter().filter(|unlocked| *unlocked).count()
    );
}

/// Launches with a temporary folder that is a file system of its own, mounted like this; `script` runs before. Gives what
/// the host said.
fn launch_mounted(temp: &Temp, mount: &str, script: &str) -> Output {
    let mut command = unshared(&["--mount"]);
    let prepare = format!("mount -t tmpfs -o \"$1\" none \"$0\" && {{ {script}; }} && shift && exec \"$@\"");
    command.args(["sh", "-c", &prepare]).arg(temp.path()).arg(mount).args(words());
    command.env(FOLDER, temp.path()).env(ROLE, LAUNCHES).output().unwrap()
}

fn check_failure(temp: &Temp, output: &Output, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
    let (_, left) = text.rsplit_once("left: ").unwrap();
    assert!(!left.contains("engine-"), "{text}");
    assert_nothing_left(temp);
}

#[test]
fn a_temporary_folder_that_is_full_or_read_only_is_named_with_a_remedy() {
    let temp = Temp::new();
    let folder = temp.path().to_str().unwrap();
    for (mount, script, words) in [
        ("ro", "true", &[folder, "Read-only file system", "make the folder it lies in writable"][..]),
        ("nr_inodes=5", "true", &[folder, "No space left on device", "make room"]),
        ("size=4k", "printf full >\"$0/full\"", &["the disk is full", "make room", "Launcher::temp_dir"]),
    ] {
        check_failure(&temp, &launch_mounted(&temp, mount, script), words);
    }
}

#[test]
fn a_limit_on_files_is_named_with_a_remedy() {
    let null = fs::File::open("/dev/null").unwrap();
    let inherited = fcntl(&null, FcntlArg::F_DUPFD(200)).unwrap();
    assert!(inherited >= 200, "{inherited}");
    for (limit, words) in [
        ("ulimit -f 0", &["SIGXFSZ", "ulimit -f"][..]),
        // The runtime of the host takes most of them.
        ("ulimit -n 12", &["Too many open files", "ulimit -n"]),
        // Lower than the number of a file that is open: enough for the host, and too few for Chromium, which dies of it in
        // many ways.
        ("ulimit -n 40", &["ended before it was ready"]),
    ] {
        let temp = Temp::new();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{limit}; exec \"$@\""), "sh"]).args(self::words());
        command.env(FOLDER, temp.path()).env(ROLE, LAUNCHES).stdout(Stdio::null());
        check_failure(&temp, &command.output().unwrap(), words);
    }
    close(inherited).unwrap();
}
