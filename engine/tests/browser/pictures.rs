//! Pictures of pages and elements, and what is in them. The browser's own decoder reads them.

use engine::{Animations, Caret, ErrorKind, PictureFormat, PictureScale, Screenshot};

use crate::harness::{Env, Outcome, tests};

tests![
    a_picture_of_an_element_shows_its_box_wherever_it_has_to_be_scrolled_to,
    an_element_larger_than_the_viewport_is_in_its_picture_as_a_whole,
    an_element_in_frames_of_this_and_other_sites_is_found,
    a_clip_is_a_part_of_the_viewport_or_of_the_document,
    every_format_is_what_it_says,
    options_that_do_not_go_together_are_refused,
    masks_cover_what_they_name_in_every_frame,
    a_style_holds_for_the_picture_alone,
    animations_stand_still_and_go_on_afterwards,
    fonts_are_waited_for_and_what_begins_to_move_meanwhile_is_stilled,
    the_caret_is_not_in_the_picture,
    a_page_without_background_is_transparent,
    a_css_pixel_is_a_pixel_if_told_so,
    pages_without_scripts_have_pictures,
];

pub(crate) type Rgba = [u8; 4];

pub(crate) const RED: Rgba = [255, 0, 0, 255];
pub(crate) const LIME: Rgba = [0, 255, 0, 255];
const BLUE: Rgba = [0, 0, 255, 255];
pub(crate) const WHITE: Rgba = [255, 255, 255, 255];
pub(crate) const PINK: Rgba = [255, 0, 255, 255];
const NOTHING: Rgba = [0, 0, 0, 0];

pub(crate) type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A decoded picture.
pub(crate) struct Picture {
    width: usize,
    pub(crate) height: usize,
    pixels: Vec<Rgba>,
}

impl Picture {
    pub(crate) fn at(&self, x: usize, y: usize) -> Rgba {
        self.pixels[y * self.width + x]
    }

    pub(crate) fn count(&self, colour: Rgba) -> usize {
        self.pixels.iter().filter(|pixel| **pixel == colour).count()
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }
}

/// Takes a picture and decodes it in a page of its own, so that the one in the picture stays as it is.
pub(crate) async fn look(env: &Env, screenshot: Screenshot) -> Fallible<Picture> {
    let bytes = screenshot.await?;
    decode(env, &bytes).await
}

pub(crate) async fn decode(env: &Env, bytes: &[u8]) -> Fallible<Picture> {
    // Colours in the order they come, each with how often: pictures of tests are flat, and text is slow.
    let script = format!(
        "(async () => {{
            const image = await createImageBitmap(new Blob([new Uint8Array({bytes:?})]));
            const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
            context.drawImage(image, 0, 0);
            const data = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
            const runs = [];
            for (let at = 0; at < data.length; at++) {{
                if (at && data[at] === data[at - 1]) runs[runs.length - 1]++;
                else runs.push(data[at], 1);
            }}
            return [image.width, image.height, runs];
        }})()"
    );
    let decoder = env.context.new_page().await?;
    let (width, height, runs): (usize, usize, Vec<u32>) = decoder.evaluate(script).await?;
    decoder.close().await?;
    let runs = runs.chunks_exact(2);
    let pixels = runs.flat_map(|run| std::iter::repeat_n(run[0].to_le_bytes(), run[1] as usize)).collect();
    Ok(Picture { width, height, pixels })
}

/// A box of a colour in the page.
pub(crate) fn block(id: &str, colour: &str, style: &str) -> String {
    format!("<div id={id} style='width:60px;height:40px;background:{colour};{style}'></div>")
}

async fn a_picture_of_an_element_shows_its_box_wherever_it_has_to_be_scrolled_to(env: &Env) -> Outcome {
    let inner = block("inner", "lime", "margin:900px 0 0 20.5px");
    let body = format!(
        "<body style='margin:0;background:blue'>{}<div style='height:2000px'></div>
        <div style='height:100px;width:200px;overflow:scroll'>{inner}</div>",
        block("near", "red", "position:absolute;left:10px;top:10px")
    );
    env.open(&body).await?;
    let near = look(env, env.page.locator("#near").screenshot()).await?;
    assert_eq!((near.size(), near.count(RED)), ((60, 40), 60 * 40));
    // Half a pixel at the left and the right belongs to the box.
    let inner = look(env, env.page.locator("#inner").screenshot()).await?;
    assert_eq!(inner.size(), (61, 40));
    assert_eq!((inner.at(1, 0), inner.at(59, 39)), (LIME, LIME));
    Ok(())
}

