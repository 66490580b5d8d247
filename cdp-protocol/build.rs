//! Generates the domains from the PDL text: a copy beside this manifest, `../pdl`, or `$CDP_PDL` (a relative
//! path counts from this crate's folder).

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use cdp_gen::{pdl, rust};

fn main() {
    if let Err(error) = generate() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn generate() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=CDP_PDL");
    println!("cargo::rerun-if-changed=build.rs");
    let dir = protocol_dir()?;
    let loaded = pdl::load_dir(&dir)?;
    // The folder too: without a protocol.pdl its listing decides what is read.
    println!("cargo::rerun-if-changed={}", dir.display());
    for file in &loaded.files {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let files = rust::generate(&loaded.protocol, &rust::Options::default()).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        lines.join("\n")
    })?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("expected cargo to set OUT_DIR")?);
    // For the tests, which include it; no part of the library.
    fs::write(out.join("listing.rs"), rust::listing(&loaded.protocol))?;
    let out = out.join("domains");
    fs::create_dir_all(&out)?;
    for file in files {
        fs::write(out.join(file.name), file.text)?;
    }
    Ok(())
}

fn protocol_dir() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(dir) = env::var_os("CDP_PDL").filter(|dir| !dir.is_empty()) {
        return Ok(PathBuf::from(dir));
    }
    let manifest =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("expected cargo to set CARGO_MANIFEST_DIR")?);
    // A published package carries its own copy; in the workspace the folder lies beside the crate.
    let candidates = [manifest.join("pdl"), manifest.join("../pdl")];
    let found = candidates.iter().find(|dir| Path::is_dir(dir));
    found.cloned().ok_or_else(|| "expected the protocol in ../pdl; set CDP_PDL to another folder".into())
}
