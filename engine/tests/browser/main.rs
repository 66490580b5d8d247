//! Tests against a real Chromium: one shared browser, a fresh context for each test, local sites. This file lists the
//! tests; the harness is in `harness`.

mod attach;
mod certificates;
mod click;
mod clock;
mod contexts;
mod crashes;
mod credentials;
mod demo;
mod dialogs;
mod downloads;
mod emulation;
mod evaluation;
mod evidence;
mod fill;
mod frame_torture;
mod frames;
mod harness;
mod history;
mod incidents;
mod leaks;
#[path = "../../examples/demo/leftovers.rs"]
mod leftovers;
mod locators;
mod navigation;
mod navigation_torture;
mod pdf;
mod pictures;
mod pictures_behind;
mod pool;
mod pool_ends;
mod process;
mod protocol;
mod safety;
mod screenshots;
mod scripts;
mod settled;
mod site;
mod usage;
mod values;
mod workers;

use std::process::ExitCode;

use libtest_mimic::Arguments;

use crate::harness::Harness;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // What is left over after a test can only be counted when no other one runs.
    arguments.test_threads = Some(1);
    let harness = match Harness::new() {
        Ok(harness) => harness,
        Err(problem) => panic!("a runtime for the tests: {problem}"),
    };
    let modules = [
        ("protocol", protocol::TESTS),
        ("navigation", navigation::TESTS),
        ("history", history::TESTS),
        ("navigation_torture", navigation_torture::TESTS),
        ("values", values::TESTS),
        ("evaluation", evaluation::TESTS),
        ("locators", locators::TESTS),
        ("click", click::TESTS),
        ("fill", fill::TESTS),
        ("settled", settled::TESTS),
        ("dialogs", dialogs::TESTS),
        ("downloads", downloads::TESTS),
        ("frames", frames::TESTS),
        ("frame_torture", frame_torture::TESTS),
        ("clock", clock::TESTS),
        ("workers", workers::TESTS),
        ("scripts", scripts::TESTS),
        ("safety", safety::TESTS),
        ("contexts", contexts::TESTS),
        ("emulation", emulation::TESTS),
        ("credentials", credentials::TESTS),
        ("certificates", certificates::TESTS),
        ("evidence", evidence::TESTS),
        ("crashes", crashes::TESTS),
        ("screenshots", screenshots::TESTS),
        ("pictures", pictures::TESTS),
        ("pictures_behind", pictures_behind::TESTS),
        ("pdf", pdf::TESTS),
        ("attach", attach::TESTS),
        ("process", process::TESTS),
        ("pool", pool::TESTS),
        ("pool_ends", pool_ends::TESTS),
        ("usage", usage::TESTS),
        ("incidents", incidents::TESTS),
        ("demo", demo::TESTS),
    ];
    let mut trials: Vec<_> =
        modules.into_iter().flat_map(|(module, tests)| harness.trials(module, tests)).collect();
    let last = harness.last_trial();
    // The browser is closed, and what it left counted, also when only some of the tests run.
    if trials.iter().any(|trial| !arguments.is_filtered_out(trial)) || !arguments.is_filtered_out(&last) {
        trials.retain(|trial| !arguments.is_filtered_out(trial));
        trials.push(last);
        (arguments.filter, arguments.skip) = (None, Vec::new());
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
