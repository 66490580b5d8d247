//! Init scripts, and functions of the host that a page calls: once in every document, wherever its process is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{ErrorKind, EvidenceKind, Frame};

use crate::harness::{Env, Outcome, tests, until};

tests![
    a_script_runs_once_in_every_document_before_its_own,
    scripts_run_in_their_order_and_one_that_throws_stops_no_other,
    a_script_that_was_taken_back_runs_no_more,
    a_script_that_is_none_is_refused,
    a_page_calls_a_function_of_the_host_from_every_frame,
    a_function_is_there_in_the_document_that_is_open,
    many_calls_at_once_each_get_their_own_answer,
    a_call_that_fails_is_a_rejected_promise,
    a_second_function_of_a_name_is_refused,
    a_call_ends_with_its_page,
    a_call_whose_document_went_away_disturbs_nobody,
    scripts_and_functions_of_a_context_are_in_all_of_its_pages,
];

const COUNT: &str = "globalThis.runs = (globalThis.runs || 0) + 1;";

/// What a document tells of itself: how often the script had run when its own first one did, and how often until now.
const SEEN: &str = "<script>globalThis.first = globalThis.runs</script>";

async fn counts(frame: &Frame) -> engine::Result<(Option<u32>, Option<u32>)> {
    frame.evaluate("[globalThis.first ?? null, globalThis.runs ?? null]").await
}

async fn a_script_runs_once_in_every_document_before_its_own(env: &Env) -> Outcome {
    env.page.add_init_script(COUNT).await?;
    assert_eq!(counts(&env.page.main_frame()).await?, (None, None), "the document that was there");
    env.site.page("/inner", SEEN);
    let frames = format!(
        "{SEEN}<iframe src=/inner></iframe><iframe src={}></iframe><iframe srcdoc='{SEEN}'></iframe>\
        <iframe src='data:text/html,{SEEN}'></iframe>",
        env.site.other_url("/inner")
    );
    env.open(&frames).await?;
    for round in 0..3 {
        let frames = env.page.frames();
        assert_eq!(frames.len(), 5);
        for frame in frames {
            assert_eq!(counts(&frame).await?, (Some(1), Some(1)), "round {round}: {}", frame.url());
        }
        env.page.reload().await?;
    }
    // Another process, and back.
    env.page.goto(env.site.other_url("/inner")).await?;
    assert_eq!(counts(&env.page.main_frame()).await?, (Some(1), Some(1)));
    env.page.goto(env.site.url("/inner")).await?;
    assert_eq!(counts(&env.page.main_frame()).await?, (Some(1), Some(1)));
    // A document without a script of its own.
    env.page.goto("about:blank").await?;
    assert_eq!(counts(&env.page.main_frame()).await?, (None, Some(1)));
    Ok(())
}

async fn scripts_run_in_their_order_and_one_that_throws_stops_no_other(env: &Env) -> Outcome {
    for script in ["seen = 'a'", "throw new Error('out of order')", "seen += 'b'", "seen += 'c'"] {
        env.page.add_init_script(script).await?;
    }
    env.open("").await?;
    assert_eq!(env.page.evaluate::<String>("seen").await?, "abc");
    let evidence = env.page.evidence();
    let told = evidence.iter().filter(|it| it.kind == EvidenceKind::PageError);
    assert!(told.into_iter().any(|it| it.text.contains("out of order")), "{evidence:?}");
    Ok(())
}

async fn a_script_that_was_taken_back_runs_no_more(env: &Env) -> Outcome {
    let kept = env.page.add_init_script("kept = true").await?;
    let gone = env.page.add_init_script(COUNT).await?;
    env.open(&format!("<iframe src={}></iframe>", env.site.other_url("/inner"))).await?;
    gone.remove().await?;
    gone.remove().await?;
    drop(kept);
    env.page.reload().await?;
    for frame in env.page.frames() {
        let seen: (bool, String) = frame.evaluate("[kept, typeof runs]").await?;
        assert_eq!(seen, (true, "undefined".to_owned()), "{}", frame.url());
    }
    Ok(())
}

async fn a_script_that_is_none_is_refused(env: &Env) -> Outcome {
    let error = env.page.add_init_script("let a = 1;\nif (").await.expect_err("it is no JavaScript");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("line 2: SyntaxError"), "{error}");
    env.open("").await?;
    assert!(env.page.evidence().is_empty(), "{:?}", env.page.evidence());
    Ok(())
}

async fn a_page_calls_a_function_of_the_host_from_every_frame(env: &Env) -> Outcome {
    env.page
        .expose_function("whoami", |frame: Frame, (suffix,): (String,)| async move {
            Ok::<_, String>(format!("{}{suffix}", frame.url()))
        })
        .await?;
    // Before the load event, by the first script of the document.
    let ask = "<script>told = whoami('!')</script>";
    env.site.page("/inner", ask);
    let other = env.site.other_url("/inner");
    env.open(&format!("{ask}<iframe src=/inner></iframe><iframe src={other}></iframe>")).await?;
    for _ in 0..2 {
        let frames = env.page.frames();
        assert_eq!(frames.len(), 3);
        for frame in frames {
            let told: String = frame.evaluate("told").await?;
            assert_eq!(told, format!("{}!", frame.url()));
        }
        env.page.reload().await?;
    }
    Ok(())
}

async fn a_function_is_there_in_the_document_that_is_open(env: &Env) -> Outcome {
    let other = env.site.other_url("/inner");
    env.site.page("/inner", "inner");
    env.open(&format!("<iframe src=/inner></iframe><iframe src={other}></iframe>")).await?;
    env.page.expose_function("add", |_, (a, b): (i64, i64)| async move { Ok::<_, String>(a + b) }).await?;
    for frame in env.page.frames() {
        let seen: (i64, String) = frame.evaluate("add(2, 3).then(sum => [sum, add.name])").await?;
        assert_eq!(seen, (5, "add".to_owned()), "{}", frame.url());
    }
    Ok(())
}

