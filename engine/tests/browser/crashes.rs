//! Renderers that die: under a navigation, before the next call, and in a frame of another site.

use std::future::IntoFuture as _;
use std::pin::Pin;
use std::time::{Duration, Instant};

use cdp_protocol::domains::page::Crash;
use cdp_protocol::domains::target::{AttachedToTarget, SessionId};
use engine::{Error, ErrorKind, EvidenceKind, Frame, Page};

use crate::harness::{Env, Outcome, tests, until};
use crate::incidents::kill_those;

tests![
    a_renderer_killed_under_a_navigation_is_a_crash_to_whoever_waits_for_it,
    every_operation_on_a_crashed_page_says_so_at_once,
    an_address_that_crashes_the_renderer_is_a_crash,
    calls_into_a_crashed_frame_fail_at_once_and_the_page_goes_on,
    a_crash_under_a_call_into_a_frame_ends_it,
    a_crashed_frame_comes_back_with_its_next_document,
    a_reloaded_page_has_its_crashed_frame_again,
    a_crashed_frame_that_is_removed_is_gone,
    a_crashed_frame_in_a_frame_comes_back,
];

/// What none of these may take: far less than the 30 seconds that operations have.
const AT_ONCE: Duration = Duration::from_secs(5);

type Acting<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

async fn a_renderer_killed_under_a_navigation_is_a_crash_to_whoever_waits_for_it(env: &Env) -> Outcome {
    for case in ["first goto", "goto", "goto of another site", "reload", "click"] {
        let (start, held) =
            (format!("/{}/start", case.replace(' ', "-")), format!("/{}/held", case.replace(' ', "-")));
        env.site.page(&start, &format!("<a href={held}>go</a>"));
        // One of its own each time: a next page could be given a renderer that was killed as a spare.
        let browser = env.launcher().launch().await?;
        let page = browser.new_context().await?.new_page().await?;
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
        browser.close().await;
    }
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
    // Not waited for: the first operation may come before the browser knows.
    drop(env.page.session().call(&Crash));
    check_crashed(env, &env.page).await;
    env.page.close().await?;
    let next = env.context.new_page().await?;
    next.goto(env.site.url("/")).await?;
    assert_eq!(next.locator("p").inner_text().await?, "fine");
    Ok(())
}

async fn an_address_that_crashes_the_renderer_is_a_crash(env: &Env) -> Outcome {
    env.open("<p>fine</p>").await?;
    let error = env.page.goto("chrome://crash").await.expect_err("it crashes");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    check_crashed(env, &env.page).await;
    Ok(())
}

/// A button that counts.
const COUNTER: &str =
    "<button onclick='this.textContent = ++window.hits'>0</button><script>hits = 0</script>";

/// Puts up a page with a frame of another site, goes to it, and gives the frame and its session.
async fn open_with_frame(env: &Env) -> Result<(Frame, SessionId), Box<dyn std::error::Error + Send + Sync>> {
    env.site.page("/frame", COUNTER);
    let mut attached = env.page.session().events::<AttachedToTarget>();
    env.open(&format!("<iframe src={}></iframe><p>outer</p>", env.site.other_url("/frame"))).await?;
    let session = attached.next().await.ok_or("the frame has a session")??.session_id;
    Ok((frame_at(env, &env.site.other_url("/frame")).await, session))
}

async fn frame_at(env: &Env, url: &str) -> Frame {
    until(url, || env.page.frames().into_iter().find(|frame| frame.url() == url)).await
}

/// Crashes what a session drives and waits until that is known.
async fn crash(env: &Env, session: &SessionId) {
    let crashes = || env.page.evidence().iter().filter(|it| it.kind == EvidenceKind::Crash).count();
    let before = crashes();
    let crashed = env.browser.client().session(session).call(&Crash).await;
    assert!(crashed.is_err(), "what has crashed answers nothing");
    until("the frame's crash", || (crashes() > before).then_some(())).await;
}

fn check_names_the_frame(env: &Env, result: Result<(), Error>) {
    let error = result.expect_err("the frame has crashed");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    assert!(error.to_string().contains(&env.site.other_url("/frame")), "{error}");
}

async fn calls_into_a_crashed_frame_fail_at_once_and_the_page_goes_on(env: &Env) -> Outcome {
    let (frame, session) = open_with_frame(env).await?;
    let button = env.page.frame_locator("iframe").locator("button");
    button.click().await?;
    crash(env, &session).await;
    let began = Instant::now();
    check_names_the_frame(env, frame.evaluate::<u32>("1").await.map(drop));
    check_names_the_frame(env, frame.evaluate_with::<u32>("x => x", 1).await.map(drop));
    check_names_the_frame(env, frame.locator("button").click().await);
    check_names_the_frame(env, button.click().await);
    check_names_the_frame(env, button.inner_text().await.map(drop));
    check_names_the_frame(env, button.fill("x").await);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert!(!frame.is_detached() && !env.page.is_closed());
    assert_eq!(env.page.locator("p").inner_text().await?, "outer");
    env.page.locator("p").click().await?;
    assert_eq!(env.page.evaluate::<u32>("1").await?, 1);
    env.site.page("/next", "<p>next</p>");
    env.page.goto(env.site.url("/next")).await?;
    assert_eq!(env.page.locator("p").inner_text().await?, "next");
    Ok(())
}

