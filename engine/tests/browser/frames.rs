//! Frames: nested ones, ones of another site, with borders, padding and transforms around them.

use std::time::Duration;

use engine::Role;

use crate::harness::{Env, Outcome, tests};

tests![
    a_frame_of_another_site_is_filled_and_clicked,
    border_and_padding_of_a_frame_do_not_move_the_click,
    a_transformed_frame_is_clicked_where_it_shows,
    a_frame_below_the_fold_is_scrolled_to,
    a_frame_with_round_corners_is_not_clicked_beside_itself,
    frames_in_frames_are_reached_across_sites,
    a_frame_that_comes_late_is_waited_for,
    a_frame_that_navigates_to_another_site_is_still_the_frame,
    an_overlay_of_the_outer_page_is_waited_for,
    an_overlay_of_the_outer_page_that_flickers_never_gets_the_click,
    two_frames_that_match_are_an_error,
];

/// A form that tells what was clicked, and where nothing was.
const FORM: &str = "<body style=margin:0><label>Card <input></label><button>Pay</button><p></p><script>
    window.hits = 0; window.misses = 0;
    onclick = e => e.target.tagName === 'BUTTON' ? hits++ : misses++;
    document.querySelector('button').onclick = () =>
        document.querySelector('p').textContent = 'paid with ' + document.querySelector('input').value;
    </script>";

/// Fills and clicks in the frame `iframe` of the page; wants one hit and no miss.
async fn check(env: &Env, body: &str) -> Outcome {
    env.site.page("/form", FORM);
    let body =
        body.replace("{other}", &env.site.other_url("/form")).replace("{same}", &env.site.url("/form"));
    env.open(&format!("{body}<script>window.outer = 0; onclick = () => outer++</script>")).await?;
    let frame = env.page.frame_locator("iframe");
    frame.get_by_label("Card").fill("4242").await?;
    frame.get_by_role(Role::Button.named("Pay")).click().await?;
    let paid = frame.locator("p").inner_text().await?;
    let outer: u32 = env.page.evaluate("outer").await?;
    assert_eq!(
        (paid.as_str(), outer),
        ("paid with 4242", 0),
        "what the frame shows, clicks in the outer page"
    );
    Ok(())
}

async fn a_frame_of_another_site_is_filled_and_clicked(env: &Env) -> Outcome {
    check(env, "<iframe src={other}></iframe>").await
}

async fn border_and_padding_of_a_frame_do_not_move_the_click(env: &Env) -> Outcome {
    for source in ["{other}", "{same}"] {
        let frame =
            format!("<iframe src={source} style='border:7px solid;padding:50px;margin:20px'></iframe>");
        check(env, &frame).await?;
    }
    Ok(())
}

async fn a_transformed_frame_is_clicked_where_it_shows(env: &Env) -> Outcome {
    for transform in ["scale(.5)", "rotate(20deg)", "scale(1.4) skewX(15deg)", "translate(120px,90px)"] {
        for source in ["{other}", "{same}"] {
            let style = format!("transform:{transform};border:9px solid;padding:20px;margin:150px");
            check(env, &format!("<iframe src={source} style='{style}'></iframe>"))
                .await
                .map_err(|error| format!("{transform} {source}: {error}"))?;
        }
    }
    Ok(())
}

async fn a_frame_below_the_fold_is_scrolled_to(env: &Env) -> Outcome {
    check(env, "<div style=height:3000px></div><iframe src={other}></iframe><div style=height:2000px></div>")
        .await
}

async fn a_frame_with_round_corners_is_not_clicked_beside_itself(env: &Env) -> Outcome {
    let button = "<button style='position:absolute;left:10px;top:10px' onclick='parent.hits++'>Pay</button>";
    env.site.page("/corner", button);
    env.open(
        "<iframe src=/corner style='border-radius:100px;width:300px;height:200px'></iframe>
        <script>hits = 0; outer = 0; addEventListener('pointerdown', () => outer++, true)</script>",
    )
    .await?;
    let pay = env.page.frame_locator("iframe").get_by_role(Role::Button.named("Pay"));
    let mut clicked = 0;
    // From the corner that is cut off to where the button shows.
    for (x, y) in [(1.0, 1.0), (5.0, 5.0), (15.0, 8.0), (20.0, 10.0), (30.0, 18.0)] {
        clicked += u32::from(pay.click().position(x, y).timeout(Duration::from_millis(500)).await.is_ok());
    }
    let counted: (u32, u32) = env.page.evaluate("[hits, outer]").await?;
    assert_eq!(counted, (clicked, 0));
    assert!(clicked < 5, "the first point lies outside of the frame");
    Ok(())
}

