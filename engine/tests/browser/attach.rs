//! Browsers of somebody else: attached to with their tabs as they are, and left as they were.

use std::time::Duration;

use cdp_protocol::domains::target::GetBrowserContexts;
use engine::process::ClosedBy;
use engine::{Attach, Browser, ErrorKind, Transport, WaitUntil};

use crate::harness::{Env, Outcome, tests, until};

tests![
    open_tabs_are_there_with_their_frames_and_can_be_acted_on,
    a_tab_is_left_as_it_is,
    contexts_made_here_are_like_any_other_and_go_with_the_connection,
    closing_or_dropping_leaves_the_browser_alone,
    a_tab_that_stands_still_holds_nobody_up,
    downloads_go_where_they_were_told_to,
    what_is_no_browser_is_told,
    new_tabs_of_its_user_are_seen,
];

/// A browser with a port, which somebody else has launched, and its endpoint.
async fn others(env: &Env) -> Result<(Browser, String), Box<dyn std::error::Error + Send + Sync>> {
    let browser = env.launcher().transport(Transport::Port).launch().await?;
    let process = browser.process().ok_or("it was launched")?;
    let endpoint = process.endpoint().ok_or("it has a port")?;
    Ok((browser, endpoint))
}

async fn open_tabs_are_there_with_their_frames_and_can_be_acted_on(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let (same, other) = (env.site.url("/inner"), env.site.other_url("/inner"));
    env.site.page("/inner", "<button onclick='this.textContent += \"!\"'>inner</button>");
    env.site.page("/nested", &format!("<iframe src={other}></iframe><iframe src={same}></iframe>"));
    env.site.page(
        "/",
        &format!("<button onclick='n++'>outer</button><script>n = 0</script><iframe src=/nested></iframe><iframe src={}></iframe>", env.site.other_url("/nested")),
    );
    let theirs = owner.new_context().await?.new_page().await?;
    theirs.goto(env.site.url("/")).await?;

    for endpoint in [
        endpoint.clone(),
        endpoint.replace("ws://", "http://").split("/devtools").next().unwrap_or_default().to_owned(),
    ] {
        let browser = Attach::new(endpoint).await?;
        let contexts = browser.contexts();
        let page = contexts.iter().flat_map(|it| it.pages()).find(|page| page.url() == env.site.url("/"));
        let page = page.ok_or("the tab")?;
        assert!(!page.is_unresponsive());
        page.wait_for_load_state(WaitUntil::Load).await?;
        assert_eq!(page.frames().len(), 7);
        let mut urls = Vec::new();
        for frame in page.frames() {
            let href: String = frame.evaluate("location.href").await?;
            assert_eq!(href, frame.url());
            urls.push(href);
        }
        assert_eq!(urls.iter().filter(|url| **url == other).count(), 2, "{urls:?}");
        let before: u32 = page.evaluate("n").await?;
        page.get_by_text("outer").click().await?;
        assert_eq!(page.evaluate::<u32>("n").await?, before + 1);
        for (outer, inner) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let nested = page.locator("iframe").nth(outer).content_frame();
            let button = nested.locator("iframe").nth(inner).content_frame().locator("button");
            let text = button.inner_text().await?;
            button.click().await?;
            assert_eq!(button.inner_text().await?, format!("{text}!"));
        }
        page.reload().await?;
        assert_eq!(page.frames().len(), 7);
        browser.close().await;
    }
    owner.close().await;
    Ok(())
}

async fn a_tab_is_left_as_it_is(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let theirs = owner.new_context().viewport(333, 444).await?.new_page().await?;
    env.site.page(
        "/",
        "<script>seen = []; for (const type of ['resize', 'focus', 'blur', 'visibilitychange'])
        addEventListener(type, () => seen.push(type), true)</script>",
    );
    theirs.goto(env.site.url("/")).await?;
    let browser = Attach::new(endpoint).await?;
    let pages = browser.contexts().into_iter().flat_map(|it| it.pages());
    let page = pages.into_iter().find(|page| page.url() == env.site.url("/")).ok_or("the tab")?;
    let seen: (u32, u32, Vec<String>) = page.evaluate("[innerWidth, innerHeight, seen]").await?;
    assert_eq!(seen, (333, 444, Vec::new()));
    browser.close().await;
    assert_eq!(theirs.evaluate::<Vec<String>>("seen").await?, Vec::<String>::new());
    owner.close().await;
    Ok(())
}

async fn contexts_made_here_are_like_any_other_and_go_with_the_connection(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let browser = Attach::new(&endpoint).await?;
    let context = browser.new_context().locale("de-DE").await?;
    let page = context.new_page().await?;
    env.site.page("/", "<a href=/file download>File</a>");
    page.goto(env.site.url("/")).await?;
    assert_eq!(
        page.evaluate::<(u32, String)>("[innerWidth, navigator.language]").await?,
        (1280, "de-DE".to_owned())
    );
    let count = async || {
        let open = owner.client().browser().call(&GetBrowserContexts).await?;
        Ok::<_, cdp_protocol::CallError>(open.browser_context_ids.len())
    };
    assert_eq!(count().await?, 1);
    browser.close().await;
    let mut left = count().await?;
    for _ in 0..200 {
        if left == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        left = count().await?;
    }
    assert_eq!(left, 0);
    let error = page.evaluate::<u8>("1").await.expect_err("the connection is closed");
    assert!(error.is_closed(), "{error}");
    owner.close().await;
    Ok(())
}

