//! A host that is killed at any instant, alone or with its whole process group, leaves no process and no path behind
//! two seconds later.
//!
//! The host is this test binary, run again with one test and with `ENGINE_TEST_HOST` naming a folder; that test
//! then goes on launching and closing browsers in that folder until it is killed.

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::process::{CloseTimings, Launcher, spawn};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::temp::Temp;
use crate::traces::{
    LONG, TWO_SECONDS, assert_nothing_left, process, processes, until_nothing_left, zombies_of,
};
use crate::wire::ready;

const FOLDER: &str = "ENGINE_TEST_HOST";
/// How many hosts are killed. When it is set, each must leave nothing after two seconds sharp; else the machine may
/// be busy with other things and gets longer.
const TIMES: &str = "ENGINE_TEST_KILLS";
const HOST: &str = "launch::a_browser_answers_on_its_pipe_and_closes_when_asked";

/// The folder to work in, if this process is to play the host.
pub(crate) fn folder() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// The profile that a host keeps, if this folder exists: beside the one in which nothing may be left.
fn kept_profile(folder: &Path) -> PathBuf {
    folder.with_extension("profile")
}

/// Plays a host until it is killed.
pub(crate) async fn play(folder: &Path) {
    let kept = kept_profile(folder);
    let launcher = Launcher::new().temp_dir(folder);
    let launcher = if kept.exists() { launcher.user_data_dir(kept) } else { launcher };
    if folder.join("adopts-orphans").exists() {
        nix::sys::prctl::set_child_subreaper(true).unwrap();
        adopt(&launcher).await;
        std::process::exit(0);
    }
    loop {
        let browser = spawn(launcher.options()).await.unwrap();
        let mut wire = ready(&browser).await;
        browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
    }
}

/// Starts a host in a process group of its own.
pub(crate) fn start(temp: &Temp) -> Child {
    command(temp).spawn().unwrap()
}

fn command(temp: &Temp) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", HOST, "--nocapture", "--test-threads=1"])
        .env(FOLDER, temp.path())
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Looks until a host shows something. One that has ended, or takes too long, fails the test and stays no longer.
pub(crate) fn until<T>(host: &mut Child, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        let ended = host.try_wait().unwrap();
        if ended.is_some() || began.elapsed() > LONG {
            // An error: it has ended.
            let _ = host.kill();
            host.wait().unwrap();
            panic!("{what}: not there after {:?}; the host's end: {ended:?}", began.elapsed());
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[derive(Debug, Clone, Copy)]
enum Way {
    /// The host's process alone.
    Process,
    /// Everything in the host's process group.
    Group,
    /// The host's process, with the browser stopped. Its profile is a kept one, so that some of its processes mention
    /// the scratch folder nowhere.
    BrowserStopped,
    /// The host's process, with the browser stopped as early as we can see it: before it is a browser.
    StoppedAtBirth,
}

/// Starts a host, kills it after `delay`, and returns the time until nothing was left.
fn kill_after(delay: Duration, way: Way, limit: Duration) -> Duration {
    let temp = Temp::new();
    if let Way::BrowserStopped = way {
        std::fs::create_dir(kept_profile(temp.path())).unwrap();
    }
    let mut host = start(&temp);
    let pid = Pid::from_raw(host.id() as i32);
    thread::sleep(delay);
    match way {
        Way::StoppedAtBirth => {
            // The instant is short. Missed for a while, this is one more random instant.
            let until = Instant::now() + Duration::from_secs(2);
            while Instant::now() < until {
                let found = processes(temp.path());
                if let Some(born) = found.iter().find(|found| found.command.starts_with("sh -c # Leaves")) {
                    // It may be further by now, or gone.
                    let _ = kill(Pid::from_raw(born.pid), Signal::SIGSTOP);
                    break;
                }
            }
            kill(pid, Signal::SIGKILL).unwrap();
        }
        Way::Process => kill(pid, Signal::SIGKILL).unwrap(),
        Way::Group => killpg(pid, Signal::SIGKILL).unwrap(),
        Way::BrowserStopped => {
            let started = processes(temp.path());
            for found in
                started.iter().filter(|found| found.command.contains("chrom") && found.pid != pid.as_raw())
            {
                // It may have ended meanwhile.
                let _ = kill(Pid::from_raw(found.pid), Signal::SIGSTOP);
            }
            kill(pid, Signal::SIGKILL).unwrap();
        }
    }
    host.wait().unwrap();
    let took = until_nothing_left(&temp, limit);
    // Nothing may come later either: look again when the time is over.
    thread::sleep(TWO_SECONDS.saturating_sub(took));
    assert_nothing_left(&temp);
    took
}

#[test]
fn a_host_killed_at_any_instant_leaves_nothing() {
    let asked: Option<usize> = env::var(TIMES).ok().map(|times| times.parse().unwrap());
    let (times, limit) = asked.map_or((20, LONG), |times| (times, TWO_SECONDS));
    let next = AtomicUsize::new(0);
    let took = Mutex::new(Vec::new());
    let seed = RandomState::new();
    // Waiting is most of it, so that several go at once; more would make the machine the thing tested.
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= times {
                        break;
                    }
                    let random = seed.hash_one(number);
                    // Half of them fall into the first instants, where the order of things matters most.
                    let span = if number.is_multiple_of(2) { 120_000 } else { 1_500_000 };
                    let delay = Duration::from_micros(random % span);
                    let way =
                        [Way::Process, Way::Group, Way::BrowserStopped, Way::StoppedAtBirth][number / 2 % 4];
                    let one = kill_after(delay, way, limit);
                    took.lock().unwrap().push((one, delay, way));
                }
            });
        }
    });
    let mut took = took.into_inner().unwrap();
    assert_eq!(took.len(), times);
    took.sort_by_key(|(one, ..)| *one);
    let (slowest, delay, way) = took[times - 1];
    println!(
        "{times} hosts killed; median {:?}, slowest {slowest:?} ({way:?} after {delay:?})",
        took[times / 2].0
    );
}

