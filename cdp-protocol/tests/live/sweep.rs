//! Each command that needs no parameter, sent with nothing set to a page, a worker and the browser. Whatever the browser
//! answers has to be read; what it may answer is its own affair.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::path::Path;
use std::time::Duration;

use cdp_protocol::domains::{browser, runtime, target};
use cdp_protocol::{CallError, Client, Session};
use tokio::time::timeout;

use crate::bounded;
use crate::browser::{Browser, evaluate, open};
use crate::listing::{Plain, plain_commands};
use crate::site::Site;

/// How long one answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(15);

/// What gets no answer, and why.
const SILENT: [(Place, &str); 1] = [
    // Answered when someone lets the page run on.
    (Place::Page, "Page.waitForDebugger"),
];

/// Marks the rows of the table that must not be there.
const UNREADABLE: &str = "DECODE ERROR";

/// Where the commands are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Page,
    Worker,
    Browser,
}

/// What became of a command.
#[derive(Debug)]
pub(crate) enum Outcome {
    Read,
    Refused(String),
    Unreadable(String),
    Silent,
    SessionEnded,
    Closed,
}

impl Outcome {
    /// Waits for an answer, but not for ever.
    pub(crate) async fn of(answer: impl Future<Output = Result<(), CallError>>) -> Self {
        Self::within(PATIENCE, answer).await
    }

    async fn within(patience: Duration, answer: impl Future<Output = Result<(), CallError>>) -> Self {
        match timeout(patience, answer).await {
            Err(_) => Self::Silent,
            Ok(Ok(())) => Self::Read,
            Ok(Err(CallError::Decode(error))) => Self::Unreadable(error.to_string()),
            Ok(Err(CallError::SessionEnded { .. })) => Self::SessionEnded,
            Ok(Err(CallError::Closed { .. })) => Self::Closed,
            Ok(Err(error)) => Self::Refused(error.to_string()),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("ok"),
            Self::Refused(error) => write!(f, "refused: {error}"),
            Self::Unreadable(error) => write!(f, "{UNREADABLE}: {error}"),
            Self::Silent => f.write_str("no answer"),
            Self::SessionEnded => f.write_str("session ended"),
            Self::Closed => f.write_str("connection closed"),
        }
    }
}

/// What switches on comes first and what switches off late, so that the rest finds something to tell. Last comes what is known to
/// end its own target or to stop it; what else does so is found by that.
fn rank(method: &str) -> u8 {
    let (_, name) = method.split_once('.').expect("a domain and a name");
    match name {
        _ if method == "DOM.enable" => 0,
        // Each request would wait for someone who lets it go on.
        _ if method == "Fetch.enable" => 4,
        "enable" | "start" => 1,
        "disable" | "end" | "stop" => 3,
        "close" | "crash" | "crashGpuProcess" | "pause" | "terminateExecution" | "waitForDebugger" => 4,
        _ if name.contains("LeakDetection") => 4,
        _ => 2,
    }
}

/// A browser, and a session of it to send to.
struct Arena {
    place: Place,
    client: Client,
    session: Session,
    /// Keeps what the session belongs to alive: a worker's page.
    _page: Option<Session>,
    _browser: Browser,
}

impl Arena {
    async fn start(place: Place, site: &Site) -> Self {
        let (browser, client) = Browser::over_pipe(&[]);
        let session = client.browser();
        let mut arena = Self { place, client, session, _page: None, _browser: browser };
        arena.attach(site).await.expect("a new browser opens a page");
        arena
    }