async fn closing_or_dropping_leaves_the_browser_alone(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let browser = Attach::new(&endpoint).await?;
    assert!(browser.process().is_none());
    assert!(browser.default_context().is_some());
    let closed = browser.close().await;
    assert_eq!(closed.by, ClosedBy::Detached);
    assert!(browser.wait_closed(Duration::from_secs(5)).await);
    let browser = Attach::new(&endpoint).await?;
    let page = browser.new_context().await?.new_page().await?;
    assert_eq!(browser.usage().await.pages, 1);
    drop((browser, page));
    let page = owner.new_context().await?.new_page().await?;
    assert_eq!(page.evaluate::<u8>("1").await?, 1);
    owner.close().await;
    Ok(())
}

async fn a_tab_that_stands_still_holds_nobody_up(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    env.site.page("/stuck", "stuck");
    env.site.page("/fine", "fine");
    let (stuck, fine) =
        (owner.new_context().await?.new_page().await?, owner.new_context().await?.new_page().await?);
    stuck.goto(env.site.url("/stuck")).await?;
    fine.goto(env.site.url("/fine")).await?;
    stuck
        .evaluate::<()>("void setTimeout(() => { const end = Date.now() + 4000; while (Date.now() < end); })")
        .await?;
    let browser = Attach::new(endpoint).tab_timeout(Duration::from_millis(300)).await?;
    let of = |path: &str| {
        let pages: Vec<_> = browser.contexts().iter().flat_map(|it| it.pages()).collect();
        let found = pages.into_iter().find(|page| page.url() == env.site.url(path));
        found.ok_or_else(|| format!("the tab at {path}"))
    };
    let (stuck, fine) = (of("/stuck")?, of("/fine")?);
    assert!(stuck.is_unresponsive() && !fine.is_unresponsive());
    assert_eq!(fine.locator("body").inner_text().await?, "fine");
    assert!(stuck.is_unresponsive(), "still");
    until("its answer", || (!stuck.is_unresponsive()).then_some(())).await;
    assert_eq!(stuck.locator("body").inner_text().await?, "stuck");
    browser.close().await;
    owner.close().await;
    Ok(())
}

async fn downloads_go_where_they_were_told_to(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let folder = owner.process().ok_or("it was launched")?.scratch().join("theirs");
    std::fs::create_dir(&folder)?;
    let headers =
        [("content-type", "application/zip"), ("content-disposition", "attachment; filename=a.zip")];
    env.site.file("/file", &headers, "zip");
    env.site.page("/", "<a href=/file>File</a>");
    let browser = Attach::new(&endpoint).downloads(&folder).await?;
    let default = browser.default_context().ok_or("it has one")?;
    for context in [browser.new_context().await?, default] {
        let page = context.new_page().await?;
        page.goto(env.site.url("/")).await?;
        let download = page.expect_download(|| page.get_by_text("File").click()).await?;
        let path = download.path().await?;
        assert!(path.starts_with(&folder), "{path:?}");
        assert_eq!(std::fs::read(path)?, b"zip");
        page.close().await?;
    }
    browser.close().await;
    owner.close().await;
    Ok(())
}

async fn what_is_no_browser_is_told(env: &Env) -> Outcome {
    let listens = env.site.url("").replace("http://", "");
    for (endpoint, told) in [
        (format!("http://{listens}"), "404"),
        (format!("ws://{listens}/devtools"), "404"),
        ("http://127.0.0.1:1".to_owned(), "127.0.0.1:1"),
        ("ftp://h".to_owned(), "ftp"),
        (format!("http://{listens}?token=secret"), "404"),
    ] {
        let error = Attach::new(&endpoint).await.expect_err("it is no browser");
        assert_eq!(error.kind(), ErrorKind::Attach, "{error}");
        let text = error.to_string();
        assert!(text.contains(told) && !text.contains("secret"), "{endpoint}: {text}");
    }
    Ok(())
}

async fn new_tabs_of_its_user_are_seen(env: &Env) -> Outcome {
    let (owner, endpoint) = others(env).await?;
    let browser = Attach::new(endpoint).await?;
    env.site.page("/late", "<p>late</p>");
    let theirs = owner.new_context().await?.new_page().await?;
    theirs.goto(env.site.url("/late")).await?;
    let find = || browser.contexts().iter().flat_map(|it| it.pages()).find(|page| page.url() == theirs.url());
    let page = until("the tab", find).await;
    assert_eq!(page.locator("p").inner_text().await?, "late");
    theirs.close().await?;
    until("its end", || page.is_closed().then_some(())).await;
    browser.close().await;
    owner.close().await;
    Ok(())
}
