//! What is told of a browser whose processes are killed one by one.

use std::fs;
use std::time::{Duration, Instant};

use engine::Browser;
use engine::process::{Exit, Incident, IncidentKind, IncidentStream, Service};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::harness::{Env, Outcome, tests, until};
use crate::leftovers;

tests![
    a_killed_renderer_is_told_with_its_page_and_without_secrets,
    a_page_cannot_make_up_an_incident,
    killed_services_are_told_and_the_browser_goes_on,
    the_end_of_a_killed_browser_is_told_last_and_to_those_who_come_late,
    the_end_of_a_closed_browser_is_told,
];

const COMES_WITHIN: Duration = Duration::from_secs(20);

/// The browser's processes whose command line has this. Chromium puts blanks between the arguments of its children.
fn processes(browser: &Browser, mark: &str) -> Vec<i32> {
    let all = leftovers::processes(
        &[browser.process().expect("it was launched").pid()],
        browser.process().expect("it was launched").scratch(),
    );
    let has = |id: u32| {
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        command.split(|byte| matches!(byte, 0 | b' ')).any(|argument| argument == mark.as_bytes())
    };
    all.into_iter().filter(|it| has(it.id)).map(|it| it.id as i32).collect()
}

/// Kills the browser's processes with this in their command line; waits until there is one.
pub(crate) async fn kill_those(browser: &Browser, mark: &str) {
    let found = until(mark, || Some(processes(browser, mark)).filter(|found| !found.is_empty())).await;
    for pid in found {
        // It may have ended meanwhile.
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

async fn next(incidents: &mut IncidentStream) -> Incident {
    let next = tokio::time::timeout(COMES_WITHIN, incidents.next()).await;
    next.expect("an incident in time").expect("the browser has not ended")
}

async fn a_killed_renderer_is_told_with_its_page_and_without_secrets(env: &Env) -> Outcome {
    env.site.page("/open", "<p>fine</p>");
    let browser = env.launcher().launch().await?;
    let mut incidents = browser.incidents();
    let page = browser.new_context().await?.new_page().await?;
    page.goto(env.site.url("/open?token=secret#secret")).await?;
    let began = Instant::now();
    kill_those(&browser, "--type=renderer").await;
    let incident = next(&mut incidents).await;
    let IncidentKind::RendererCrashed { target, url } = &incident.kind else { panic!("{incident:?}") };
    assert_eq!(*url, env.site.url("/open"));
    assert!(!target.is_empty() && incident.missed == 0 && incident.at >= began, "{incident:?}");
    assert!(page.is_closed() || page.evaluate::<u32>("1").await.is_err());
    browser.close().await;
    Ok(())
}

async fn a_page_cannot_make_up_an_incident(env: &Env) -> Outcome {
    let forged =
        "[1:2:1201/035100.123456:ERROR:content/x.cc:966] GPU process exited unexpectedly: exit_code=9";
    // Writes the console of pages to where incidents are read.
    let browser = env.launcher().arg("--enable-logging=stderr").launch().await?;
    let mut incidents = browser.incidents();
    let page = browser.new_context().await?.new_page().await?;
    page.evaluate::<()>(&format!("console.error('a\\n{forged}\\nb')")).await?;
    let written = || {
        browser
            .process()
            .expect("it was launched")
            .stderr_tail()
            .iter()
            .any(|line| line == forged)
            .then_some(())
    };
    until("the page's line", written).await;
    browser.close().await;
    let end = next(&mut incidents).await.kind;
    assert!(matches!(end, IncidentKind::BrowserEnded { .. }), "{end:?}");
    Ok(())
}

async fn killed_services_are_told_and_the_browser_goes_on(env: &Env) -> Outcome {
    env.site.page("/open", "<p>fine</p>");
    let browser = env.launcher().launch().await?;
    let mut incidents = browser.incidents();
    let page = browser.new_context().await?.new_page().await?;
    page.goto(env.site.url("/open")).await?;
    for (mark, service) in [
        ("--type=gpu-process", Service::Gpu),
        ("--utility-sub-type=network.mojom.NetworkService", Service::Network),
    ] {
        kill_those(&browser, mark).await;
        assert_eq!(next(&mut incidents).await.kind, IncidentKind::ServiceEnded { service });
    }
    page.goto(env.site.url("/open")).await?;
    assert_eq!(page.locator("p").inner_text().await?, "fine");
    browser.close().await;
    let end = next(&mut incidents).await.kind;
    assert!(matches!(end, IncidentKind::BrowserEnded { .. }), "nothing else was told: {end:?}");
    Ok(())
}

async fn the_end_of_a_killed_browser_is_told_last_and_to_those_who_come_late(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let mut incidents = browser.incidents();
    browser.new_context().await?.new_page().await?;
    kill(Pid::from_raw(browser.process().expect("it was launched").pid() as i32), Signal::SIGKILL)?;
    let end = IncidentKind::BrowserEnded { exit: Exit::Signal(9) };
    assert_eq!(next(&mut incidents).await.kind, end);
    assert_eq!(incidents.next().await, None);
    let mut late = browser.incidents();
    assert_eq!(late.next().await.map(|incident| incident.kind), Some(end));
    assert_eq!(late.next().await, None);
    browser.close().await;
    Ok(())
}

async fn the_end_of_a_closed_browser_is_told(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let mut incidents = browser.incidents();
    let closed = browser.close().await;
    let exit = closed.exit.expect("it has ended");
    assert_eq!(next(&mut incidents).await.kind, IncidentKind::BrowserEnded { exit });
    assert_eq!(incidents.next().await, None);
    Ok(())
}
