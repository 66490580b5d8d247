//! Generates the domains from the PDL text in `pdl`, or in `$CDP_PDL` (a relative path counts from this crate's folder).

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use cdp_gen::model::{Shape, Type};
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
    let target = loaded.protocol.domains.iter().find(|domain| domain.name == "Target");
    let session_id = target.and_then(|target| target.types.iter().find(|def| def.name == "SessionID"));
    if !session_id.is_some_and(|def| def.shape == Shape::Alias(Type::String)) {
        let dir = dir.display();
        return Err(format!(
            "{dir}: expected the domain `Target` with the text type `SessionID`, which the transport uses"
        )
        .into());
    }
    let lines = |errors: Vec<cdp_gen::Error>| {
        errors.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n")
    };
    let options = rust::Options { revision: loaded.revision, ..rust::Options::default() };
    let files = rust::generate(&loaded.protocol, &options).map_err(lines)?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("expected cargo to set OUT_DIR")?);
    fs::create_dir_all(out.join("domains"))?;
    for file in files {
        fs::write(out.join("domains").join(file.name), file.text)?;
    }
    // This package's own tests, which have the feature on, include these and read the protocol anew.
    if env::var_os("CARGO_FEATURE_TESTING").is_some() {
        println!("cargo::rustc-env=CDP_PDL_READ={}", dir.display());
        let outside = rust::Options {
            runtime: "cdp_protocol".to_owned(),
            domains: "cdp_protocol::domains".to_owned(),
            ..options
        };
        fs::write(out.join("listing.rs"), rust::listing(&loaded.protocol, &outside))?;
        fs::write(out.join("probe.rs"), rust::probe(&loaded.protocol, &outside).map_err(lines)?)?;
    }
    Ok(())
}

fn protocol_dir() -> Result<PathBuf, Box<dyn Error>> {
    let manifest =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("expected cargo to set CARGO_MANIFEST_DIR")?);
    if let Some(dir) = env::var_os("CDP_PDL").filter(|dir| !dir.is_empty()) {
        let dir = manifest.join(dir);
        if !dir.is_dir() {
            let (dir, from) = (dir.display(), manifest.display());
            let remedy = format!("give an absolute path, since a relative one counts from {from}");
            return Err(format!("CDP_PDL names {dir}, which is no folder; {remedy}").into());
        }
        return Ok(dir);
    }
    // In the workspace a link to the folder beside this crate, in a published package a copy of it.
    Ok(manifest.join("pdl"))
}
