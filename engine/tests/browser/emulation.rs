//! What a context's pages are made to believe, seen from the page's side and the server's.

use cdp_protocol::domains::target::GetBrowserContexts;
use engine::{
    ClientHints, ColorScheme, Contrast, Device, ErrorKind, ForcedColors, Frame, Geolocation, Media,
    MediaType, NewContext, Page, Permission, ReducedMotion,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::harness::{Env, Outcome, tests, until};

tests![
    the_screen_is_as_large_and_as_dense_as_was_said,
    a_viewport_is_changed_on_a_live_page,
    a_device_has_its_screen_and_its_user_agent,
    user_agent_and_client_hints_are_one_for_pages_frames_workers_and_servers,
    client_hints_can_be_given,
    language_and_time_zone_are_one_for_pages_frames_workers_and_servers,
    an_unknown_time_zone_or_locale_is_told_and_no_page_is_left,
    a_place_is_told_to_those_who_may_know_it,
    permissions_are_granted_and_taken_back,
    style_sheets_are_told_what_was_said,
    media_are_changed_on_a_live_page,
    without_a_network_nothing_loads,
    extra_headers_go_with_every_request,
    a_context_has_a_proxy_of_its_own,
    a_content_security_policy_is_left_out_of_account,
    a_page_without_java_script_can_be_asked,
    downloads_can_be_refused,
    a_base_url_is_what_relative_ones_are_relative_to,
    test_ids_are_in_the_attribute_that_was_said,
    what_cannot_be_is_refused_before_anything_is_made,
];

/// A page of a context, at a page of the site that holds a frame of the other one.
async fn open(env: &Env, context: NewContext) -> engine::Result<Page> {
    let page = context.await?.new_page().await?;
    env.site.page("/inner", "inner");
    env.site.page("/outer", &format!("<iframe src={}></iframe>", env.site.other_url("/inner")));
    page.goto(env.site.url("/outer")).await?;
    Ok(page)
}

/// A page that the page opens, before it has run anything but this.
async fn popup(page: &Page, env: &Env) -> Result<Page, Box<dyn std::error::Error + Send + Sync>> {
    let url = env.site.url("/inner");
    let contexts = env.browser.contexts();
    let context = contexts.into_iter().find(|it| it.pages().len() == 1 && it.pages()[0].url() == page.url());
    let context = context.ok_or("the page's context")?;
    page.evaluate::<()>(format!("void open({url:?})")).await?;
    let other = until("the pop-up", || context.pages().into_iter().find(|other| other.url() == url)).await;
    other.wait_for_load_state(engine::WaitUntil::Load).await?;
    Ok(other)
}

/// The values of an expression in the page, in its frame of another site, in a worker, and in a pop-up.
async fn everywhere<T>(
    env: &Env,
    page: &Page,
    expression: &str,
) -> Result<Vec<T>, Box<dyn std::error::Error + Send + Sync>>
where
    T: serde::de::DeserializeOwned + Send + 'static,
{
    let mut seen = Vec::new();
    for frame in page.frames() {
        seen.push(frame.evaluate(expression).await?);
    }
    let worker = format!(
        "new Promise((resolve, reject) => {{
            const source = `(async () => postMessage(await ({expression})))()`;
            const worker = new Worker(URL.createObjectURL(new Blob([source])));
            worker.onmessage = event => resolve(event.data);
            worker.onerror = event => reject(new Error(event.message));
        }})"
    );
    seen.push(page.evaluate(worker).await?);
    let other = popup(page, env).await?;
    seen.push(other.evaluate(expression).await?);
    other.close().await?;
    assert_eq!(seen.len(), 4, "page, frame, worker, pop-up");
    Ok(seen)
}

