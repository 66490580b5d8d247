//! Runs every client once per scenario and round, in random order, each with a server or browser of its own, and keeps their
//! figures.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::browser::{self, Browser, Way};
use crate::clients::{Carrier, Client, Places};
use crate::machine;
use crate::process::Group;
use crate::scenarios::{Metric, Scenario, Source};
use crate::{mock, pages};

/// Longest time a client may take.
const LIMIT: Duration = Duration::from_secs(300);

/// One run of a client.
pub struct Run {
    pub round: usize,
    pub scenario: &'static str,
    pub client: &'static str,
    /// Cores that others used meanwhile.
    pub foreign: f64,
    pub outcome: Outcome,
}

pub enum Outcome {
    Figures(Value),
    Failed(String),
}

impl Run {
    pub fn metric(&self, metric: Metric) -> Option<f64> {
        match &self.outcome {
            Outcome::Figures(figures) => metric.of(figures),
            Outcome::Failed(_) => None,
        }
    }
}

pub struct Rounds<'a> {
    places: &'a Places,
    quiet: Duration,
    /// Counts are divided by this.
    share: usize,
    mock: String,
    pages: String,
    file: File,
    random: u64,
}

impl<'a> Rounds<'a> {
    pub fn new(places: &'a Places, quiet: Duration, share: usize) -> io::Result<Rounds<'a>> {
        fs::create_dir_all(&places.bench)?;
        let file = OpenOptions::new().create(true).append(true).open(places.bench.join("peers.jsonl"))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let random = since.as_nanos() as u64 | 1;
        Ok(Rounds { places, quiet, share, mock: mock::start()?, pages: pages::start()?, file, random })
    }

    /// One round of a scenario, with clients that it is for.
    pub fn round(&mut self, round: usize, scenario: &Scenario, mut order: Vec<&Client>) -> Vec<Run> {
        for at in (1..order.len()).rev() {
            order.swap(at, self.below(at + 1));
        }
        order.into_iter().map(|client| self.measured(round, scenario, client)).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % limit as u64) as usize
    }

    fn measured(&mut self, round: usize, scenario: &Scenario, client: &Client) -> Run {
        let (foreign, outcome) = match self.run(scenario, client) {
            Ok((foreign, figures)) => (foreign, Outcome::Figures(figures)),
            Err(problem) => (0.0, Outcome::Failed(problem)),
        };
        let run = Run { round, scenario: scenario.name, client: client.name, foreign, outcome };
        self.keep(&run, scenario);
        run
    }

    /// The client's figures and the cores that others used meanwhile.
    fn run(&self, scenario: &Scenario, client: &Client) -> Result<(f64, Value), String> {
        let problem = |problem: io::Error| problem.to_string();
        let browser = match (scenario.source, client.carrier) {
            (Source::Mock | Source::Launched(_), _) => None,
            (Source::Browser, Carrier::Websocket) => Some(Browser::over_websocket().map_err(problem)?),
            (Source::Browser, Carrier::Pipe) => Some(Browser::over_pipe().map_err(problem)?),
        };
        // What it takes the browser to start is over by then as well.
        machine::wait_for_quiet(self.quiet);

        let words = client.command(self.places);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(scenario.command);
        let (group, way) = match browser {
            Some(Browser { process, way }) => (Some(process), Some(way)),
            None => (None, None),
        };
        let mut folder = None;
        match way {
            None => match scenario.source {
                Source::Launched(program) => {
                    let path = browser::program(program).ok_or(browser::NO_SHELL)?;
                    let made = folder.insert(browser::folder().map_err(problem)?);
                    command.arg(path).env("TMPDIR", made).env("BENCH_FLAGS", browser::FLAGS.join(" "));
                }
                Source::Mock | Source::Browser => _ = command.arg(&self.mock),
            },
            Some(Way::Websocket(url)) => _ = command.arg(url),
            Some(Way::Pipe { writes, reads }) => {
                command.arg("pipe");
                browser::map(&mut command, writes, reads).map_err(problem)?;
            }
        }
        let count = scenario.operations(self.share);
        command.arg(format!("n={count}")).args(client.arguments);
        for argument in scenario.arguments {
            command.arg(argument.replace("{n}", &count.to_string()).replace("{pages}", &self.pages));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What went wrong stands in the last lines then.
        command.env("RUST_BACKTRACE", "0");

        let browser_cpu = || group.as_ref().map_or(0.0, |group| machine::group(group.id()).1);
        let used = || (machine::busy(), machine::own() + browser_cpu());
        let (before, start) = (used(), Instant::now());
        let process = Group::start(&mut command, folder.as_ref().map(Path::new))
            .map_err(|problem| format!("{}: {problem}", words[0].display()))?;
        // It may hold ends of the browser's pipes.
        drop(command);
        let (status, printed, words) = process.finish(LIMIT).map_err(problem)?;
        let (wall, after) = (start.elapsed().as_secs_f64(), used());
        let foreign = ((after.0 - before.0) - (after.1 - before.1)).max(0.0) / wall;

        let line = printed.lines().rev().find(|line| line.starts_with('{'));
        let figures: Option<Value> = line.and_then(|line| serde_json::from_str(line).ok());
        match figures {
            Some(figures) if status.success() => Ok((foreign, figures)),
            _ => {
                let last: Vec<&str> =
                    words.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
                Err(format!("{status}: {}", last.into_iter().rev().collect::<Vec<_>>().join(" | ")))
            }
        }
    }

    /// Prints a line, and appends one of JSON to the file.
    fn keep(&mut self, run: &Run, scenario: &Scenario) {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut line = json!({
            "time": time, "round": run.round, "scenario": run.scenario, "client": run.client,
            "foreign_cores": (run.foreign * 100.0).round() / 100.0,
        });
        let shown = match &run.outcome {
            Outcome::Failed(problem) => {
                line["failed"] = problem.as_str().into();
                format!("failed: {problem}")
            }
            Outcome::Figures(figures) => {
                for (key, value) in figures.as_object().into_iter().flatten() {
                    line[key] = value.clone();
                }
                let shown = scenario
                    .metrics
                    .iter()
                    .filter_map(|metric| Some(format!("{} {:.2}", metric.title(), run.metric(*metric)?)));
                shown.collect::<Vec<_>>().join(", ")
            }
        };
        eprintln!(
            "[{}] {:14} {:28} {shown}; others {:.2} cores",
            run.round, run.scenario, run.client, run.foreign
        );
        if let Err(problem) = writeln!(self.file, "{line}") {
            eprintln!("peers: the figures can't be kept: {problem}");
        }
    }
}
