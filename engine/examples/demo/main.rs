//! The demo: drives a real Chromium through a small shop's back office, or looks at a page of the user's own. Prints
//! each step with its time, writes artefacts, and ends with what was left behind.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a demo is there to be read")]

mod arguments;
mod invoice;
mod job;
mod leftovers;
mod look;
mod orders;
mod site;
mod steps;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use engine::{Browser, Launcher};

use crate::arguments::{Arguments, Request, USAGE};
use crate::leftovers::Process;
use crate::site::Site;
use crate::steps::{Failure, Found, Steps};

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// How long helper processes of a browser that has ended may take to go.
const GONE_WITHIN: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args_os().skip(1)) {
        Ok(Request::Run(arguments)) => arguments,
        Ok(Request::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("demo: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Err(problem) = std::fs::create_dir_all(&arguments.out) {
        eprintln!("demo: the folder for the artefacts, {}: {problem}", arguments.out.display());
        return ExitCode::FAILURE;
    }

    let mut steps = Steps::new();
    let launched = tokio::select! {
        launched = launch(&mut steps) => launched,
        _ = tokio::signal::ctrl_c() => return interrupted(),
    };
    let browser = match launched {
        Ok(browser) => browser,
        Err(problem) => {
            eprintln!("\ndemo: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let worked = tokio::select! {
        worked = work(&browser, &arguments, &mut steps) => Some(worked),
        _ = tokio::signal::ctrl_c() => None,
    };
    let code = match worked {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(problem)) => {
            eprintln!("\ndemo: {problem}\n");
            ExitCode::FAILURE
        }
        None => interrupted(),
    };
    match close(&browser, &arguments.out, &mut steps).await {
        Ok(()) => code,
        Err(problem) => {
            eprintln!("\ndemo: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn launch(steps: &mut Steps) -> Result<Browser, Failure> {
    let launching = async {
        let browser = Launcher::new().launch().await?;
        let version = browser.version().to_owned();
        Ok(Found(browser, version))
    };
    let Found(browser, _) = steps.run("launch a browser in its own process group", launching).await?;
    Ok(browser)
}

async fn work(browser: &Browser, arguments: &Arguments, steps: &mut Steps) -> Result<(), Failure> {
    match &arguments.url {
        Some(url) => look::run(browser, url, &arguments.out, steps).await?,
        None => {
            let site = Site::start().await?;
            job::run(browser, &site, &arguments.out, steps).await?;
        }
    }
    Ok(())
}

/// Closes the browser and looks for what it left: the last line of the demo.
async fn close(browser: &Browser, out: &Path, steps: &mut Steps) -> Result<(), Failure> {
    let (group, scratch) = (
        browser.process().expect("it was launched").pid(),
        browser.process().expect("it was launched").scratch().to_owned(),
    );
    steps.run("close the browser", async { Ok(browser.close().await.by.to_string()) }).await?;
    let (processes, paths) = left(group, &scratch).await;
    println!("\n{}; artefacts in {}", steps.total(), out.display());
    processes.iter().for_each(|process| println!("left behind: {process}"));
    paths.iter().for_each(|path| println!("left behind: {path}"));
    println!("left behind: {} processes, {} temporary paths", processes.len(), paths.len());
    if processes.is_empty() && paths.is_empty() {
        Ok(())
    } else {
        Err("the browser left something behind".into())
    }
}

/// Crash handlers leave the group and go a moment after their browser; what is still there then has been left.
async fn left(group: u32, scratch: &Path) -> (Vec<Process>, Vec<String>) {
    let end = tokio::time::Instant::now() + GONE_WITHIN;
    loop {
        let (processes, paths) = (leftovers::processes(&[group], scratch), leftovers::paths(scratch));
        if processes.is_empty() && paths.is_empty() || tokio::time::Instant::now() >= end {
            return (processes, paths);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn interrupted() -> ExitCode {
    println!("\ninterrupted");
    ExitCode::from(INTERRUPTED)
}
