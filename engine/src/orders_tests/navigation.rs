//! Orders of a navigation's events.

use std::time::Duration;

use cdp_protocol::domains::page::FrameId;
use cdp_protocol::testing::{FakeBrowser, FakeCall, Faults};
use serde_json::{Value, json as value};

use super::scripted::{FRAME, SESSION, page};
use crate::error::{ErrorKind, Outcome, Result};
use crate::navigation::{self, Response, WaitUntil};
use crate::progress::Progress;

fn commit(browser: &mut FakeBrowser, loader: &str, url: &str) {
    let frame = value!({
        "id": FRAME, "loaderId": loader, "url": url, "domainAndRegistry": "", "securityOrigin": "",
        "mimeType": "text/html", "secureContextType": "Secure", "crossOriginIsolatedContextType": "NotIsolated",
        "gatedAPIFeatures": [],
    });
    browser.event(Some(SESSION), "Page.frameNavigated", value!({ "frame": frame, "type": "Navigation" }));
}

fn loaded(browser: &mut FakeBrowser, loader: &str) {
    let event = value!({ "frameId": FRAME, "loaderId": loader, "name": "load", "timestamp": 1 });
    browser.event(Some(SESSION), "Page.lifecycleEvent", event);
}

/// Begins a navigation to `http://a/` and plays `script` when the browser has been told of it.
async fn goto(script: impl FnOnce(&mut FakeBrowser, &FakeCall)) -> Result<Option<Response>> {
    let (page, mut browser) = page(Faults::default()).await;
    let progress = Progress::new("goto", Duration::from_secs(30));
    let frame = FrameId::from(FRAME);
    let going = navigation::goto(&page, &frame, "http://a/", WaitUntil::Load, &progress);
    let playing = async {
        let call = browser.next_call().await;
        assert_eq!(call.method, "Page.navigate");
        script(&mut browser, &call);
        // What follows is only waiting: the browser stays until the navigation is over.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        result = going => result.map_err(|error| progress.fail(error)),
        () = playing => unreachable!("the script waits for ever"),
    }
}

fn navigate_answer() -> Value {
    value!({ "frameId": FRAME, "loaderId": "L1" })
}

#[tokio::test(start_paused = true)]
async fn a_document_may_commit_before_or_after_the_navigation_is_answered() {
    for answer_first in [true, false] {
        let result = goto(|browser, call| {
            if answer_first {
                browser.reply(call, navigate_answer());
            }
            commit(browser, "L1", "http://a/");
            loaded(browser, "L1");
            if !answer_first {
                browser.reply(call, navigate_answer());
            }
        });
        result.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn another_documents_commit_interrupts_a_navigation() {
    let result = goto(|browser, call| {
        browser.reply(call, navigate_answer());
        commit(browser, "L0", "http://other/");
        loaded(browser, "L0");
    });
    let error = result.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Navigation);
    assert!(error.to_string().contains("http://other/"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_redirect_by_script_after_the_commit_is_waited_for() {
    let result = goto(|browser, call| {
        browser.reply(call, navigate_answer());
        commit(browser, "L1", "http://a/");
        commit(browser, "L2", "http://a/next");
        loaded(browser, "L1");
        loaded(browser, "L2");
    });
    result.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_crash_ends_a_navigation_at_once() {
    for answered in [true, false] {
        let result = goto(|browser, call| {
            if answered {
                browser.reply(call, navigate_answer());
            }
            browser.event(Some(SESSION), "Inspector.targetCrashed", value!({}));
        });
        let error = result.await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (ErrorKind::Crashed, Outcome::StartedUnknown), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_navigation_that_takes_too_long_counts_as_started() {
    let error = goto(|_, _| {}).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Timeout, Outcome::StartedUnknown), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_ends_a_navigation_as_started() {
    let error = goto(|browser, _| browser.hang_up()).await.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Closed, Outcome::StartedUnknown), "{error}");
}