async fn the_screen_is_as_large_and_as_dense_as_was_said(env: &Env) -> Outcome {
    let seen = "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0, matchMedia('(pointer: coarse)').matches]";
    type Seen = (u32, u32, f64, bool, bool);
    let page = open(env, env.browser.new_context()).await?;
    assert_eq!(page.evaluate::<Seen>(seen).await?, (1280, 720, 1.0, false, false));
    let context =
        env.browser.new_context().viewport(400, 700).device_scale_factor(2.5).mobile(true).touch(true);
    let page = open(env, context).await?;
    env.site.page("/mobile", "<meta name=viewport content=width=device-width>");
    page.goto(env.site.url("/mobile")).await?;
    assert_eq!(page.evaluate::<Seen>(seen).await?, (400, 700, 2.5, true, true));
    let turned: String = page.evaluate("screen.orientation.type").await?;
    assert_eq!(turned, "portrait-primary");
    let other = popup(&page, env).await?;
    let (width, _, scale, ..) = other.evaluate::<Seen>(seen).await?;
    // Without the meta tag a telephone shows a page for desktops.
    assert_eq!((width, scale), (980, 2.5));
    close_others(env).await
}

/// Closes the contexts that a test has made.
async fn close_others(env: &Env) -> Outcome {
    for context in env.browser.contexts() {
        if format!("{context:?}") != format!("{:?}", env.context) {
            context.close().await?;
        }
    }
    Ok(())
}

async fn a_viewport_is_changed_on_a_live_page(env: &Env) -> Outcome {
    env.page.set_viewport(321, 654).await?;
    assert_eq!(env.page.evaluate::<(u32, u32)>("[innerWidth, innerHeight]").await?, (321, 654));
    env.open("").await?;
    assert_eq!(env.page.evaluate::<(u32, u32)>("[innerWidth, innerHeight]").await?, (321, 654));
    let error = env.page.set_viewport(0, 5).await.expect_err("it has no pixel");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert_eq!(env.page.evaluate::<u32>("innerWidth").await?, 321);
    Ok(())
}

async fn a_device_has_its_screen_and_its_user_agent(env: &Env) -> Outcome {
    let page = open(env, env.browser.new_context().device(Device::named("Pixel 8")?)).await?;
    let seen: (String, bool, String, f64) = page
        .evaluate("[navigator.userAgent, navigator.userAgentData.mobile, navigator.userAgentData.platform, devicePixelRatio]")
        .await?;
    assert!(seen.0.contains("Android 14; Pixel 8"), "{seen:?}");
    assert_eq!((seen.1, &*seen.2, seen.3), (true, "Android", 2.625));
    close_others(env).await
}

const AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.1.2 Safari/537.36";

async fn user_agent_and_client_hints_are_one_for_pages_frames_workers_and_servers(env: &Env) -> Outcome {
    let page = open(env, env.browser.new_context().user_agent(AGENT)).await?;
    let expression = "navigator.userAgentData.getHighEntropyValues(['platformVersion'])
        .then(data => [navigator.userAgent, data.platform, data.platformVersion, data.brands[0].version])";
    let told = (AGENT.to_owned(), "Windows".to_owned(), "10.0".to_owned(), "150".to_owned());
    for seen in everywhere::<(String, String, String, String)>(env, &page, expression).await? {
        assert_eq!(seen, told);
    }
    for path in ["/outer", "/inner"] {
        let header = |name| env.site.header(path, name).unwrap_or_default();
        assert_eq!(header("user-agent"), AGENT, "{path}");
        assert_eq!(header("sec-ch-ua-platform"), "\"Windows\"", "{path}");
        assert!(header("sec-ch-ua").contains("\"Chromium\";v=\"150\""), "{path}: {}", header("sec-ch-ua"));
    }
    let other: String = env.page.evaluate("navigator.userAgent").await?;
    assert_ne!(other, AGENT, "another context");
    // A browser that is no Chromium sends none.
    let page =
        open(env, env.browser.new_context().user_agent("Mozilla/5.0 (X11) Gecko/1 Firefox/140.0")).await?;
    assert_eq!(page.evaluate::<usize>("navigator.userAgentData.brands.length").await?, 0);
    assert_eq!(env.site.header("/outer", "sec-ch-ua-platform").unwrap_or_default(), "");
    close_others(env).await
}

