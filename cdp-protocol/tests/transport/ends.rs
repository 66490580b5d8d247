//! The ends of sessions and connections: who is told, and with which reason.

use std::sync::Arc;

use cdp_protocol::testing::{FakeBrowser, fake_browser};
use cdp_protocol::{Call, CallError, Client, CloseReason, Sent, SessionEnd};
use serde_json::json;
use serde_json::value::RawValue;

use crate::events::Log;
use crate::{bounded, raw};

fn call(client: &Client, session: &str) -> Call<Box<RawValue>> {
    client.session(&session.into()).call_raw("Test.call", &raw("{}"))
}

async fn end_of(call: Call<Box<RawValue>>) -> (SessionEnd, Sent) {
    match call.await {
        Err(CallError::SessionEnded { method, end, sent }) => {
            assert_eq!(method, "Test.call");
            (end, sent)
        }
        other => panic!("{other:?}"),
    }
}

fn attach(browser: &mut FakeBrowser, parent: Option<&str>, session: &str, target: &str) {
    let params =
        json!({"sessionId": session, "targetInfo": {"targetId": target}, "waitingForDebugger": false});
    browser.event(parent, "Target.attachedToTarget", params);
}

#[tokio::test]
async fn a_detached_session_fails_its_calls_and_those_of_its_children() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let log = Arc::new(Log::default());
        attach(&mut browser, None, "S", "T");
        attach(&mut browser, Some("S"), "Child", "C");
        attach(&mut browser, Some("Child"), "Grandchild", "G");
        attach(&mut browser, None, "Other", "O");
        let session = client.session(&"S".into());
        session.observe(log.clone());
        let mut stream = session.events_raw(None);
        let calls = ["S", "Child", "Grandchild"].map(|id| call(&client, id));
        let other = call(&client, "Other");
        for _ in 0..3 {
            browser.next_call().await;
        }
        let other_call = browser.next_call().await;
        assert_eq!(client.stats().sessions, 4);
        browser.event(Some("S"), "A.last", json!({}));
        browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S", "targetId": "T"}));
        for call in calls {
            assert_eq!(end_of(call).await, (SessionEnd::Detached, Sent::Unknown));
        }
        let mut seen = log.taken();
        seen.retain(|line| !line.contains("attachedToTarget"));
        assert_eq!(seen, ["S A.last {}", "the session was detached"]);
        assert_eq!(stream.next().await.unwrap().unwrap().method(), "Target.attachedToTarget");
        assert_eq!(stream.next().await.unwrap().unwrap().method(), "A.last");
        assert!(stream.next().await.is_none());
        assert!(session.is_ended());
        assert_eq!(end_of(call(&client, "S")).await, (SessionEnd::Detached, Sent::No));
        session.observe(log.clone());
        assert_eq!(log.taken(), ["the session was detached"]);
        assert!(session.events_raw(None).next().await.is_none());
        browser.reply(&other_call, json!({}));
        other.await.unwrap();
        drop((session, stream));
        assert_eq!(client.stats().sessions, 1, "only Other is left");
    })
    .await;
}

#[tokio::test]
async fn a_crash_fails_the_calls_of_its_session_whoever_tells_of_it() {
    bounded(async {
        for by_target in [false, true] {
            let (client, mut browser) = fake_browser();
            attach(&mut browser, None, "S", "T");
            attach(&mut browser, None, "Other", "O");
            let log = Arc::new(Log::default());
            let session = client.session(&"S".into());
            session.observe(log.clone());
            let (lost, other) = (call(&client, "S"), call(&client, "Other"));
            browser.next_call().await;
            let other_call = browser.next_call().await;
            if by_target {
                browser.event(
                    None,
                    "Target.targetCrashed",
                    json!({"targetId": "T", "status": "crashed", "errorCode": 5}),
                );
            } else {
                browser.event(Some("S"), "Inspector.targetCrashed", json!({}));
            }
            assert_eq!(end_of(lost).await, (SessionEnd::Crashed, Sent::Unknown));
            assert_eq!(end_of(call(&client, "S")).await, (SessionEnd::Crashed, Sent::No));
            browser.reply(&other_call, json!({}));
            other.await.unwrap();
            // The session's own crash event is seen, and the end is told once.
            browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S"}));
            let last = call(&client, "Other");
            let last_call = browser.next_call().await;
            browser.reply(&last_call, json!({}));
            last.await.unwrap();
            assert_eq!(
                end_of(call(&client, "S")).await,
                (SessionEnd::Crashed, Sent::No),
                "the first end counts"
            );
            let mut seen = log.taken();
            seen.retain(|line| !line.starts_with("S Inspector"));
            assert_eq!(seen, ["the session's target crashed"], "by_target {by_target}");
        }
    })
    .await;
}

