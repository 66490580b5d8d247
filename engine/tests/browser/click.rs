//! Clicking: what it waits for, where it lands, and that it happens once.

use std::time::Duration;

use engine::{ErrorKind, Outcome as Effect, Role};

use crate::harness::{Env, Outcome, tests};

tests![
    hovering_twice_is_fine,
    click_waits_until_the_button_is_enabled,
    click_waits_until_the_overlay_has_gone,
    click_waits_until_the_button_stands_still,
    click_waits_until_the_button_appears,
    click_scrolls_to_what_is_out_of_view,
    click_is_not_hidden_behind_a_sticky_header,
    click_lands_on_a_line_of_a_wrapped_link,
    a_page_that_re_renders_on_mousedown_is_pressed_once,
    a_button_that_goes_away_on_pointerdown_is_pressed_once,
    a_button_replaced_before_the_press_is_found_again,
    a_page_that_never_stops_re_rendering_is_clicked_once,
    click_reaches_the_server_exactly_once,
    click_waits_for_the_navigation_it_began,
    a_covered_button_says_what_covers_it_and_that_nothing_was_done,
    a_disabled_button_says_so,
];

const SHORT: Duration = Duration::from_millis(700);

/// Counts clicks on `#b`, on anything else, and presses of the mouse.
const COUNT: &str = "<script>
    window.hits = 0; window.misses = 0; window.presses = 0;
    addEventListener('click', e => e.target.closest?.('#b') ? hits++ : misses++, true);
    addEventListener('mousedown', () => presses++, true);
</script>";

async fn hovering_twice_is_fine(env: &Env) -> Outcome {
    env.open("<button onmouseenter='entered++'>b</button><script>entered = 0</script>").await?;
    let button = env.page.locator("button");
    button.hover().await?;
    button.hover().await?;
    button.click().await?;
    button.hover().await?;
    assert_eq!(env.page.evaluate::<u32>("entered").await?, 1);
    Ok(())
}

/// Clicks `#b` of the page and wants exactly one hit and no miss.
async fn check_one_hit(env: &Env, body: &str) -> Outcome {
    env.open(&format!("{COUNT}{body}")).await?;
    env.page.locator("#b").click().await?;
    let counted: Vec<u32> = env.page.evaluate("[hits, misses, presses]").await?;
    assert_eq!(counted, [1, 0, 1], "hits, misses, presses");
    Ok(())
}

async fn click_waits_until_the_button_is_enabled(env: &Env) -> Outcome {
    check_one_hit(
        env,
        "<button id=b disabled>Go</button><script>setTimeout(() => b.disabled = false, 400)</script>",
    )
    .await
}

async fn click_waits_until_the_overlay_has_gone(env: &Env) -> Outcome {
    let body = "<button id=b>Go</button><div id=o style='position:fixed;inset:0;background:#0008'></div>
        <script>setTimeout(() => o.remove(), 400)</script>";
    check_one_hit(env, body).await
}

async fn click_waits_until_the_button_stands_still(env: &Env) -> Outcome {
    let body = "<style>#b { position:absolute; left:0; animation: move .6s linear forwards }
        @keyframes move { to { left: 500px; top: 300px } }</style><button id=b>Go</button>
        <script>b.onclick = () => window.left = b.getBoundingClientRect().left</script>";
    check_one_hit(env, body).await?;
    // It was clicked at the end of its way, not hit while it passed.
    assert_eq!(env.page.evaluate::<f64>("window.left").await?, 500.0);
    Ok(())
}

async fn click_waits_until_the_button_appears(env: &Env) -> Outcome {
    let body = "<script>setTimeout(() => {
        document.body.innerHTML = '<button id=b style=display:none>Go</button>';
        setTimeout(() => b.style.display = '', 200);
    }, 300)</script>";
    check_one_hit(env, body).await
}

async fn click_scrolls_to_what_is_out_of_view(env: &Env) -> Outcome {
    check_one_hit(
        env,
        "<div style=height:4000px></div><button id=b>Go</button><div style=height:4000px></div>",
    )
    .await
}

