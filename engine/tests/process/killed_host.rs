//! A host that is killed at any instant, alone or with its whole process group, leaves no process and no path behind
//! two seconds later.
//!
//! The host is this test binary, run again with one test and with `ENGINE_TEST_HOST` naming a folder; that test
//! then goes on launching and closing browsers in that folder until it is killed, or does what `ENGINE_TEST_ROLE` says.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::process::{CloseTimings, Launcher, spawn};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getppid};

use crate::temp::Temp;
use crate::traces::{
    LONG, Process, TWO_SECONDS, assert_nothing_left, process, processes, until_nothing_left, zombies_of,
};
use crate::wire::{Wire, ready};

pub(crate) const FOLDER: &str = "ENGINE_TEST_HOST";
/// What the host does in place of launching and closing for ever: one of the two below.
pub(crate) const ROLE: &str = "ENGINE_TEST_ROLE";
/// It becomes the parent of orphans, and counts its zombies after each close.
pub(crate) const ADOPTS: &str = "adopts";
/// It launches once, and prints why that failed and what it finds in the folder then.
pub(crate) const LAUNCHES: &str = "launches";
/// How many hosts are killed. When it is set, each must leave nothing after two seconds sharp; else the machine may
/// be busy with other things and gets longer.
const TIMES: &str = "ENGINE_TEST_KILLS";
/// Chooses ways and instants; as printed by a run that is to be repeated.
pub(crate) const SEED: &str = "ENGINE_TEST_SEED";
const HOST: &str = "launch::a_browser_answers_on_its_pipe_and_closes_when_asked";

/// The folder to work in, if this process is to play the host.
pub(crate) fn folder() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// The profile that a host keeps, if this folder exists: beside the one in which nothing may be left.
fn kept_profile(folder: &Path) -> PathBuf {
    folder.with_extension("profile")
}

/// Where a host notes how far it is, one letter after another: beside the folder in which nothing may be left.
fn notes(folder: &Path) -> PathBuf {
    folder.with_extension("notes")
}

/// Plays a host until it is killed, or its role is played.
pub(crate) async fn play(folder: &Path) {
    let kept = kept_profile(folder);
    let launcher = Launcher::new().temp_dir(folder);
    let launcher = if kept.exists() { launcher.user_data_dir(kept) } else { launcher };
    match env::var(ROLE).ok().as_deref() {
        None => {}
        Some(ADOPTS) => {
            adopt(&launcher).await;
            std::process::exit(0);
        }
        Some(LAUNCHES) => {
            let launched = match spawn(launcher.options()).await {
                Ok(browser) => {
                    let mut wire = Wire::of(&browser);
                    browser.until_ready(wire.call("Browser.getVersion")).await.map(drop)
                }
                Err(error) => Err(error),
            };
            let error = launched.expect_err("the launch fails");
            let entries: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            eprintln!("{error}\nleft: {entries:?}");
            std::process::exit(0);
        }
        Some(other) => panic!("{other} is no role"),
    }
    let mut notes = OpenOptions::new().create(true).append(true).open(notes(folder)).unwrap();
    let mut note = |letter: &str| notes.write_all(letter.as_bytes()).unwrap();
    // Not for ever: who was to kill it may be killed first.
    let parent = getppid();
    while getppid() == parent {
        note("l");
        let browser = spawn(launcher.options()).await.unwrap();
        let mut wire = ready(&browser).await;
        note("r");
        wire.call_with("Target.createTarget", r#"{"url":"data:text/html,a page"}"#).await.unwrap();
        note("c");
        browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
        note("d");
        // A host has other things to do too: an instant after a close is one to be killed at.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a host was doing when it was killed, by the last letter it noted.
fn phase(folder: &Path) -> &'static str {
    let noted = fs::read(notes(folder)).unwrap_or_default();
    match noted.last() {
        None => "before a launch",
        Some(b'l') => "launching",
        Some(b'r') => "with a browser",
        Some(b'c') => "closing",
        _ => "after a close",
    }
}

/// Starts a host in a process group of its own.
pub(crate) fn start(temp: &Temp) -> Child {
    command(temp).spawn().unwrap()
}

/// The words that start a host.
pub(crate) fn words() -> Vec<OsString> {
    let mut words = vec![env::current_exe().unwrap().into_os_string()];
    words.extend(["--exact", HOST, "--nocapture", "--test-threads=1"].map(OsString::from));
    words
}

fn command(temp: &Temp) -> Command {
    let words = words();
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
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

#[derive(Debug, Clone, Copy, PartialEq)]
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

impl Way {
    /// A third each: alone, with its group, with the browser stopped.
    fn of(number: usize) -> Way {
        match number % 3 {
            0 => Way::Process,
            1 => Way::Group,
            _ if (number / 3).is_multiple_of(4) => Way::StoppedAtBirth,
            _ => Way::BrowserStopped,
        }
    }
}

/// One host that was killed and left nothing.
struct Killed {
    way: Way,
    delay: Duration,
    phase: &'static str,
    /// Whether there was a browser to stop.
    stopped: bool,
    /// The time until nothing was left.
    took: Duration,
}

fn stop_browser(temp: &Temp, host: Pid) -> bool {
    stop(temp, |found| found.command.contains("chrom") && found.pid != host.as_raw())
}

/// Stops these processes as soon as there are some, and says whether there were; between two browsers there are none.
fn stop(temp: &Temp, is_one: impl Fn(&Process) -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        let mut found = processes(temp.path());
        found.retain(&is_one);
        // One may be further by now, or gone.
        if found.iter().filter(|found| kill(Pid::from_raw(found.pid), Signal::SIGSTOP).is_ok()).count() > 0 {
            return true;
        }
    }
    false
}

/// Starts a host, kills it after `delay`, and sees that nothing is left.
fn kill_after(delay: Duration, way: Way, limit: Duration) -> Killed {
    let temp = Temp::new();
    if let Way::BrowserStopped = way {
        fs::create_dir(kept_profile(temp.path())).unwrap();
    }
    let mut host = start(&temp);
    let pid = Pid::from_raw(host.id() as i32);
    thread::sleep(delay);
    let stopped = match way {
        Way::Process | Way::Group => false,
        // The instant is short. Missed for a while, the browser is stopped as it is.
        Way::StoppedAtBirth => {
            stop(&temp, |found| found.command.starts_with("sh -c # Leaves")) || stop_browser(&temp, pid)
        }
        Way::BrowserStopped => stop_browser(&temp, pid),
    };
    match way {
        Way::Group => killpg(pid, Signal::SIGKILL).unwrap(),
        _ => kill(pid, Signal::SIGKILL).unwrap(),
    }
    host.wait().unwrap();
    let took = until_nothing_left(&temp, limit);
    // On a machine that is busy a single look can take long.
    let load = || fs::read_to_string("/proc/loadavg").unwrap_or_default();
    assert!(
        took <= limit,
        "nothing was left, but only after {took:?} ({way:?}); the machine's load: {}",
        load()
    );
    // Nothing may come later either: look again when the time is over.
    thread::sleep(TWO_SECONDS.saturating_sub(took));
    assert_nothing_left(&temp);
    Killed { way, delay, phase: phase(temp.path()), stopped, took }
}

/// How many hosts are to be killed, if that was asked for.
pub(crate) fn asked() -> Option<usize> {
    env::var(TIMES).ok().map(|times| times.parse().unwrap())
}

/// The seed of a run, and random numbers that follow from it alone, whichever thread asks.
pub(crate) fn seed() -> u64 {
    env::var(SEED).map_or_else(|_| RandomState::new().hash_one(0) >> 32, |seed| seed.parse().unwrap())
}

/// Spreads seed and number over all bits (the finaliser of splitmix64).
pub(crate) fn random(seed: u64, number: usize) -> u64 {
    let mut mixed = seed.wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Does the work of each number below `times`, three at once: waiting is most of it, and more would make the machine the
/// thing tested.
pub(crate) fn at_once<T: Send>(times: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= times {
                        break;
                    }
                    let one = work(number);
                    done.lock().unwrap().push(one);
                }
            });
        }
    });
    let done = done.into_inner().unwrap();
    assert_eq!(done.len(), times);
    done
}

