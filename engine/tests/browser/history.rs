//! Back and forward, reloading, documents written anew, waiting for a URL or for quiet, and the log of it all.

use std::time::Duration;

use engine::{ErrorKind, NavigationCause, NavigationEnd, Outcome as Effect, Page, UrlPattern, WaitUntil};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::harness::{Env, Outcome, tests, until};

tests![
    back_and_forward_go_through_the_history,
    the_ends_of_the_history_are_nothing,
    back_goes_through_changes_within_the_document,
    a_page_that_was_kept_comes_back_as_it_was,
    back_to_a_server_that_is_gone_says_so,
    a_reload_can_be_waited_for_as_far_as_is_wanted,
    a_page_that_stays_refuses_goto_reload_and_history_alike,
    content_is_written_in_the_page_and_waited_for,
    content_that_is_slow_to_load_is_waited_for,
    a_click_in_content_that_was_written_is_made_once,
    a_url_is_waited_for_by_glob_part_and_function,
    a_referer_is_told,
    an_event_stream_does_not_keep_a_page_from_quiet,
    requests_in_a_row_keep_a_page_from_quiet,
    requests_that_end_while_the_document_is_parsed_do_not_lose_the_quiet,
    requests_of_frames_keep_a_page_from_quiet,
    a_page_that_has_long_been_quiet_is_not_waited_for,
    a_document_without_content_leaves_the_page_where_it_is,
    navigations_are_logged_with_who_asked_for_them,
    the_log_shows_no_passwords,
];

fn page(env: &Env, path: &str, body: &str) -> String {
    env.site.page(path, body);
    env.site.url(path)
}

async fn back_and_forward_go_through_the_history(env: &Env) -> Outcome {
    let (a, b) = (page(env, "/a", "a"), page(env, "/b", "b"));
    let other = env.site.other_url("/b");
    for url in [&a, &b, &other] {
        env.page.goto(url).await?;
    }
    let text = |page: &Page| page.clone().evaluate::<String>("document.body.textContent + location.hostname");
    for (url, shown) in [(&b, "b127.0.0.1"), (&a, "a127.0.0.1")] {
        env.page.go_back().await?;
        assert_eq!((&env.page.url(), text(&env.page).await?.as_str()), (url, shown));
    }
    for (url, shown) in [(&b, "b127.0.0.1"), (&other, "blocalhost")] {
        env.page.go_forward().await?;
        assert_eq!((&env.page.url(), text(&env.page).await?.as_str()), (url, shown));
    }
    Ok(())
}

async fn the_ends_of_the_history_are_nothing(env: &Env) -> Outcome {
    let page = env.context.new_page().await?;
    assert!(page.go_back().await?.is_none());
    assert!(page.go_forward().await?.is_none());
    assert_eq!(page.url(), "about:blank");
    Ok(())
}

async fn back_goes_through_changes_within_the_document(env: &Env) -> Outcome {
    env.open("<script>alive = true</script>").await?;
    for change in ["history.pushState({}, '', '/one')", "location.hash = 'two'"] {
        env.page.evaluate::<()>(format!("void ({change})")).await?;
    }
    env.page.wait_for_url("**/one#two").await?;
    for url in ["/one", "/"] {
        assert!(env.page.go_back().await?.is_none(), "no server is asked");
        assert_eq!(env.page.url(), env.site.url(url));
        assert!(env.page.evaluate::<bool>("alive").await?);
    }
    env.page.go_forward().await?;
    assert_eq!(env.page.url(), env.site.url("/one"));
    Ok(())
}

async fn a_page_that_was_kept_comes_back_as_it_was(env: &Env) -> Outcome {
    let (a, b) = (
        page(env, "/a", "<button onclick='hits++'>a</button><script>hits = 0</script>"),
        page(env, "/b", "b"),
    );
    env.page.goto(&a).await?;
    env.page.get_by_text("a").click().await?;
    env.page.goto(&b).await?;
    env.page.go_back().await?;
    // Chromium may have kept it, or has loaded it again: what is there can be acted on either way.
    let before: u32 = env.page.evaluate("hits").await?;
    env.page.get_by_text("a").click().await?;
    assert_eq!(env.page.evaluate::<u32>("hits").await?, before + 1);
    env.page.go_forward().await?;
    assert_eq!(env.page.locator("body").inner_text().await?, "b");
    Ok(())
}