async fn click_is_not_hidden_behind_a_sticky_header(env: &Env) -> Outcome {
    let body = "<div style='position:fixed;inset:0 0 auto 0;height:45vh;background:#999'></div>
        <div style=height:1500px></div><button id=b>Go</button><div style=height:1500px></div>
        <script>addEventListener('load', () => scrollTo(0, 1500))</script>";
    check_one_hit(env, body).await
}

async fn click_lands_on_a_line_of_a_wrapped_link(env: &Env) -> Outcome {
    let body = "<div style='width:130px;font:20px monospace'>some words before
        <a id=b href=#x>a link that wraps</a> and some after</div>";
    check_one_hit(env, body).await
}

async fn a_page_that_re_renders_on_mousedown_is_pressed_once(env: &Env) -> Outcome {
    let body = "<div id=host><button id=b>Go</button></div><script>
        addEventListener('mousedown', () => host.innerHTML = '<button id=b>Go</button>')</script>";
    env.open(&format!("{COUNT}{body}")).await?;
    env.page.locator("#b").click().await?;
    let presses: u32 = env.page.evaluate("presses").await?;
    assert_eq!(presses, 1);
    Ok(())
}

async fn a_button_that_goes_away_on_pointerdown_is_pressed_once(env: &Env) -> Outcome {
    let body = "<button id=b onpointerdown='this.remove()'>Go</button>";
    env.open(&format!("{COUNT}{body}")).await?;
    env.page.locator("#b").click().await?;
    let presses: u32 = env.page.evaluate("presses").await?;
    assert_eq!(presses, 1);
    Ok(())
}

async fn a_button_replaced_before_the_press_is_found_again(env: &Env) -> Outcome {
    let body = "<div id=host><button id=b disabled>Go</button></div><script>
        let left = 6;
        const timer = setInterval(() => {
            host.innerHTML = `<button id=b ${--left ? 'disabled' : ''}>Go</button>`;
            if (!left) clearInterval(timer);
        }, 70);</script>";
    check_one_hit(env, body).await
}

async fn a_page_that_never_stops_re_rendering_is_clicked_once(env: &Env) -> Outcome {
    let body = "<div id=host></div><script>
        const render = () => { host.innerHTML = '<button id=b>Go</button>' };
        render(); setInterval(render, 250);</script>";
    env.open(&format!("{COUNT}{body}")).await?;
    env.page.locator("#b").click().await?;
    let presses: u32 = env.page.evaluate("presses").await?;
    assert_eq!(presses, 1);
    Ok(())
}

async fn click_reaches_the_server_exactly_once(env: &Env) -> Outcome {
    env.open("<button id=b onclick=\"fetch('/count/clicks', { method: 'POST' })\">Go</button>").await?;
    env.page.get_by_role(Role::Button.named("Go")).click().await?;
    env.site.wait_for_hits("/count/clicks", 1).await;
    let _: u16 = env.page.evaluate("fetch('/count/after').then(answer => answer.status)").await?;
    assert_eq!(env.site.hits("/count/clicks"), 1);
    Ok(())
}

async fn click_waits_for_the_navigation_it_began(env: &Env) -> Outcome {
    env.site.page("/next", "<h1>Next</h1>");
    env.open("<a href=/next>Next</a>").await?;
    env.page.get_by_role(Role::Link.named("Next")).click().await?;
    assert_eq!(env.page.url(), env.site.url("/next"));
    let heading: String = env.page.evaluate("document.querySelector('h1').textContent").await?;
    assert_eq!(heading, "Next");
    Ok(())
}

async fn a_covered_button_says_what_covers_it_and_that_nothing_was_done(env: &Env) -> Outcome {
    env.open("<button id=b>Go</button><div class=veil style='position:fixed;inset:0'></div>").await?;
    let error = env.page.locator("#b").click().timeout(SHORT).await.expect_err("the button is covered");
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.outcome(), Effect::ReadOnly);
    let text = error.to_string();
    assert!(text.contains("#b") && text.contains("class=\"veil\""), "{text}");
    Ok(())
}

async fn a_disabled_button_says_so(env: &Env) -> Outcome {
    env.open("<button id=b disabled>Go</button>").await?;
    let error = env.page.locator("#b").click().timeout(SHORT).await.expect_err("the button is disabled");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("not enabled"), "{error}");
    Ok(())
}
