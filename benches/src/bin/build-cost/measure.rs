//! Builds one package with its dependencies ready and reads what that cost from the kernel's accounting.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

/// First argument of the process that measures: the kernel's figures cover all children a process ever had, so each
/// build runs below a process of its own.
pub const MEASURED: &str = "--measured";

#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Debug,
    Check,
    Release,
}

impl Mode {
    pub fn named(name: &str) -> Option<Mode> {
        [Mode::Debug, Mode::Check, Mode::Release].into_iter().find(|mode| mode.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Mode::Debug => "debug",
            Mode::Check => "check",
            Mode::Release => "release",
        }
    }

    fn build(self) -> &'static [&'static str] {
        match self {
            Mode::Debug => &["build"],
            Mode::Check => &["check"],
            Mode::Release => &["build", "--release"],
        }
    }

    fn clean(self) -> &'static [&'static str] {
        match self {
            Mode::Debug | Mode::Check => &["clean"],
            Mode::Release => &["clean", "--release"],
        }
    }
}

/// What is measured: a crate, built from the workspace in `folder`.
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
}

pub struct Figures {
    pub package: String,
    pub version: String,
    pub mode: Mode,
    pub user: f64,
    pub system: f64,
    pub wall: f64,
    /// The largest single process.
    pub peak_mib: f64,
    /// Cores that other processes of the machine used meanwhile, where the system tells.
    pub foreign: Option<f64>,
}

impl Figures {
    pub fn cpu(&self) -> f64 {
        self.user + self.system
    }
}

/// Takes the package away from what is built and builds it under measurement. When its dependencies were not
/// ready, they are so afterwards, and the same is done once more: on a fresh `target` a package is built twice.
pub fn measure(package: &Package, mode: Mode, target: &Path) -> Result<Figures, String> {
    let own = std::env::current_exe().map_err(|problem| format!("this program's path: {problem}"))?;
    let mut compiled = Vec::new();
    for build in ["building", "dependencies were not ready and are now, once more:"] {
        finished(&mut cargo(mode.clean(), package, target))?;
        eprintln!("build-cost: {build} {} ({})", package.name, mode.name());
        let mut measuring = Command::new(&own);
        measuring.args([MEASURED, mode.name(), &package.name]).args([&package.folder, target]);
        let answer = finished(&mut measuring)?;
        let (costs, names) = answer.split_once('\n').unwrap_or((&answer, ""));
        compiled = names.lines().map(str::to_owned).collect();
        if let [only] = &compiled[..]
            && let Some((name, version)) = only.split_once(' ')
            && name == package.name
        {
            return read(costs, package, version, mode);
        }
    }
    Err(format!("expected the second build to compile it alone, not {compiled:?}"))
}

/// The process below which the build runs: prints its costs in one line, then each crate that was compiled.
pub fn measured(arguments: &[String]) -> Result<(), String> {
    let [mode, name, folder, target] = arguments else {
        return Err(format!("{MEASURED} is this program's own"));
    };
    let mode = Mode::named(mode).ok_or("the mode is unknown")?;
    let package = Package { name: name.clone(), folder: folder.into() };
    let (busy, start) = (busy_seconds(), Instant::now());
    let output = output(&mut cargo(mode.build(), &package, Path::new(target)))?;
    let wall = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|problem| format!("getrusage: {problem}"))?;

    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let (user, system) = (seconds(usage.user_time()), seconds(usage.system_time()));
    // The unit is KiB on Linux and bytes on macOS.
    let per_mib = if cfg!(target_os = "macos") { 1024.0 * 1024.0 } else { 1024.0 };
    let peak_mib = usage.max_rss() as f64 / per_mib;
    let foreign = match (busy, busy_seconds()) {
        (Some(before), Some(after)) => ((after - before - user - system) / wall).max(0.0).to_string(),
        _ => String::new(),
    };
    println!("{user} {system} {wall} {peak_mib} {foreign}");
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let mut words = line.split_whitespace();
        if let (Some("Compiling" | "Checking"), Some(name), Some(version)) =
            (words.next(), words.next(), words.next())
        {
            println!("{name} {}", version.trim_start_matches('v'));
        }
    }
    Ok(())
}

fn read(costs: &str, package: &Package, version: &str, mode: Mode) -> Result<Figures, String> {
    let numbers: Vec<f64> = costs.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let [user, system, wall, peak_mib, foreign @ ..] = &numbers[..] else {
        return Err(format!("expected costs from the measuring process, not '{costs}'"));
    };
    Ok(Figures {
        package: package.name.clone(),
        version: version.to_owned(),
        mode,
        user: *user,
        system: *system,
        wall: *wall,
        peak_mib: *peak_mib,
        foreign: foreign.first().copied(),
    })
}

/// A cargo command for the package alone, the same for each: without the caller's settings, and with the amount of
/// debug information that cargo gives by itself, since profiles are a matter of whoever depends on a crate.
fn cargo(arguments: &[&str], package: &Package, target: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let group =
            ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_TERM_"].iter().any(|group| text.starts_with(group));
        let setting = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"];
        if group || setting.contains(&&*text) {
            cargo.env_remove(name);
        }
    }
    cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "full");
    cargo.current_dir(&package.folder).args(arguments).args(["--color", "never", "-p", &package.name]);
    cargo.arg("--target-dir").arg(target).stdin(Stdio::null());
    cargo
}

/// What the command printed to its standard output.
fn finished(command: &mut Command) -> Result<String, String> {
    output(command).map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn output(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|problem| format!("{program} can't be started: {problem}"))?;
    if output.status.success() { Ok(output) } else { Err(cause(&String::from_utf8_lossy(&output.stderr))) }
}

/// What a program said last, from its first word of an error on, in one line.
fn cause(log: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let start = lines.iter().position(|line| line.starts_with("error")).unwrap_or(0);
    let text = lines[start..].join("; ");
    if text.chars().count() <= CAUSE { text } else { text.chars().take(CAUSE).chain("…".chars()).collect() }
}

/// Longest cause of a failure, in characters: a line, not a log.
const CAUSE: usize = 400;

/// CPU seconds that all processes of the machine have used, where the system tells (Linux).
fn busy_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<f64> =
        stat.lines().next()?.split_whitespace().skip(1).map(|v| v.parse().unwrap_or(0.0)).collect();
    let total: f64 = ticks.iter().take(8).sum();
    Some((total - ticks.get(3)? - ticks.get(4)?) / 100.0)
}
