//! Talks to websocket servers that nobody here wrote: the npm package `ws` and the PyPI package `websockets`, each behind a small
//! script that answers like a browser. Run by `./x upstream`; fetches what it needs once and keeps it under `outside/` in the target
//! folder. `OUTSIDE_SEED` repeats a run.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use cdp_protocol::{Client, CloseReason, RawEvents, Session};
use futures_util::future::try_join_all;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const WS: &str = "8.18.3";
const WEBSOCKETS: &str = "15.0.1";

/// Events and calls of one conversation, and how many conversations each server has.
const EVENTS: u64 = 2_000;
const CALLS: usize = 1_000;
const ROUNDS: u64 = 2;

/// A failure as text that names its cause.
type Result<T> = std::result::Result<T, String>;

#[tokio::main]
async fn main() -> ExitCode {
    match tokio::time::timeout(Duration::from_secs(300), run()).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(cause)) => {
            eprintln!("outside: {cause}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("outside: a conversation did not end within five minutes");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_folder.parent().ok_or("cdp-protocol lies in no workspace")?;
    // A relative folder counts from where the program was started, as for cargo.
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = std::path::absolute(target.join("outside")).map_err(|error| error.to_string())?;
    let seed = match std::env::var("OUTSIDE_SEED") {
        Ok(seed) => seed.parse().map_err(|_| format!("OUTSIDE_SEED is {seed:?}, which is no number"))?,
        Err(_) => RandomState::new().build_hasher().finish() as u32,
    };
    println!("seed {seed} (OUTSIDE_SEED={seed} repeats this run)");
    let scripts = crate_folder.join("tests/outside");
    let ws = fetch(&folder, "ws", WS, from_npm)?.join("package");
    let websockets = fetch(&folder, "websockets", WEBSOCKETS, from_pip)?;
    for (name, program, script, package) in [
        (format!("ws {WS}"), "node", "server.mjs", ws),
        (format!("websockets {WEBSOCKETS}"), "python3", "server.py", websockets),
    ] {
        let start = Instant::now();
        let mut command = Command::new(program);
        command.arg(scripts.join(script)).arg(package).arg(seed.to_string());
        let server = Server::start(command)?;
        let told = drive(&server.url, seed).await.map_err(|cause| format!("{name}, seed {seed}: {cause}"))?;
        println!("{name}: {told}, {:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The folder that holds a package; whatever lies there is whole, since it gets its name last.
fn fetch(
    folder: &Path,
    name: &str,
    version: &str,
    get: fn(&Path, &str, &str) -> Result<()>,
) -> Result<PathBuf> {
    let place = folder.join(format!("{name}-{version}"));
    if place.is_dir() {
        return Ok(place);
    }
    let half = folder.join(format!("{name}-{version}.part"));
    let io = |error| format!("{}: {error}", half.display());
    if half.exists() {
        fs::remove_dir_all(&half).map_err(io)?;
    }
    fs::create_dir_all(&half).map_err(io)?;
    get(&half, name, version)?;
    fs::rename(&half, &place).map_err(io)?;
    println!("fetched {name} {version} into {}", place.display());
    Ok(place)
}

fn from_npm(into: &Path, name: &str, version: &str) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["pack", &format!("{name}@{version}"), "--fetch-retries=1", "--pack-destination"]);
    output(npm.arg(into).current_dir(into)).map_err(|cause| cannot_fetch("npm", name, version, &cause))?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(into.join(format!("{name}-{version}.tgz"))).arg("-C").arg(into);
    output(&mut tar).map_err(|cause| format!("tar can't unpack {name} {version}: {cause}"))
}

fn from_pip(into: &Path, name: &str, version: &str) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries=1"]);
    pip.arg("--target").arg(into).arg(format!("{name}=={version}"));
    output(&mut pip).map_err(|cause| cannot_fetch("pip", name, version, &cause))
}

fn cannot_fetch(program: &str, name: &str, version: &str, cause: &str) -> String {
    let cause = cause.lines().take(2).collect::<Vec<_>>().join(", ");
    format!("{program} can't fetch {name} {version}; is this machine online? {cause}")
}

/// Runs a program; what it says on its standard error is the cause of its failure.
fn output(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
}

/// A server process, ended with its owner.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(mut command: Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let mut line = String::new();
        let read = process.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let server =
            Self { process, url: format!("ws://127.0.0.1:{}/", line.replace("listening ", "").trim()) };
        match read {
            Some(Ok(count)) if count > 0 => Ok(server),
            _ => Err(format!("{program}: the server ended before it listened")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// All conversations with one server; says what went through.
async fn drive(url: &str, seed: u32) -> Result<String> {
    let mut last_close = None;
    let mut pings = 0;
    for round in 0..ROUNDS {
        for (n, end) in [End::Client, End::Server(1000, ""), End::Server(4321, "größer"), End::Cut]
            .into_iter()
            .enumerate()
        {
            let client = Client::connect(url).await.map_err(|error| error.to_string())?;
            let chance = Chance(u64::from(seed) + 10 * round + n as u64);
            pings += converse(&client, chance, last_close).await?;
            last_close = Some(end.check(&client).await?);
        }
    }
    let count = 4 * ROUNDS;
    let (calls, events) = (count * CALLS as u64, count * EVENTS);
    Ok(format!("{count} conversations, {calls} calls, {events} events, {pings} pings answered"))
}

/// Calls while events come; then the server tells what it saw. Says how many pings it had sent.
async fn converse(client: &Client, mut chance: Chance, last_close: Option<u16>) -> Result<u64> {
    let session = client.browser();
    let events = session.events_raw(None).limit(256 << 20);
    call(&session, "Outside.events", json!({ "count": EVENTS })).await?;
    let mut sizes: Vec<usize> = (0..CALLS).map(|_| chance.below(300)).collect();
    for (n, size) in [(17, 125), (18, 126), (19, 65_535), (20, 65_536), (400, 3_000_000)] {
        sizes[n] = size;
    }
    let calls = sizes.iter().enumerate().map(|(n, size)| {
        let text = ["a", "ß", "€", "😀"][n % 4].repeat(*size);
        let session = &session;
        async move {
            let sent = json!({ "n": n, "text": text });
            let answer = call(session, "Outside.echo", sent.clone()).await?;
            if answer == sent { Ok(()) } else { Err(format!("call {n} was answered with something else")) }
        }
    });
    let (calls, events) = tokio::join!(try_join_all(calls), all_in_order(events));
    calls?;
    events?;
    let mut report = Value::Null;
    // A pong may be under way while the first reports are made, and a report may have a ping between its own fragments.
    for _ in 0..100 {
        report = call(&session, "Outside.report", json!({})).await?;
        if report["sent"] == report["answered"] {
            break;
        }
    }
    if report["wrong"] != 0 || report["sent"] != report["answered"] {
        return Err(format!("pings were not answered as they should: {report}"));
    }
    if let Some(code) = last_close
        && report["lastClose"] != code
    {
        return Err(format!(
            "the conversation before ended with {} for the server, not {code}",
            report["lastClose"]
        ));
    }
    let stats = client.stats();
    if (stats.pending_calls, stats.late_replies, stats.ignored_messages) != (0, 0, 0) {
        return Err(format!("left over: {stats:?}"));
    }
    report["sent"].as_u64().ok_or_else(|| format!("a report without a number of pings: {report}"))
}

async fn all_in_order(mut events: RawEvents) -> Result<()> {
    for expected in 0..EVENTS {
        let event =
            events.next().await.ok_or("the stream of events ended")?.map_err(|error| error.to_string())?;
        let params: Value = serde_json::from_slice(event.params()).map_err(|error| error.to_string())?;
        if params["n"] != expected {
            return Err(format!("event {} came in the place of {expected}", params["n"]));
        }
        let text = params["text"].as_str().unwrap_or_default();
        if text.chars().any(|c| !text.starts_with(c)) {
            return Err(format!("event {expected} is mixed with something else"));
        }
    }
    Ok(())
}

async fn call(session: &Session, method: &'static str, params: Value) -> Result<Value> {
    let params = RawValue::from_string(params.to_string()).map_err(|error| error.to_string())?;
    let answer = session.call_raw(method, &params).await.map_err(|error| error.to_string())?;
    serde_json::from_str(answer.get()).map_err(|error| error.to_string())
}

/// How a conversation ends.
enum End {
    Client,
    Server(u16, &'static str),
    Cut,
}

impl End {
    /// Ends the conversation; the server's close code of it, or that for none.
    async fn check(self, client: &Client) -> Result<u16> {
        let session = client.browser();
        let (expected, code) = match self {
            Self::Client => {
                client.close();
                (CloseReason::Requested, 1000)
            }
            Self::Server(code, reason) => {
                drop(call(&session, "Outside.close", json!({ "code": code, "reason": reason })).await);
                (CloseReason::PeerClosed { code: Some(code), reason: reason.into() }, code)
            }
            Self::Cut => {
                drop(call(&session, "Outside.end", json!({})).await);
                (CloseReason::HungUp { mid_message: false }, 1006)
            }
        };
        let reason = client.closed().await;
        let is_reset =
            matches!(&reason, CloseReason::Io { kind, .. } if *kind == std::io::ErrorKind::ConnectionReset);
        if reason == expected || (code == 1006 && is_reset) {
            return Ok(code);
        }
        Err(format!("the conversation ended because {reason}, expected: {expected}"))
    }
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit) as usize
    }
}