async fn a_crash_under_a_call_into_a_frame_ends_it(env: &Env) -> Outcome {
    let (frame, session) = open_with_frame(env).await?;
    frame.evaluate::<u32>("1").await?;
    let began = Instant::now();
    let evaluating = frame.evaluate::<u32>("new Promise(() => {})").into_future();
    let waiting = frame.locator("#never").wait_for(engine::State::Visible).into_future();
    let (evaluated, waited, ()) = tokio::join!(evaluating, waiting, crash(env, &session));
    check_names_the_frame(env, evaluated.map(drop));
    check_names_the_frame(env, waited);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    Ok(())
}

async fn a_crashed_frame_comes_back_with_its_next_document(env: &Env) -> Outcome {
    let (frame, mut session) = open_with_frame(env).await?;
    env.site.page("/again", COUNTER);
    let button = env.page.frame_locator("iframe").locator("button");
    // To its own site, to that of the page, and, after another crash, to its own again.
    for url in [env.site.other_url("/again"), env.site.url("/again"), env.site.other_url("/frame")] {
        if frame.url() != env.site.url("/again") {
            crash(env, &session).await;
        }
        let mut attached = env.page.session().events::<AttachedToTarget>();
        let go = format!("document.querySelector('iframe').src = '{url}', null");
        env.page.evaluate::<Option<u32>>(go).await?;
        // Nobody has to wait for the document: it is on its way.
        button.click().await?;
        assert_eq!(button.inner_text().await?, "1", "{url}");
        assert_eq!(frame.evaluate::<String>("document.URL").await?, url);
        assert_eq!(frame.url(), url);
        if url != env.site.url("/again") {
            session = attached.next().await.ok_or("the frame has a session")??.session_id;
        }
    }
    Ok(())
}

async fn a_reloaded_page_has_its_crashed_frame_again(env: &Env) -> Outcome {
    let (frame, session) = open_with_frame(env).await?;
    crash(env, &session).await;
    env.page.reload().await?;
    let button = env.page.frame_locator("iframe").locator("button");
    button.click().await?;
    assert_eq!(button.inner_text().await?, "1");
    assert!(frame.is_detached(), "it is another frame");
    assert_eq!(env.page.frames().len(), 2);
    Ok(())
}

async fn a_crashed_frame_that_is_removed_is_gone(env: &Env) -> Outcome {
    let (frame, session) = open_with_frame(env).await?;
    crash(env, &session).await;
    env.page.evaluate::<Option<u32>>("document.querySelector('iframe').remove(), null").await?;
    until("the frame's end", || frame.is_detached().then_some(())).await;
    assert_eq!(env.page.frames().len(), 1);
    Ok(())
}

async fn a_crashed_frame_in_a_frame_comes_back(env: &Env) -> Outcome {
    env.site.page("/inner", COUNTER);
    env.site.page("/middle", "<p>middle</p>");
    // A third site: Chromium finds every name below localhost on this machine.
    let inner = env.site.other_url("/inner").replace("localhost", "inner.localhost");
    let mut attached = env.page.session().events::<AttachedToTarget>();
    env.open(&format!("<iframe src={}></iframe>", env.site.other_url("/middle"))).await?;
    let outer_session = attached.next().await.ok_or("the frame has a session")??.session_id;
    let mut attached = env.browser.client().session(&outer_session).events::<AttachedToTarget>();
    let middle = env.page.frame_locator("iframe");
    let add = |url: &str| {
        format!("document.body.innerHTML = '<p>middle</p><iframe src={url}></iframe>', document.readyState")
    };
    let button = middle.frame_locator("iframe").locator("button");
    let in_middle = frame_at(env, &env.site.other_url("/middle")).await;
    in_middle.evaluate::<String>(add(&inner)).await?;
    button.click().await?;
    let inner_session = attached.next().await.ok_or("the inner frame has a session")??.session_id;
    crash(env, &inner_session).await;
    let error = button.click().await.expect_err("it has crashed");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    assert!(error.to_string().contains(&inner), "{error}");
    assert_eq!(middle.locator("p").inner_text().await?, "middle");
    let again = format!("document.querySelector('iframe').src = '{inner}', document.readyState");
    in_middle.evaluate::<String>(again).await?;
    button.click().await?;
    assert_eq!(button.inner_text().await?, "1");

    // And all of it when the one around it crashes.
    crash(env, &outer_session).await;
    let error = button.click().await.expect_err("the frame around it has crashed");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    assert_eq!(env.page.frames().len(), 2);
    let go = format!("document.querySelector('iframe').src = '{}', null", env.site.other_url("/middle"));
    env.page.evaluate::<Option<u32>>(go).await?;
    assert_eq!(middle.locator("p").inner_text().await?, "middle");
    in_middle.evaluate::<String>(add(&inner)).await?;
    button.click().await?;
    assert_eq!(button.inner_text().await?, "1");
    Ok(())
}