async fn frames_in_frames_are_reached_across_sites(env: &Env) -> Outcome {
    env.site.page("/form", FORM);
    let inner = format!(
        "<iframe id=inner src={} style='border:3px solid;padding:5px'></iframe>",
        env.site.url("/form")
    );
    env.site.page("/middle", &inner);
    let middle = format!(
        "<iframe id=middle src={} style='border:6px solid;padding:10px;width:500px;height:400px'></iframe>",
        env.site.other_url("/middle")
    );
    env.open(&middle).await?;
    let form = env.page.frame_locator("#middle").frame_locator("#inner");
    form.get_by_label("Card").fill("1").await?;
    form.get_by_role(Role::Button.named("Pay")).click().await?;
    assert_eq!(form.locator("p").inner_text().await?, "paid with 1");
    Ok(())
}

async fn a_frame_that_comes_late_is_waited_for(env: &Env) -> Outcome {
    let body = "<script>setTimeout(() => {
        const frame = document.createElement('iframe'); frame.src = '{other}'; document.body.append(frame);
    }, 300)</script>";
    check(env, body).await
}

async fn a_frame_that_navigates_to_another_site_is_still_the_frame(env: &Env) -> Outcome {
    env.site.page("/first", "<a href='#' id=go>first</a>");
    env.site.page("/form", FORM);
    env.open(&format!("<iframe src={}></iframe>", env.site.url("/first"))).await?;
    let frame = env.page.frame_locator("iframe");
    assert_eq!(frame.locator("#go").inner_text().await?, "first");
    for url in [env.site.other_url("/form"), env.site.url("/form"), env.site.other_url("/form")] {
        let go = format!("document.querySelector('iframe').src = '{url}'; document.title = '{url}'");
        env.page.evaluate::<String>(&go).await?;
        frame.locator("p").filter(engine::Filter::visible(false)).wait_for(engine::State::Attached).await?;
        frame.get_by_label("Card").fill("7").await?;
        frame.get_by_role(Role::Button.named("Pay")).click().await?;
        assert_eq!(frame.locator("p").inner_text().await?, "paid with 7", "{url}");
    }
    Ok(())
}

async fn an_overlay_of_the_outer_page_is_waited_for(env: &Env) -> Outcome {
    let body = "<iframe src={other}></iframe><div id=veil style='position:fixed;inset:0'></div>
        <script>setTimeout(() => veil.remove(), 600)</script>";
    check(env, body).await
}

async fn two_frames_that_match_are_an_error(env: &Env) -> Outcome {
    env.site.page("/form", FORM);
    let frames =
        format!("<iframe id=a src={0}></iframe><iframe id=b src={0}></iframe>", env.site.url("/form"));
    env.open(&frames).await?;
    let button = env.page.frame_locator("iframe").get_by_role(Role::Button);
    let error = button.click().timeout(Duration::from_secs(5)).await.expect_err("two frames");
    assert_eq!(error.kind(), engine::ErrorKind::Strict, "{error}");
    assert!(error.to_string().contains("id=\"a\"") && error.to_string().contains("id=\"b\""), "{error}");
    Ok(())
}

async fn an_overlay_of_the_outer_page_that_flickers_never_gets_the_click(env: &Env) -> Outcome {
    env.site.page("/form", FORM);
    let body = "<iframe src={other}></iframe>
        <div id=over style='position:fixed;inset:0;background:#ccc8' hidden></div><script>
        window.strayed = 0;
        for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click'])
            addEventListener(type, () => strayed++, true);
        setInterval(() => over.hidden = !over.hidden, 12);
        </script>";
    env.open(&body.replace("{other}", &env.site.other_url("/form"))).await?;
    let button = env.page.frame_locator("iframe").get_by_role(Role::Button.named("Pay"));
    for _ in 0..40 {
        button.click().await?;
    }
    let frame = env.page.frames().into_iter().find(|frame| frame.url() == env.site.other_url("/form"));
    let hits: u32 = frame.ok_or("the frame is there")?.evaluate("hits").await?;
    assert_eq!((hits, env.page.evaluate::<u32>("strayed").await?), (40, 0));
    Ok(())
}