async fn back_to_a_server_that_is_gone_says_so(env: &Env) -> Outcome {
    let serving = env.servers.spawn(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        tokio::spawn(async move {
            let answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncache-control: no-store\r\n\
                content-length: 3\r\nconnection: close\r\n\r\none";
            // Answers one connection, and another that the browser may open ahead of need.
            if let Ok((mut socket, _)) = listener.accept().await {
                let _ = socket.write_all(answer).await;
                let _ = socket.shutdown().await;
            }
        });
        std::io::Result::Ok(port)
    });
    let port = serving.await??;
    env.page.goto(format!("http://127.0.0.1:{port}/")).await?;
    env.page.goto(page(env, "/b", "b")).await?;
    let error = env.page.go_back().await.expect_err("nobody listens there any more");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    assert!(error.to_string().contains(&port.to_string()), "{error}");
    Ok(())
}

async fn a_reload_can_be_waited_for_as_far_as_is_wanted(env: &Env) -> Outcome {
    let gate = env.site.held("/slow.png", "image/png", Vec::new());
    env.site.page("/", "<img src=/slow.png>");
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::Commit).await?;
    let answer = env.page.reload().wait_until(WaitUntil::DomContentLoaded).await?;
    assert_eq!(answer.ok_or("a server answered")?.status, 200);
    let error = env.page.reload().timeout(Duration::from_millis(500)).await.expect_err("the image is held");
    assert!(error.is_timeout(), "{error}");
    gate.open();
    env.page.reload().await?;
    Ok(())
}

async fn a_page_that_stays_refuses_goto_reload_and_history_alike(env: &Env) -> Outcome {
    let (a, b) = (
        page(env, "/a", "a"),
        page(env, "/b", "<input><script>onbeforeunload = event => event.preventDefault()</script>"),
    );
    env.page.goto(&a).await?;
    env.page.goto(&b).await?;
    // Without a gesture of its user no page may ask.
    env.page.locator("input").click().await?;
    let guard = env.page.on_dialog(|dialog| dialog.dismiss());
    for (what, error) in [
        ("goto", env.page.goto(&a).await.err()),
        ("reload", env.page.reload().await.err()),
        ("go_back", env.page.go_back().await.err()),
    ] {
        let error = error.ok_or_else(|| format!("{what}: the page stays"))?;
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Navigation, Effect::ReadOnly), "{error}");
        assert!(error.to_string().contains("it stays"), "{what}: {error}");
        assert_eq!(env.page.url(), b);
        assert_eq!(env.page.evaluate::<u32>("1").await?, 1);
    }
    let refused = env.page.navigations().into_iter().filter(|it| it.end == NavigationEnd::Refused);
    let causes: Vec<_> = refused.map(|it| it.cause).collect();
    assert_eq!(causes, [NavigationCause::Goto, NavigationCause::Reload, NavigationCause::History]);
    drop(guard);
    env.page.goto(&a).await?;
    Ok(())
}

async fn content_is_written_in_the_page_and_waited_for(env: &Env) -> Outcome {
    env.open("<p>old</p><script>kept = 1</script>").await?;
    env.page.set_content("<title>new</title><p>new</p><script>written = 2</script>").await?;
    assert_eq!(env.page.title().await?, "new");
    assert_eq!(env.page.locator("p").inner_text().await?, "new");
    assert_eq!(env.page.evaluate::<u32>("kept + written").await?, 3);
    assert_eq!(env.page.url(), env.site.url("/"));
    let blank = env.context.new_page().await?;
    blank.set_content("<p>first</p>").await?;
    assert_eq!(blank.locator("p").inner_text().await?, "first");
    Ok(())
}

async fn content_that_is_slow_to_load_is_waited_for(env: &Env) -> Outcome {
    let gate = env.site.held("/slow.png", "image/png", Vec::new());
    env.open("").await?;
    let html = "<img src=/slow.png><p>text</p>";
    env.page.set_content(html).wait_until(WaitUntil::DomContentLoaded).await?;
    let limit = Duration::from_millis(500);
    let error = env.page.set_content(html).timeout(limit).await.expect_err("the image is held back");
    assert!(error.is_timeout(), "{error}");
    gate.open();
    env.page.set_content(html).await?;
    env.page.set_content(html).wait_until(WaitUntil::NetworkIdle).await?;
    assert_eq!(env.page.evaluate::<String>("document.readyState").await?, "complete");
    Ok(())
}

