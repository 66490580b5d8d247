//! What a clean build of `cdp-protocol` alone costs, next to other crates that bring the protocol: CPU seconds,
//! wall time and peak memory of the compiler. Nothing else of the project is measured here.

mod measure;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::{Mode, Package};
use report::Report;

const OURS: &str = "cdp-protocol";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == measure::MEASURED) {
        return match measure::measured(&arguments[1..]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("{problem}");
                ExitCode::FAILURE
            }
        };
    }
    let wanted = match Wanted::read(&arguments) {
        Ok(wanted) => wanted,
        Err(problem) => {
            eprintln!("build-cost: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(&wanted) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("build-cost: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// What the command line asks for.
struct Wanted {
    modes: Vec<Mode>,
    peers: bool,
}

impl Wanted {
    fn read(arguments: &[String]) -> Result<Wanted, String> {
        let mut wanted = Wanted { modes: Vec::new(), peers: true };
        for argument in arguments {
            if argument == "--alone" {
                wanted.peers = false;
            } else {
                wanted.modes.push(Mode::named(argument).ok_or_else(|| {
                    format!("unknown argument '{argument}': there are debug, check, release and --alone")
                })?);
            }
        }
        if wanted.modes.is_empty() {
            wanted.modes.push(Mode::Debug);
        }
        Ok(wanted)
    }
}

/// Measures everything and tells whether all could be built. A crate that can't be built keeps no other from its
/// figures.
fn run(wanted: &Wanted) -> Result<bool, String> {
    let root = root();
    let mut packages = vec![Package { name: OURS.into(), folder: root.clone() }];
    if wanted.peers {
        packages.extend(peers(&root.join("benches/peers"))?);
    }
    if let Some(folder) = std::env::var_os("CDP_PDL").filter(|folder| !folder.is_empty()) {
        eprintln!("build-cost: the protocol of {OURS} is that of CDP_PDL, {}", Path::new(&folder).display());
    }
    let mut report = Report::new(OURS, &root.join("target/bench/build.jsonl"));
    let mut complete = true;
    for mode in &wanted.modes {
        for package in &packages {
            let target = root.join("target/bench/build").join(&package.name);
            match measure::measure(package, *mode, &target) {
                Ok(figures) => report.add(figures)?,
                Err(problem) => {
                    complete = false;
                    eprintln!("build-cost: no figures of {} ({}): {problem}", package.name, mode.name());
                }
            }
        }
    }
    report.compare();
    Ok(complete)
}

/// Each folder holds a package that depends on the crate the folder is named after, and on nothing else.
fn peers(folder: &Path) -> Result<Vec<Package>, String> {
    let read = || -> std::io::Result<Vec<Package>> {
        let mut peers = Vec::new();
        for entry in fs::read_dir(folder)? {
            let folder = entry?.path();
            if let (true, Some(name)) = (folder.join("Cargo.toml").is_file(), folder.file_name()) {
                peers.push(Package { name: name.to_string_lossy().into_owned(), folder });
            }
        }
        peers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(peers)
    };
    read().map_err(|problem| format!("{}: {problem}", folder.display()))
}

/// The project's folder. `cargo run` names it at run time; what was compiled in may be of another checkout that
/// shares the target directory.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let benches = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    benches.parent().map_or_else(|| benches.join(".."), Path::to_owned)
}
