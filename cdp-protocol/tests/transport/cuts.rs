//! A connection that dies or stalls at any byte, in memory, where both sides know exactly what has passed.

use std::time::Duration;

use cdp_protocol::CloseReason;
use cdp_protocol::testing::{FakeBrowser, Faults, Flow, Framing, Passed, Wiring, fake_browser_with};

use crate::conversation::{End, Played, Script, Told, check, converse};

const FRAMINGS: [Framing; 2] = [Framing::Pipe, Framing::Ws];

/// Plays the browser until the client's side has ended.
async fn play(mut browser: FakeBrowser, framing: Framing) -> (Played, Passed) {
    let (mut script, mut played) = (Script::default(), Played::default());
    while let Some(call) = browser.next_call_or_end().await {
        for (what, text) in script.meet(&call.method, call.id) {
            let header = match (framing, text.len()) {
                (Framing::Pipe, _) => 1,
                (_, 0..=125) => 2,
                _ => 4,
            };
            let before = browser.passed().to_client;
            browser.send(&text);
            if browser.passed().to_client - before == (text.len() + header) as u64 {
                played.arrived.push(what);
            }
        }
        let is_last = call.method == "Test.last";
        played.received.push(call.method);
        if is_last {
            break;
        }
    }
    let passed = browser.passed();
    browser.hang_up();
    (played, passed)
}

/// One conversation. The clock stands still while anything happens, so that neither limit costs time.
async fn run(framing: Framing, faults: Faults, at: &str) -> (Told, Played, Passed) {
    let (client, browser) = fake_browser_with(Wiring::default().framing(framing).faults(faults));
    let closing = client.clone();
    let both = async { tokio::join!(converse(client), play(browser, framing)) };
    // Nobody but the user ends a connection that stalls.
    let ending = async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        closing.close();
        std::future::pending::<()>().await;
    };
    let limited = tokio::time::timeout(Duration::from_secs(60), async {
        tokio::select! {
            biased;
            ended = both => ended,
            () = ending => unreachable!("it waits for ever"),
        }
    });
    let (told, (played, passed)) = limited.await.unwrap_or_else(|_| panic!("{at}: someone hangs"));
    check(&told, &played, true, at);
    (told, played, passed)
}

#[tokio::test(start_paused = true)]
async fn a_conversation_without_faults_is_answered_in_full() {
    for framing in FRAMINGS {
        let single = Flow::default().single_bytes();
        for faults in [Faults::default(), Faults::default().to_browser(single).to_client(single)] {
            let (told, played, _) = run(framing, faults, &format!("{framing:?}, {faults:?}")).await;
            assert_eq!((played.received.len(), played.arrived.len()), (7, 13));
            assert_eq!(told.calls.iter().filter(|(_, end)| *end == End::Answered).count(), 6);
            assert_eq!(told.calls.iter().filter(|(_, end)| *end == End::Refused).count(), 1);
            assert_eq!(told.reason, CloseReason::HungUp { mid_message: false });
        }
    }
}

/// Stops the conversation at each of its bytes, in each direction, in both framings.
async fn at_every_byte(stop: fn(Flow, u64) -> Flow) {
    for framing in FRAMINGS {
        let (_, _, total) = run(framing, Faults::default(), "whole").await;
        assert!(total.to_browser > 700 && total.to_client > 1000, "{total:?}");
        for flow in [Flow::default(), Flow::default().single_bytes()] {
            for n in 0..=total.to_browser {
                let faults = Faults::default().to_browser(stop(flow, n));
                let at = format!("{framing:?}, {faults:?}");
                let (_, played, passed) = run(framing, faults, &at).await;
                assert_eq!(passed.to_browser, n, "{at}");
                assert!(played.received.len() == 7 || n < total.to_browser, "{at}");
            }
            for n in 0..=total.to_client {
                let faults = Faults::default().to_client(stop(flow, n));
                let at = format!("{framing:?}, {faults:?}");
                let (_, played, passed) = run(framing, faults, &at).await;
                assert_eq!(passed.to_client, n, "{at}");
                assert_eq!(played.arrived.len() == 13, n == total.to_client, "{at}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_at_any_byte_tells_every_call_what_became_of_it() {
    at_every_byte(Flow::cut_at).await;
}

#[tokio::test(start_paused = true)]
async fn a_line_that_stalls_at_any_byte_can_be_closed_and_tells_every_call_what_became_of_it() {
    at_every_byte(Flow::stall_at).await;
}
