//! Dialogs: answered by a handler, or dismissed when there is none; each is logged with what was answered.

use engine::{Dialog, DialogAnswer, DialogKind, ErrorKind};

use crate::harness::{Env, Outcome, tests};

tests![
    without_a_handler_dialogs_are_dismissed_and_logged,
    a_handler_answers_each_kind,
    a_handler_that_was_dropped_answers_no_more,
    a_dialog_that_a_handler_forgets_is_dismissed,
    leaving_a_page_that_asks_is_allowed_without_a_handler,
    a_handler_can_stay_on_a_page_that_asks,
    a_dialog_opened_by_a_click_does_not_hold_the_click_up,
    a_dialog_in_a_frame_is_the_pages,
];

async fn without_a_handler_dialogs_are_dismissed_and_logged(env: &Env) -> Outcome {
    env.open("").await?;
    let answers: (Option<()>, bool, Option<String>) =
        env.page.evaluate("[alert('one') ?? null, confirm('two?'), prompt('three?', 'start')]").await?;
    assert_eq!(answers, (None, false, None));
    let seen: Vec<_> = env.page.dialogs().into_iter().map(|it| (it.kind, it.message, it.automatic)).collect();
    let expected = [
        (DialogKind::Alert, "one".to_owned(), true),
        (DialogKind::Confirm, "two?".to_owned(), true),
        (DialogKind::Prompt, "three?".to_owned(), true),
    ];
    assert_eq!(seen, expected);
    Ok(())
}

async fn a_handler_answers_each_kind(env: &Env) -> Outcome {
    env.open("").await?;
    let _handler = env.page.on_dialog(|dialog: Dialog| async move {
        match (dialog.kind(), dialog.message().as_str()) {
            (DialogKind::Prompt, _) => {
                let text = format!("{} and more", dialog.default_prompt());
                dialog.accept_with(text).await
            }
            (_, "no?") => dialog.dismiss().await,
            _ => dialog.accept().await,
        }
    });
    let answers: (bool, bool, String) =
        env.page.evaluate("[confirm('yes?'), confirm('no?'), prompt('text?', 'start')]").await?;
    assert_eq!(answers, (true, false, "start and more".to_owned()));
    let logged: Vec<_> = env.page.dialogs().into_iter().map(|it| (it.answer, it.automatic)).collect();
    let expected = [
        (DialogAnswer::Accepted(None), false),
        (DialogAnswer::Dismissed, false),
        (DialogAnswer::Accepted(Some("start and more".to_owned())), false),
    ];
    assert_eq!(logged, expected);
    Ok(())
}

async fn a_handler_that_was_dropped_answers_no_more(env: &Env) -> Outcome {
    env.open("").await?;
    let handler = env.page.on_dialog(|dialog: Dialog| async move { dialog.accept().await });
    assert!(env.page.evaluate::<bool>("confirm('a')").await?);
    drop(handler);
    assert!(!env.page.evaluate::<bool>("confirm('b')").await?);
    Ok(())
}

async fn a_dialog_that_a_handler_forgets_is_dismissed(env: &Env) -> Outcome {
    env.open("").await?;
    let _handler = env.page.on_dialog(|dialog: Dialog| async move { drop(dialog) });
    assert!(!env.page.evaluate::<bool>("confirm('a')").await?);
    Ok(())
}

/// A page that asks before it is left, once somebody has used it.
const ASKS: &str =
    "<button>Use</button><script>addEventListener('beforeunload', e => e.preventDefault())</script>";

async fn leaving_a_page_that_asks_is_allowed_without_a_handler(env: &Env) -> Outcome {
    env.site.page("/next", "next");
    env.open(ASKS).await?;
    env.page.locator("button").click().await?;
    env.page.goto(env.site.url("/next")).await?;
    assert_eq!(env.page.url(), env.site.url("/next"));
    let dialogs = env.page.dialogs();
    assert_eq!(dialogs.len(), 1);
    assert_eq!(
        (dialogs[0].kind, &dialogs[0].answer),
        (DialogKind::BeforeUnload, &DialogAnswer::Accepted(None))
    );
    Ok(())
}

async fn a_handler_can_stay_on_a_page_that_asks(env: &Env) -> Outcome {
    env.site.page("/next", "next");
    env.open(ASKS).await?;
    env.page.locator("button").click().await?;
    let handler = env.page.on_dialog(|dialog: Dialog| async move { dialog.dismiss().await });
    let error = env.page.goto(env.site.url("/next")).await.expect_err("the handler stays");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    assert_eq!(env.page.url(), env.site.url("/"));
    assert_eq!(env.page.locator("button").count().await?, 1);
    drop(handler);
    Ok(())
}

async fn a_dialog_opened_by_a_click_does_not_hold_the_click_up(env: &Env) -> Outcome {
    env.open("<button onclick=\"this.textContent = confirm('sure?') ? 'yes' : 'no'\">Ask</button>").await?;
    env.page.locator("button").click().await?;
    assert_eq!(env.page.locator("button").inner_text().await?, "no");
    let _handler = env.page.on_dialog(|dialog: Dialog| async move { dialog.accept().await });
    env.page.locator("button").click().await?;
    assert_eq!(env.page.locator("button").inner_text().await?, "yes");
    Ok(())
}

async fn a_dialog_in_a_frame_is_the_pages(env: &Env) -> Outcome {
    env.site.page("/inner", "<button onclick=\"this.textContent = String(confirm('inner?'))\">Ask</button>");
    env.open(&format!("<iframe src={}></iframe>", env.site.url("/inner"))).await?;
    let _handler = env.page.on_dialog(|dialog: Dialog| async move { dialog.accept().await });
    let button = env.page.frame_locator("iframe").locator("button");
    button.click().await?;
    assert_eq!(button.inner_text().await?, "true");
    assert_eq!(env.page.dialogs().len(), 1);
    Ok(())
}
