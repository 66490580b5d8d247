//! What an operation may have done is known, and nothing is done in the wrong place or twice.

use std::future::IntoFuture;
use std::time::Duration;

use engine::{ErrorKind, Filter, Outcome as Effect, State};

use crate::harness::{Env, Outcome, tests};

tests![
    a_script_that_throws_may_have_done_something,
    a_read_that_fails_has_done_nothing,
    a_value_that_is_no_json_is_an_error_at_once,
    a_locator_of_another_frame_is_no_part_of_one_of_this,
    a_locator_of_another_page_is_no_part_of_one_of_this,
    a_click_that_was_given_up_does_not_eat_the_next,
    two_actions_at_once_take_turns,
    text_is_never_typed_into_another_field,
    a_field_that_takes_no_text_is_an_error,
    a_click_that_reaches_nobody_is_no_success,
    a_change_that_takes_its_frame_away_is_made_once,
    two_who_expect_a_download_never_get_the_same,
    an_xpath_is_a_selector_too,
    a_double_click_is_one,
    a_checkbox_in_between_is_not_checked,
    a_reload_gives_the_new_answer,
    a_context_nobody_waits_for_is_closed,
    a_download_goes_on_when_its_page_is_closed,
    operations_that_are_dropped_leave_the_page_usable,
];

const SHORT: Duration = Duration::from_millis(300);

async fn a_script_that_throws_may_have_done_something(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.evaluate::<()>("fetch('/order'), nothing.at.all").await.expect_err("it throws");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Script, Effect::StartedUnknown), "{error}");
    Ok(())
}

async fn a_read_that_fails_has_done_nothing(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.locator("#no").inner_text().timeout(SHORT).await.expect_err("nothing matches");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Effect::ReadOnly), "{error}");
    Ok(())
}

async fn a_value_that_is_no_json_is_an_error_at_once(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.evaluate::<()>("Symbol('x')").await.expect_err("a symbol has no JSON");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    Ok(())
}

