//! What a picture leaves of the page: all is as it was before, and the page has noticed little.

use engine::Animations;

use crate::harness::{Env, Outcome, tests};
use crate::pictures::{LIME, PINK, RED, WHITE, block, decode, look};

tests![
    a_telephone_stays_one_behind_its_picture,
    a_page_hears_of_no_resize_while_its_picture_is_taken,
    pictures_of_one_page_take_turns,
    the_page_is_put_back_when_nobody_waits_for_the_picture,
    the_page_is_put_back_when_it_is_left_meanwhile,
];

async fn a_telephone_stays_one_behind_its_picture(env: &Env) -> Outcome {
    let context = env
        .browser
        .new_context()
        .viewport(390, 600)
        .device_scale_factor(3.0)
        .mobile(true)
        .touch(true)
        .await?;
    let page = context.new_page().await?;
    let body = format!(
        "<meta name=viewport content='width=device-width'><body style='margin:0;height:2000px'>{}",
        block("red", "red", "position:absolute;top:1900px")
    );
    env.site.page("/", &body);
    page.goto(env.site.url("/")).await?;
    let is = "[navigator.maxTouchPoints, matchMedia('(pointer: coarse)').matches, innerWidth, innerHeight, devicePixelRatio]";
    let before: serde_json::Value = page.evaluate(is).await?;
    assert!(before[0].as_u64() > Some(0), "{before}");
    let picture = look(env, page.screenshot().full_page(true)).await?;
    assert_eq!((picture.size(), picture.count(RED)), ((3 * 390, 3 * 2000), 9 * 60 * 40));
    assert_eq!(page.evaluate::<serde_json::Value>(is).await?, before);
    page.reload().await?;
    assert_eq!(page.evaluate::<serde_json::Value>(is).await?, before);
    context.close().await?;
    Ok(())
}

async fn a_page_hears_of_no_resize_while_its_picture_is_taken(env: &Env) -> Outcome {
    let listen = "<script>
        heard = [];
        for (const target of [window, visualViewport])
            for (const capture of [true, false])
                target.addEventListener('resize', event => heard.push(`${innerWidth}×${innerHeight} ${event.isTrusted}`), capture);
        onresize = () => heard.push('onresize');
    </script>";
    env.site.page("/inner", listen);
    env.open(&format!("{listen}<iframe style='width:50vw' src=/inner></iframe><div style='height:3000px'>"))
        .await?;
    // One right after the other: each finds the page as it is, not as the one before left it for a moment.
    for _ in 0..10 {
        let picture = env.page.screenshot().full_page(true).await?;
        let size = [&picture[16..20], &picture[20..24]]
            .map(|side| u32::from_be_bytes(side.try_into().expect("four bytes")));
        assert!(size[0] == 1280 && size[1] > 3000, "{size:?}");
    }
    // Events of the picture would come with the next frames.
    let frames = "new Promise(done => { let left = 60; const next = () => left-- ? requestAnimationFrame(next) : done(heard); next() })";
    assert_eq!(env.page.evaluate::<Vec<String>>(frames).await?, [""; 0]);
    assert_eq!(env.page.frames()[1].evaluate::<Vec<String>>("heard").await?, [""; 0]);
    // A resize that is one is heard of, as the browser tells it.
    use cdp_protocol::domains::emulation::SetDeviceMetricsOverride;
    env.page.session().call(&SetDeviceMetricsOverride::new(500, 400, 0.0, false)).await?;
    env.page.evaluate::<()>(frames.replace("heard", "")).await?;
    assert!(env.page.evaluate::<Vec<String>>("heard").await?.contains(&"500×400 true".to_owned()));
    Ok(())
}

