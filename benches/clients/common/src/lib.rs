//! What the measured clients share: arguments, the meter of the timed section, and the one line of figures.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::str::FromStr;
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
pub use serde_json::{Value, json};
pub use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// The session of the mock server's messages, where they have only one.
pub const MOCK_SESSION: &str = "8F3C1A52D7E64B09A1C2E3F400000000";

/// `client SCENARIO ENDPOINT [key=value …]`
pub struct Arguments {
    pub scenario: String,
    /// `ws://…`, or `pipe` when the browser reads what is written to descriptor 3 and writes what is read from 4.
    pub endpoint: String,
    values: HashMap<String, String>,
}

impl Arguments {
    /// Reads the command line.
    ///
    /// # Panics
    ///
    /// When it is none of the above.
    pub fn read() -> Arguments {
        let mut words = std::env::args().skip(1);
        let (Some(scenario), Some(endpoint)) = (words.next(), words.next()) else {
            panic!("usage: client SCENARIO ENDPOINT [key=value …]");
        };
        let pairs = words.map(|word| {
            let (key, value) = word.split_once('=').expect("arguments are key=value");
            (key.to_owned(), value.to_owned())
        });
        Arguments { scenario, endpoint, values: pairs.collect() }
    }

    pub fn text(&self, key: &str) -> &str {
        self.values.get(key).unwrap_or_else(|| panic!("argument {key}=… is missing"))
    }

    pub fn is(&self, key: &str, value: &str) -> bool {
        self.values.get(key).is_some_and(|given| given == value)
    }

    pub fn number<T: FromStr<Err: Display>>(&self, key: &str) -> T {
        self.text(key).parse().unwrap_or_else(|problem| panic!("argument {key}=…: {problem}"))
    }
}

/// Clocks and memory of a timed section.
pub struct Meter {
    start: Instant,
    cpu: (f64, f64),
    resident: u64,
}

impl Meter {
    /// Forgets the highest use of memory so far and starts the clocks.
    pub fn start() -> Meter {
        // 5 sets the mark of the highest resident size back to the present one (man 5 proc).
        let _ = fs::write("/proc/self/clear_refs", "5");
        Meter { resident: status_kb("VmRSS:"), cpu: cpu(), start: Instant::now() }
    }

    pub fn stop(&self) -> Value {
        let wall = self.start.elapsed().as_secs_f64();
        let (user, system) = cpu();
        let (user, system) = (user - self.cpu.0, system - self.cpu.1);
        json!({
            "wall_s": wall,
            "user_s": user,
            "sys_s": system,
            "cpu_s": user + system,
            "rss0_kb": self.resident,
            "peak_kb": status_kb("VmHWM:"),
        })
    }
}

/// User and system seconds of this process.
fn cpu() -> (f64, f64) {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system tells what a process used");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    (seconds(usage.user_time()), seconds(usage.system_time()))
}

fn status_kb(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Median and 99th percentile of durations in nanoseconds.
pub fn percentiles(nanoseconds: &mut [u64]) -> Value {
    nanoseconds.sort_unstable();
    let at = |share: f64| {
        let index = (nanoseconds.len().saturating_sub(1) as f64 * share).round() as usize;
        nanoseconds.get(index).map_or(0.0, |time| *time as f64 / 1e3)
    };
    json!({ "p50_us": at(0.5), "p99_us": at(0.99) })
}

/// Prints the figures of `n` operations, all objects joined into one line.
pub fn emit(n: usize, figures: &[Value]) {
    let mut line = serde_json::Map::new();
    line.insert("n".into(), json!(n));
    for figures in figures {
        line.extend(figures.as_object().expect("figures are an object").clone());
    }
    println!("{}", Value::Object(line));
}

/// The answer to a scenario that the client does not know.
pub fn unsupported() {
    println!("{}", json!({ "unsupported": true }));
}

/// Allocations and their bytes so far, where [`INSTRUMENTED_SYSTEM`] is the allocator.
pub fn allocations() -> Value {
    let stats = INSTRUMENTED_SYSTEM.stats();
    json!({
        "allocs": stats.allocations + stats.reallocations,
        "alloc_bytes": stats.bytes_allocated,
    })
}

/// What was added to counts since `before`.
pub fn since(before: &Value, after: &Value) -> Value {
    let count = |value: &Value, key: &str| value[key].as_u64().unwrap_or(0);
    let keys = after.as_object().expect("counts are an object").keys();
    keys.map(|key| (key.clone(), json!(count(after, key) - count(before, key))))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