async fn a_locator_of_another_frame_is_no_part_of_one_of_this(env: &Env) -> Outcome {
    env.open("<p>text</p><iframe srcdoc='<p>text</p>'></iframe>").await?;
    let inside = env.page.frame_locator("iframe").get_by_text("text");
    let outside = env.page.locator("p");
    for mixed in [outside.or(&inside), outside.and(&inside), outside.filter(Filter::has(&inside))] {
        let error = mixed.count().await.expect_err("they look in different frames");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    assert_eq!(outside.and(&env.page.get_by_text("text")).count().await?, 1);
    Ok(())
}

async fn a_locator_of_another_page_is_no_part_of_one_of_this(env: &Env) -> Outcome {
    env.open("<p>text</p>").await?;
    let other = env.context.new_page().await?;
    let error = env.page.locator("p").or(&other.locator("p")).count().await.expect_err("two pages");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    Ok(())
}

async fn an_xpath_is_a_selector_too(env: &Env) -> Outcome {
    env.open("<ul><li>a<li>b</ul>").await?;
    assert_eq!(env.page.locator("//li[2]").inner_text().await?, "b");
    assert_eq!(
        env.page.locator("ul").locator("(//li)[1]").to_string(),
        r#"locator("ul").locator(Selector::xpath("(//li)[1]"))"#
    );
    Ok(())
}

async fn a_double_click_is_one(env: &Env) -> Outcome {
    env.open(
        "<button>b</button><script>seen = []; for (const type of ['mousedown', 'click', 'dblclick'])
        document.querySelector('button').addEventListener(type, e => seen.push(type + e.detail))</script>",
    )
    .await?;
    env.page.locator("button").dblclick().await?;
    let seen: Vec<String> = env.page.evaluate("seen").await?;
    assert_eq!(seen, ["mousedown1", "click1", "mousedown2", "click2", "dblclick2"]);
    Ok(())
}

async fn a_checkbox_in_between_is_not_checked(env: &Env) -> Outcome {
    env.open("<input type=checkbox><script>document.querySelector('input').indeterminate = true</script>")
        .await?;
    assert!(!env.page.locator("input").is_checked().await?);
    env.page.locator("input").check().await?;
    assert!(env.page.locator("input").is_checked().await?);
    Ok(())
}

async fn a_reload_gives_the_new_answer(env: &Env) -> Outcome {
    env.open("first").await?;
    env.site.error_page("/", 404, "gone");
    let answer = env.page.reload().await?.ok_or("a server answered")?;
    assert_eq!(answer.status, 404);
    Ok(())
}

/// The harness sees to it that no context is left.
async fn a_context_nobody_waits_for_is_closed(env: &Env) -> Outcome {
    for micros in [0, 50, 500, 5_000] {
        let limit = Duration::from_micros(micros);
        drop(
            tokio::time::timeout(limit, env.browser.new_context().into_future())
                .await
                .map(|made| made.map(|context| tokio::spawn(context.close().into_future()))),
        );
    }
    Ok(())
}

async fn a_download_goes_on_when_its_page_is_closed(env: &Env) -> Outcome {
    let gate = env.site.held("/slow.bin", "application/octet-stream", vec![7; 4_000]);
    env.open("<a href=/slow.bin download>Get</a>").await?;
    let page = env.context.new_page().await?;
    page.goto(env.site.url("/")).await?;
    let link = page.get_by_text("Get");
    let (download, ()) = tokio::join!(page.expect_download(|| link.click()), async {
        env.site.wait_for_hits("/slow.bin", 1).await;
        gate.open();
    });
    let download = download?;
    page.close().await?;
    assert_eq!(std::fs::read(download.path().await?)?.len(), 4_000);
    Ok(())
}

async fn operations_that_are_dropped_leave_the_page_usable(env: &Env) -> Outcome {
    env.open("<button>b</button><input><p></p><script>n = 0; down = 0;
        document.querySelector('button').onclick = () => n++;
        addEventListener('mousedown', () => down++, true); addEventListener('mouseup', () => down--, true);</script>")
        .await?;
    let (button, input) = (env.page.locator("button"), env.page.locator("input"));
    for micros in (0..40).map(|step| step * 250) {
        let limit = Duration::from_micros(micros);
        drop(tokio::time::timeout(limit, button.click().into_future()).await);
        drop(tokio::time::timeout(limit, input.fill("dropped").into_future()).await);
    }
    input.fill("whole").await?;
    let before: u32 = env.page.evaluate("n").await?;
    button.click().await?;
    assert_eq!(env.page.evaluate::<(u32, i32)>("[n, down]").await?, (before + 1, 0));
    assert_eq!(input.input_value().await?, "whole");
    Ok(())
}

/// Each change makes the page throw the frame away and put up a new one like it.
async fn a_change_that_takes_its_frame_away_is_made_once(env: &Env) -> Outcome {
    env.site.page(
        "/frame",
        "<select onchange='parent.again()'><option>a<option>b</select>
        <input type=date onchange='parent.again()'>",
    );
    env.open(
        "<div><iframe src=/frame></iframe></div><script>changes = 0; function again() {
        changes++; const place = document.querySelector('div'); place.innerHTML = '';
        if (changes < 4) setTimeout(() => place.innerHTML = '<iframe src=/frame></iframe>', 30) }</script>",
    )
    .await?;
    let frame = env.page.frame_locator("iframe");
    let limit = Duration::from_secs(3);
    let chosen = frame.locator("select").select_option(["b"]).timeout(limit).await;
    assert_eq!(env.page.evaluate::<u32>("changes").await?, 1, "{chosen:?}");
    if let Err(error) = chosen {
        assert_eq!(error.outcome(), Effect::StartedUnknown, "{error}");
    }
    let filled = frame.locator("input").fill("2026-01-02").timeout(limit).await;
    assert_eq!(env.page.evaluate::<u32>("changes").await?, 2, "{filled:?}");
    if let Err(error) = filled {
        assert_eq!(error.outcome(), Effect::StartedUnknown, "{error}");
    }
    Ok(())
}

async fn two_who_expect_a_download_never_get_the_same(env: &Env) -> Outcome {
    for name in ["a.txt", "b.txt"] {
        env.site.file(&format!("/{name}"), &[("content-disposition", "attachment")], name);
    }
    env.open("<a href=/a.txt>A</a> <a href=/b.txt target=_blank>B</a>").await?;
    let (a, b) = (env.page.get_by_text("A"), env.page.get_by_text("B"));
    let (first, second) = tokio::join!(
        env.page.expect_download(|| a.click()),
        env.page.expect_download(|| async {
            a.wait_for(State::Visible).await?;
            b.click().await
        })
    );
    let mut names = [first?.suggested_filename().to_owned(), second?.suggested_filename().to_owned()];
    names.sort();
    assert_eq!(names, ["a.txt", "b.txt"]);
    Ok(())
}

async fn a_click_that_was_given_up_does_not_eat_the_next(env: &Env) -> Outcome {
    env.open("<button id=a>A</button> <button id=b onclick='hits++'>B</button><script>hits = 0</script>")
        .await?;
    let (a, b) = (env.page.locator("#a"), env.page.locator("#b"));
    b.is_visible().await?;
    for limit in 1..=30 {
        drop(a.click().timeout(Duration::from_millis(limit)).await);
        b.click().await?;
        assert_eq!(env.page.evaluate::<u64>("hits").await?, limit);
    }
    Ok(())
}

async fn two_actions_at_once_take_turns(env: &Env) -> Outcome {
    env.open(
        "<button id=a onclick='seen.a++'>A</button> <button id=b onclick='seen.b++'>B</button>
        <input id=user> <input id=password type=password><script>seen = { a: 0, b: 0 }</script>",
    )
    .await?;
    let locator = |css: &str| env.page.locator(css);
    let (a, b, user, password) = (locator("#a"), locator("#b"), locator("#user"), locator("#password"));
    for round in 0..10 {
        let (one, two) = tokio::join!(a.click().into_future(), b.click().into_future());
        one.and(two)?;
        let name = format!("user{round}");
        let (one, two) = tokio::join!(user.fill(&name).into_future(), password.fill("secret").into_future());
        one.and(two)?;
        assert_eq!((user.input_value().await?, password.input_value().await?), (name, "secret".to_owned()));
    }
    assert_eq!(env.page.evaluate::<(u32, u32)>("[seen.a, seen.b]").await?, (10, 10));
    Ok(())
}

async fn text_is_never_typed_into_another_field(env: &Env) -> Outcome {
    env.open(
        "<input id=a type=password><input id=b><script>
        a.onfocus = () => Promise.resolve().then(() => b.focus())</script>",
    )
    .await?;
    let filled = env.page.locator("#a").fill("secret").timeout(Duration::from_secs(1)).await;
    assert_eq!(env.page.locator("#b").input_value().await?, "");
    assert!(filled.is_err(), "nothing was filled");
    Ok(())
}

async fn a_field_that_takes_no_text_is_an_error(env: &Env) -> Outcome {
    env.open("<input value=old><script>document.querySelector('input').onfocus = e => e.target.readOnly = true</script>").await?;
    let error = env
        .page
        .locator("input")
        .fill("new")
        .timeout(Duration::from_secs(2))
        .await
        .expect_err("it is read-only by then");
    assert!(matches!(error.kind(), ErrorKind::Missed | ErrorKind::Timeout), "{error}");
    assert_eq!(env.page.locator("input").input_value().await?, "old");
    Ok(())
}

/// A frame of the same site slides over the button when the mouse comes near.
async fn a_click_that_reaches_nobody_is_no_success(env: &Env) -> Outcome {
    env.site.page("/over", "over");
    env.open("<button style='position:fixed;left:50px;top:50px' onclick='hits++'>b</button>
        <iframe src=/over style='position:fixed;inset:0;width:400px;height:300px' hidden></iframe><script>hits = 0;
        onmousemove = () => document.querySelector('iframe').hidden = false</script>").await?;
    let clicked = env.page.locator("button").click().timeout(Duration::from_secs(2)).await;
    let hits: u32 = env.page.evaluate("hits").await?;
    match clicked {
        Ok(()) => assert_eq!(hits, 1),
        Err(error) => assert_eq!((hits, error.outcome()), (0, Effect::StartedUnknown), "{error}"),
    }
    Ok(())
}
