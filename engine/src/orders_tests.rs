//! Orders of events that a real browser rarely shows, played by the scripted fake one.

use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::target::TargetInfo;
use cdp_protocol::json;
use cdp_protocol::testing::{FakeBrowser, FakeCall, fake_browser};
use serde_json::{Value, json as value};

use crate::action::pointer::{self, MouseButton, PointerOptions};
use crate::action::retry::Target;
use crate::action::text;
use crate::core::page::PageCore;
use crate::core::page_events::PageObserver;
use crate::error::{ErrorKind, Outcome, Result};
use crate::navigation::{self, Response, WaitUntil};
use crate::progress::Progress;
use crate::selector::Selector;

const SESSION: &str = "S";
const FRAME: &str = "F";

/// A page whose main frame has both worlds, on a browser that does nothing by itself.
async fn page() -> (Arc<PageCore>, FakeBrowser) {
    let (client, mut browser) = fake_browser();
    let info = value!({
        "targetId": FRAME, "type": "page", "title": "", "url": "about:blank", "attached": true,
        "canAccessOpener": false, "browserContextId": "C",
    });
    let info: TargetInfo = json::decode(info.to_string().as_bytes()).unwrap();
    let session = client.session(&SESSION.into());
    let core = PageCore::new(session, &info);
    PageObserver::register(&core, &SESSION.into());
    for (number, name, default) in [(1, "", true), (2, core.world.as_str(), false)] {
        let context = value!({
            "id": number, "origin": "", "name": name, "uniqueId": format!("U{number}"),
            "auxData": { "isDefault": default, "frameId": FRAME },
        });
        browser.event(Some(SESSION), "Runtime.executionContextCreated", value!({ "context": context }));
    }
    core.when(|state| state.frames.main_frame().utility_world.is_some().then_some(())).await.unwrap();
    (core, browser)
}

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
    let (page, mut browser) = page().await;
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

/// What the injected script and the browser did in a click or a fill.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// How often the engine had to wait for answers before it could go on.
    rounds: usize,
    presses: usize,
    releases: usize,
    texts: usize,
}

/// Answers in rounds: all that was sent without waiting is one round. `answer` gives the injected script's answers;
/// nothing means that its context is gone. What it gives for `told` the watch tells when the button goes down.
async fn play(mut browser: FakeBrowser, mut answer: impl FnMut(&str) -> Option<Value>, seen: &mut Seen) {
    let mut watch = Value::Null;
    loop {
        let mut round = vec![browser.next_call().await];
        // The clock stands still until nothing more is to come.
        while let Ok(call) = tokio::time::timeout(Duration::from_micros(1), browser.next_call()).await {
            round.push(call);
        }
        seen.rounds += 1;
        for call in round {
            seen.presses += usize::from(call.params["type"] == "mousePressed");
            seen.texts += usize::from(call.method == "Input.insertText");
            seen.releases += usize::from(call.params["type"] == "mouseReleased");
            let function = call.params["arguments"][0]["value"].as_str();
            if function == Some("verdict") {
                watch = call.params["arguments"][1]["value"].clone();
            }
            if call.params["type"] == "mousePressed"
                && let Some(mut told) = answer("told")
            {
                told["token"] = watch.clone();
                let event = value!({
                    "name": "__engineVerdict", "payload": told.to_string(), "executionContextId": 2,
                });
                browser.event(Some(SESSION), "Runtime.bindingCalled", event);
            }
            match function.map(&mut answer) {
                None if call.method == "Runtime.evaluate" => {
                    browser.reply(&call, value!({ "result": { "type": "undefined" } }));
                }
                None => browser.reply(&call, value!({})),
                Some(None) => browser.refuse(&call, -32000, "Execution context was destroyed."),
                Some(Some(answer)) => {
                    browser.reply(&call, value!({ "result": { "type": "object", "value": answer } }));
                }
            }
        }
    }
}

async fn act(kind: Kind, answer: impl FnMut(&str) -> Option<Value>) -> (Result<()>, Seen) {
    let (page, browser) = page().await;
    let target = Target { page, frame: None, through: Vec::new(), selector: Selector::css("button") };
    let progress = Progress::new("act", Duration::from_secs(30));
    let options =
        PointerOptions { action: "click", button: MouseButton::Left, count: 1, position: None, force: false };
    let mut seen = Seen::default();
    let acting = async {
        match kind {
            Kind::Click => pointer::act(&target, options, &progress).await,
            Kind::Fill => text::fill(&target, "text", false, &progress).await,
        }
    };
    let result = tokio::select! {
        biased;
        result = acting => result.map_err(|error| progress.fail(error)),
        () = play(browser, answer, &mut seen) => unreachable!("it answers for ever"),
    };
    (result, seen)
}

enum Kind {
    Click,
    Fill,
}

fn ready() -> Value {
    value!({ "is": "ready", "element": "<button>", "x": 1, "y": 2, "width": 9, "height": 9, "token": 7, "insert": "text" })
}

#[tokio::test(start_paused = true)]
async fn a_click_on_a_ready_element_takes_three_round_trips_and_a_fill_two() {
    let answer = |function: &str| match function {
        "attempt" => Some(ready()),
        _ => Some(value!({ "is": "hit" })),
    };
    let (result, seen) = act(Kind::Click, answer).await;
    result.unwrap();
    assert_eq!(seen, Seen { rounds: 3, presses: 1, releases: 1, texts: 0 });
    let (result, seen) = act(Kind::Fill, answer).await;
    result.unwrap();
    assert_eq!(seen, Seen { rounds: 2, presses: 0, releases: 0, texts: 1 });
}

#[tokio::test(start_paused = true)]
async fn a_click_that_was_held_back_is_made_again() {
    let mut verdicts = 0;
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        "verdict" => {
            verdicts += 1;
            Some(if verdicts == 1 {
                value!({ "is": "covered", "by": "<div>" })
            } else {
                value!({ "is": "hit" })
            })
        }
        _ => Some(value!({ "is": "unseen" })),
    })
    .await;
    result.unwrap();
    assert_eq!((seen.presses, seen.releases), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_click_whose_document_went_away_is_unknown_and_not_made_again() {
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        _ => None,
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Missed, Outcome::StartedUnknown), "{error}");
    assert_eq!((seen.presses, seen.releases), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_click_that_took_its_document_with_it_is_known_by_what_the_watch_told() {
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        "told" => Some(value!({ "is": "hit" })),
        _ => None,
    })
    .await;
    result.unwrap();
    assert_eq!((seen.presses, seen.releases), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn text_that_would_reach_another_field_is_typed_again() {
    let mut verdicts = 0;
    let (result, seen) = act(Kind::Fill, |function| match function {
        "attempt" => Some(ready()),
        "verdict" => {
            verdicts += 1;
            Some(if verdicts == 1 { value!({ "is": "astray" }) } else { value!({ "is": "hit" }) })
        }
        _ => Some(value!({ "is": "unseen" })),
    })
    .await;
    result.unwrap();
    assert_eq!((verdicts, seen.texts), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_document_that_changes_before_the_input_costs_an_attempt_and_no_input() {
    let mut attempts = 0;
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => {
            attempts += 1;
            (attempts > 3).then(ready)
        }
        _ => Some(value!({ "is": "hit" })),
    })
    .await;
    result.unwrap();
    assert_eq!((attempts, seen.presses), (4, 1));
}
