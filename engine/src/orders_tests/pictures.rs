//! Pictures whose document is left at the moment at which they are taken, and what a picture costs.

use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::testing::{FakeBrowser, FakeCall, Faults};
use serde_json::json as value;

use super::scripted::{FRAME, SESSION, page};
use crate::operation::Operation;
use crate::screenshot::{self, Shot};

/// What the browser was asked.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// How often the engine had to wait for answers before it could go on.
    rounds: usize,
    pictures: usize,
    /// Documents that were prepared, and those that were put back, by their worlds.
    prepared: Vec<String>,
    put_back: Vec<String>,
}

/// Takes a picture of a page on the scripted browser; `capture` answers the calls for one, or does not.
async fn take(
    mut capture: impl FnMut(&mut FakeBrowser, &FakeCall, usize),
) -> (crate::Result<bytes::Bytes>, Seen) {
    let (page, mut browser) = page(Faults::default()).await;
    let client = page.session.client().clone();
    let mut seen = Seen::default();
    let acting = async {
        let taken = Operation::new("screenshot".into(), move |progress, _| {
            screenshot::take(Arc::new(Shot::new(page)), progress)
        });
        let taken = taken.await;
        client.close();
        taken
    };
    let playing = async {
        while let Some(first) = browser.next_call_or_end().await {
            let mut round = vec![first];
            // The clock stands still until nothing more is to come.
            while let Ok(Some(call)) =
                tokio::time::timeout(Duration::from_micros(1), browser.next_call_or_end()).await
            {
                round.push(call);
            }
            seen.rounds += 1;
            for call in round {
                match call.method.as_str() {
                    "Page.captureScreenshot" => {
                        seen.pictures += 1;
                        capture(&mut browser, &call, seen.pictures);
                    }
                    _ => answer(&mut browser, &call, &mut seen),
                }
            }
        }
    };
    let (taken, ()) = tokio::join!(acting, playing);
    (taken, seen)
}

fn answer(browser: &mut FakeBrowser, call: &FakeCall, seen: &mut Seen) {
    let world = call.params["uniqueContextId"].as_str().unwrap_or_default().to_owned();
    let request = &call.params["arguments"][0]["value"];
    if request.is_null() {
        seen.put_back.push(world);
        return browser.reply(call, value!({ "result": { "type": "object", "value": null } }));
    }
    seen.prepared.push(world);
    let measures = value!({
        "page": { "width": 9, "height": 9 }, "view": { "x": 0, "y": 0, "width": 9, "height": 9 },
        "zoom": 1, "ratio": 1, "inner": { "width": 9, "height": 9 }, "scrolled": { "x": 0, "y": 0 }, "box": null,
    });
    browser.reply(call, value!({ "result": { "type": "object", "value": measures } }));
}

/// Another document takes the page, and with it come its worlds.
fn leave(browser: &mut FakeBrowser, core_world: &str) {
    browser.event(Some(SESSION), "Runtime.executionContextsCleared", value!({}));
    let context = value!({
        "id": 9, "origin": "", "name": core_world, "uniqueId": "next",
        "auxData": { "isDefault": false, "frameId": FRAME },
    });
    browser.event(Some(SESSION), "Runtime.executionContextCreated", value!({ "context": context }));
}

fn picture(browser: &mut FakeBrowser, call: &FakeCall, base64: &str) {
    browser.reply(call, value!({ "data": base64 }));
}

#[tokio::test(start_paused = true)]
async fn a_picture_takes_two_round_trips() {
    let (taken, seen) = take(|browser, call, _| picture(browser, call, "b25l")).await;
    assert_eq!(taken.unwrap(), "one");
    // Putting the page back is queued, and nobody waits for it.
    assert!(seen.rounds <= 3 && seen.pictures == 1, "{seen:?}");
    assert_eq!((seen.prepared, seen.put_back), (vec!["U2".to_owned()], vec!["U2".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_a_document_that_was_not_prepared_is_not_given() {
    for answered in [true, false] {
        let (taken, seen) = take(|browser, call, number| {
            if number == 1 {
                leave(browser, &format!("engine {FRAME}"));
            }
            // Chromium may forget the one that the document was left in.
            if number > 1 || answered {
                picture(browser, call, if number == 1 { "b25l" } else { "dHdv" });
            }
        })
        .await;
        assert_eq!(taken.unwrap(), "two", "{seen:?}");
        let worlds = ["U2", "next"].map(str::to_owned).to_vec();
        assert_eq!((seen.pictures, &seen.prepared, &seen.put_back), (2, &worlds, &worlds));
    }
}