    /// A new session, on a new page that has something of everything.
    async fn attach(&mut self, site: &Site) -> Result<(), CallError> {
        let page = open(&self.client, &site.url("/")).await?;
        evaluate(&page, "busy.tree(); busy.attributes(5); localStorage.a = 1; document.cookie = 'c=1'; ''")
            .await;
        self.session = match self.place {
            Place::Browser => self.client.browser(),
            Place::Page => page.clone(),
            Place::Worker => {
                let mut attached = page.events::<target::AttachedToTarget>();
                page.call(&target::SetAutoAttach::new(true, false).flatten(true)).await?;
                evaluate(&page, "window.kept = new Worker('/worker.js'); ''").await;
                loop {
                    let attached = attached.next().await.unwrap().unwrap();
                    if attached.target_info.r#type == target::TargetInfoType::Worker {
                        break self.client.session(&attached.session_id);
                    }
                }
            }
        };
        self._page = Some(page);
        Ok(())
    }

    /// A new session with everything switched on again.
    async fn renew(&mut self, site: &Site) -> Result<(), CallError> {
        self.attach(site).await?;
        for command in plain_commands().iter().filter(|command| rank(command.method) < 2) {
            // The sweep has a row for it, or will have.
            let _ = Outcome::of((command.send)(&self.session)).await;
        }
        Ok(())
    }

    /// Whether the session answers still.
    async fn is_well(&self) -> bool {
        let answer = async {
            match self.place {
                Place::Browser => self.session.call(&browser::GetVersion::new()).await.is_ok(),
                _ => self.session.call(&runtime::Evaluate::new("1")).await.is_ok(),
            }
        };
        timeout(Duration::from_secs(2), answer).await.is_ok_and(|well| well)
    }
}

async fn sweep(place: Place, commands: &[Plain], site: &Site) -> Vec<(&'static str, Outcome)> {
    let mut arena = Arena::start(place, site).await;
    let mut rows = Vec::new();
    for command in commands {
        let patience =
            if SILENT.contains(&(place, command.method)) { Duration::from_secs(1) } else { PATIENCE };
        let outcome = Outcome::within(patience, (command.send)(&arena.session)).await;
        rows.push((command.method, outcome));
        if arena.is_well().await {
            continue;
        }
        let root = arena.client.browser();
        let answers = timeout(Duration::from_secs(2), root.call(&browser::GetVersion::new())).await;
        // A browser may still answer while it shuts down.
        let renewed = match answers {
            Ok(Ok(_)) => arena.renew(site).await.is_ok(),
            _ => false,
        };
        if !renewed {
            arena = Arena::start(place, site).await;
        }
    }
    rows
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_browser_answers_to_plain_commands_can_be_read() {
    let site = Site::start().await;
    let mut commands = plain_commands();
    commands.sort_by_key(|command| rank(command.method));
    let (page, worker, root) = bounded(async {
        tokio::join!(
            sweep(Place::Page, &commands, &site),
            sweep(Place::Worker, &commands, &site),
            sweep(Place::Browser, &commands, &site),
        )
    })
    .await;
    let places = [(Place::Page, 190, page), (Place::Worker, 55, worker), (Place::Browser, 25, root)];
    let mut table = String::new();
    for (place, _, rows) in &places {
        for (method, outcome) in rows {
            let _ = writeln!(table, "{:8} {method}: {outcome}", format!("{place:?}"));
        }
    }
    assert_all_read("sweep.txt", &table);
    let mut silent = Vec::new();
    for (place, floor, rows) in &places {
        let asked: BTreeSet<String> = rows.iter().map(|(method, _)| (*method).to_owned()).collect();
        assert_eq!(asked, declared_plain_commands(), "sent to a {place:?}");
        let read = rows.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Read)).count();
        assert!(read >= *floor, "{read} answers of a {place:?} are too few:\n{table}");
        let unanswered = rows.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Silent));
        silent.extend(unanswered.map(|(method, _)| (*place, *method)));
    }
    assert_eq!(silent, SILENT, "{table}");
}

/// Writes the table of answers where a reader finds it, and fails with it if one could not be read.
pub(crate) fn assert_all_read(name: &str, table: &str) {
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), table).unwrap();
    assert!(!table.contains(UNREADABLE), "{table}");
}

/// The commands that need no parameter, read from the protocol's text, so that a list with a gap fails.
fn declared_plain_commands() -> BTreeSet<String> {
    let protocol = cdp_gen::pdl::load_dir(Path::new(env!("CDP_PDL_READ"))).unwrap().protocol;
    let plain = protocol.domains.iter().flat_map(|domain| {
        let commands = domain.commands.iter();
        let plain = commands.filter(|command| command.parameters.iter().all(|parameter| parameter.optional));
        plain.map(|command| format!("{}.{}", domain.name, command.name))
    });
    plain.collect()
}
