//! What the machine and its processes do meanwhile, as far as `/proc` tells.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// The kernel's clock ticks a second, as it shows times in `/proc`.
const TICKS: f64 = 100.0;

/// A core's share in use below which the machine counts as quiet.
const QUIET: f64 = 0.35;

/// CPU seconds that all processes of the machine have used.
pub fn busy() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<f64> = line.split_whitespace().skip(1).map(|value| value.parse().unwrap_or(0.0)).collect();
    let idle: f64 = ticks.iter().skip(3).take(2).sum();
    (ticks.iter().take(8).sum::<f64>() - idle) / TICKS
}

/// CPU seconds of this process and of those of its children that have ended.
pub fn own() -> f64 {
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let used =
        |who| getrusage(who).map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()));
    used(UsageWho::RUSAGE_SELF) + used(UsageWho::RUSAGE_CHILDREN)
}

/// The live processes of a group: how many, and the CPU seconds of them and of their children that have ended.
pub fn group(id: i32) -> (usize, f64) {
    let (mut count, mut seconds) = (0, 0.0);
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(stat) = fs::read_to_string(process.path().join("stat")) else { continue };
        // The name in parentheses may hold blanks.
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let [state, _, group, ..] = fields[..] else { continue };
        if group.parse() == Ok(id) && state != "Z" {
            count += 1;
            let times = fields.iter().skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok());
            seconds += times.sum::<f64>() / TICKS;
        }
    }
    (count, seconds)
}

/// Waits until the machine is quiet, at most so long, and says so when that takes longer than a look.
pub fn wait_for_quiet(limit: Duration) {
    let start = Instant::now();
    let mut told = false;
    loop {
        let (before, since) = (busy(), Instant::now());
        thread::sleep(Duration::from_millis(400));
        let cores = (busy() - before) / since.elapsed().as_secs_f64();
        if cores < QUIET || start.elapsed() > limit {
            return;
        }
        if !told {
            eprintln!("peers: {cores:.1} cores are in use, waiting up to {} s for quiet", limit.as_secs());
            told = true;
        }
    }
}