async fn client_hints_can_be_given(env: &Env) -> Outcome {
    let mut hints = ClientHints::of(AGENT).ok_or("a Chromium's")?;
    hints.model = "Toaster".to_owned();
    let page = open(env, env.browser.new_context().client_hints(hints)).await?;
    let model = "navigator.userAgentData.getHighEntropyValues(['model']).then(data => data.model)";
    assert_eq!(page.evaluate::<String>(model).await?, "Toaster");
    let agent = "navigator.userAgent";
    assert_eq!(
        page.evaluate::<String>(agent).await?,
        env.page.evaluate::<String>(agent).await?,
        "the browser's own"
    );
    close_others(env).await
}

async fn language_and_time_zone_are_one_for_pages_frames_workers_and_servers(env: &Env) -> Outcome {
    let context = env.browser.new_context().locale("de-DE").time_zone("Asia/Tokyo");
    let page = open(env, context).await?;
    let expression =
        "[navigator.language, (1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone,
        new Date(0).getHours()]";
    for seen in everywhere::<(String, String, String, u32)>(env, &page, expression).await? {
        assert_eq!(seen, ("de-DE".into(), "1.234,5".into(), "Asia/Tokyo".into(), 9));
    }
    for path in ["/outer", "/inner"] {
        let language = env.site.header(path, "accept-language").unwrap_or_default();
        assert!(language.starts_with("de-DE"), "{path}: {language}");
    }
    let brands: usize = page.evaluate("navigator.userAgentData.brands.length").await?;
    assert!(brands > 0, "hints are sent as before");
    assert_eq!(env.page.evaluate::<String>("(1234.5).toLocaleString()").await?, "1,234.5", "another context");
    close_others(env).await
}

async fn an_unknown_time_zone_or_locale_is_told_and_no_page_is_left(env: &Env) -> Outcome {
    let wrong = [
        (env.browser.new_context().time_zone("Europe/Bielefeld"), "Europe/Bielefeld"),
        (env.browser.new_context().locale("not a locale"), "locale"),
    ];
    for (context, told) in wrong {
        let context = context.await?;
        let error = context.new_page().await.expect_err("there is none of that name");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(told), "{error}");
        until("the page's end", || context.pages().is_empty().then_some(())).await;
        context.close().await?;
    }
    Ok(())
}

async fn a_place_is_told_to_those_who_may_know_it(env: &Env) -> Outcome {
    env.site.page("/", "");
    let context = env.browser.new_context().geolocation(Geolocation::new(52.52, 13.4).accuracy(7.0)).await?;
    let page = context.new_page().await?;
    page.goto(env.site.url("/")).await?;
    let place = "new Promise(done => navigator.geolocation.getCurrentPosition(
        ({coords}) => done([coords.latitude, coords.longitude, coords.accuracy]), error => done([error.code])))";
    assert_eq!(page.evaluate::<Vec<f64>>(place).await?, [1.0], "not allowed");
    context.grant_permissions([Permission::Geolocation]).await?;
    assert_eq!(page.evaluate::<Vec<f64>>(place).await?, [52.52, 13.4, 7.0]);
    context.set_geolocation(Geolocation::new(-33.0, 151.0)).await?;
    assert_eq!(page.evaluate::<Vec<f64>>(place).await?, [-33.0, 151.0, 0.0]);
    let other = context.new_page().await?;
    other.goto(env.site.url("/")).await?;
    assert_eq!(other.evaluate::<Vec<f64>>(place).await?, [-33.0, 151.0, 0.0]);
    let error = context.set_geolocation(Geolocation::new(91.0, 0.0)).await.expect_err("beyond the pole");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(page.evaluate::<Vec<f64>>(place).await?, [-33.0, 151.0, 0.0]);
    context.set_geolocation(None).await?;
    assert_eq!(page.evaluate::<Vec<f64>>(place).await?, [2.0], "not to be found");
    context.close().await?;
    Ok(())
}

