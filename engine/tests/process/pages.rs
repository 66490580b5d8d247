//! A close ends a browser whatever its pages do, in the step that is enough for it.

use std::future::pending;
use std::time::Duration;

use engine::process::{CloseTimings, ClosedBy};
use engine::{Browser, Dialog, DialogAnswer, DialogKind, Page};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::temp::Temp;
use crate::traces::{LONG, assert_nothing_left, process, processes};

async fn open(temp: &Temp) -> (Browser, Page) {
    let browser = temp.launcher().launch().await.unwrap();
    let page = browser.new_context().await.unwrap().new_page().await.unwrap();
    (browser, page)
}

/// Closes it with the usual times; nothing is left, also not a second later.
async fn check_closed(temp: &Temp, browser: &Browser, by: &[ClosedBy]) {
    let times = CloseTimings::default();
    let closed = browser.close().await;
    assert!(by.contains(&closed.by), "{closed}");
    let limit = match closed.by {
        ClosedBy::Asked => times.ask,
        ClosedBy::Terminated => times.ask + times.terminate,
        _ => times.ask + times.terminate + times.kill,
    };
    assert!(closed.took < limit, "{closed}");
    assert!(closed.exit.is_some() && closed.left.is_empty(), "{closed}");
    assert_nothing_left(temp);
}

async fn is_unanswered(page: &Page) {
    let answer = page.evaluate::<u32>("1").timeout(Duration::from_millis(300)).await;
    assert!(answer.expect_err("the page answers nothing").is_timeout());
}

#[tokio::test]
async fn a_page_in_an_endless_loop_does_not_hold_up_a_close() {
    let temp = Temp::new();
    let (browser, page) = open(&temp).await;
    page.evaluate::<u32>("setTimeout(() => { for (;;); }), 1").await.unwrap();
    is_unanswered(&page).await;
    check_closed(&temp, &browser, &[ClosedBy::Asked]).await;
}

#[tokio::test]
async fn a_page_that_asks_before_it_is_left_does_not_hold_up_a_close() {
    let temp = Temp::new();
    let (browser, page) = open(&temp).await;
    let _open = page.on_dialog(|dialog: Dialog| async move {
        pending::<()>().await;
        dialog.accept().await
    });
    let html = "<button onclick='clicked = 1'>Go</button>\
                <script>onbeforeunload = event => event.preventDefault()</script>";
    page.goto(format!("data:text/html,{html}")).await.unwrap();
    // Only a page that a person has used may ask.
    page.get_by_text("Go").click().await.unwrap();
    assert_eq!(page.evaluate::<u32>("clicked").await.unwrap(), 1);
    check_closed(&temp, &browser, &[ClosedBy::Asked]).await;
}

#[tokio::test]
async fn an_open_dialog_does_not_hold_up_a_close() {
    let temp = Temp::new();
    let (browser, page) = open(&temp).await;
    let (opened, is_open) = tokio::sync::oneshot::channel();
    let opened = std::sync::Mutex::new(Some(opened));
    let _open = page.on_dialog(move |dialog: Dialog| {
        let opened = opened.lock().unwrap().take();
        async move {
            _ = opened.unwrap().send(());
            pending::<()>().await;
            dialog.accept().await
        }
    });
    page.evaluate::<u32>("setTimeout(() => alert('open')), 1").await.unwrap();
    is_open.await.unwrap();
    let dialogs = page.dialogs();
    assert_eq!((dialogs[0].kind, &dialogs[0].answer), (DialogKind::Alert, &DialogAnswer::Open));
    check_closed(&temp, &browser, &[ClosedBy::Asked]).await;
}

#[tokio::test]
async fn a_stopped_renderer_does_not_hold_up_a_close() {
    let temp = Temp::new();
    let (browser, page) = open(&temp).await;
    let renderers: Vec<_> = processes(temp.path())
        .into_iter()
        .filter(|found| found.command.contains("--type=renderer"))
        .collect();
    assert!(!renderers.is_empty());
    for renderer in &renderers {
        kill(Pid::from_raw(renderer.pid), Signal::SIGSTOP).unwrap();
    }
    is_unanswered(&page).await;
    assert!(renderers.iter().all(|found| process(found.pid).is_some_and(|now| now.state == "T")));
    check_closed(&temp, &browser, &[ClosedBy::Asked]).await;
}

#[tokio::test]
async fn a_browser_that_is_stopped_with_all_its_processes_is_terminated_or_killed() {
    let temp = Temp::new();
    let (browser, page) = open(&temp).await;
    for found in processes(temp.path()).iter().filter(|found| found.command.contains("--")) {
        kill(Pid::from_raw(found.pid), Signal::SIGSTOP).unwrap();
    }
    is_unanswered(&page).await;
    let timings = CloseTimings::default().ask(Duration::from_millis(100)).terminate(LONG);
    let closed = browser.close_within(timings).await;
    // Told to go on, it acts on the signal it was told to end by.
    assert_eq!(closed.by, ClosedBy::Terminated, "{closed}");
    assert!(closed.exit.is_some() && closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
}
