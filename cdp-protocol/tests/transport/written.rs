//! How calls leave: together, whole, and whether or not anyone waits for them.

use cdp_protocol::testing::fake_browser;
use cdp_protocol::{CallError, CloseReason, Sent};
use futures_util::future::join_all;
use serde_json::json;

use crate::{bounded, raw};

#[tokio::test]
async fn five_hundred_calls_leave_in_one_write() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let answers: Vec<_> = (0..500).map(|_| session.call_raw("Test.one", &raw("{}"))).collect();
        let server = async {
            for _ in 0..500 {
                let call = browser.next_call().await;
                browser.reply(&call, json!({}));
            }
            browser.writes()
        };
        let (answers, writes) = tokio::join!(join_all(answers), server);
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!(writes, 1);
    })
    .await;
}

#[tokio::test]
async fn the_first_poll_writes_without_the_driver() {
    bounded(async {
        let (client, browser) = fake_browser();
        let mut answer = Box::pin(client.browser().call_raw("Test.one", &raw("{}")));
        assert_eq!(browser.writes(), 0);
        assert!(futures_util::poll!(&mut answer).is_pending());
        // No await has let the driver run since.
        assert_eq!(browser.writes(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_never_polled_or_dropped_at_once_still_goes_out() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let unpolled = client.browser().call_raw("Test.unpolled", &raw("{}"));
        assert_eq!(browser.next_call().await.method, "Test.unpolled");
        drop(client.browser().call_raw("Test.dropped", &raw("{}")));
        assert_eq!(browser.next_call().await.method, "Test.dropped");
        drop(unpolled);
    })
    .await;
}

#[tokio::test]
async fn partial_writes_are_finished_in_order() {
    bounded(async {
        for room in [1, 7, 64] {
            let (client, mut browser) = fake_browser();
            browser.set_room(Some(room));
            let session = client.browser();
            let answers: Vec<_> = (0..20).map(|n| session.call_raw("Test.n", &raw(&n.to_string()))).collect();
            let server = async {
                for n in 0..20 {
                    let call = browser.next_call().await;
                    assert_eq!(call.params, json!(n));
                    browser.reply(&call, json!({}));
                }
            };
            let (answers, ()) = tokio::join!(join_all(answers), server);
            assert!(answers.iter().all(Result::is_ok));
            assert_eq!(client.stats().queued_bytes, 0);
        }
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_reads_nothing_is_not_fed_without_end() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        browser.set_room(Some(0));
        let session = client.browser();
        let large = raw(&format!("\"{}\"", "x".repeat(60_000_000)));
        let calls: Vec<_> = (0..5).map(|_| session.call_raw("Test.large", &large)).collect();
        assert!(client.stats().queued_bytes > 300_000_000);
        let error = session.call_raw("Test.small", &raw("{}")).await.unwrap_err();
        assert!(matches!(error, CallError::Congested { .. }) && error.is_not_sent(), "{error}");
        drop(calls);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_cannot_write_rests_until_it_can() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        browser.set_room(Some(10));
        let answer = client.browser().call_raw("Test.one", &raw("{}"));
        tokio::task::yield_now().await;
        // Something to read runs the driver once more while it can't write.
        browser.event(None, "A.b", json!({}));
        // The clock only moves while nobody has anything to do.
        let moved = tokio::time::timeout(std::time::Duration::from_secs(1), client.closed()).await;
        assert!(moved.is_err());
        browser.set_room(None);
        let call = browser.next_call().await;
        browser.reply(&call, json!({}));
        answer.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_hang_up_tells_which_calls_can_have_been_seen() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let seen = session.call_raw("Test.seen", &raw("{}"));
        browser.next_call().await;
        // Room for a part of the next call: what is cut can't be run.
        browser.set_room(Some(10));
        let mut cut = Box::pin(session.call_raw("Test.cut", &raw("{}")));
        assert!(futures_util::poll!(&mut cut).is_pending());
        let waiting = session.call_raw("Test.waiting", &raw("{}"));
        browser.hang_up();
        let sent = |answer: Result<_, CallError>| match answer {
            Err(CallError::Closed { sent, .. }) => sent,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was answered"),
        };
        assert_eq!(sent(seen.await), Sent::Unknown);
        assert_eq!(sent(cut.await), Sent::No);
        assert_eq!(sent(waiting.await), Sent::No);
        assert_eq!(sent(session.call_raw("Test.after", &raw("{}")).await), Sent::No);
    })
    .await;
}

#[tokio::test]
async fn answers_given_before_a_hang_up_still_arrive() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let answer = client.browser().call_raw("Test.one", &raw("{}"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({"late": true}));
        browser.send_raw(br#"{"id":9,"resu"#);
        browser.hang_up();
        assert_eq!(answer.await.unwrap().get(), r#"{"late":true}"#);
        assert_eq!(client.closed().await, CloseReason::HungUp { mid_message: true });
    })
    .await;
}

#[tokio::test]
async fn a_failed_write_does_not_lose_answers_that_are_there_already() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let answered = session.call_raw("Test.answered", &raw("{}"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({}));
        browser.hang_up();
        // The write fails in this task, before the driver has read the answer.
        let mut failed = Box::pin(session.call_raw("Test.failed", &raw("{}")));
        assert!(futures_util::poll!(&mut failed).is_pending());
        answered.await.unwrap();
        let Err(CallError::Closed { reason, sent, .. }) = failed.await else { panic!("not closed") };
        assert_eq!((reason, sent), (CloseReason::HungUp { mid_message: false }, Sent::No));
    })
    .await;
}

#[tokio::test]
async fn closing_still_writes_what_was_queued() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let answer = session.call_raw("Test.queued", &raw("{}"));
        client.close();
        let refused = session.call_raw("Test.refused", &raw("{}")).await.unwrap_err();
        assert!(
            matches!(&refused, CallError::Closed { reason: CloseReason::Requested, sent: Sent::No, .. }),
            "{refused}"
        );
        assert_eq!(browser.next_call().await.method, "Test.queued");
        assert!(browser.next_call_or_end().await.is_none());
        let unanswered = answer.await.unwrap_err();
        assert!(matches!(&unanswered, CallError::Closed { sent: Sent::Unknown, .. }), "{unanswered}");
        assert_eq!(client.closed().await, CloseReason::Requested);
    })
    .await;
}
