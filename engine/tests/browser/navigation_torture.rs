//! Navigations that are interrupted at random: by another one, a link, a script, a reload, the history, a stop. Each ends,
//! says what became of it, and is right: against the document that is there then, and what the server was asked.
//!
//! There are 40 of them, 300 with `ENGINE_TEST_LONG`; `ENGINE_TEST_SEED` repeats a run.

use std::future::IntoFuture as _;
use std::time::Duration;

use cdp_protocol::domains::page::StopLoading;
use engine::{Error, ErrorKind, Page, WaitUntil};

use crate::harness::{Env, Outcome, is_long, seed, tests};

tests![a_navigation_that_is_interrupted_says_what_became_of_it];

/// A navigation that has not ended by then hangs.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// Pages that there are to go to.
const PAGES: u64 = 4;

/// How a navigation is interrupted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    Nothing,
    Goto,
    Link,
    Script,
    Reload,
    Back,
    Stop,
}

const WAYS: [By; 7] = [By::Nothing, By::Goto, By::Link, By::Script, By::Reload, By::Back, By::Stop];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

async fn a_navigation_that_is_interrupted_says_what_became_of_it(env: &Env) -> Outcome {
    let count = if is_long() { 300 } else { 40 };
    let seed = seed();
    let mut random = Random(seed);
    // Slow enough to be interrupted while its parts load.
    for n in 0..3 {
        env.site.slow(&format!("/part{n}"), Duration::from_millis(15 * (n + 1)));
    }
    for n in 0..PAGES {
        let links: String = (0..PAGES).map(|to| format!("<a href=/page{to}>to {to}</a> ")).collect();
        let parts = "<img src=/part0><script src=/part1></script><img src=/part2>";
        env.site.page(&format!("/page{n}"), &format!("<p id=me>{n}</p>{links}{parts}"));
    }
    env.page.goto(env.site.url("/page0")).await?;
    for round in 0..count {
        let by = WAYS[random.below(WAYS.len() as u64) as usize];
        let (to, other) = (random.below(PAGES), random.below(PAGES));
        let after = Duration::from_micros(random.below(40_000));
        let told = |text: String| {
            format!("seed {seed}, round {round}, {by:?} after {after:?}, to {to}, other {other}: {text}")
        };
        let asked = env.site.hits(&format!("/page{to}"));
        let (result, interrupted) = tokio::join!(
            env.page.goto(env.site.url(&format!("/page{to}"))).timeout(ENDS_WITHIN),
            interrupt(&env.page, env, by, other, after)
        );
        interrupted.map_err(|error| told(format!("the interruption: {error}")))?;
        let asked = env.site.hits(&format!("/page{to}")) - asked;
        check(by, &result, asked).map_err(told)?;
        // Whatever is there, it is one of the pages, whole, and can be asked.
        match env.page.wait_for_load_state(WaitUntil::DomContentLoaded).timeout(ENDS_WITHIN).await {
            // Half of one.
            Err(error) if by == By::Stop && error.to_string().contains("was stopped") => continue,
            state => state.map_err(|error| told(error.to_string()))?,
        }
        if by == By::Back && env.page.url() == "about:blank" {
            // It was the first page of the history.
            env.page.goto(env.site.url("/page0")).await?;
            continue;
        }
        let ask = env.page.evaluate("[document.getElementById('me').textContent, location.href]");
        let (me, url): (String, String) = ask.await.map_err(|error| told(format!("{result:?} {error}")))?;
        let whole = url == env.site.url(&format!("/page{me}")) && env.page.url() == url;
        let expected = match by {
            By::Nothing => Some(to),
            By::Goto if result.is_err() => Some(other),
            _ => None,
        };
        let right = expected.is_none_or(|expected| me == expected.to_string());
        if !(whole && right) {
            return Err(told(format!("page {me} at {url}, known as {}: {result:?}", env.page.url())).into());
        }
    }
    Ok(())
}

/// Does something to the page while it is on its way elsewhere. What comes of it is not of interest here, unless it hangs.
async fn interrupt(page: &Page, env: &Env, by: By, other: u64, after: Duration) -> Result<(), Error> {
    tokio::time::sleep(after).await;
    let url = env.site.url(&format!("/page{other}"));
    let result = match by {
        By::Nothing => Ok(()),
        By::Goto => page.goto(&url).timeout(ENDS_WITHIN).await.map(drop),
        By::Link => page.get_by_text(format!("to {other}")).click().timeout(ENDS_WITHIN).await,
        By::Script => {
            page.evaluate::<()>(format!("void (location.href = {url:?})")).timeout(ENDS_WITHIN).await
        }
        By::Reload => page.reload().timeout(ENDS_WITHIN).await.map(drop),
        By::Back => page.go_back().timeout(ENDS_WITHIN).await.map(drop),
        // Refused while the page moves from one process to another; then nobody has interrupted it.
        By::Stop => page.session().call(&StopLoading).into_future().await.or(Ok(())),
    };
    match result {
        Err(error) if error.kind() == ErrorKind::Navigation => Ok(()),
        other => other,
    }
}

/// Whether this is what a navigation may end with.
fn check(by: By, result: &Result<Option<engine::Response>, Error>, asked: usize) -> Result<(), String> {
    match result {
        Ok(Some(answer)) if answer.status == 200 => {
            // It came, so somebody was asked.
            if asked == 0 { Err("the server was not asked for what it answered".into()) } else { Ok(()) }
        }
        Ok(answer) => Err(format!("no answer of the server: {answer:?}")),
        Err(error) if by == By::Nothing => Err(format!("nobody interrupted it: {error}")),
        Err(error) if error.kind() == ErrorKind::Navigation => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
