//! Going to pages: how far they must have loaded, what is answered, what is said when they can't be reached.

use std::future::IntoFuture as _;
use std::time::Duration;

use engine::{ErrorKind, WaitUntil};

use crate::harness::{Env, Outcome, tests};

tests![
    load_waits_for_images_and_dom_content_loaded_does_not,
    commit_waits_for_the_document_only,
    network_idle_waits_for_what_scripts_fetch,
    the_answer_tells_status_and_final_url,
    an_error_page_of_the_server_is_a_page,
    a_page_within_the_same_document_needs_no_server,
    a_server_that_does_not_listen_is_named,
    a_host_that_is_not_known_is_named,
    an_invalid_url_is_refused,
    a_server_that_does_not_answer_is_a_timeout_that_names_the_url,
    a_download_is_not_a_page,
    a_navigation_that_another_one_replaced_says_so,
    a_url_that_is_too_long_is_refused,
];

async fn load_waits_for_images_and_dom_content_loaded_does_not(env: &Env) -> Outcome {
    let gate = env.site.held("/slow.png", "image/png", Vec::new());
    env.site.page("/", "<img src=/slow.png><p>text</p>");
    let url = env.site.url("/");
    env.page.goto(&url).wait_until(WaitUntil::DomContentLoaded).await?;
    assert_eq!(env.page.evaluate::<String>("document.readyState").await?, "interactive");
    let limit = Duration::from_millis(500);
    let error = env.page.goto(&url).timeout(limit).await.expect_err("the image is held back");
    assert!(error.is_timeout(), "{error}");
    gate.open();
    env.page.goto(&url).wait_until(WaitUntil::Load).await?;
    assert_eq!(env.page.evaluate::<String>("document.readyState").await?, "complete");
    Ok(())
}

async fn commit_waits_for_the_document_only(env: &Env) -> Outcome {
    let gate = env.site.held("/slow.js", "text/javascript", "window.ran = true");
    env.site.page("/", "<script src=/slow.js></script><p>text</p>");
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::Commit).await?;
    assert_eq!(env.page.url(), env.site.url("/"));
    assert_eq!(env.page.evaluate::<String>("document.readyState").await?, "loading");
    gate.open();
    Ok(())
}

async fn network_idle_waits_for_what_scripts_fetch(env: &Env) -> Outcome {
    env.site.page(
        "/",
        "<script>(async () => { for (let n = 0; n < 4; n++) {
            await fetch('/count/' + n); await new Promise(done => setTimeout(done, 100)) } window.done = true })()
        </script>",
    );
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::NetworkIdle).await?;
    assert!(env.page.evaluate::<bool>("window.done === true").await?);
    Ok(())
}

async fn the_answer_tells_status_and_final_url(env: &Env) -> Outcome {
    env.site.page("/end", "end");
    let plain =
        env.page.goto(env.site.url("/end")).await?.ok_or("a document from a server has a response")?;
    assert_eq!((plain.status, plain.url), (200, env.site.url("/end")));
    assert_eq!(plain.mime_type, "text/html");
    env.site.redirect("/start", "/end");
    let moved =
        env.page.goto(env.site.url("/start")).await?.ok_or("a document from a server has a response")?;
    assert_eq!((moved.status, moved.url), (200, env.site.url("/end")));
    assert_eq!(env.page.url(), env.site.url("/end"));
    assert_eq!(env.page.title().await?, "/end");
    Ok(())
}

async fn an_error_page_of_the_server_is_a_page(env: &Env) -> Outcome {
    // One with a body: for an empty answer Chromium shows a page of its own.
    env.site.error_page("/broken", 500, "<h1>Sorry</h1>");
    let response = env.page.goto(env.site.url("/broken")).await?.ok_or("there is a response")?;
    assert_eq!(response.status, 500);
    assert!(!response.is_ok());
    assert_eq!(env.page.locator("h1").inner_text().await?, "Sorry");
    Ok(())
}

async fn a_page_within_the_same_document_needs_no_server(env: &Env) -> Outcome {
    env.open("<h1 id=x>x</h1>").await?;
    assert!(env.page.goto(env.site.url("/#x")).await?.is_none());
    assert_eq!(env.page.url(), env.site.url("/#x"));
    assert!(env.page.goto("about:blank").await?.is_none());
    assert_eq!(env.page.url(), "about:blank");
    Ok(())
}

async fn a_server_that_does_not_listen_is_named(env: &Env) -> Outcome {
    let url = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        format!("http://127.0.0.1:{}/page", listener.local_addr()?.port())
    };
    let error = env.page.goto(&url).await.expect_err("nobody listens");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    let text = error.to_string();
    assert!(text.contains(&url) && text.contains("ERR_CONNECTION_REFUSED"), "{text}");
    // The page can be used afterwards.
    env.open("<p>fine</p>").await?;
    assert_eq!(env.page.locator("p").inner_text().await?, "fine");
    Ok(())
}

async fn a_host_that_is_not_known_is_named(env: &Env) -> Outcome {
    let error = env.page.goto("http://no-such-host.invalid/").await.expect_err("no such host");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
    Ok(())
}

async fn an_invalid_url_is_refused(env: &Env) -> Outcome {
    let error = env.page.goto("not a url").await.expect_err("not a URL");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.to_string().contains("not a url"), "{error}");
    Ok(())
}

async fn a_server_that_does_not_answer_is_a_timeout_that_names_the_url(env: &Env) -> Outcome {
    let _gate = env.site.held("/never", "text/html", "late");
    let url = env.site.url("/never");
    let error = env.page.goto(&url).timeout(Duration::from_millis(500)).await.expect_err("no answer");
    assert!(error.is_timeout(), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
    Ok(())
}

async fn a_download_is_not_a_page(env: &Env) -> Outcome {
    env.open("<p>before</p>").await?;
    env.site.file("/file", &[("content-disposition", "attachment; filename=a.bin")], "bytes");
    let error = env.page.goto(env.site.url("/file")).await.expect_err("it is a download");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    assert!(error.to_string().contains("download"), "{error}");
    assert_eq!(env.page.locator("p").inner_text().await?, "before");
    Ok(())
}

async fn a_navigation_that_another_one_replaced_says_so(env: &Env) -> Outcome {
    let _never = env.site.held("/slow", "text/html", "late");
    env.site.page("/other", "<p>other</p>");
    let (slow, other) = (env.site.url("/slow"), env.site.url("/other"));
    let replace = async {
        env.site.wait_for_hits("/slow", 1).await;
        env.page.goto(&other).await
    };
    let (replaced, second) = tokio::join!(env.page.goto(&slow).into_future(), replace);
    second?;
    let error = replaced.expect_err("the other one won");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    assert!(error.to_string().contains(&slow), "{error}");
    assert_eq!(env.page.locator("p").inner_text().await?, "other");
    Ok(())
}

async fn a_url_that_is_too_long_is_refused(env: &Env) -> Outcome {
    env.open("there").await?;
    let url = format!("{}?{}", env.site.url("/"), "a".repeat(2 * 1024 * 1024));
    let error = env.page.goto(&url).await.expect_err("it is above two megabytes");
    assert!([ErrorKind::Invalid, ErrorKind::Navigation].contains(&error.kind()), "{error}");
    assert!(error.to_string().len() < 1_000, "{} characters", error.to_string().len());
    assert_eq!(env.page.evaluate::<String>("document.body.textContent").await?, "there");
    Ok(())
}
