//! Browsers that can't be launched, and browsers that are closed: what is said, and what is left.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use engine::ErrorKind;
use engine::process::{CloseTimings, ClosedBy};

use crate::harness::{Env, Outcome, tests};
use crate::leftovers;

tests![
    a_binary_that_is_not_there_is_named,
    a_browser_that_exits_at_once_tells_its_last_words,
    a_browser_that_never_answers_is_given_up,
    closing_leaves_no_process_and_no_path,
    closing_does_not_hang_on_a_busy_page,
    dropping_a_browser_closes_it,
];

/// A program in the scratch folder that behaves as the script says.
fn program(env: &Env, name: &str, script: &str) -> std::io::Result<PathBuf> {
    let path = env.browser.process().expect("it was launched").scratch().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n"))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

async fn a_binary_that_is_not_there_is_named(env: &Env) -> Outcome {
    let error = env.launcher().executable("/nowhere/chromium").launch().await.expect_err("no such file");
    assert_eq!(error.kind(), ErrorKind::Launch, "{error}");
    assert!(error.to_string().contains("/nowhere/chromium"), "{error}");
    Ok(())
}

async fn a_browser_that_exits_at_once_tells_its_last_words(env: &Env) -> Outcome {
    let program = program(env, "exits", "echo 'no display, no luck' >&2; exit 7")?;
    let error = env.launcher().executable(&program).launch().await.expect_err("it exits");
    assert_eq!(error.kind(), ErrorKind::Launch, "{error}");
    let text = error.to_string();
    assert!(text.contains("no display, no luck") && text.contains('7'), "{text}");
    Ok(())
}

async fn a_browser_that_never_answers_is_given_up(env: &Env) -> Outcome {
    let program = program(env, "sleeps", "echo 'still thinking' >&2; exec sleep 60")?;
    let launcher = env.launcher().executable(&program).timeout(Duration::from_millis(700));
    let error = launcher.launch().await.expect_err("it never answers");
    let text = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Launch, "{text}");
    assert!(text.contains("still thinking") && text.contains(&*program.to_string_lossy()), "{text}");
    Ok(())
}

/// Waits until a browser has gone, for a bounded time; gives what is left then.
async fn left(group: u32, scratch: PathBuf) -> Vec<String> {
    let end = tokio::time::Instant::now() + Duration::from_secs(5);
    loop {
        let processes = leftovers::processes(&[group], &scratch).into_iter();
        let left: Vec<String> =
            processes.map(|it| it.to_string()).chain(leftovers::paths(&scratch)).collect();
        if left.is_empty() || tokio::time::Instant::now() >= end {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn closing_leaves_no_process_and_no_path(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let (group, scratch) = (
        browser.process().expect("it was launched").pid(),
        browser.process().expect("it was launched").scratch().to_owned(),
    );
    assert!(!leftovers::processes(&[group], &scratch).is_empty(), "the search finds a running browser");
    browser.new_context().await?.new_page().await?;
    browser.close().await;
    assert_eq!(left(group, scratch).await, [""; 0]);
    Ok(())
}

async fn closing_does_not_hang_on_a_busy_page(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let (group, scratch) = (
        browser.process().expect("it was launched").pid(),
        browser.process().expect("it was launched").scratch().to_owned(),
    );
    env.site
        .page("/busy", "<script>addEventListener('load', () => setTimeout(() => { for (;;); }))</script>");
    let page = browser.new_context().await?.new_page().await?;
    page.goto(env.site.url("/busy")).await?;
    // It is busy: it answers nothing any more.
    let answer = page.evaluate::<u32>("1").timeout(Duration::from_millis(300)).await;
    assert!(answer.expect_err("the page is busy").is_timeout());
    let closed = browser.close().await;
    assert_eq!(closed.by, ClosedBy::Asked, "{closed}");
    assert!(closed.took < CloseTimings::default().ask, "{closed}");
    assert_eq!(left(group, scratch).await, [""; 0]);
    Ok(())
}

async fn dropping_a_browser_closes_it(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let (group, scratch) = (
        browser.process().expect("it was launched").pid(),
        browser.process().expect("it was launched").scratch().to_owned(),
    );
    drop(browser);
    assert_eq!(left(group, scratch).await, [""; 0]);
    Ok(())
}
