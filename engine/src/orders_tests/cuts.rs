//! A click and a fill whose connection is cut anywhere, or whose session ends at any call: whoever tries again must know
//! whether the page can have seen the input.

use std::time::Duration;

use cdp_protocol::testing::{Faults, Flow, Passed};
use serde_json::{Value, json as value};

use super::scripted::{Kind, Seen, SessionEvent, begin, page, play, ready};
use crate::error::{ErrorKind, Outcome, Result};

/// Bytes between two cuts. Every message is longer, so that each is cut several times, and so is the space behind each; that all
/// places within one are alike is the transport's to show.
const STEP: u64 = 7;

/// Bytes of calls behind the injected script, which is one long call and the first. Within it cuts are made more seldom.
const BEHIND_SCRIPT: u64 = 1500;

const KINDS: [Kind; 2] = [Kind::Click, Kind::Fill];

fn answer(function: &str) -> Option<Value> {
    Some(if function == "attempt" { ready() } else { value!({ "is": "hit" }) })
}

/// Acts until the browser has seen all that it gets. What has passed is told as it was behind the page's beginning, and at the end.
async fn run(
    kind: Kind,
    faults: Faults,
    end: Option<(usize, SessionEvent)>,
    at: &str,
) -> (Result<()>, Seen, [Passed; 2]) {
    let (page, mut browser) = page(faults).await;
    let before = browser.passed();
    let client = page.session.client().clone();
    let mut seen = Seen::default();
    let acting = async {
        let result = begin(kind, page).await;
        client.close();
        result
    };
    let both = async { tokio::join!(acting, play(&mut browser, answer, end, &mut seen)) };
    let ended = tokio::time::timeout(Duration::from_secs(300), both).await;
    let (result, ()) = ended.unwrap_or_else(|_| panic!("{at}: someone hangs"));
    (result, seen, [before, browser.passed()])
}

/// What holds of an end at any place.
fn check(kind: Kind, result: &Result<()>, seen: &Seen, at: &str) {
    let begun = seen.presses + seen.texts;
    assert!(begun <= 1, "{at}: it was done again: {seen:?}");
    match result {
        Ok(()) => {
            let finished = match kind {
                Kind::Click => seen.releases,
                Kind::Fill => seen.texts,
            };
            assert_eq!(finished, 1, "{at}: it is said to be done, but {seen:?}");
        }
        Err(error) => {
            assert!(error.is_closed(), "{at}: {error:?}");
            if begun > 0 {
                assert_eq!(error.outcome(), Outcome::StartedUnknown, "{at}: {seen:?}, {error:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_anywhere_never_hides_that_the_input_may_have_been_seen() {
    for kind in KINDS {
        let (result, _, [before, total]) = run(kind, Faults::default(), None, "whole").await;
        result.unwrap();
        let (mut untouched, mut unknown) = (0, 0);
        let flow = |n| Flow::default().cut_at(n);
        let script = total.to_browser - BEHIND_SCRIPT;
        assert!(script > 10 * BEHIND_SCRIPT, "the script is the first call: {total:?}");
        let up = (before.to_browser + 1..script).step_by(5003);
        let up = up.chain((script..=total.to_browser).step_by(STEP as usize));
        let up = up.map(|n| Faults::default().to_browser(flow(n)));
        let down = (before.to_client + 1..total.to_client).step_by(STEP as usize).chain([total.to_client]);
        let down = down.map(|n| Faults::default().to_client(flow(n)));
        for faults in up.chain(down) {
            let at = format!("{kind:?}, {faults:?}");
            let (result, seen, _) = run(kind, faults, None, &at).await;
            check(kind, &result, &seen, &at);
            match result {
                Ok(()) => {}
                Err(error) if error.outcome() == Outcome::StartedUnknown => unknown += 1,
                Err(_) => untouched += 1,
            }
        }
        assert!(unknown > 0 && untouched > 0, "both are met: {unknown}, {untouched}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_between_any_two_steps_never_hides_that_the_input_may_have_been_seen() {
    let mut done = 0;
    for kind in KINDS {
        let (result, whole, _) = run(kind, Faults::default(), None, "whole").await;
        result.unwrap();
        assert!(whole.moments >= 10, "{whole:?}");
        for event in [SessionEvent::Detached, SessionEvent::Crashed] {
            for moment in 0..whole.moments {
                let at = format!("{kind:?}, {event:?} at {moment}");
                let (result, seen, _) = run(kind, Faults::default(), Some((moment, event)), &at).await;
                check(kind, &result, &seen, &at);
                done += usize::from(result.is_ok());
                if let (Err(error), SessionEvent::Crashed) = (&result, event) {
                    assert_eq!(error.kind(), ErrorKind::Crashed, "{at}: {error:?}");
                }
            }
        }
    }
    assert!(done > 0, "a page that goes away by the click that was meant for it does not spoil it");
}