async fn many_calls_at_once_each_get_their_own_answer(env: &Env) -> Outcome {
    env.page
        .expose_function("square", |_, (n,): (u64,)| async move {
            // Later calls overtake earlier ones.
            for _ in 0..(300 - n) {
                tokio::task::yield_now().await;
            }
            Ok::<_, String>(n * n)
        })
        .await?;
    env.open("").await?;
    let squares: Vec<u64> =
        env.page.evaluate("Promise.all(Array.from({ length: 300 }, (_, n) => square(n)))").await?;
    assert!(squares.iter().enumerate().all(|(n, square)| *square == (n * n) as u64), "{squares:?}");
    Ok(())
}

async fn a_call_that_fails_is_a_rejected_promise(env: &Env) -> Outcome {
    env.page
        .expose_function("fail", |_, (what,): (String,)| async move { Err::<(), _>(format!("no {what}")) })
        .await?;
    for (call, told) in [
        ("fail('luck')", "no luck"),
        ("fail(1)", "fail is not called like that: invalid type: integer `1`"),
        ("fail()", "fail is not called like that: invalid length 0"),
        ("fail(1n)", "BigInt"),
    ] {
        let text: String = env.page.evaluate(format!("{call}.catch(error => error.message)")).await?;
        assert!(text.contains(told), "{call}: {text}");
    }
    Ok(())
}

async fn a_second_function_of_a_name_is_refused(env: &Env) -> Outcome {
    let one = |_: Frame, _: Vec<u8>| async { Ok::<_, String>(1) };
    env.page.expose_function("one", one).await?;
    let error = env.page.expose_function("one", one).await.expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert_eq!(env.page.evaluate::<u8>("one()").await?, 1);
    Ok(())
}

/// Tells that it was dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

async fn a_call_ends_with_its_page(env: &Env) -> Outcome {
    let (begun, ended) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let (tell_begun, tell_ended) = (begun.clone(), ended.clone());
    let page = env.context.new_page().await?;
    page.expose_function("wait", move |_, _: Vec<u8>| {
        let guard = Dropped(tell_ended.clone());
        tell_begun.store(true, Ordering::SeqCst);
        async move {
            let _guard = guard;
            std::future::pending::<Result<u8, String>>().await
        }
    })
    .await?;
    page.evaluate::<()>("void wait()").await?;
    until("the call", || begun.load(Ordering::SeqCst).then_some(())).await;
    assert!(!ended.load(Ordering::SeqCst));
    page.close().await?;
    until("the end of the call", || ended.load(Ordering::SeqCst).then_some(())).await;
    Ok(())
}

async fn a_call_whose_document_went_away_disturbs_nobody(env: &Env) -> Outcome {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let (waits, begun) = (gate.clone(), Arc::<AtomicBool>::default());
    let tell = begun.clone();
    env.page
        .expose_function("slow", move |_, (n,): (u8,)| {
            let waits = waits.clone();
            tell.store(true, Ordering::SeqCst);
            async move {
                drop(waits.acquire().await.map_err(|error| error.to_string())?);
                Ok::<_, String>(n)
            }
        })
        .await?;
    env.open("<script>slow(1)</script>").await?;
    until("the call", || begun.load(Ordering::SeqCst).then_some(())).await;
    env.page.reload().await?;
    gate.add_permits(2);
    assert_eq!(env.page.evaluate::<u8>("slow(2)").await?, 2);
    Ok(())
}

async fn scripts_and_functions_of_a_context_are_in_all_of_its_pages(env: &Env) -> Outcome {
    let context = env.browser.new_context().await?;
    let early = context.new_page().await?;
    let script = context.add_init_script("globalThis.runs = (globalThis.runs || 0) + 1").await?;
    context.expose_function("twice", |_, (n,): (u32,)| async move { Ok::<_, String>(2 * n) }).await?;
    let late = context.new_page().await?;
    let told = "<script>first = [runs]; twice(21).then(it => first.push(it))</script>";
    env.site.page("/inner", told);
    let other = env.site.other_url("/inner");
    env.site.page("/outer", &format!("{told}<iframe src={other}></iframe>"));
    early.goto(env.site.url("/outer")).await?;
    late.goto(env.site.url("/outer")).await?;
    late.evaluate::<()>(format!("void open({other:?})")).await?;
    let pop_up = until("the pop-up", || context.pages().into_iter().find(|page| page.url() == other)).await;
    let blank = context.new_page().await?;
    assert_eq!(blank.evaluate::<u32>("runs").await?, 1);
    late.evaluate::<()>("void (opened = open('about:blank'))").await?;
    assert_eq!(late.evaluate::<u32>("opened.runs").await?, 1);
    for page in [&early, &late, &pop_up] {
        page.wait_for_load_state(engine::WaitUntil::Load).await?;
        for frame in page.frames() {
            let seen: Vec<u32> = frame.evaluate("twice(0).then(() => [runs, ...first])").await?;
            assert_eq!(seen, [1, 1, 42], "{}", frame.url());
        }
    }
    let error =
        early.expose_function("twice", |_, ()| async { Ok::<_, String>(1) }).await.expect_err("it is there");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    script.remove().await?;
    for page in [&early, &context.new_page().await?] {
        page.goto(env.site.url("/outer")).await?;
        assert_eq!(page.evaluate::<String>("typeof runs").await?, "undefined");
    }
    context.close().await?;
    Ok(())
}
