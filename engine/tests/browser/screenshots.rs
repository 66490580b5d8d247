//! Screenshots: pictures of the size that was asked for, and of what was to be seen. The browser's own decoder reads them.

use crate::harness::{Env, Outcome, tests};

tests![
    a_screenshot_shows_the_viewport,
    a_full_page_screenshot_shows_all_of_it,
    a_jpeg_shows_the_same_and_is_smaller_the_lower_its_quality,
];

const RED: [u8; 3] = [255, 0, 0];
const LIME: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const BLACK: [u8; 3] = [0, 0, 0];

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const JPEG: &[u8] = b"\xff\xd8\xff";

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Width and height of a picture, and the colours at these points.
async fn read(env: &Env, picture: &[u8], points: &[[u32; 2]]) -> Fallible<(u32, u32, Vec<[u8; 3]>)> {
    let script = format!(
        "(async () => {{
            const image = await createImageBitmap(new Blob([new Uint8Array({picture:?})]));
            const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
            context.drawImage(image, 0, 0);
            const colour = ([x, y]) => Array.from(context.getImageData(x, y, 1, 1).data).slice(0, 3);
            return [image.width, image.height, {points:?}.map(colour)];
        }})()"
    );
    Ok(env.page.evaluate(script).await?)
}

/// Puts up bands of these heights and colours, with a black square in the viewport's lower right corner.
async fn open_bands(env: &Env, bands: &[(u32, &str)]) -> Fallible<(u32, u32)> {
    let bands: String = bands
        .iter()
        .map(|(height, colour)| format!("<div style='height:{height}px;background:{colour}'></div>"))
        .collect();
    let corner = "position:fixed;right:0;bottom:0;width:50px;height:50px;background:black";
    env.open(&format!("<body style=margin:0>{bands}<div id=corner style='{corner}'></div>")).await?;
    Ok(env.page.evaluate("[innerWidth * devicePixelRatio, innerHeight * devicePixelRatio]").await?)
}

async fn a_screenshot_shows_the_viewport(env: &Env) -> Outcome {
    let (width, height) = open_bands(env, &[(1000, "red"), (300, "lime"), (3000, "blue")]).await?;
    env.page.evaluate::<()>("void scrollTo(0, 1000)").await?;
    let picture = env.page.screenshot().await?;
    assert!(picture.starts_with(PNG));
    let points = [[0, 0], [5, 299], [5, 300], [width - 1, height - 1], [width - 51, height - 1]];
    let read = read(env, &picture, &points).await?;
    assert_eq!(read, (width, height, vec![LIME, LIME, BLUE, BLACK, BLUE]));
    Ok(())
}

async fn a_full_page_screenshot_shows_all_of_it(env: &Env) -> Outcome {
    let (width, _) = open_bands(env, &[(1500, "red"), (1717, "blue")]).await?;
    env.page.evaluate::<()>("corner.remove(); void scrollTo(0, 700)").await?;
    let picture = env.page.screenshot().full_page(true).await?;
    assert!(picture.starts_with(PNG));
    let read = read(env, &picture, &[[0, 0], [5, 1499], [5, 1500], [width - 1, 3216]]).await?;
    assert_eq!(read, (width, 3217, vec![RED, RED, BLUE, BLUE]));
    // The page is as it was.
    assert_eq!(env.page.evaluate::<f64>("scrollY").await?, 700.0);
    Ok(())
}

async fn a_jpeg_shows_the_same_and_is_smaller_the_lower_its_quality(env: &Env) -> Outcome {
    let (width, height) =
        open_bands(env, &[(100, "red"), (3000, "linear-gradient(45deg, lime, blue)")]).await?;
    let (good, poor) = (env.page.screenshot().jpeg(95).await?, env.page.screenshot().jpeg(5).await?);
    assert!(good.starts_with(JPEG) && poor.starts_with(JPEG));
    assert!(poor.len() < good.len(), "{} and {} bytes", poor.len(), good.len());
    for picture in [good, poor] {
        let (found_width, found_height, colours) =
            read(env, &picture, &[[20, 20], [width - 20, height - 20]]).await?;
        assert_eq!((found_width, found_height), (width, height));
        for (colour, expected) in colours.into_iter().zip([RED, BLACK]) {
            let near = colour.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) < 24);
            assert!(near, "{colour:?} is not {expected:?}");
        }
    }
    Ok(())
}
