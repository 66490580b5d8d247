//! Finding elements: by role, label, text, placeholder, test id and CSS; filters; strictness; what errors say.

use std::time::Duration;

use engine::{ErrorKind, Filter, Locator, Role, State, TextMatch};

use crate::harness::{Env, Outcome, tests};

tests![
    each_way_of_finding_finds_its_element,
    roles_come_from_markup_and_attributes,
    names_come_from_labels_content_and_attributes,
    text_matches_contain_are_exact_or_patterns,
    filters_scope_to_one_record,
    positions_count_from_both_ends,
    open_shadow_roots_are_looked_into,
    two_matches_are_an_error_that_lists_both,
    nothing_matched_is_a_timeout_that_names_the_locator_and_what_was_seen,
    an_invalid_selector_is_refused_at_once,
    waiting_for_states,
    reading_texts_and_attributes,
];

const PAGE: &str = "
    <h1>Orders</h1><h2>Open ones</h2>
    <form><label for=m>Mail</label><input id=m placeholder='you@example.org'>
      <label>Pass <input id=p type=password></label><input id=c type=checkbox checked aria-label='Keep me'></form>
    <table><tr id=r1><th scope=row>1041</th><td>Halden</td><td><button>Cancel</button></td></tr>
    <tr id=r2><th scope=row>1042</th><td>Moe</td><td><button>Cancel</button></td></tr>
    <tr id=r3><th scope=row>1043</th><td>replaces 1042</td><td><button>Cancel</button></td></tr></table>
    <p id=para data-testid=note>Some <b id=bold>Bold</b> words</p>
    <a id=home href=/home>Home</a><nav id=nav><ul id=list><li id=one>one</li><li id=two>two</li></ul></nav>
    <button id=save aria-label='Save all'>S</button><div id=fake role=button aria-pressed=true>Fake</div>
    <img id=img alt='A boat' src=data:,><button id=gone hidden>Hidden</button>";

/// Wants the ids of what a locator finds.
async fn check(locator: Locator, ids: &[&str]) -> Outcome {
    let count = locator.count().await?;
    let mut found = Vec::new();
    for n in 0..count {
        found.push(locator.nth(i64::try_from(n)?).get_attribute("id").await?.unwrap_or_default());
    }
    assert_eq!(found, ids, "{locator}");
    Ok(())
}

async fn each_way_of_finding_finds_its_element(env: &Env) -> Outcome {
    env.open(PAGE).await?;
    let page = &env.page;
    check(page.get_by_label("Mail"), &["m"]).await?;
    check(page.get_by_label("pass"), &["p"]).await?;
    check(page.get_by_label("Keep me"), &["c"]).await?;
    check(page.get_by_placeholder("example.org"), &["m"]).await?;
    check(page.get_by_test_id("note"), &["para"]).await?;
    check(page.get_by_test_id("Note"), &[]).await?;
    check(page.get_by_text("bold"), &["bold"]).await?;
    check(page.get_by_text("some bold words"), &["para"]).await?;
    check(page.get_by_role(Role::Link), &["home"]).await?;
    check(page.locator("ul > li"), &["one", "two"]).await?;
    check(page.locator("nav").locator("li"), &["one", "two"]).await?;
    check(page.locator("nav").get_by_text("two"), &["two"]).await
}

async fn roles_come_from_markup_and_attributes(env: &Env) -> Outcome {
    env.open(PAGE).await?;
    let page = &env.page;
    check(page.get_by_role(Role::Button).filter(Filter::has_not_text("Cancel")), &["save", "fake"]).await?;
    check(page.get_by_role(Role::Checkbox.checked(true)), &["c"]).await?;
    check(page.get_by_role(Role::Checkbox.checked(false)), &[]).await?;
    check(page.get_by_role(Role::Listitem), &["one", "two"]).await?;
    check(page.get_by_role(Role::Navigation), &["nav"]).await?;
    check(page.get_by_role(Role::Textbox), &["m", "p"]).await?;
    assert_eq!(page.get_by_role(Role::Heading).count().await?, 2);
    assert_eq!(page.get_by_role(Role::Heading.level(2)).inner_text().await?, "Open ones");
    assert_eq!(page.get_by_role(Role::Rowheader).all_text_contents().await?, ["1041", "1042", "1043"]);
    Ok(())
}

async fn names_come_from_labels_content_and_attributes(env: &Env) -> Outcome {
    env.open(PAGE).await?;
    let page = &env.page;
    check(page.get_by_role(Role::Button.named("save")), &["save"]).await?;
    check(page.get_by_role(Role::Button.named("S ")), &["save"]).await?;
    check(page.get_by_role(Role::Textbox.named("Mail")), &["m"]).await?;
    check(page.get_by_role(Role::Img.named("boat")), &["img"]).await?;
    check(page.get_by_role(Role::Button.named(TextMatch::exact("save all"))), &[]).await?;
    check(page.get_by_role(Role::Button.named(TextMatch::regex("^save", "i"))), &["save"]).await?;
    check(page.get_by_role(Role::Button.named("Hidden")), &[]).await
}