#[tokio::test]
async fn sessions_below_a_crashed_one_still_end_with_those_above_it() {
    bounded(async {
        for in_use in [true, false] {
            let (client, mut browser) = fake_browser();
            attach(&mut browser, None, "S", "T");
            attach(&mut browser, Some("S"), "Child", "C");
            attach(&mut browser, Some("Child"), "Grandchild", "G");
            let _child = in_use.then(|| client.session(&"Child".into()));
            let lost = call(&client, "Grandchild");
            browser.next_call().await;
            browser.event(Some("Child"), "Inspector.targetCrashed", json!({}));
            browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S", "targetId": "T"}));
            assert_eq!(end_of(lost).await, (SessionEnd::Detached, Sent::Unknown));
            assert_eq!(client.stats().sessions, usize::from(in_use));
        }
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_waits_is_woken_by_the_end_of_its_session_or_connection() {
    bounded(async {
        for detached in [true, false] {
            let (client, mut browser) = fake_browser();
            let mut stream = client.session(&"S".into()).events_raw(None);
            // It is the only thing that its task waits for.
            let waits = tokio::spawn(async move { stream.next().await.is_none() });
            tokio::task::yield_now().await;
            if detached {
                browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S"}));
            } else {
                browser.hang_up();
            }
            assert!(waits.await.unwrap());
        }
    })
    .await;
}

#[tokio::test]
async fn sessions_that_come_and_go_unseen_leave_nothing() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        for n in 0..1000 {
            let id = format!("S{n}");
            attach(&mut browser, None, &id, "T");
            browser.event(Some(&id), "A.b", json!({}));
            browser.event(None, "Target.detachedFromTarget", json!({"sessionId": id}));
        }
        for n in 0..100 {
            let session = client.session(&format!("X{n}").as_str().into());
            drop((session.events_raw(None), session));
        }
        let answer = client.browser().call_raw("Test.sync", &raw("{}"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({}));
        answer.await.unwrap();
        assert_eq!(client.stats().sessions, 0);
    })
    .await;
}

#[tokio::test]
async fn the_reason_of_an_end_reaches_everyone() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let log = Arc::new(Log::default());
        client.session(&"S".into()).observe(log.clone());
        let calls = [call(&client, "S"), call(&client, "Other")];
        let mut stream = client.browser().events_raw(None);
        let closed = tokio::spawn({
            let client = client.clone();
            async move { client.closed().await }
        });
        browser.next_call().await;
        browser.next_call().await;
        browser.send(r#"{"id":1,"result":"#);
        for call in calls {
            let Err(CallError::Closed { reason, sent, .. }) = call.await else { panic!("not closed") };
            assert!(matches!(reason, CloseReason::Malformed(_)), "{reason}");
            assert_eq!(sent, Sent::Unknown);
        }
        assert!(stream.next().await.is_none());
        let reason = closed.await.unwrap();
        assert_eq!(reason.to_string(), "the peer sent a broken message: a message is not JSON at offset 17");
        assert_eq!(log.taken(), [reason.to_string()]);
        assert!(client.browser().is_ended() && client.session(&"New".into()).is_ended());
        assert!(browser.next_call_or_end().await.is_none());
    })
    .await;
}

#[tokio::test]
async fn the_last_handle_ends_the_connection_and_none_before() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        drop(client);
        let stream = session.events_raw(None);
        drop(session.clone());
        let answer = session.call_raw("Test.call", &raw("{}"));
        drop((stream, session));
        // The call itself still holds the connection.
        let received = browser.next_call().await;
        browser.reply(&received, json!({}));
        answer.await.unwrap();
        assert!(browser.next_call_or_end().await.is_none());
    })
    .await;
}

#[test]
fn a_runtime_that_shuts_down_ends_its_connections() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime();
    let (client, browser) = first.block_on(async { fake_browser() });
    let answer = call(&client, "S");
    drop(first);
    runtime().block_on(bounded(async {
        let Err(CallError::Closed { reason, sent, .. }) = answer.await else { panic!("not closed") };
        assert_eq!((reason, sent), (CloseReason::DriverEnded, Sent::No));
        assert_eq!(client.closed().await, CloseReason::DriverEnded);
    }));
    drop(browser);
}
