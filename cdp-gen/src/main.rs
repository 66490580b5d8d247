//! The tool: `import` writes `pdl/` from a browser or a file, `emit` shows the generated Rust, `diff` compares two
//! protocols.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use cdp_gen::diff::{self, Effect, Rule};
use cdp_gen::import;
use cdp_gen::model::{Protocol, Revision};
use cdp_gen::{Error, json, pdl, rust};
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cdp-gen", about = "Reads the Chrome DevTools Protocol and prints PDL or Rust", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a folder of PDL files from a browser's own description or from JSON or PDL files; keeps our comments in it
    Import(ImportArgs),
    /// Writes the generated Rust into a folder, to look at
    Emit(EmitArgs),
    /// Tells what changes from one protocol to another, and which changes break callers
    #[command(after_help = "Exit codes and the table of changes: --help", after_long_help = diff_help())]
    Diff(DiffArgs),
}

#[derive(Args)]
struct ImportArgs {
    /// `http://host:port` of a running browser, a `.json` or a `.pdl` file, or a folder of PDL; several are joined
    #[arg(required = true)]
    sources: Vec<String>,
    /// The folder to write
    #[arg(long, default_value = "pdl")]
    out: PathBuf,
    /// Browser version for REVISION, when the source is a file
    #[arg(long, requires = "revision")]
    browser: Option<String>,
    /// Source revision for REVISION, when the source is a file
    #[arg(long, requires = "browser")]
    revision: Option<String>,
}

#[derive(Args)]
struct EmitArgs {
    /// The folder to write
    dir: PathBuf,
    /// The folder with the protocol
    #[arg(long, default_value = "pdl")]
    pdl: PathBuf,
    /// Path of the crate that holds the runtime, as the output shall name it
    #[arg(long, default_value = "crate")]
    runtime: String,
    /// Path of the module that will hold the domains, as the output shall name it
    #[arg(long, default_value = "crate::domains")]
    domains: String,
}

#[derive(Args)]
struct DiffArgs {
    /// The protocol that callers know: a folder of PDL, a `.pdl` or a `.json` file, or `http://host:port` of a running
    /// browser
    a: String,
    /// The protocol that they meet, named in the same way
    b: String,
}

/// Exit codes of `diff` beside success, failure (1) and wrong arguments (2).
const DIFFERENT: u8 = 3;
const BREAKING: u8 = 4;