async fn a_click_in_content_that_was_written_is_made_once(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.get_by_text("nothing").count().await?;
    env.page.set_content("<button onclick='hits++'>Go</button><script>hits = 0</script>").await?;
    env.page.get_by_text("Go").click().await?;
    assert_eq!(env.page.evaluate::<u32>("hits").await?, 1);
    // A page may write itself anew as well.
    env.page
        .evaluate::<()>("void (document.open(), document.write('<input><button onclick=hits++>Again</button>'), document.close())")
        .await?;
    env.page.locator("input").fill("a").await?;
    env.page.get_by_text("Again").click().await?;
    assert_eq!(env.page.evaluate::<u32>("hits").await?, 2);
    Ok(())
}

async fn a_url_is_waited_for_by_glob_part_and_function(env: &Env) -> Outcome {
    env.open("").await?;
    let later = |path: &str| format!("setTimeout(() => history.pushState({{}}, '', {path:?}), 50), 0");
    for (path, pattern) in [
        ("/one/two", UrlPattern::from("**/one/*")),
        ("/three?a=b", UrlPattern::contains("a=b")),
        ("/four", UrlPattern::matching(|url| url.ends_with("four"))),
        ("/five", UrlPattern::from(env.site.url("/five"))),
    ] {
        env.page.evaluate::<u32>(later(path)).await?;
        env.page.wait_for_url(pattern).await?;
        assert_eq!(env.page.url(), env.site.url(path));
    }
    let limit = Duration::from_millis(300);
    let error = env.page.wait_for_url("**/never").timeout(limit).await.expect_err("it never comes");
    assert!(error.is_timeout() && error.to_string().contains("/five"), "{error}");
    let error = env.page.wait_for_url("**/{a").await.expect_err("it can't be read");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    Ok(())
}

async fn a_referer_is_told(env: &Env) -> Outcome {
    let url = page(env, "/a", "a");
    env.page.goto(&url).referer(env.site.url("/from")).await?;
    assert_eq!(env.site.header("/a", "referer"), Some(env.site.url("/from")));
    Ok(())
}

async fn an_event_stream_does_not_keep_a_page_from_quiet(env: &Env) -> Outcome {
    let gate = env.site.held("/events", "text/event-stream", Vec::new());
    env.site.page("/", "<script>new EventSource('/events')</script>");
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::NetworkIdle).await?;
    assert_eq!(env.site.hits("/events"), 1);
    gate.open();
    Ok(())
}

async fn requests_in_a_row_keep_a_page_from_quiet(env: &Env) -> Outcome {
    env.site.page(
        "/",
        "<script>onload = async () => { for (let n = 0; n < 5; n++) {
            await fetch('/count/' + n); await new Promise(done => setTimeout(done, 300)) } last = true }</script>",
    );
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::NetworkIdle).await?;
    assert_eq!(env.site.hits("/count/4"), 1);
    Ok(())
}

async fn requests_that_end_while_the_document_is_parsed_do_not_lose_the_quiet(env: &Env) -> Outcome {
    env.site.file(
        "/busy.js",
        &[("content-type", "text/javascript")],
        "const end = Date.now() + 900; while (Date.now() < end);",
    );
    env.site.page("/", "<img src=/count/1><script src=/busy.js></script>");
    let limit = Duration::from_secs(10);
    env.page.goto(env.site.url("/")).wait_until(WaitUntil::NetworkIdle).timeout(limit).await?;
    Ok(())
}

async fn requests_of_frames_keep_a_page_from_quiet(env: &Env) -> Outcome {
    let gate = env.site.held("/slow", "text/plain", "slow");
    env.site.page(
        "/inner",
        "<script>onload = () => fetch('/slow').then(() => parent.postMessage('done', '*'))</script>",
    );
    for url in [env.site.url("/inner"), env.site.other_url("/inner")] {
        let limit = Duration::from_millis(1500);
        let body = format!("<iframe src={url}></iframe>");
        env.site.page("/", &body);
        let going = env.page.goto(env.site.url("/")).wait_until(WaitUntil::NetworkIdle).timeout(limit);
        let error = going.await.expect_err("the frame waits for something");
        assert!(error.is_timeout(), "{error}");
        env.page.main_frame().evaluate::<()>("document.querySelector('iframe').remove()").await?;
        env.page.wait_for_load_state(WaitUntil::NetworkIdle).await?;
    }
    gate.open();
    Ok(())
}

