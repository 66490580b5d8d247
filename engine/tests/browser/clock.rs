//! Pages whose time is told from outside: dates, timers, what is drawn.

use std::time::{Duration, SystemTime};

use engine::ErrorKind;

use crate::harness::{Env, Outcome, tests};

tests![
    a_clock_shows_what_it_was_set_to_and_goes_on,
    time_that_is_run_fires_all_timers_at_their_times,
    time_that_is_jumped_over_fires_each_timer_once,
    a_clock_that_stands_still_fires_nothing,
    setting_a_clock_fires_nothing,
    documents_to_come_and_frames_go_by_it_too,
    a_context_has_one_clock_for_all_of_its_pages,
    timers_are_cleared_and_errors_are_told,
    a_clock_that_was_not_installed_is_told,
];

const DAY: Duration = Duration::from_secs(86_400);

fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + DAY * 10_000
}

/// Milliseconds since the clock was installed.
const SINCE: &str = "Date.now() - 864e9";

async fn a_clock_shows_what_it_was_set_to_and_goes_on(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.clock().install(start()).await?;
    let seen: Vec<f64> = env
        .page
        .evaluate(format!("[{SINCE}, new Date() - 864e9, new Date(5) - 0, Date.UTC(1970, 0, 2), new Date().constructor === Date ? 1 : 0]"))
        .await?;
    assert!(
        (0.0..20_000.0).contains(&seen[0]) && seen[1] >= seen[0] && seen[1] < seen[0] + 1_000.0,
        "{seen:?}"
    );
    assert_eq!(seen[2..], [5.0, 86_400_000.0, 1.0]);
    let waited: f64 = env
        .page
        .evaluate("(t => new Promise(done => setTimeout(() => done(Date.now() - t), 60)))(Date.now())")
        .await?;
    assert!((59.0..10_000.0).contains(&waited), "{waited}");
    let text: String = env.page.evaluate("Date()").await?;
    assert!(text.contains("1997"), "{text}");
    Ok(())
}

const LOG: &str = "<script>
    log = []; const note = name => log.push(name + '@' + (Date.now() - 864e9) / 1000);
    addEventListener('go', () => {
        setInterval(() => note('every'), 1000);
        setTimeout(async () => { note('once'); await null; note('then'); setTimeout(() => note('nested'), 500) }, 1500);
    });
    </script>";

/// A page whose clock stands still at its start, with timers.
async fn stopped(env: &Env) -> Outcome {
    env.page.clock().install(start()).await?;
    env.open(LOG).await?;
    env.page.clock().pause().await?;
    env.page.clock().set(start()).await?;
    env.page.evaluate::<()>("void dispatchEvent(new Event('go'))").await?;
    Ok(())
}

async fn time_that_is_run_fires_all_timers_at_their_times(env: &Env) -> Outcome {
    stopped(env).await?;
    env.page.clock().run_for(Duration::from_millis(3_200)).await?;
    let log: Vec<String> = env.page.evaluate("log").await?;
    assert_eq!(log, ["every@1", "once@1.5", "then@1.5", "every@2", "nested@2", "every@3"]);
    assert_eq!(env.page.evaluate::<f64>(SINCE).await?, 3_200.0);
    Ok(())
}

async fn time_that_is_jumped_over_fires_each_timer_once(env: &Env) -> Outcome {
    stopped(env).await?;
    env.page.clock().fast_forward(DAY).await?;
    let log: Vec<String> = env.page.evaluate("log").await?;
    assert_eq!(log, ["every@86400", "once@86400", "then@86400"]);
    Ok(())
}

async fn a_clock_that_stands_still_fires_nothing(env: &Env) -> Outcome {
    stopped(env).await?;
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    assert_eq!(env.page.evaluate::<(Vec<String>, f64)>(format!("[log, {SINCE}]")).await?, (vec![], 0.0));
    env.page.clock().resume().await?;
    let first: String =
        env.page.wait_for_function("log[0]").await.or(Ok::<_, engine::Error>(String::new()))?;
    let at: f64 = first.trim_start_matches("every@").parse()?;
    assert!((1.0..20.0).contains(&at), "{first}");
    Ok(())
}

async fn setting_a_clock_fires_nothing(env: &Env) -> Outcome {
    stopped(env).await?;
    env.page.clock().set(start() + DAY).await?;
    assert_eq!(
        env.page.evaluate::<(Vec<String>, f64)>(format!("[log, {SINCE}]")).await?,
        (vec![], 86_400_000.0)
    );
    env.page.clock().run_for(Duration::from_secs(1)).await?;
    assert_eq!(env.page.evaluate::<Vec<String>>("log").await?, ["every@86401"]);
    Ok(())
}

async fn documents_to_come_and_frames_go_by_it_too(env: &Env) -> Outcome {
    env.page.clock().install(start()).await?;
    env.page.clock().pause().await?;
    env.page.clock().fast_forward(Duration::from_secs(5)).await?;
    let first = "<script>first = Date.now()</script>";
    env.site.page("/inner", first);
    let other = env.site.other_url("/inner");
    env.open(&format!("{first}<iframe src=/inner></iframe><iframe src={other}></iframe>")).await?;
    for _ in 0..2 {
        for frame in env.page.frames() {
            let seen: (f64, f64) = frame.evaluate(format!("[first - Date.now(), {SINCE}]")).await?;
            assert_eq!(seen.0, 0.0, "{}", frame.url());
            assert!((5_000.0..25_000.0).contains(&seen.1), "{}: {seen:?}", frame.url());
        }
        env.page.reload().await?;
    }
    Ok(())
}

async fn a_context_has_one_clock_for_all_of_its_pages(env: &Env) -> Outcome {
    let context = env.browser.new_context().await?;
    let early = context.new_page().await?;
    context.clock().install(start()).await?;
    context.clock().pause().await?;
    let late = context.new_page().await?;
    env.site.page("/", "");
    late.goto(env.site.url("/")).await?;
    context.clock().set(start() + DAY).await?;
    for page in [&early, &late, &context.new_page().await?] {
        assert_eq!(page.evaluate::<f64>(SINCE).await?, 86_400_000.0);
    }
    context.close().await?;
    Ok(())
}

async fn timers_are_cleared_and_errors_are_told(env: &Env) -> Outcome {
    env.page.clock().install(start()).await?;
    env.page.clock().pause().await?;
    env.open("<script>n = 0; clearTimeout(setTimeout(() => n++, 10)); clearInterval(setInterval(() => n++, 10));
        cancelAnimationFrame(requestAnimationFrame(() => n++)); setTimeout('n += 100', 20); setTimeout(() => nothing.of.that, 15);
        requestAnimationFrame(at => n += 1000)</script>")
        .await?;
    env.page.clock().run_for(Duration::from_millis(50)).await?;
    assert_eq!(env.page.evaluate::<u32>("n").await?, 1_100);
    let told = crate::harness::until("the error", || {
        env.page.evidence().into_iter().find(|it| it.text.contains("nothing is not defined"))
    });
    told.await;
    Ok(())
}

async fn a_clock_that_was_not_installed_is_told(env: &Env) -> Outcome {
    for error in [env.page.clock().pause().await, env.page.clock().fast_forward(DAY).await] {
        let error = error.expect_err("it is the real one");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    env.open("").await?;
    assert!(
        env.page
            .evaluate::<bool>("Date.toString().includes('[native code]') && !('__engineClock' in globalThis)")
            .await?
    );
    Ok(())
}
