//! Waiting until a part of the page has stopped changing.

use std::time::Duration;

use engine::State;

use crate::harness::{Env, Outcome, tests};

tests![
    a_table_that_fills_row_by_row_has_settled_when_it_is_full,
    a_list_that_is_sorted_at_the_end_has_settled_after_that,
    changes_elsewhere_do_not_count,
    what_never_settles_says_what_kept_changing,
    a_list_is_complete_when_it_has_as_many_rows_as_the_page_says,
    a_list_is_complete_when_the_page_says_that_there_is_no_more,
    an_order_is_done_when_its_status_is_no_longer_pending,
];

const QUIET: Duration = Duration::from_millis(300);

async fn a_table_that_fills_row_by_row_has_settled_when_it_is_full(env: &Env) -> Outcome {
    env.open(
        "<table><tbody id=rows></tbody></table><script>
        let n = 0;
        const timer = setInterval(() => {
            rows.insertRow().insertCell().textContent = 'row ' + ++n;
            if (n === 20) clearInterval(timer);
        }, 60)</script>",
    )
    .await?;
    env.page.locator("table").settled(QUIET).await?;
    assert_eq!(env.page.locator("tr").count().await?, 20);
    Ok(())
}

async fn a_list_that_is_sorted_at_the_end_has_settled_after_that(env: &Env) -> Outcome {
    env.open(
        "<ul id=list></ul><script>
        const words = ['pear', 'fig', 'apple', 'plum'];
        const show = () => list.replaceChildren(...words.map(word => {
            const item = document.createElement('li'); item.textContent = word; return item;
        }));
        show(); setTimeout(show, 150); setTimeout(() => { words.sort(); show(); }, 400);</script>",
    )
    .await?;
    env.page.locator("#list").settled(QUIET).await?;
    assert_eq!(env.page.locator("li").all_text_contents().await?, ["apple", "fig", "pear", "plum"]);
    Ok(())
}

async fn changes_elsewhere_do_not_count(env: &Env) -> Outcome {
    env.open(
        "<p id=still>done</p><p id=clock></p><script>setInterval(() => clock.textContent = Date.now(), 20)</script>",
    )
    .await?;
    env.page.locator("#still").settled(QUIET).timeout(Duration::from_secs(5)).await?;
    Ok(())
}

async fn what_never_settles_says_what_kept_changing(env: &Env) -> Outcome {
    env.open("<p id=clock>0</p><script>setInterval(() => clock.textContent = Date.now(), 20)</script>")
        .await?;
    let limit = Duration::from_millis(900);
    let error = env.page.locator("#clock").settled(QUIET).timeout(limit).await.expect_err("it never settles");
    assert!(error.is_timeout(), "{error}");
    let text = error.to_string();
    assert!(text.contains("#clock") && text.contains("<p id=\"clock\">"), "{text}");
    Ok(())
}

/// A list that fills slowly, with a count of what is to come, and a word at its end.
const LIST: &str = "<p>Showing all of <b id=total>12</b> orders</p><ul></ul><p id=status>pending</p><script>
    const timer = setInterval(() => {
        const list = document.querySelector('ul');
        list.append(Object.assign(document.createElement('li'), { textContent: 'order' }));
        if (list.children.length < 12) return;
        clearInterval(timer);
        list.insertAdjacentHTML('afterend', '<p>No more orders</p>');
        setTimeout(() => document.getElementById('status').textContent = 'shipped', 100);
    }, 20);</script>";

async fn a_list_is_complete_when_it_has_as_many_rows_as_the_page_says(env: &Env) -> Outcome {
    env.open(LIST).await?;
    let complete = "document.querySelectorAll('li').length === +document.getElementById('total').textContent";
    env.page.wait_for_function::<bool>(complete).await?;
    assert_eq!(env.page.locator("li").count().await?, 12);
    Ok(())
}

async fn a_list_is_complete_when_the_page_says_that_there_is_no_more(env: &Env) -> Outcome {
    env.open(LIST).await?;
    env.page.get_by_text("No more orders").wait_for(State::Visible).await?;
    assert_eq!(env.page.locator("li").count().await?, 12);
    Ok(())
}

async fn an_order_is_done_when_its_status_is_no_longer_pending(env: &Env) -> Outcome {
    env.open(LIST).await?;
    let status = "document.getElementById('status').textContent";
    let done: String = env.page.wait_for_function(format!("{status} !== 'pending' && {status}")).await?;
    assert_eq!(done, "shipped");
    Ok(())
}
