//! Renderers that die: under a navigation, before the next call, and in a frame of another site.

use std::future::IntoFuture as _;
use std::pin::Pin;
use std::time::{Duration, Instant};

use engine::{Error, ErrorKind, Page};

use crate::harness::{Env, Outcome, tests};
use crate::incidents::kill_those;

tests![
    a_renderer_killed_under_a_navigation_is_a_crash_to_whoever_waits_for_it,
    every_operation_on_a_crashed_page_says_so_at_once,
    an_address_that_crashes_the_renderer_is_a_crash,
];

/// What none of these may take: far less than the 30 seconds that operations have.
const AT_ONCE: Duration = Duration::from_secs(5);

type Acting<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

async fn a_renderer_killed_under_a_navigation_is_a_crash_to_whoever_waits_for_it(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    for case in ["first goto", "goto", "goto of another site", "reload", "click"] {
        let (start, held) =
            (format!("/{}/start", case.replace(' ', "-")), format!("/{}/held", case.replace(' ', "-")));
        env.site.page(&start, &format!("<a href={held}>go</a>"));
        let context = browser.new_context().await?;
        let page = context.new_page().await?;
        if case != "first goto" {
            page.goto(env.site.url(&start)).await?;
        }
        let reloads = case == "reload";
        let waited_for = if reloads { &start } else { &held };
        let before = env.site.hits(waited_for);
        let _never = env.site.held(waited_for, "text/html", "late");
        let acting: Acting<'_> = match case {
            "reload" => Box::pin(async { page.reload().await.map(drop) }),
            "click" => page.locator("a").click().into_future(),
            "goto of another site" => {
                Box::pin(async { page.goto(env.site.other_url(&held)).await.map(drop) })
            }
            _ => Box::pin(async { page.goto(env.site.url(&held)).await.map(drop) }),
        };
        let killing = async {
            env.site.wait_for_hits(waited_for, before + 1).await;
            kill_those(&browser, "--type=renderer").await;
        };
        let (result, ()) = tokio::join!(acting, killing);
        let error = result.expect_err(case);
        assert_eq!(error.kind(), ErrorKind::Crashed, "{case}: {error}");
        context.close().await?;
    }
    browser.close().await;
    Ok(())
}

/// Wants each operation on the page to tell of the crash, and none to take long.
async fn check_crashed(env: &Env, page: &Page) {
    let began = Instant::now();
    let goto = page.goto(env.site.url("/")).await.map(drop);
    let reload = page.reload().await.map(drop);
    let results = [
        ("goto", goto),
        ("reload", reload),
        ("evaluate", page.evaluate::<u32>("1").await.map(drop)),
        ("title", page.title().await.map(drop)),
        ("content", page.content().await.map(drop)),
        ("click", page.locator("p").click().await),
        ("fill", page.locator("input").fill("x").await),
        ("inner_text", page.locator("p").inner_text().await.map(drop)),
        ("screenshot", page.screenshot().await.map(drop)),
    ];
    for (what, result) in results {
        let error = result.expect_err(what);
        assert_eq!(error.kind(), ErrorKind::Crashed, "{what}: {error}");
    }
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
}

async fn every_operation_on_a_crashed_page_says_so_at_once(env: &Env) -> Outcome {
    env.open("<p>fine</p><input>").await?;
    let browser = env.launcher().launch().await?;
    let context = browser.new_context().await?;
    let page = context.new_page().await?;
    page.goto(env.site.url("/")).await?;
    kill_those(&browser, "--type=renderer").await;
    // Right after the kill the browser itself does not know of it.
    check_crashed(env, &page).await;
    page.close().await?;
    let next = context.new_page().await?;
    next.goto(env.site.url("/")).await?;
    assert_eq!(next.locator("p").inner_text().await?, "fine");
    browser.close().await;
    Ok(())
}

async fn an_address_that_crashes_the_renderer_is_a_crash(env: &Env) -> Outcome {
    env.open("<p>fine</p>").await?;
    let error = env.page.goto("chrome://crash").await.expect_err("it crashes");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    check_crashed(env, &env.page).await;
    Ok(())
}