async fn a_page_that_has_long_been_quiet_is_not_waited_for(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.wait_for_load_state(WaitUntil::NetworkIdle).await?;
    let limit = Duration::from_millis(400);
    env.page.wait_for_load_state(WaitUntil::NetworkIdle).timeout(limit).await?;
    Ok(())
}

async fn a_document_without_content_leaves_the_page_where_it_is(env: &Env) -> Outcome {
    let url = page(env, "/a", "a");
    env.page.goto(&url).await?;
    for status in [204, 205] {
        env.site.error_page("/none", status, "");
        let error = env.page.goto(env.site.url("/none")).await.expect_err("there is no document");
        assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
        assert!(error.to_string().contains("sent no document"), "{error}");
        assert_eq!(env.page.url(), url);
    }
    Ok(())
}

async fn navigations_are_logged_with_who_asked_for_them(env: &Env) -> Outcome {
    env.site.page("/inner", "inner");
    env.site.redirect("/moved", "/end");
    env.site.page("/end", "end");
    let url = page(
        env,
        "/a",
        "<a href=/link>link</a><form action=/form><button>send</button></form><iframe src=/inner></iframe>",
    );
    for path in ["/link", "/form", "/script"] {
        env.site.page(path, "there");
    }
    env.page.goto(&url).await?;
    env.page.get_by_text("link").click().await?;
    env.page.wait_for_url("**/link").await?;
    env.page.go_back().await?;
    env.page.get_by_text("send").click().await?;
    env.page.wait_for_url("**/form?").await?;
    env.page.evaluate::<()>("void (location.href = '/script')").await?;
    env.page.wait_for_url("**/script").await?;
    env.page.evaluate::<()>("void (location.hash = 'part')").await?;
    env.page.reload().await?;
    env.page.goto(env.site.url("/moved")).await?;
    env.page.goto("http://127.0.0.1:1/").await.expect_err("the browser refuses this port");
    let log = until("the log", || {
        let log = env.page.navigations();
        log.iter().any(|it| matches!(it.end, NavigationEnd::Failed(_))).then_some(log)
    })
    .await;
    let main: Vec<_> = log
        .iter()
        .filter(|it| it.is_main_frame)
        .map(|it| (it.cause, it.to.trim_start_matches(&env.site.url("")).to_owned(), it.end.clone()))
        .collect();
    let committed = |cause, to: &str| (cause, to.to_owned(), NavigationEnd::Committed);
    assert_eq!(
        main[..9],
        [
            committed(NavigationCause::Goto, "/a"),
            committed(NavigationCause::Link, "/link"),
            committed(NavigationCause::History, "/a"),
            committed(NavigationCause::Form, "/form?"),
            committed(NavigationCause::Script, "/script"),
            (NavigationCause::Script, "/script#part".to_owned(), NavigationEnd::WithinDocument),
            committed(NavigationCause::Reload, "/script#part"),
            committed(NavigationCause::Goto, "/end"),
            main[8].clone(),
        ],
        "{log:#?}"
    );
    assert_eq!((main[8].0, &*main[8].1), (NavigationCause::Goto, "http://127.0.0.1:1/"));
    let frame = log.iter().find(|it| !it.is_main_frame).ok_or("the frame's")?;
    assert_eq!((frame.cause, &frame.end), (NavigationCause::Frame, &NavigationEnd::Committed));
    assert!(
        log.iter().filter(|it| it.end == NavigationEnd::Committed).all(|it| !it.took.is_zero()),
        "{log:#?}"
    );
    Ok(())
}

async fn the_log_shows_no_passwords(env: &Env) -> Outcome {
    let url = page(env, "/a", "a").replace("http://", "http://ada:secret@");
    env.page.goto(&url).await?;
    env.page.goto("about:blank").await?;
    let log = format!("{:?}", env.page.navigations());
    assert!(log.contains("/a") && !log.contains("secret"), "{log}");
    Ok(())
}
