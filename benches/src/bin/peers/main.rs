//! Measures whole clients of the protocol, each as a process of its own, against a mock server and a real browser, and holds
//! ours against its bars. See `benches/README.md`.

mod bars;
mod browser;
mod build;
mod clients;
mod machine;
mod mock;
mod options;
mod pages;
mod process;
mod rounds;
mod scenarios;
mod table;

use std::process::ExitCode;
use std::thread;

use clients::Places;
use options::Options;
use rounds::{Outcome, Rounds};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::read(&arguments) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("peers: {problem}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("peers: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Tells whether every client could be measured. A bar that is missed is a figure, not a failure.
fn run(options: &Options) -> Result<bool, String> {
    process::end_with_this_process().map_err(|problem| format!("signals: {problem}"))?;
    let problem = |problem: std::io::Error| problem.to_string();
    if options.serve {
        println!("mock server {}", mock::start().map_err(problem)?);
        println!("pages {}", pages::start().map_err(problem)?);
        loop {
            thread::park();
        }
    }
    let places = Places::find()?;
    let clients: Vec<_> =
        options.scenarios.iter().flat_map(|scenario| options.taking_part(scenario)).collect();
    build::all(&clients, &places)?;

    let mut rounds = Rounds::new(&places, options.quiet, options.share).map_err(problem)?;
    let mut runs = Vec::new();
    let most = options.scenarios.iter().map(|scenario| options.rounds_of(scenario)).max().unwrap_or_default();
    for round in 0..most {
        for scenario in options.scenarios.iter().filter(|scenario| round < options.rounds_of(scenario)) {
            runs.extend(rounds.round(round, scenario, options.taking_part(scenario)));
        }
    }
    // With few messages, the first of them decide.
    if options.share > 1 {
        println!(
            "\nA quick run: it shows that everything works. These figures mean nothing, so there are no bars."
        );
    }
    for scenario in &options.scenarios {
        print!("{}", table::markdown(scenario, options.share, &runs));
    }
    if options.share == 1 {
        print!("{}", bars::list(&runs));
    }
    Ok(runs.iter().all(|run| matches!(run.outcome, Outcome::Figures(_))))
}
