//! Contexts: identities side by side that never mix, popups that belong to their context.

use crate::harness::{Env, Outcome, tests, until};

tests![
    two_contexts_do_not_share_cookies,
    two_contexts_do_not_share_local_storage,
    pages_of_one_context_share_cookies,
    a_popup_is_a_page_of_its_context,
    closing_a_context_closes_its_pages,
    a_closed_page_says_so,
];

async fn two_contexts_do_not_share_cookies(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.evaluate::<()>("void (document.cookie = 'who=ada')").await?;
    let other = env.browser.new_context().await?;
    let page = other.new_page().await?;
    page.goto(env.site.url("/")).await?;
    assert_eq!(page.evaluate::<String>("document.cookie").await?, "");
    assert_eq!(env.page.evaluate::<String>("document.cookie").await?, "who=ada");
    // The server sees the same.
    let seen = "fetch('/').then(answer => answer.headers.get('x-seen-cookie'))";
    assert_eq!(page.evaluate::<Option<String>>(seen).await?, None);
    assert_eq!(env.page.evaluate::<Option<String>>(seen).await?.as_deref(), Some("who=ada"));
    other.close().await?;
    Ok(())
}

async fn two_contexts_do_not_share_local_storage(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.evaluate::<()>("localStorage.setItem('who', 'ada')").await?;
    let other = env.browser.new_context().await?;
    let page = other.new_page().await?;
    page.goto(env.site.url("/")).await?;
    assert_eq!(page.evaluate::<Option<String>>("localStorage.getItem('who')").await?, None);
    other.close().await?;
    Ok(())
}

async fn pages_of_one_context_share_cookies(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.evaluate::<()>("void (document.cookie = 'who=ada')").await?;
    let second = env.context.new_page().await?;
    second.goto(env.site.url("/")).await?;
    assert_eq!(second.evaluate::<String>("document.cookie").await?, "who=ada");
    Ok(())
}

async fn a_popup_is_a_page_of_its_context(env: &Env) -> Outcome {
    env.site.page("/popup", "<h1>Popup</h1><button onclick='opener.told = true'>Tell</button>");
    env.open("<button onclick=\"window.open('/popup')\">Open</button>").await?;
    let button = env.page.locator("button");
    button.click().await?;
    let url = env.site.url("/popup");
    let popup = until("the popup", || env.context.pages().into_iter().find(|page| page.url() == url)).await;
    assert_eq!(popup.locator("h1").inner_text().await?, "Popup");
    popup.locator("button").click().await?;
    assert!(env.page.evaluate::<bool>("window.told === true").await?);
    assert_eq!(env.context.pages().len(), 2);
    Ok(())
}

async fn closing_a_context_closes_its_pages(env: &Env) -> Outcome {
    let other = env.browser.new_context().await?;
    let page = other.new_page().await?;
    other.close().await?;
    let error = page.evaluate::<u32>("1").await.expect_err("the page is gone");
    assert!(error.is_closed(), "{error}");
    Ok(())
}

async fn a_closed_page_says_so(env: &Env) -> Outcome {
    env.site.page("/", "<p>fine</p>");
    let page = env.context.new_page().await?;
    page.goto(env.site.url("/")).await?;
    page.close().await?;
    let error = page.goto(env.site.url("/")).await.expect_err("the page is gone");
    assert!(error.is_closed(), "{error}");
    let error = page.locator("p").click().await.expect_err("the page is gone");
    assert!(error.is_closed(), "{error}");
    Ok(())
}
