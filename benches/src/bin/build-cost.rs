//! What a clean build of `cdp-protocol` alone costs: CPU seconds, wall time and peak memory of the compiler.
//! The dependencies are built before the clock starts. Nothing else of the project is measured here.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use nix::sys::resource::{UsageWho, getrusage};

const PACKAGE: &str = "cdp-protocol";
const MODES: [(&str, &[&str]); 3] =
    [("debug", &["build"]), ("check", &["check"]), ("release", &["build", "--release"])];

/// Above this many cores used by others the figures say more about them than about the build.
const FOREIGN_LIMIT: f64 = 0.5;

/// First argument of the process that measures: the kernel's figures cover all children a process ever had, so the
/// build that counts runs below a process of its own.
const MEASURED: &str = "--measured";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some(MEASURED) => match arguments.get(1..) {
            Some([mode, target]) => {
                arguments_of(mode).and_then(|flags| measure(mode, flags, Path::new(target)))
            }
            _ => Err(format!("{MEASURED} is this program's own")),
        },
        _ => {
            if arguments.is_empty() {
                arguments.push("debug".into());
            }
            if let Some(problem) = arguments.iter().find_map(|mode| arguments_of(mode).err()) {
                eprintln!("build-cost: {problem}");
                return ExitCode::from(2);
            }
            arguments.iter().try_for_each(|mode| prepare(mode))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("build-cost: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn arguments_of(mode: &str) -> Result<&'static [&'static str], String> {
    MODES
        .iter()
        .find_map(|(name, arguments)| (*name == mode).then_some(*arguments))
        .ok_or_else(|| format!("unknown mode '{mode}': there are debug, check and release"))
}

/// Builds everything, takes the package itself away again and has the rest measured.
fn prepare(mode: &str) -> Result<(), String> {
    let target = Scratch::new()?;
    eprintln!("build-cost: building the dependencies of {PACKAGE} ({mode})");
    run(cargo(arguments_of(mode)?, &target.0).arg("--quiet"))?;
    let clean: &[&str] = if mode == "release" { &["clean", "--release"] } else { &["clean"] };
    run(cargo(clean, &target.0).arg("--quiet"))?;
    let own = std::env::current_exe().map_err(|problem| format!("this program's path: {problem}"))?;
    run(Command::new(own).args([MEASURED, mode]).arg(&target.0))
}

fn measure(mode: &str, arguments: &[&str], target: &Path) -> Result<(), String> {
    let (busy, start) = (busy_seconds(), Instant::now());
    let output = cargo(arguments, target)
        .stdout(Stdio::null())
        .output()
        .map_err(|problem| format!("cargo can't be started: {problem}"))?;
    let wall = start.elapsed().as_secs_f64();
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the measured build failed:\n{log}"));
    }
    let compiled: Vec<&str> = log
        .lines()
        .filter_map(|line| {
            line.trim_start().strip_prefix("Compiling ").or(line.trim_start().strip_prefix("Checking "))
        })
        .collect();
    if compiled.len() != 1 || !compiled.iter().all(|name| name.starts_with(PACKAGE)) {
        return Err(format!("the measured build should have compiled {PACKAGE} alone, not {compiled:?}"));
    }

    let Usage { user, system, peak_mib } = Usage::of_children()?;
    let foreign = match (busy, busy_seconds()) {
        (Some(before), Some(after)) => Some(((after - before - user - system) / wall).max(0.0)),
        _ => None,
    };
    let figures = Figures { mode, user, system, wall, peak_mib, foreign };
    println!("{}", figures.line());
    figures.append(&root().join("target/bench/build.jsonl"))
}

/// The project's folder. `cargo run` names it at run time; what was compiled in may be of another checkout that
/// shares the target directory.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()).join("..")
}

/// A cargo command for the package, without the caller's settings, which must not leak into the figures.
fn cargo(arguments: &[&str], target: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()).args(arguments).args(["-p", PACKAGE, "--target-dir"]).arg(target);
    cargo.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS").env("CARGO_INCREMENTAL", "0");
    cargo
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(problem) => Err(format!("{command:?}: {problem}")),
    }
}

struct Figures<'a> {
    mode: &'a str,
    user: f64,
    system: f64,
    wall: f64,
    peak_mib: f64,
    foreign: Option<f64>,
}

impl Figures<'_> {
    fn line(&self) -> String {
        let Figures { mode, user, system, wall, peak_mib, foreign } = self;
        let mut line = format!(
            "{PACKAGE}, clean {mode} build, dependencies ready: {:.1} s of CPU ({user:.1} user, {system:.1} system), \
             {wall:.1} s of wall time, largest compiler process {peak_mib:.0} MiB",
            user + system,
        );
        match foreign {
            Some(cores) if *cores > FOREIGN_LIMIT => {
                line +=
                    &format!("; others used {cores:.1} cores meanwhile, so measure again on a quiet machine");
            }
            Some(cores) => line += &format!("; others used {cores:.1} cores meanwhile"),
            None => {}
        }
        line
    }

    fn append(&self, file: &Path) -> Result<(), String> {
        let Figures { mode, user, system, wall, peak_mib, foreign } = self;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let foreign = foreign.map_or("null".to_owned(), |cores| format!("{cores:.2}"));
        let line = format!(
            "{{\"time\":{time},\"package\":\"{PACKAGE}\",\"mode\":\"{mode}\",\"cpu_s\":{:.2},\"user_s\":{user:.2},\
             \"system_s\":{system:.2},\"wall_s\":{wall:.2},\"peak_mib\":{peak_mib:.0},\"foreign_cores\":{foreign}}}\n",
            user + system,
        );
        let write = || {
            fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
            fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
        };
        write().map_err(|problem| format!("{}: {problem}", file.display()))
    }
}

/// What finished children used so far; `peak_mib` is the largest single process among them.
struct Usage {
    user: f64,
    system: f64,
    peak_mib: f64,
}

impl Usage {
    fn of_children() -> Result<Usage, String> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("getrusage: {e}"))?;
        let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        // The unit is KiB on Linux and bytes on macOS.
        let per_mib = if cfg!(target_os = "macos") { 1024.0 * 1024.0 } else { 1024.0 };
        Ok(Usage {
            user: seconds(usage.user_time()),
            system: seconds(usage.system_time()),
            peak_mib: usage.max_rss() as f64 / per_mib,
        })
    }
}

/// CPU seconds that all processes of the machine have used, where the system tells (Linux).
fn busy_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).map(|v| v.parse().unwrap_or(0.0)).collect();
    let total: f64 = ticks.iter().take(8).sum();
    Some((total - ticks.get(3)? - ticks.get(4)?) / 100.0)
}

/// A target directory of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let path = root().join(format!("target/bench/build-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|problem| format!("{}: {problem}", path.display()))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