async fn an_element_larger_than_the_viewport_is_in_its_picture_as_a_whole(env: &Env) -> Outcome {
    let body = format!(
        "<body style='margin:0;background:blue'><div id=all style='margin-top:300px;width:100px;height:2500px;background:red'>
            {}</div>",
        block("end", "lime", "position:relative;top:2460px")
    );
    env.open(&body).await?;
    let all = look(env, env.page.locator("#all").screenshot()).await?;
    assert_eq!(all.size(), (100, 2500));
    assert_eq!((all.at(0, 0), all.at(99, 2499), all.at(0, 2499), all.count(BLUE)), (RED, RED, LIME, 0));
    Ok(())
}

async fn an_element_in_frames_of_this_and_other_sites_is_found(env: &Env) -> Outcome {
    env.site.page("/inner", &format!("<body style='margin:1500px 0 9px 30px'>{}", block("deep", "red", "")));
    for other in [env.site.url("/inner"), env.site.other_url("/inner")] {
        let frame = "style='margin:50px 0 0 40px;border:7px solid blue;width:300px;height:200px'";
        env.site.page("/outer", &format!("<body style=margin:0><iframe {frame} src='{other}'></iframe>"));
        env.open(&format!(
            "<div style=height:900px></div><iframe {frame} src='{}'></iframe>",
            env.site.url("/outer")
        ))
        .await?;
        let element = env.page.frame_locator("iframe").frame_locator("iframe").locator("#deep");
        let picture = look(env, element.screenshot()).await?;
        assert_eq!((picture.size(), picture.count(RED)), ((60, 40), 60 * 40), "{other}");
    }
    Ok(())
}

async fn a_clip_is_a_part_of_the_viewport_or_of_the_document(env: &Env) -> Outcome {
    let bands = [("red", 1000), ("lime", 1000), ("blue", 1000)]
        .map(|(colour, height)| format!("<div style='height:{height}px;background:{colour}'></div>"));
    env.open(&format!("<body style=margin:0>{}", bands.concat())).await?;
    env.page.evaluate::<()>("void scrollTo(0, 900)").await?;
    let shot = || env.page.screenshot();
    let seen = look(env, shot().clip(5.0, 90.0, 30.0, 20.0)).await?;
    assert_eq!((seen.size(), seen.at(0, 9), seen.at(29, 10)), ((30, 20), RED, LIME));
    let part = look(env, shot().full_page(true).clip(5.0, 1990.0, 30.0, 20.0)).await?;
    assert_eq!((part.size(), part.at(0, 9), part.at(29, 10)), ((30, 20), LIME, BLUE));
    // What is outside is left out.
    let corner = look(env, shot().clip(-10.0, -10.0, 30.0, 20.0)).await?;
    assert_eq!((corner.size(), corner.count(RED)), ((20, 10), 200));
    let error = shot().clip(0.0, 720.0, 10.0, 10.0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), "screenshot: the clip is outside of the picture, which is 1280×720");
    Ok(())
}