async fn permissions_are_granted_and_taken_back(env: &Env) -> Outcome {
    let context = env.browser.new_context().permissions([Permission::Notifications]).await?;
    let page = context.new_page().await?;
    env.site.page("/", "");
    page.goto(env.site.url("/")).await?;
    let state = |name: &str| format!("navigator.permissions.query({{name: {name:?}}}).then(it => it.state)");
    let asked = |page: Page, name: &'static str| async move { page.evaluate::<String>(state(name)).await };
    assert_eq!(asked(page.clone(), "notifications").await?, "granted");
    assert_ne!(asked(page.clone(), "geolocation").await?, "granted");
    context.grant_permissions([Permission::Geolocation, Permission::Camera]).await?;
    for name in ["notifications", "geolocation", "camera"] {
        assert_eq!(asked(page.clone(), name).await?, "granted", "{name}");
    }
    assert_ne!(asked(env.page.clone(), "geolocation").await?, "granted", "another context");
    context.clear_permissions().await?;
    assert_ne!(asked(page.clone(), "geolocation").await?, "granted");
    context.grant_permissions_to(env.site.other_url(""), [Permission::Geolocation]).await?;
    assert_ne!(asked(page.clone(), "geolocation").await?, "granted", "another origin");
    page.goto(env.site.other_url("/")).await?;
    assert_eq!(asked(page.clone(), "geolocation").await?, "granted");
    let error =
        context.grant_permissions_to("no origin", [Permission::Camera]).await.expect_err("it is none");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    context.close().await?;
    Ok(())
}

const MEDIA: &str = "['screen', '(prefers-color-scheme: dark)', '(prefers-reduced-motion)', '(forced-colors)', '(prefers-contrast: more)']
    .map(query => matchMedia(query).matches)";

async fn style_sheets_are_told_what_was_said(env: &Env) -> Outcome {
    let context = env
        .browser
        .new_context()
        .color_scheme(ColorScheme::Dark)
        .reduced_motion(ReducedMotion::Reduce)
        .forced_colors(ForcedColors::Active)
        .contrast(Contrast::More);
    let page = open(env, context).await?;
    let mut frames = page.frames();
    frames.extend(popup(&page, env).await?.frames());
    for frame in frames {
        assert_eq!(frame.evaluate::<Vec<bool>>(MEDIA).await?, [true; 5], "{}", frame.url());
    }
    close_others(env).await
}

async fn media_are_changed_on_a_live_page(env: &Env) -> Outcome {
    env.site.page("/inner", "");
    env.open(&format!("<iframe src={}></iframe>", env.site.other_url("/inner"))).await?;
    let seen = |frame: Frame| async move { frame.evaluate::<Vec<bool>>(MEDIA).await };
    env.page.emulate_media(Media::new().media_type(MediaType::Print)).await?;
    env.page.emulate_media(Media::new().color_scheme(ColorScheme::Dark)).await?;
    for frame in env.page.frames() {
        assert_eq!(seen(frame).await?, [false, true, false, false, false]);
    }
    env.page.emulate_media(Media::new().media_type(MediaType::NoOverride)).await?;
    env.page.reload().await?;
    for frame in env.page.frames() {
        assert_eq!(seen(frame).await?, [true, true, false, false, false]);
    }
    Ok(())
}

