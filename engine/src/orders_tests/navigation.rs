//! Orders of a navigation's events.

use std::time::Duration;

use cdp_protocol::domains::page::FrameId;
use cdp_protocol::testing::{FakeBrowser, FakeCall, Faults};
use serde_json::{Value, json as value};

use super::scripted::{FRAME, SESSION, page};
use crate::error::{ErrorKind, Outcome, Result};
use crate::navigation::{self, Going, Response, WaitUntil};
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
    goto_with(async |browser, call| script(browser, call)).await
}

/// As [`goto`], for a script that waits for calls.
async fn goto_with(script: impl AsyncFnOnce(&mut FakeBrowser, &FakeCall)) -> Result<Option<Response>> {
    let (page, mut browser) = page(Faults::default()).await;
    let progress = Progress::new("goto", Duration::from_secs(30));
    let frame = FrameId::from(FRAME);
    let going = Going { url: "http://a/".into(), referer: None, until: WaitUntil::Load };
    let going = navigation::goto(&page, &frame, going, &progress);
    let playing = async {
        let call = browser.next_call().await;
        assert_eq!(call.method, "Page.navigate");
        script(&mut browser, &call).await;
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

/// What the browser sends when the renderer dies under a navigation that waits for its server, the crash itself left out.
fn give_up(browser: &mut FakeBrowser, call: &FakeCall) {
    let mut answer = navigate_answer();
    answer["errorText"] = value!("net::ERR_ABORTED");
    answer["isDownload"] = value!(false);
    browser.reply(call, answer);
    load_fails(browser);
}

fn load_fails(browser: &mut FakeBrowser) {
    let failed = value!({
        "requestId": "L1", "timestamp": 1, "type": "Document", "errorText": "net::ERR_ABORTED", "canceled": true,
    });
    browser.event(Some(SESSION), "Network.loadingFailed", failed);
    browser.event(Some(SESSION), "Page.frameStoppedLoading", value!({ "frameId": FRAME }));
}

/// What the renderer does that was asked for a sign of life.
#[derive(Clone, Copy, Debug)]
enum Asked {
    Dead,
    Alive,
    Busy,
}

async fn asked(browser: &mut FakeBrowser, how: Asked) {
    let call = browser.next_call().await;
    assert_eq!(call.method, "Page.enable");
    match how {
        Asked::Dead => browser.event(Some(SESSION), "Inspector.targetCrashed", value!({})),
        Asked::Alive => browser.reply(&call, value!({})),
        Asked::Busy => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_navigation_that_was_given_up_fails_by_the_crash_that_is_told_later_and_only_by_a_crash() {
    for (how, kind) in [
        (Asked::Dead, ErrorKind::Crashed),
        (Asked::Alive, ErrorKind::Navigation),
        (Asked::Busy, ErrorKind::Navigation),
    ] {
        let result = goto_with(async |browser, call| {
            give_up(browser, call);
            asked(browser, how).await;
        });
        let error = result.await.unwrap_err();
        assert_eq!((error.kind(), error.outcome()), (kind, Outcome::StartedUnknown), "{how:?}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reload_and_what_waits_for_a_navigation_learn_of_the_crash_that_is_told_later() {
    for reloads in [true, false] {
        let (page, mut browser) = page(Faults::default()).await;
        let progress = Progress::new("wait", Duration::from_secs(30));
        let begun = value!({
            "requestId": "L1", "loaderId": "L1", "documentURL": "http://a/", "type": "Document", "frameId": FRAME,
            "request": { "url": "http://a/" },
        });
        if !reloads {
            browser.event(Some(SESSION), "Network.requestWillBeSent", begun.clone());
            page.when(|state| state.frames.main_frame().pending.is_some().then_some(())).await.unwrap();
        }
        let waiting = async {
            if reloads {
                navigation::reload(&page, WaitUntil::Load, &progress).await.map(drop)
            } else {
                navigation::let_finish(&page, &progress).await
            }
        };
        let playing = async {
            if reloads {
                let call = browser.next_call().await;
                browser.reply(&call, value!({}));
                browser.event(Some(SESSION), "Network.requestWillBeSent", begun);
            }
            load_fails(&mut browser);
            asked(&mut browser, Asked::Dead).await;
            std::future::pending::<()>().await;
        };
        let error = tokio::select! {
            biased;
            result = waiting => result.unwrap_err(),
            () = playing => unreachable!("the script waits for ever"),
        };
        assert_eq!(error.kind(), ErrorKind::Crashed, "reloads: {reloads}, {error}");
    }
}
