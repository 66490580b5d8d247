//! Filling fields: which can be filled, what the page sees of it, what is refused.

use std::time::Duration;

use engine::{ErrorKind, Outcome as Effect};

use crate::harness::{Env, Outcome, tests};

tests![
    every_kind_of_field_takes_a_value,
    fill_replaces_what_was_there_and_tells_the_page,
    fill_waits_until_the_field_can_be_edited,
    what_is_not_a_field_is_refused_at_once,
    a_value_the_field_can_not_hold_is_refused,
    a_password_is_not_in_the_error,
];

async fn every_kind_of_field_takes_a_value(env: &Env) -> Outcome {
    let cases = [
        ("<input id=f>", "plain"),
        ("<input id=f type=text>", "Zoë 東京 🦀"),
        ("<input id=f type=email>", "ada@example.org"),
        ("<input id=f type=password>", "secret"),
        ("<input id=f type=search>", "needle"),
        ("<input id=f type=tel>", "+47 22 33"),
        ("<input id=f type=url>", "https://example.org/"),
        ("<input id=f type=number>", "-12.5"),
        ("<input id=f type=date>", "2027-02-28"),
        ("<input id=f type=time>", "13:45"),
        ("<input id=f type=datetime-local>", "2027-02-28T13:45"),
        ("<input id=f type=month>", "2027-02"),
        ("<input id=f type=week>", "2027-W08"),
        ("<input id=f type=color>", "#12ab9f"),
        ("<input id=f type=range max=100>", "42"),
        ("<textarea id=f></textarea>", "two\nlines"),
        ("<div id=f contenteditable>old</div>", "rich text"),
        ("<input id=f value=old>", ""),
    ];
    for (body, value) in cases {
        env.open(&format!("{body}<script>f.addEventListener('input', () => window.seen = true)</script>"))
            .await?;
        env.page.locator("#f").fill(value).await.map_err(|error| format!("{body}: {error}"))?;
        let read = "[f.value ?? f.textContent, String(window.seen === true)]";
        let found: [String; 2] = env.page.evaluate(read).await?;
        assert_eq!(found, [value, "true"], "{body}");
    }
    Ok(())
}

async fn fill_replaces_what_was_there_and_tells_the_page(env: &Env) -> Outcome {
    env.open(
        "<label>Name <input value='someone else'></label><p id=out></p>
        <script>document.querySelector('input').oninput = e => out.textContent = e.target.value</script>",
    )
    .await?;
    env.page.get_by_label("Name").fill("Ada").await?;
    assert_eq!(env.page.locator("#out").inner_text().await?, "Ada");
    assert_eq!(env.page.get_by_label("Name").input_value().await?, "Ada");
    Ok(())
}

async fn fill_waits_until_the_field_can_be_edited(env: &Env) -> Outcome {
    env.open("<input id=f readonly><script>setTimeout(() => f.readOnly = false, 400)</script>").await?;
    env.page.locator("#f").fill("x").await?;
    assert_eq!(env.page.locator("#f").input_value().await?, "x");
    Ok(())
}

async fn what_is_not_a_field_is_refused_at_once(env: &Env) -> Outcome {
    for body in [
        "<div id=f>text</div>",
        "<input id=f type=checkbox>",
        "<input id=f type=file>",
        "<a id=f href=#>x</a>",
    ] {
        env.open(body).await?;
        let error = env.page.locator("#f").fill("x").await.expect_err(body);
        assert_eq!(error.kind(), ErrorKind::Unfit, "{body}: {error}");
        assert!(error.to_string().contains("#f"), "{error}");
    }
    Ok(())
}

async fn a_value_the_field_can_not_hold_is_refused(env: &Env) -> Outcome {
    env.open("<input id=f type=number value=3>").await?;
    let error = env.page.locator("#f").fill("three").await.expect_err("not a number");
    assert_eq!(error.kind(), ErrorKind::Unfit, "{error}");
    assert_eq!(env.page.locator("#f").input_value().await?, "3");
    Ok(())
}

async fn a_password_is_not_in_the_error(env: &Env) -> Outcome {
    let cases = [
        ("<input id=f type=password disabled>", Effect::ReadOnly),
        ("<input id=f type=password onfocus='this.blur()'>", Effect::ReadOnly),
        ("<input id=f type=number>", Effect::ReadOnly),
        ("<select id=f></select>", Effect::ReadOnly),
        // The page has answered, with the text to type, and hangs when it is typed.
        ("<input id=f type=password oninput='for (;;);'>", Effect::StartedUnknown),
    ];
    for (body, outcome) in cases {
        env.open(body).await?;
        let limit = Duration::from_millis(600);
        let error = env.page.locator("#f").fill("hunter2").timeout(limit).await.expect_err(body);
        assert_eq!(error.outcome(), outcome, "{body}: {error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{body}: {error}");
    }
    Ok(())
}
