//! A look at a page of the user's own: title, headings and links by role, and a screenshot. Acts on nothing.

use std::path::Path;

use engine::{Browser, Locator, Role};

use crate::steps::{Failure, Found, Steps};

/// Lines shown of headings and of links each.
const SHOWN: usize = 40;

/// Looks at `url` and writes the screenshot to `out`.
pub(crate) async fn run(browser: &Browser, url: &str, out: &Path, steps: &mut Steps) -> Result<(), Failure> {
    let Found(page, _) = steps
        .run(&format!("open {url}"), async {
            let page = browser.new_context().await?.new_page().await?;
            page.goto(url).await?;
            let title = page.title().await?;
            Ok(Found(page, if title.is_empty() { "(no title)".to_owned() } else { title }))
        })
        .await?;
    let Found(headings, _) =
        steps.run("read the headings by role", texts(page.get_by_role(Role::Heading))).await?;
    let Found(links, _) = steps.run("read the links by role", texts(page.get_by_role(Role::Link))).await?;
    steps
        .run("take a screenshot of the whole page", async {
            let picture = page.screenshot().full_page(true).await?;
            tokio::fs::write(out.join("page.png"), &picture).await?;
            Ok(format!("page.png, {} kB", picture.len() / 1000))
        })
        .await?;
    show("Headings", &headings);
    show("Links", &links);
    Ok(())
}

async fn texts(locator: Locator) -> Result<Found<Vec<String>, usize>, Failure> {
    let texts = locator.all_text_contents().await?;
    let count = texts.len();
    Ok(Found(texts, count))
}

fn show(title: &str, texts: &[String]) {
    println!("\n{title} ({}):", texts.len());
    for text in texts.iter().take(SHOWN) {
        let words: Vec<&str> = text.split_whitespace().collect();
        println!("  {}", if words.is_empty() { "(no text)".to_owned() } else { words.join(" ") });
    }
    if let Some(more) = texts.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        println!("  … and {more} more");
    }
}