async fn pictures_of_one_page_take_turns(env: &Env) -> Outcome {
    env.open(&format!("<body style='margin:0;height:3000px'>{}", block("red", "red", ""))).await?;
    let red = env.page.locator("#red");
    let shots = [
        env.page.screenshot().mask([&red]),
        env.page.screenshot().style("#red { background: lime !important }").full_page(true),
        env.page.screenshot().full_page(true),
        red.screenshot(),
    ];
    let taken: Vec<_> = shots.into_iter().map(|shot| tokio::spawn(shot.into_future())).collect();
    let mut colours = Vec::new();
    for picture in taken {
        let picture = decode(env, &picture.await??).await?;
        colours.push((picture.at(5, 5), picture.height));
    }
    assert_eq!(colours, [(PINK, 720), (LIME, 3000), (RED, 3000), (RED, 40)]);
    Ok(())
}

async fn the_page_is_put_back_when_nobody_waits_for_the_picture(env: &Env) -> Outcome {
    let body = format!(
        "<style>@keyframes turn {{ to {{ opacity: .5 }} }} #red {{ animation: turn 1s infinite }}</style>
        <body style='margin:0;height:3000px'>{}",
        block("red", "red", "")
    );
    env.open(&body).await?;
    let red = env.page.locator("#red");
    let state = "[document.documentElement.outerHTML, document.adoptedStyleSheets.length, red.getAnimations()[0]?.playState]";
    let before: serde_json::Value = env.page.evaluate(state).await?;
    let back = format!(
        "let changed = false;
        const look = () => {{
            const same = JSON.stringify({state}) === JSON.stringify({before});
            changed = changed || !same;
            same && (changed || performance.now() > end) ? done() : requestAnimationFrame(look);
        }};
        const end = performance.now() + 300"
    );
    for polls in 1..12 {
        let shot = env
            .page
            .screenshot()
            .full_page(true)
            .omit_background(true)
            .mask([&red])
            .style("body { color: red }");
        let mut shot = std::pin::pin!(shot.animations(Animations::Disable).into_future());
        // Each poll but the first follows something that has changed, up to a picture that is there.
        let mut left = polls;
        let ended = std::future::poll_fn(|context| {
            left -= 1;
            match shot.as_mut().poll(context) {
                std::task::Poll::Ready(_) => std::task::Poll::Ready(true),
                std::task::Poll::Pending if left == 0 => std::task::Poll::Ready(false),
                std::task::Poll::Pending => std::task::Poll::Pending,
            }
        });
        if ended.await {
            break;
        }
        // The task may be about to change the page or about to put it back; what it has changed does not stay.
        env.page.evaluate::<()>(format!("new Promise(done => {{ {back}; look() }})")).await?;
    }
    let after: serde_json::Value = env.page.evaluate(state).await?;
    assert_eq!(after, before);
    let after = look(env, env.page.screenshot()).await?;
    assert_eq!((after.at(70, 5), after.count(PINK)), (WHITE, 0));
    Ok(())
}

async fn the_page_is_put_back_when_it_is_left_meanwhile(env: &Env) -> Outcome {
    env.site.page("/next", &format!("<body style=margin:0>{}", block("red", "red", "")));
    let next = env.site.url("/next");
    for _ in 0..5 {
        env.open(&format!("<body style='margin:0;height:2000px'>{}", block("red", "red", ""))).await?;
        let red = env.page.locator("#red");
        let shot = env.page.screenshot().full_page(true).mask([&red]);
        let left = env.page.evaluate::<()>(format!("void setTimeout(() => location.href = '{next}')"));
        let (picture, left) = tokio::join!(shot.into_future(), left.into_future());
        left?;
        // Whichever document is in it, what was to be covered is covered.
        let picture = decode(env, &picture?).await?;
        assert_eq!((picture.at(5, 5), picture.at(70, 5), picture.count(RED)), (PINK, WHITE, 0));
        env.page.wait_for_url(next.as_str()).await?;
        let after = look(env, env.page.screenshot()).await?;
        assert_eq!((after.size(), after.at(5, 5), after.at(70, 5)), ((1280, 720), RED, WHITE));
        assert_eq!(env.page.evaluate::<[u32; 2]>("[innerWidth, innerHeight]").await?, [1280, 720]);
    }
    Ok(())
}
