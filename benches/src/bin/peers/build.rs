//! Builds and fetches what the chosen clients need, and nothing for the others.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::clients::{Client, Kit, Places};
use crate::process::Group;

/// The files of `clients/node`, which node wants beside what npm fetches.
const SCRIPTS: &[&str] = &["package.json", "common.mjs", "puppeteer.mjs", "playwright.mjs"];

pub fn all(clients: &[&Client], places: &Places) -> Result<(), String> {
    let kits: Vec<Kit> = clients.iter().map(|client| client.kit).collect();
    let packages = ["bench-floor", "bench-ours", "bench-engine", "bench-websockets"];
    // In one command, so that each package gets the same dependencies whichever clients are chosen.
    let mut cargo = release(&places.benches);
    for name in packages {
        cargo.args(["-p", name]);
    }
    if let Some(target) = places.programs.parent() {
        cargo.arg("--target-dir").arg(target);
    }
    eprintln!("peers: building the small clients and ours");
    run(&mut cargo)?;
    if kits.contains(&Kit::Chromiumoxide) {
        eprintln!("peers: building chromiumoxide, which takes some minutes the first time");
        let mut cargo = release(&places.benches.join("clients/chromiumoxide"));
        run(cargo.arg("--target-dir").arg(places.chromiumoxide()))?;
    }
    if kits.contains(&Kit::Node) {
        scripts(places).map_err(|problem| format!("{}: {problem}", places.node().display()))?;
        eprintln!("peers: fetching what the clients of node need");
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--silent"]);
        run(npm.current_dir(places.node()))?;
    }
    Ok(())
}

fn scripts(places: &Places) -> std::io::Result<()> {
    fs::create_dir_all(places.node())?;
    for name in SCRIPTS {
        fs::copy(places.benches.join("clients/node").join(name), places.node().join(name))?;
    }
    Ok(())
}

fn release(folder: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--bins"]).current_dir(folder);
    cargo
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let started = Group::start(command, None).and_then(|mut group| group.child.wait());
    let status = started.map_err(|problem| format!("{program} can't be started: {problem}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program} failed ({status})")) }
}