#[test]
fn a_member_of_the_group_that_names_nothing_goes_with_its_host() {
    let temp = Temp::new();
    // As the helpers of a kept profile: neither their command line nor their environment knows the scratch folder.
    let script = temp
        .script("env -i /bin/sh -c 'trap \"\" HUP; echo $$ >\"$1\"; exec sleep 1000' sh \"$0.pid\" & wait");
    let noted = script.with_extension("sh.pid");
    let mut host = command(&temp).env("CDP_BROWSER", &script).spawn().unwrap();
    let member = until(&mut host, "the member's number", || {
        std::fs::read_to_string(&noted).ok().and_then(|text| text.trim().parse().ok())
    });
    host.kill().unwrap();
    host.wait().unwrap();
    until_nothing_left(&temp, LONG);
    std::fs::remove_file(noted).unwrap();
    assert!(process(member).is_none_or(|process| process.state == "Z"), "{:?}", process(member));
}

/// A host that adopts orphans launches and closes a browser and must have no zombie then.
async fn adopt(launcher: &Launcher) {
    for ask in [true, false] {
        let browser = spawn(launcher.options()).await.unwrap();
        let mut wire = ready(&browser).await;
        let timings = if ask { CloseTimings::default() } else { CloseTimings::at_once() };
        let closed = browser.close(async move { wire.call("Browser.close").await }, timings).await;
        let zombies = zombies_of(std::process::id());
        if !zombies.is_empty() || !closed.left.is_empty() {
            eprintln!("asked: {ask}; {closed}; {zombies:#?}");
            std::process::exit(1);
        }
    }
}

#[test]
fn a_host_that_adopts_orphans_has_no_zombies_after_a_close() {
    let temp = Temp::new();
    std::fs::write(temp.path().join("adopts-orphans"), "").unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", HOST, "--nocapture", "--test-threads=1"])
        .env(FOLDER, temp.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(process(std::process::id() as i32).is_some());
    assert_eq!(temp.entries(), ["adopts-orphans"]);
}