async fn text_matches_contain_are_exact_or_patterns(env: &Env) -> Outcome {
    env.open("<p id=a>Sign&nbsp;in</p><p id=b>Sign  in   now</p><p id=c>sign in</p><p id=d>a >> b</p>")
        .await?;
    let page = &env.page;
    check(page.get_by_text("sign in"), &["a", "b", "c"]).await?;
    check(page.get_by_text(TextMatch::exact("Sign in")), &["a"]).await?;
    check(page.get_by_text(TextMatch::regex("^sign in$", "")), &["c"]).await?;
    check(page.get_by_text(TextMatch::regex("NOW$", "i")), &["b"]).await?;
    check(page.get_by_text("a >> b"), &["d"]).await
}

async fn filters_scope_to_one_record(env: &Env) -> Outcome {
    env.open(PAGE).await?;
    let page = &env.page;
    let rows = page.get_by_role(Role::Row);
    let header = page.get_by_role(Role::Rowheader.named("1042"));
    check(rows.filter(Filter::has_text("1042")), &["r2", "r3"]).await?;
    check(rows.filter(Filter::has(header.clone())), &["r2"]).await?;
    check(rows.filter(Filter::has_not(header)), &["r1", "r3"]).await?;
    check(rows.filter(Filter::has_not_text("1042")), &["r1"]).await?;
    check(rows.filter(Filter::has_text("1042")).filter(Filter::has_text("moe")), &["r2"]).await?;
    check(page.locator("button[id]").filter(Filter::visible(true)), &["save"]).await?;
    check(page.locator("button[id]").filter(Filter::visible(false)), &["gone"]).await
}

async fn positions_count_from_both_ends(env: &Env) -> Outcome {
    env.open(PAGE).await?;
    let rows = env.page.locator("tr");
    check(rows.first(), &["r1"]).await?;
    check(rows.last(), &["r3"]).await?;
    check(rows.nth(1), &["r2"]).await?;
    check(rows.nth(-2), &["r2"]).await?;
    check(rows.nth(7), &[]).await
}

async fn open_shadow_roots_are_looked_into(env: &Env) -> Outcome {
    env.open(
        "<div id=host></div><script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<label>Deep <input id=deep></label><button id=in>Inside</button>'
        </script>",
    )
    .await?;
    check(env.page.get_by_label("Deep"), &["deep"]).await?;
    check(env.page.get_by_role(Role::Button.named("Inside")), &["in"]).await?;
    check(env.page.locator("#host button"), &["in"]).await?;
    check(env.page.get_by_text("inside"), &["in"]).await
}

async fn two_matches_are_an_error_that_lists_both(env: &Env) -> Outcome {
    env.open(
        "<button class=first>Cancel</button><button class=second>Cancel</button><script>
        window.clicks = 0; onclick = () => clicks++</script>",
    )
    .await?;
    let error = env.page.get_by_role(Role::Button.named("Cancel")).click().await.expect_err("two buttons");
    assert_eq!(error.kind(), ErrorKind::Strict, "{error}");
    let text = error.to_string();
    for part in ["get_by_role", "Cancel", "2", "class=\"first\"", "class=\"second\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(env.page.evaluate::<u32>("clicks").await?, 0);
    Ok(())
}

async fn nothing_matched_is_a_timeout_that_names_the_locator_and_what_was_seen(env: &Env) -> Outcome {
    env.open("<button>Go</button>").await?;
    let limit = Duration::from_millis(400);
    let locator = env.page.get_by_role(Role::Button.named("Stop"));
    let error = locator.click().timeout(limit).await.expect_err("there is no such button");
    assert!(error.is_timeout(), "{error}");
    let text = error.to_string();
    for part in ["click", &locator.to_string(), "400ms", "call log"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!error.call_log().is_empty());
    Ok(())
}

async fn an_invalid_selector_is_refused_at_once(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.locator("div[").click().await.expect_err("not a selector");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(error.to_string().contains("div["), "{error}");
    let error = env.page.get_by_text(TextMatch::regex("(", "")).count().await.expect_err("not a pattern");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    Ok(())
}

async fn waiting_for_states(env: &Env) -> Outcome {
    env.open(
        "<p id=a style=display:none>a</p><p id=b>b</p><script>
        setTimeout(() => { a.style.display = ''; b.style.display = 'none' }, 200);
        setTimeout(() => b.remove(), 400)</script>",
    )
    .await?;
    let (a, b) = (env.page.locator("#a"), env.page.locator("#b"));
    assert!(!a.is_visible().await?);
    a.wait_for(State::Attached).await?;
    a.wait_for(State::Visible).await?;
    b.wait_for(State::Hidden).await?;
    b.wait_for(State::Detached).await?;
    assert!(a.is_visible().await?);
    assert_eq!(b.count().await?, 0);
    Ok(())
}

async fn reading_texts_and_attributes(env: &Env) -> Outcome {
    env.open("<p id=a title=t>One <span style=display:none>two</span> three</p><input id=i value=start>")
        .await?;
    let a = env.page.locator("#a");
    assert_eq!(a.text_content().await?, "One two three");
    assert_eq!(a.inner_text().await?.split_whitespace().collect::<Vec<_>>(), ["One", "three"]);
    assert_eq!(a.get_attribute("title").await?.as_deref(), Some("t"));
    assert_eq!(a.get_attribute("lang").await?, None);
    assert_eq!(env.page.locator("#i").input_value().await?, "start");
    Ok(())
}
