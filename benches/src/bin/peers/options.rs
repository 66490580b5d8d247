//! The command line.

use std::time::Duration;

use crate::browser;
use crate::clients::{CLIENTS, Client};
use crate::scenarios::{Program, SCENARIOS, Scenario, Source};

pub struct Options {
    /// Rounds of every scenario; where it is not said, each has its own number.
    pub rounds: Option<usize>,
    pub scenarios: Vec<&'static Scenario>,
    pub clients: Vec<&'static Client>,
    /// Counts are divided by this.
    pub share: usize,
    /// How long to wait for a quiet machine before each run.
    pub quiet: Duration,
    /// Only start the servers.
    pub serve: bool,
}

impl Options {
    pub fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            rounds: None,
            scenarios: SCENARIOS.iter().collect(),
            clients: CLIENTS.iter().collect(),
            share: 1,
            quiet: Duration::from_secs(10),
            serve: false,
        };
        let mut words = arguments.iter();
        let mut chosen_by_name = false;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--rounds" => {
                    options.rounds = Some(whole(value()?)?);
                    if options.rounds == Some(0) {
                        return Err("there has to be at least one round".into());
                    }
                }
                "--quiet" => options.quiet = Duration::from_secs(whole(value()?)? as u64),
                "--only" => {
                    options.scenarios = chosen(value()?, SCENARIOS, |scenario| scenario.name)?;
                    chosen_by_name = true;
                }
                "--clients" => options.clients = chosen(value()?, CLIENTS, |client| client.name)?,
                "--quick" => (options.rounds, options.share, options.quiet) = (Some(1), 20, Duration::ZERO),
                "--serve" => options.serve = true,
                _ => {
                    return Err(format!(
                        "unknown argument '{word}': there are --rounds N, --only SCENARIO,…, --clients CLIENT,…, \
                         --quick, --quiet SECONDS and --serve"
                    ));
                }
            }
        }
        // Who asks for it by name is told that there is none.
        if !chosen_by_name && browser::program(Program::HeadlessShell).is_none() {
            eprintln!("peers: scenarios with the headless shell are left out: {}", browser::NO_SHELL);
            options.scenarios.retain(|scenario| scenario.source != Source::Launched(Program::HeadlessShell));
        }
        if !options.serve && options.scenarios.iter().all(|scenario| options.taking_part(scenario).is_empty())
        {
            return Err("none of these clients takes part in these scenarios".into());
        }
        Ok(options)
    }

    /// How many rounds a scenario has.
    pub fn rounds_of(&self, scenario: &Scenario) -> usize {
        self.rounds.unwrap_or_else(|| scenario.rounds())
    }

    /// The chosen clients that a scenario is for.
    pub fn taking_part(&self, scenario: &Scenario) -> Vec<&'static Client> {
        self.clients.iter().copied().filter(|client| scenario.clients.contains(&client.name)).collect()
    }
}

fn whole(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("expected a whole number, not '{word}'"))
}

fn chosen<T>(
    words: &str,
    all: &'static [T],
    name: fn(&T) -> &'static str,
) -> Result<Vec<&'static T>, String> {
    let one = |word: &str| {
        all.iter().find(|item| name(item) == word).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(name).collect();
            format!("there is no '{word}', but {}", names.join(", "))
        })
    };
    words.split(',').map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, problem: Option<&str>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(Options::read(&words).err().as_deref(), problem, "{line}");
    }

    #[test]
    fn a_run_that_would_measure_nothing_is_refused() {
        check("--rounds 1", None);
        check("--rounds 0", Some("there has to be at least one round"));
        let nothing = Some("none of these clients takes part in these scenarios");
        check("--only decode_allocs --clients floor", nothing);
        check("--only decode_allocs,small --clients floor", None);
        check("--only decode_allocs --clients floor --serve", None);
    }
}
