//! Streams that hold the reader back: nothing is lost, and whatever lets them go lets the connection go on.

use std::task::Poll;

use cdp_protocol::domains::page;
use cdp_protocol::testing::fake_browser;
use cdp_protocol::{CloseReason, Settings};
use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt, poll};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::servers::{next_call, reply, with_tungstenite};
use crate::{bounded, raw};

#[tokio::test]
async fn a_slow_reader_of_megabytes_over_a_socket_misses_nothing() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let mut events = client.browser().events_raw(None).limit(64 * 1024).hold_reader();
        let filler = "x".repeat(8000);
        let sending = async {
            for number in 0..2000 {
                let event = json!({"method": "A.b", "params": {"number": number, "filler": filler}});
                server.send(Message::text(event.to_string())).await.unwrap();
            }
            let call = next_call(&mut server).await;
            server.send(reply(&call, json!({}))).await.unwrap();
        };
        let reading = async {
            for number in 0..2000 {
                let event = events.next().await.unwrap().unwrap();
                let params: Value = serde_json::from_slice(event.params()).unwrap();
                assert_eq!(params["number"], number);
                if number % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        };
        let calling = async { client.browser().call_raw("Test.last", &raw("{}")).await.unwrap() };
        tokio::join!(sending, reading, calling);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_up_is_lost_between_readers_and_the_driver() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        // A limit of nothing: each event stops the reader.
        let readers = ["S", "T"].map(|id| {
            let mut events = client.session(&id.into()).events_raw(None).limit(0).hold_reader();
            tokio::spawn(async move {
                for number in 0..20_000 {
                    let event = events.next().await.unwrap().unwrap();
                    assert_eq!(event.params(), number.to_string().as_bytes());
                }
            })
        });
        for number in 0..20_000 {
            browser.event(Some("S"), "A.b", json!(number));
            browser.event(Some("T"), "Target.b", json!(number));
        }
        for read in join_all(readers).await {
            read.unwrap();
        }
        drop(client);
    })
    .await;
}

#[tokio::test]
async fn an_answer_behind_a_full_stream_waits_until_the_stream_is_read_or_dropped() {
    bounded(async {
        for reads in [true, false] {
            let (client, mut browser) = fake_browser();
            let mut events =
                client.session(&"S".into()).events::<page::LoadEventFired>().limit(1).hold_reader();
            let mut other = client.browser().events_raw(None);
            let mut answer = Box::pin(client.browser().call_raw("Test.one", &raw("{}")));
            browser.event(None, "A.first", json!({}));
            browser.event(Some("S"), "Page.loadEventFired", json!({"timestamp": 1}));
            let call = browser.next_call().await;
            browser.event(None, "A.second", json!({}));
            browser.reply(&call, json!({}));
            assert_eq!(other.next().await.unwrap().unwrap().method(), "A.first");
            // The driver has gone as far as it may when it has nothing to do.
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            assert!(poll!(&mut answer).is_pending());
            assert!(matches!(poll!(std::pin::pin!(other.next())), Poll::Pending), "events wait as well");
            if reads {
                events.next().await.unwrap().unwrap();
            } else {
                drop(events);
            }
            answer.await.unwrap();
            assert_eq!(other.next().await.unwrap().unwrap().method(), "A.second");
        }
    })
    .await;
}

#[tokio::test]
async fn the_end_of_its_session_lets_a_full_stream_hold_nobody() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let mut events = client.session(&"S".into()).events_raw(None).limit(0).hold_reader();
        let answer = client.browser().call_raw("Test.one", &raw("{}"));
        let call = browser.next_call().await;
        // This fills the stream and ends its session at once.
        browser.event(Some("S"), "Inspector.targetCrashed", json!({}));
        browser.reply(&call, json!({}));
        answer.await.unwrap();
        assert_eq!(events.next().await.unwrap().unwrap().method(), "Inspector.targetCrashed");
        assert!(events.next().await.is_none());
    })
    .await;
}

#[tokio::test]
async fn closing_a_held_connection_writes_its_calls_and_says_goodbye() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let mut events = client.browser().events_raw(None).limit(0).hold_reader();
        for number in 0..2 {
            server.send(Message::text(format!(r#"{{"method":"A.b","params":{number}}}"#))).await.unwrap();
        }
        assert_eq!(events.next().await.unwrap().unwrap().params(), b"0");
        let answers: Vec<_> = (0..100).map(|_| client.browser().call_raw("Test.one", &raw("{}"))).collect();
        client.close();
        for _ in 0..100 {
            assert!(server.next().await.unwrap().unwrap().is_text());
        }
        let Message::Close(Some(close)) = server.next().await.unwrap().unwrap() else { panic!("no close") };
        assert_eq!(close.code, CloseCode::Normal);
        assert!(server.next().await.is_none());
        assert_eq!(client.closed().await, CloseReason::Requested);
        assert!(join_all(answers).await.iter().all(Result::is_err));
    })
    .await;
}
