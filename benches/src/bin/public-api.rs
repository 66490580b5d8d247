//! Prints the public API of `cdp-protocol`, and fails when a signature in it names a type of a crate that is not
//! on the list of those that users may meet.
//!
//! What is `#[doc(hidden)]` is left out: it is there for generated code and makes no promise. So are
//! implementations that the type itself says nothing of: those of auto traits, and those that other crates give
//! to every type.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use public_api::tokens::Token;
use public_api::{Builder, PublicApi, PublicItem};

const PACKAGE: &str = "cdp-protocol";
const CRATE: &str = "cdp_protocol";

/// Crates, or single items of crates, whose names may stand in a signature. Paths are those of the definition.
const ALLOWED: [&str; 8] = [
    "core",
    "alloc",
    "std",
    "serde",
    "serde_core", // where serde defines its traits
    "serde_json",
    "bytes",
    "futures_core::stream::Stream",
];

fn main() -> ExitCode {
    if std::env::args().len() > 1 {
        eprintln!("public-api: there are no arguments");
        return ExitCode::from(2);
    }
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("public-api: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Lists the API without features, then what features add; whether nothing in either is foreign.
fn run() -> Result<bool, String> {
    let root = root();
    let plain = read(&rustdoc(&root, &[])?)?;
    let full = read(&rustdoc(&root, &["--all-features"])?)?;

    let known: BTreeSet<String> = plain.items().map(ToString::to_string).collect();
    let added = full.items().filter(|item| !known.contains(&item.to_string()));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut leaks = BTreeSet::new();
    let print = || -> io::Result<()> {
        for item in plain.items() {
            writeln!(out, "{item}")?;
        }
        writeln!(out, "\n# With all features also\n")?;
        for item in added {
            writeln!(out, "{item}")?;
        }
        out.flush()
    };
    match print() {
        // Whoever reads only the head of the list still gets the verdict.
        Err(problem) if problem.kind() != io::ErrorKind::BrokenPipe => return Err(problem.to_string()),
        _ => {}
    }
    for item in plain.items().chain(full.items()) {
        leaks.extend(foreign(item).into_iter().map(|path| format!("{path}, in: {item}")));
    }
    for leak in &leaks {
        eprintln!("public-api: foreign type {leak}");
    }
    if leaks.is_empty() {
        let (all, allowed) = (full.items().count(), ALLOWED.join(", "));
        eprintln!(
            "public-api: {all} items of {PACKAGE} with all features, no type foreign to it but of {allowed}"
        );
    }
    Ok(leaks.is_empty())
}

/// Paths in the item's signature that lead neither into the crate nor to something allowed. What the crate
/// re-exports of its own is listed in its place, so a `pub use` that is left stands for another crate's item, and
/// counts as foreign.
fn foreign(item: &PublicItem) -> Vec<String> {
    let text = item.to_string();
    if let Some(path) = text.strip_prefix("pub use ") {
        return vec![path.to_owned()];
    }
    let mut paths = paths(item.tokens());
    paths.retain(|path| {
        let within = |name: &str| {
            path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        !within(CRATE) && !ALLOWED.iter().any(|allowed| within(allowed))
    });
    paths
}

/// Paths of several names, such as `core::fmt::Debug`. `Self::Error` and `T::Error` are none: their start is a
/// parameter.
fn paths<'a>(tokens: impl Iterator<Item = &'a Token>) -> Vec<String> {
    let mut paths = Vec::new();
    let mut path = String::new();
    for token in tokens {
        let named = matches!(token, Token::Identifier(_) | Token::Type(_) | Token::Function(_));
        if token.text() == "::" || (named && (path.is_empty() || path.ends_with("::"))) {
            path += token.text();
        } else {
            paths.push(std::mem::take(&mut path));
            if named {
                path += token.text();
            }
        }
    }
    paths.push(path);
    paths.retain(|path| path.contains("::") && !path.starts_with("::"));
    paths
}

fn read(json: &Path) -> Result<PublicApi, String> {
    let builder = Builder::from_rustdoc_json(json).omit_blanket_impls(true).omit_auto_trait_impls(true);
    builder.build().map_err(|problem| {
        format!(
            "{}: {problem}. The form of this file changes with the compiler: the version of the crate `public-api` in \
             benches/Cargo.toml has to be one for it",
            json.display(),
        )
    })
}

/// Has rustdoc describe the crate as JSON. That is unstable, so the one crate is compiled as if by a nightly
/// compiler.
fn rustdoc(root: &Path, features: &[&str]) -> Result<PathBuf, String> {
    // A directory of its own: build scripts of dependencies run again when the variable changes.
    let target = root.join("target/api");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("RUSTC_BOOTSTRAP", CRATE).env_remove("CARGO_TARGET_DIR");
    cargo.args(["rustdoc", "--quiet", "--lib", "-p", PACKAGE, "--target-dir"]).arg(&target).args(features);
    cargo.args(["--", "-Z", "unstable-options", "--output-format", "json"]);
    match cargo.status() {
        Ok(status) if status.success() => Ok(target.join("doc").join(CRATE).with_extension("json")),
        Ok(status) => Err(format!("{cargo:?} ended with {status}")),
        Err(problem) => Err(format!("{cargo:?}: {problem}")),
    }
}

/// The project's folder, see `build-cost`.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let benches = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    benches.parent().map_or_else(|| benches.join(".."), Path::to_owned)
}
