//! What an operation may have done is known, and nothing is done in the wrong place or twice.

use std::future::IntoFuture;
use std::time::Duration;

use engine::{ErrorKind, Filter, Outcome as Effect};

use crate::harness::{Env, Outcome, tests};

tests![
    a_script_that_throws_may_have_done_something,
    a_read_that_fails_has_done_nothing,
    a_value_that_is_no_json_is_an_error_at_once,
    a_locator_of_another_frame_is_no_part_of_one_of_this,
    a_locator_of_another_page_is_no_part_of_one_of_this,
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
    assert_eq!(error.kind(), ErrorKind::Script, "{error}");
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