fn main() -> ExitCode {
    let done = |()| ExitCode::SUCCESS;
    let result = match Cli::parse().command {
        Command::Import(args) => run_import(args).map(done),
        Command::Emit(args) => run_emit(&args).map(done),
        Command::Diff(args) => run_diff(&args),
    };
    match result {
        Ok(code) => code,
        Err(errors) => {
            for error in &errors {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run_import(args: ImportArgs) -> Result<(), Vec<Error>> {
    let mut parts = Vec::new();
    let mut revision = None;
    for source in &args.sources {
        let (protocol, from) = read(source).map_err(|error| vec![error])?;
        parts.push(protocol);
        revision = revision.or(from);
    }
    if let (Some(browser), Some(source)) = (args.browser, args.revision) {
        revision = Some(Revision { browser, revision: source });
    }
    let protocol = pdl::merge(parts).map_err(|error| vec![error])?;
    let counts = protocol.counts();
    let report = import::write(protocol, revision.as_ref(), &args.out)?;
    for warning in &report.warnings {
        eprintln!("warning: {warning}");
    }
    for path in &report.removed {
        println!("removed {}", path.display());
    }
    println!("{}: {} files, {counts}", args.out.display(), report.files);
    Ok(())
}

fn run_emit(args: &EmitArgs) -> Result<(), Vec<Error>> {
    let loaded = if args.pdl.is_dir() { pdl::load_dir(&args.pdl) } else { pdl::load(&args.pdl) };
    let pdl::Loaded { protocol, revision, .. } = loaded.map_err(|error| vec![error])?;
    let options = rust::Options { runtime: args.runtime.clone(), domains: args.domains.clone(), revision };
    let files = rust::generate(&protocol, &options)?;
    std::fs::create_dir_all(&args.dir).map_err(|error| vec![Error::io(&args.dir, error)])?;
    for file in &files {
        import::write_if_changed(&args.dir.join(&file.name), &file.text).map_err(|error| vec![error])?;
    }
    println!("{}: {} files, {}", args.dir.display(), files.len(), protocol.counts());
    Ok(())
}

fn run_diff(args: &DiffArgs) -> Result<ExitCode, Vec<Error>> {
    let [a, b] = [&args.a, &args.b].map(|source| read(source).map(|(protocol, _)| protocol));
    let diff = diff::compare(&a.map_err(|error| vec![error])?, &b.map_err(|error| vec![error])?)?;
    match writeln!(io::stdout(), "{diff}") {
        // Whoever closed the pipe early has seen enough; the exit code still says what was found.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            return Err(vec![Error::Source(format!("cannot write to standard output: {error}"))]);
        }
        _ => {}
    }
    Ok(match (diff.changes.is_empty(), diff.count(Effect::Breaks)) {
        (true, _) => ExitCode::SUCCESS,
        (false, 0) => ExitCode::from(DIFFERENT),
        (false, _) => ExitCode::from(BREAKING),
    })
}

/// The exit codes and the table of changes.
fn diff_help() -> String {
    let mut text = format!(
        "\
A caller is a program written against A that is built against B, or talks to a browser of B.
Lines: `+` added, `-` removed, `~` changed. Order and comments are no difference.

Exit codes:
  0  no difference
  {DIFFERENT}  differences, none of which breaks callers
  {BREAKING}  differences that break callers
  1  A or B can't be read or makes no sense
  2  wrong arguments

What a change does to callers (`source`: a running program does not notice, but its source may need a change to be
built against B; what travels both ways is judged by the worse of the two):
"
    );
    for rule in Rule::ALL {
        let (change, effect, reason) = rule.row();
        text += &format!("  {:<6}  {change}: {reason}\n", effect.word());
    }
    text
}

/// Reads one source, and the browser it comes from when that is known.
fn read(source: &str) -> Result<(Protocol, Option<Revision>), Error> {
    if source.starts_with("http://") {
        return read_browser(source);
    }
    let path = Path::new(source);
    if path.is_dir() {
        let pdl::Loaded { protocol, revision, .. } = pdl::load_dir(path)?;
        return Ok((protocol, revision));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("pdl") => Ok((pdl::load(path)?.protocol, None)),
        Some("json") => {
            let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
            let protocol = json::parse(&text, path).map_err(|error| {
                let right = "what a browser serves at http://host:port/json/protocol is right";
                Error::Source(format!("{error}; {right}"))
            })?;
            Ok((protocol, None))
        }
        _ if source.starts_with("https://") => Err(Error::Source(format!(
            "{source}: expected http://; save what it serves at /json/protocol and give that file"
        ))),
        _ => Err(Error::Source(format!(
            "{source}: expected http://host:port, a .json file or a .pdl file, or a folder of PDL that exists"
        ))),
    }
}

fn read_browser(source: &str) -> Result<(Protocol, Option<Revision>), Error> {
    let base = source.trim_end_matches('/').trim_end_matches("/json/protocol");
    let url = format!("{base}/json/protocol");
    let protocol = json::parse(&fetch(&url)?, Path::new(&url))?;
    let url = format!("{base}/json/version");
    let revision = json::revision(&fetch(&url)?, Path::new(&url))?;
    Ok((protocol, Some(revision)))
}

fn fetch(url: &str) -> Result<String, Error> {
    let config =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(30))).proxy(None).build();
    let fail = |error: ureq::Error| {
        let remedy =
            "is a browser running there? One that is started with --remote-debugging-port=PORT answers";
        Error::Source(format!("{url}: {error}; {remedy}"))
    };
    let mut response = ureq::Agent::new_with_config(config).get(url).call().map_err(fail)?;
    response.body_mut().with_config().limit(64 << 20).read_to_string().map_err(fail)
}