async fn every_format_is_what_it_says(env: &Env) -> Outcome {
    env.open("<body style='background:linear-gradient(45deg,red,blue)'>").await?;
    let shot = || env.page.screenshot();
    let webp = shot().format(PictureFormat::Webp).await?;
    assert_eq!((&webp[..4], &webp[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
    assert_eq!(decode(env, &webp).await?.size(), (1280, 720));
    assert!(shot().webp(5).await?.len() < shot().webp(90).await?.len());
    let jpeg = shot().format(PictureFormat::Jpeg).await?;
    assert!(jpeg.starts_with(b"\xff\xd8\xff"));
    assert!(shot().jpeg(5).await?.len() < jpeg.len());
    Ok(())
}

async fn options_that_do_not_go_together_are_refused(env: &Env) -> Outcome {
    env.open("<p>text</p>").await?;
    let (shot, p) = (|| env.page.screenshot(), env.page.locator("p"));
    let other = env.context.new_page().await?;
    let cases = [
        (shot().quality(5), "a PNG has no quality; choose the format Jpeg or Webp"),
        (shot().jpeg(101), "the quality goes from 0 to 100"),
        (
            shot().jpeg(50).omit_background(true),
            "a JPEG can't be transparent; choose the format Png or Webp, or keep the background",
        ),
        (
            p.screenshot().full_page(true),
            "full_page and clip are for pictures of pages; this one is of an element",
        ),
        (shot().clip(0.0, 0.0, 0.0, 5.0), "the clip is empty; its width and height must be more than 0"),
        (shot().mask([&other.locator("p")]), "a mask is a locator of another page"),
        (shot().mask([&p]).mask_color("nocolour"), "the colour of the mask is not valid CSS"),
    ];
    for (screenshot, message) in cases {
        let error = screenshot.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = shot().mask([&env.page.locator("p[")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    Ok(())
}

async fn masks_cover_what_they_name_in_every_frame(env: &Env) -> Outcome {
    env.site.page("/inner", &format!("<body style=margin:0>{}", block("secret", "red", "")));
    let body = format!(
        "<body style='margin:0'>{}<iframe style='display:block;border:0' src='{}'></iframe>
        <style>dialog {{ outline: 0 }} ::backdrop {{ background: none }}</style><dialog id=modal style='margin:0;left:500px;padding:0;border:0'>{}</dialog>
        <div style='height:2000px'></div>{}
        <script>modal.showModal(); new MutationObserver(all => changes = all.length).observe(document.body, {{subtree: true, childList: true, attributes: true}})</script>",
        block("first", "red", ""),
        env.site.other_url("/inner"),
        block("top", "red", ""),
        block("last", "red", "")
    );
    env.open(&body).await?;
    let before = env.page.content().await?;
    let masks = [
        env.page.locator("div[id]"),
        env.page.frame_locator("iframe").locator("#secret"),
        env.page.locator("#none"),
    ];
    let picture =
        look(env, env.page.screenshot().full_page(true).mask(&masks).animations(Animations::Disable)).await?;
    assert_eq!((picture.count(PINK), picture.count(RED)), (4 * 60 * 40, 0));
    assert_eq!((picture.at(0, 0), picture.at(0, 40), picture.at(0, 40 + 150 + 2000)), (PINK, PINK, PINK));
    let blue = look(env, env.page.screenshot().mask(&masks).mask_color("rgb(0, 0, 255)")).await?;
    assert_eq!((blue.count(BLUE), blue.count(RED)), (3 * 60 * 40, 0));
    // It is gone, and in the page's own elements nothing has changed.
    assert_eq!(env.page.content().await?, before);
    assert!(env.page.evaluate::<bool>("typeof changes === 'undefined'").await?);
    let bare = look(env, env.page.screenshot()).await?;
    assert_eq!((bare.count(RED), bare.count(PINK)), (3 * 60 * 40, 0));
    Ok(())
}

async fn a_style_holds_for_the_picture_alone(env: &Env) -> Outcome {
    env.site.page("/inner", "<body style=margin:0><div id=framed style='height:50px;background:red'></div>");
    let body = format!(
        "<meta http-equiv=content-security-policy content=\"style-src 'nonce-x'; frame-src *\">
        <style nonce=x>body {{ margin: 0 }} #plain, #host {{ height: 50px; overflow: hidden; background: red }} iframe {{ border: 0; display: block }}</style>
        <div id=plain></div><iframe height=50 src='{}'></iframe><div id=host></div>
        <script>host.attachShadow({{mode: 'open'}}).innerHTML = '<p></p>'</script>",
        env.site.other_url("/inner")
    );
    env.open(&body).await?;
    let style = "#plain, #framed { background: lime !important } p { height: 50px; margin: 0; background: blue; width: 10px }";
    let picture = look(env, env.page.screenshot().style(style)).await?;
    assert_eq!([picture.at(0, 0), picture.at(0, 50), picture.at(0, 100)], [LIME, LIME, BLUE]);
    let after = look(env, env.page.screenshot()).await?;
    assert_eq!([after.at(0, 0), after.at(0, 50), after.at(0, 100)], [RED, RED, RED]);
    assert_eq!(env.page.evaluate::<usize>("document.adoptedStyleSheets.length").await?, 0);
    Ok(())
}

async fn animations_stand_still_and_go_on_afterwards(env: &Env) -> Outcome {
    let body = format!(
        "<style>
            @keyframes turn {{ from {{ background: red }} to {{ background: red }} }}
            #endless {{ animation: turn 1s linear infinite }}
            #ending {{ transition: background 1000s }}
        </style><body style=margin:0>{}{}{}",
        block("endless", "lime", ""),
        block("ending", "red", ""),
        block("late", "red", "")
    );
    env.open(&body).await?;
    env.page
        .evaluate::<()>(
            "(() => {
                getComputedStyle(ending).backgroundColor; ending.style.background = 'lime';
                scripted = endless.animate([{opacity: 1}, {opacity: 1}], {duration: 1000, iterations: Infinity});
                scripted.pause();
            })()",
        )
        .await?;
    let running = look(env, env.page.screenshot()).await?;
    assert_eq!([running.at(5, 5), running.at(5, 45), running.at(5, 85)], [RED, RED, RED]);
    let still = look(env, env.page.screenshot().animations(Animations::Disable)).await?;
    assert_eq!([still.at(5, 5), still.at(5, 45)], [LIME, LIME]);
    let states = "[endless.getAnimations().filter(it => it.animationName)[0].playState, scripted.playState]";
    assert_eq!(env.page.evaluate::<[String; 2]>(states).await?, ["running", "paused"]);
    Ok(())
}

async fn fonts_are_waited_for_and_what_begins_to_move_meanwhile_is_stilled(env: &Env) -> Outcome {
    let font = env.site.held("/font", "font/woff2", "no font");
    env.open(&format!(
        "<body style=margin:0><style>#late {{ transition: background 1000s }}</style>{}",
        block("late", "red", "")
    ))
    .await?;
    let load =
        "void document.fonts.add(font = new FontFace('late', 'url(/font)')); font.load().catch(() => {})";
    env.page.evaluate::<()>(format!("void (() => {{ {load} }})()")).await?;
    let shot = env.page.screenshot().animations(Animations::Disable);
    let taken = tokio::spawn(shot.into_future());
    // The picture waits for the font. Meanwhile the page begins something, and sees it end.
    env.site.wait_for_hits("/font", 1).await;
    env.page
        .evaluate::<()>(
            "new Promise(done => {
                late.addEventListener('transitionend', () => done());
                late.style.background = 'lime';
            })",
        )
        .timeout(std::time::Duration::from_secs(5))
        .await?;
    let frames = "new Promise(done => { let left = 60; const next = () => left-- ? requestAnimationFrame(next) : done(); next() })";
    env.page.evaluate::<()>(frames).await?;
    assert!(!taken.is_finished(), "the font was not waited for");
    font.open();
    let picture = decode(env, &taken.await??).await?;
    assert_eq!(picture.at(5, 5), LIME);
    Ok(())
}

async fn the_caret_is_not_in_the_picture(env: &Env) -> Outcome {
    let field = "font-size:200px;width:600px;caret-color:red;outline:0;border:0;transition:all 1000s";
    env.open(&format!("<input id=field style='{field}'>")).await?;
    env.page.evaluate::<()>("field.focus()").await?;
    // It blinks: it is to be seen at some time, and never when it is hidden.
    let mut seen = false;
    for _ in 0..40 {
        let hidden = look(env, env.page.screenshot()).await?;
        assert_eq!(hidden.count(RED), 0);
        seen = seen || look(env, env.page.screenshot().caret(Caret::Initial)).await?.count(RED) > 0;
        if seen {
            break;
        }
    }
    assert!(seen, "there is no caret that could be hidden");
    Ok(())
}

async fn a_page_without_background_is_transparent(env: &Env) -> Outcome {
    env.open(&format!("<body style=margin:0>{}", block("red", "red", ""))).await?;
    let clear = look(env, env.page.screenshot().omit_background(true)).await?;
    assert_eq!((clear.at(5, 5), clear.at(70, 5)), (RED, NOTHING));
    let after = look(env, env.page.screenshot()).await?;
    assert_eq!((after.at(5, 5), after.at(70, 5)), (RED, WHITE));
    Ok(())
}

async fn a_css_pixel_is_a_pixel_if_told_so(env: &Env) -> Outcome {
    use cdp_protocol::domains::emulation::SetDeviceMetricsOverride;
    env.page.session().call(&SetDeviceMetricsOverride::new(400, 300, 2.0, false)).await?;
    env.open(&format!("<body style='margin:0;height:700px'>{}", block("red", "red", ""))).await?;
    for (shot, css, height) in [
        (env.page.screenshot(), false, 600),
        (env.page.screenshot(), true, 300),
        (env.page.screenshot().full_page(true), false, 1400),
        (env.page.screenshot().full_page(true), true, 700),
    ] {
        let scale = if css { PictureScale::Css } else { PictureScale::Device };
        let picture = look(env, shot.scale(scale)).await?;
        let pixels = if css { 1 } else { 2 };
        assert_eq!(picture.size(), (400 * pixels, height));
        assert_eq!(picture.count(RED), 60 * 40 * pixels * pixels);
    }
    let element = look(env, env.page.locator("#red").screenshot().scale(PictureScale::Css)).await?;
    assert_eq!((element.size(), element.count(RED)), ((60, 40), 60 * 40));
    Ok(())
}

async fn pages_without_scripts_have_pictures(env: &Env) -> Outcome {
    let context = env.browser.new_context().java_script(false).await?;
    let page = context.new_page().await?;
    env.site.page("/", &format!("<body style='margin:0;height:2000px'>{}", block("red", "red", "")));
    page.goto(env.site.url("/")).await?;
    let masked =
        page.screenshot().full_page(true).mask([&page.locator("#red")]).animations(Animations::Disable);
    let masked = look(env, masked).await?;
    assert_eq!((masked.size(), masked.count(PINK), masked.count(RED)), ((1280, 2000), 60 * 40, 0));
    let bare = look(env, page.locator("#red").screenshot()).await?;
    assert_eq!(bare.count(RED), 60 * 40);
    let blank = look(env, context.new_page().await?.screenshot()).await?;
    assert_eq!(blank.count(WHITE), 1280 * 720);
    context.close().await?;
    Ok(())
}