async fn without_a_network_nothing_loads(env: &Env) -> Outcome {
    let context = env.browser.new_context().offline(true).await?;
    let page = context.new_page().await?;
    let error = page.goto(env.site.url("/outer")).await.expect_err("there is no network");
    assert!(error.to_string().contains("ERR_INTERNET_DISCONNECTED"), "{error}");
    context.set_offline(false).await?;
    env.site.page("/inner", "inner");
    env.site.page("/outer", &format!("<iframe src={}></iframe>", env.site.other_url("/inner")));
    page.goto(env.site.url("/outer")).await?;
    let state = "fetch('/inner').then(() => 'loaded', () => 'failed').then(it => [navigator.onLine, it])";
    let of = |frame: Frame| async move { frame.evaluate::<(bool, String)>(state).await };
    for frame in page.frames() {
        assert_eq!(of(frame).await?, (true, "loaded".to_owned()));
    }
    context.set_offline(true).await?;
    for frame in page.frames() {
        assert_eq!(of(frame).await?, (false, "failed".to_owned()));
    }
    let other = context.new_page().await?;
    other.goto(env.site.url("/outer")).await.expect_err("there is no network");
    context.close().await?;
    Ok(())
}

async fn extra_headers_go_with_every_request(env: &Env) -> Outcome {
    let context =
        env.browser.new_context().extra_header("X-Who", "ada").extra_header("X-Where", "here").await?;
    let page = context.new_page().await?;
    env.site.page("/inner", "inner");
    env.site.page("/outer", &format!("<iframe src={}></iframe>", env.site.other_url("/inner")));
    page.goto(env.site.url("/outer")).await?;
    let seen = |path, name| env.site.header(path, name);
    for path in ["/outer", "/inner"] {
        assert_eq!(seen(path, "x-who").as_deref(), Some("ada"), "{path}");
        assert_eq!(seen(path, "x-where").as_deref(), Some("here"), "{path}");
    }
    context.set_extra_headers([("X-Who", "grace")]).await?;
    page.reload().await?;
    for path in ["/outer", "/inner"] {
        assert_eq!((seen(path, "x-who").as_deref(), seen(path, "x-where")), (Some("grace"), None), "{path}");
    }
    let error = context.set_extra_headers([("X-Who", "a\r\nb: c")]).await.expect_err("it would be two");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let other = context.new_page().await?;
    other.goto(env.site.url("/inner")).await?;
    assert_eq!(seen("/inner", "x-who").as_deref(), Some("grace"));
    context.close().await?;
    Ok(())
}

async fn a_context_has_a_proxy_of_its_own(env: &Env) -> Outcome {
    let serving = env.servers.spawn(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let task = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let read = socket.read(&mut request).await.unwrap_or(0);
                let line = String::from_utf8_lossy(&request[..read]).lines().next().unwrap_or_default().to_owned();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{line}",
                    line.len()
                );
                // The browser may have gone: there is nobody left to tell.
                let _ = socket.write_all(head.as_bytes()).await;
            }
        });
        std::io::Result::Ok((port, task))
    });
    let (port, task) = serving.await??;
    let context = env
        .browser
        .new_context()
        .proxy(format!("http://127.0.0.1:{port}"))
        .proxy_bypass(["*.direct.test"])
        .await?;
    let page = context.new_page().await?;
    page.goto("http://shop.test/a").await?;
    let text: String = page.evaluate("document.body.textContent").await?;
    assert_eq!(text, "GET http://shop.test/a HTTP/1.1");
    page.goto("http://a.direct.test/").await.expect_err("there is no such host");
    env.page.goto("http://shop.test/a").await.expect_err("another context has no proxy");
    context.close().await?;
    task.abort();
    Ok(())
}

async fn a_content_security_policy_is_left_out_of_account(env: &Env) -> Outcome {
    let headers = [("content-type", "text/html"), ("content-security-policy", "script-src 'none'")];
    env.site.file("/strict", &headers, "<body><script>ran = true</script>");
    let ran = "typeof ran";
    env.page.goto(env.site.url("/strict")).await?;
    assert_eq!(env.page.evaluate::<String>(ran).await?, "undefined");
    let context = env.browser.new_context().bypass_csp(true).await?;
    let page = context.new_page().await?;
    page.goto(env.site.url("/strict")).await?;
    assert_eq!(page.evaluate::<String>(ran).await?, "boolean");
    context.close().await?;
    Ok(())
}