#[test]
fn a_host_killed_at_any_instant_leaves_nothing() {
    let (times, limit) = asked().map_or((12, LONG), |times| (times, TWO_SECONDS));
    let seed = seed();
    // For whoever has to repeat a run that fails.
    eprintln!("{SEED}={seed}");
    let mut killed = at_once(times, |number| {
        // A third of them fall into the first instants, where the order of things matters most.
        let span = if (number / 3).is_multiple_of(3) { 120_000 } else { 3_000_000 };
        kill_after(Duration::from_micros(random(seed, number) % span), Way::of(number), limit)
    });
    killed.sort_by_key(|one| one.took);
    let mut phases = BTreeMap::new();
    killed.iter().for_each(|one| *phases.entry(one.phase).or_insert(0) += 1);
    let count = |is: &dyn Fn(&Killed) -> bool| killed.iter().filter(|one| is(one)).count();
    let (median, slowest) = (&killed[times / 2], &killed[times - 1]);
    println!(
        "chaos: seed {seed}, {times} hosts killed, {} with their group, {} with the browser stopped; {phases:?}; 0 \
         processes and 0 paths left after {:?} (median), {:?} (slowest: {:?} after {:?})",
        count(&|one| one.way == Way::Group),
        count(&|one| one.stopped),
        median.took,
        slowest.took,
        slowest.way,
        slowest.delay,
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
        fs::read_to_string(&noted).ok().and_then(|text| text.trim().parse().ok())
    });
    host.kill().unwrap();
    host.wait().unwrap();
    until_nothing_left(&temp, LONG);
    fs::remove_file(noted).unwrap();
    assert!(process(member).is_none_or(|process| process.state == "Z"), "{:?}", process(member));
}

/// A host that adopts orphans launches and closes a browser and must have no zombie then.
async fn adopt(launcher: &Launcher) {
    if std::process::id() != 1 {
        nix::sys::prctl::set_child_subreaper(true).unwrap();
    }
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
    let output = command(&temp).env(ROLE, ADOPTS).stderr(Stdio::piped()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert_nothing_left(&temp);
}
