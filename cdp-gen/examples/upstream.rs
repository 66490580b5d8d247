//! Holds the generator against two published revisions of the protocol, two years apart. Run by `./x upstream`; fetches
//! what it needs by `npm` once and keeps it under `upstream/` in the target folder.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use cdp_gen::diff::{Change, ChangeKind, Diff, compare};
use cdp_gen::model::{Domain, Protocol};
use cdp_gen::{Error, comments, json, pdl, rust};

const PACKAGE: &str = "devtools-protocol";
const OLD: &str = "0.0.1380148";
const NEW: &str = "0.0.1734725";

/// Our comments may share fewer consecutive words than this with upstream's text on the same item.
const SHARED_WORDS: usize = 6;

/// A failure as text that names its cause.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("upstream: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("cdp-gen lies in no workspace")?;
    // A relative folder counts from where the program was started, as for cargo.
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = std::path::absolute(target.join("upstream")).map_err(|error| error.to_string())?;
    let mut revisions = Vec::new();
    for version in [OLD, NEW] {
        let package = fetch(version, &folder)?;
        let pdl = package.join("pdl");
        let from_pdl = load(&pdl)?;
        let from_json = load_json(&package.join("json"))?;
        let lost = only_binary_is_lost(&difference(&from_pdl, &from_json)?)?;
        println!(
            "{version}: PDL and JSON say the same, but for {lost} `binary` that JSON prints as `string`"
        );
        let files = rust::generate(&from_pdl, &rust::Options::default()).map_err(|errors| all(&errors))?;
        println!("{version}: generated {} files, {}", files.len(), from_pdl.counts());
        check(root, &pdl, &folder.join("check"))?;
        println!("{version}: cdp-protocol compiles with it");
        revisions.push(from_pdl);
    }
    let pinned = load(&root.join("pdl"))?;
    let ours = Texts::of(&pinned);
    for (version, theirs) in [OLD, NEW].iter().zip(&revisions) {
        ours.differ_from(&Texts::of(theirs), version)?;
    }
    println!("pdl/: {} comments, none shares {SHARED_WORDS} words in a row with upstream's", ours.0.len());
    let [old, new] = &revisions[..] else { return Err("expected two revisions".to_owned()) };
    println!("{OLD} -> {NEW}: {}", difference(old, new)?.summary());
    println!("{NEW} -> pdl/: {}", difference(new, &pinned)?.summary());
    Ok(())
}

/// The folder of the unpacked package; whatever lies there is whole, since it gets its name last.
fn fetch(version: &str, folder: &Path) -> Result<PathBuf> {
    let place = folder.join(version);
    let package = place.join("package");
    if package.is_dir() {
        println!("{version}: fetched before, in {}", place.display());
        return Ok(package);
    }
    let half = folder.join(format!("{version}.part"));
    let io = |error| format!("{}: {error}", half.display());
    if half.exists() {
        fs::remove_dir_all(&half).map_err(io)?;
    }
    fs::create_dir_all(&half).map_err(io)?;
    let name = format!("{PACKAGE}@{version}");
    let mut npm = Command::new("npm");
    npm.args(["pack", &name, "--fetch-retries=1", "--pack-destination"]).arg(&half).current_dir(&half);
    output(&mut npm).map_err(|cause| {
        // Its exit code and npm's name for the fault; what follows is npm's own stack.
        let cause = cause.lines().take(2).collect::<Vec<_>>().join(", ");
        format!("npm cannot fetch {name}; is this machine online? {cause}")
    })?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(half.join(format!("{PACKAGE}-{version}.tgz"))).arg("-C").arg(&half);
    output(&mut tar).map_err(|cause| format!("tar cannot unpack {name}: {cause}"))?;
    fs::rename(&half, &place).map_err(io)?;
    println!("{version}: fetched {name} into {}", place.display());
    Ok(package)
}

fn load(folder: &Path) -> Result<Protocol> {
    pdl::load_dir(folder).map(|loaded| loaded.protocol).map_err(|error| error.to_string())
}

fn load_json(folder: &Path) -> Result<Protocol> {
    let mut parts = Vec::new();
    for name in ["browser_protocol.json", "js_protocol.json"] {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        parts.push(json::parse(&text, &path).map_err(|error| error.to_string())?);
    }
    pdl::merge(parts).map_err(|error| error.to_string())
}

fn difference(a: &Protocol, b: &Protocol) -> Result<Diff> {
    compare(a, b).map_err(|errors| all(&errors))
}

/// How many places say `binary` in PDL and `string` in JSON; any other difference is a fault.
fn only_binary_is_lost(diff: &Diff) -> Result<usize> {
    let known = |change: &&Change| match &change.what {
        ChangeKind::Changed { from, to } => {
            from.ends_with("binary") && from.replace("binary", "string") == *to
        }
        _ => false,
    };
    let (known, other): (Vec<&Change>, Vec<&Change>) = diff.changes.iter().partition(known);
    if other.is_empty() {
        return Ok(known.len());
    }
    let lines = other.iter().map(|change| format!("  {}: {change}", change.domain));
    Err(format!("PDL and JSON do not say the same:\n{}", lines.collect::<Vec<_>>().join("\n")))
}

/// Compiles the protocol crate out of the PDL in `pdl`, in a folder of its own.
fn check(root: &Path, pdl: &Path, target: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["check", "--quiet", "-p", "cdp-protocol", "--target-dir"]).arg(target);
    command.current_dir(root).env("CDP_PDL", pdl);
    output(&mut command)
        .map_err(|cause| format!("cdp-protocol does not compile with {}: {cause}", pdl.display()))
}

/// Runs a program; what it says on its standard error is the cause of its failure.
fn output(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let Output { status, stderr, .. } = command.output().map_err(|error| format!("{program}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{status}\n{}", String::from_utf8_lossy(&stderr).trim_end()))
    }
}

/// What is written about the items of a protocol, as words, by domain and path of the item.
struct Texts(HashMap<(String, String), Vec<String>>);

impl Texts {
    fn of(protocol: &Protocol) -> Texts {
        let of_domain = |domain: &Domain| {
            let name = domain.name.clone();
            let taken = comments::take(&mut domain.clone());
            taken.into_iter().map(move |(path, lines)| ((name.clone(), path), words(&lines.join(" "))))
        };
        Texts(protocol.domains.iter().flat_map(of_domain).collect())
    }

    fn differ_from(&self, theirs: &Texts, version: &str) -> Result<()> {
        let mut offenders = BTreeSet::new();
        for (item, ours) in &self.0 {
            let Some(theirs) = theirs.0.get(item) else { continue };
            let shared =
                ours.windows(SHARED_WORDS).find(|run| theirs.windows(SHARED_WORDS).any(|one| one == *run));
            if let Some(run) = shared {
                offenders.insert(format!("  {}: {}: \"{}\"", item.0, item.1, run.join(" ")));
            }
        }
        if offenders.is_empty() {
            return Ok(());
        }
        let lines = Vec::from_iter(offenders).join("\n");
        Err(format!(
            "comments in pdl/ that share {SHARED_WORDS} or more words in a row with those of {version}; say it in words \
             of our own:\n{lines}"
        ))
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn all(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