async fn a_page_without_java_script_can_be_asked(env: &Env) -> Outcome {
    let context = env.browser.new_context().java_script(false).await?;
    let page = context.new_page().await?;
    env.site.page("/", "<noscript>none</noscript><script>document.write('some')</script><button>Go</button>");
    page.goto(env.site.url("/")).await?;
    assert_eq!(page.locator("body").inner_text().await?.trim(), "noneGo");
    assert_eq!(page.evaluate::<u32>("1 + 1").await?, 2);
    page.get_by_text("Go").click().await?;
    context.close().await?;
    Ok(())
}

async fn downloads_can_be_refused(env: &Env) -> Outcome {
    let context = env.browser.new_context().accept_downloads(false).await?;
    let page = context.new_page().await?;
    let headers =
        [("content-type", "application/zip"), ("content-disposition", "attachment; filename=a.zip")];
    env.site.file("/file", &headers, "zip");
    env.site.page("/", "<a href=/file>File</a>");
    page.goto(env.site.url("/")).await?;
    let download = page.expect_download(|| page.get_by_text("File").click()).await?;
    download.path().await.expect_err("it was refused");
    context.close().await?;
    Ok(())
}

async fn a_base_url_is_what_relative_ones_are_relative_to(env: &Env) -> Outcome {
    let context = env.browser.new_context().base_url(env.site.url("/shop/")).await?;
    let page = context.new_page().await?;
    env.site.page("/shop/cart", "cart");
    env.site.page("/other", "other");
    page.goto("cart?a=b").await?;
    assert_eq!(page.url(), env.site.url("/shop/cart?a=b"));
    page.goto("/other").await?;
    assert_eq!(page.url(), env.site.url("/other"));
    page.goto(env.site.other_url("/other")).await?;
    assert_eq!(page.url(), env.site.other_url("/other"));
    let error = env.page.goto("/other").await.expect_err("another context has none");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    context.close().await?;
    Ok(())
}

async fn test_ids_are_in_the_attribute_that_was_said(env: &Env) -> Outcome {
    let context = env.browser.new_context().test_id_attribute("data-qa").await?;
    let page = context.new_page().await?;
    env.site.page("/", "<div data-qa=a><p data-qa=b>qa</p></div><p data-testid=b>testid</p>");
    for (page, seen) in [(&page, "qa"), (&env.page, "testid")] {
        page.goto(env.site.url("/")).await?;
        assert_eq!(page.get_by_test_id("b").inner_text().await?, seen);
    }
    assert_eq!(page.get_by_test_id("a").get_by_test_id("b").inner_text().await?, "qa");
    context.close().await?;
    Ok(())
}

async fn what_cannot_be_is_refused_before_anything_is_made(env: &Env) -> Outcome {
    let new = || env.browser.new_context();
    for (context, told) in [
        (new().viewport(0, 600), "no pixel"),
        (new().no_viewport().mobile(true), "need a viewport"),
        (new().device_scale_factor(0.0), "device scale factor"),
        (new().device_scale_factor(-2.0), "device scale factor"),
        (new().geolocation(Geolocation::new(0.0, 181.0)), "longitude"),
        (new().extra_header("a b", "c"), "no name of a header"),
        (new().extra_header("a", "b\r\nc: d"), "line break"),
        (new().user_agent("a\r\nb: c"), "line break"),
        (new().proxy("http://ada:secret@h:1"), "user name and a password"),
        (new().proxy("h:eighty"), "host:port"),
        (new().base_url("/shop/"), "no value for a base URL"),
    ] {
        let error = context.await.expect_err(told);
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(told) && !error.to_string().contains("secret"), "{told}: {error}");
    }
    let open = env.browser.client().browser().call(&GetBrowserContexts).await?;
    assert_eq!(open.browser_context_ids.len(), 1);
    Ok(())
}
