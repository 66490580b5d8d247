//! Screenshots: PNG pictures of the size that was asked for.

use crate::harness::{Env, Outcome, tests};

tests![a_screenshot_shows_the_viewport, a_full_page_screenshot_shows_all_of_it];

/// Width and height of a PNG, from its first chunk.
fn size(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "a PNG's signature");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

async fn a_screenshot_shows_the_viewport(env: &Env) -> Outcome {
    env.open("<div style='height:3000px;background:linear-gradient(red,blue)'></div>").await?;
    let viewport: (u32, u32) =
        env.page.evaluate("[innerWidth * devicePixelRatio, innerHeight * devicePixelRatio]").await?;
    assert_eq!(size(&env.page.screenshot().await?), viewport);
    Ok(())
}

async fn a_full_page_screenshot_shows_all_of_it(env: &Env) -> Outcome {
    env.open("<body style=margin:0><div style='height:3217px;background:linear-gradient(red,blue)'></div>")
        .await?;
    let (width, _): (u32, u32) = env.page.evaluate("[innerWidth, innerHeight]").await?;
    let (found, height) = size(&env.page.screenshot().full_page(true).await?);
    assert_eq!(height, 3217);
    assert!(found <= width && found + 20 >= width, "{found} of {width}, less a scroll bar");
    // The page is as it was.
    assert_eq!(env.page.evaluate::<f64>("scrollY").await?, 0.0);
    Ok(())
}
