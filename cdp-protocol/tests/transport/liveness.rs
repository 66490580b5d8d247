//! Peers that keep a connection open and say nothing, on real sockets and pipes. How it is decided, to the millisecond, is tested
//! beside the driver.

use std::os::fd::OwnedFd;
use std::time::Duration;

use cdp_protocol::{CallError, Client, CloseReason, Probe, Settings};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_tungstenite::tungstenite::Message;

use crate::servers::{next_call, reply, with_tungstenite};
use crate::{bounded, raw};

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[tokio::test]
async fn a_server_that_keeps_the_socket_and_is_silent_is_given_up() {
    bounded(async {
        // Nobody drives the server, so it reads nothing and answers no ping.
        let (client, mut server) = with_tungstenite(Settings::default().ping(ms(50), ms(50))).await;
        let session = client.session(&"S".into());
        let mut events = session.events_raw(None);
        let Err(CallError::Closed { reason, .. }) = session.call_raw("Test.one", &raw("{}")).await else {
            panic!("the call did not end with the connection")
        };
        let CloseReason::Unresponsive { probe: Probe::Ping, silence } = reason else { panic!("{reason:?}") };
        assert!(silence >= ms(100), "{silence:?}");
        assert!(events.next().await.is_none() && session.is_ended());
        assert_eq!(client.closed().await, reason);
        // What it would have read: the call, one ping, and no farewell.
        let call = server.next().await.unwrap().unwrap();
        assert!(call.to_text().unwrap().contains("Test.one"), "{call:?}");
        let mut pings = 0;
        while let Some(Ok(message)) = server.next().await {
            assert!(message.is_ping(), "{message:?}");
            pings += 1;
        }
        assert_eq!(pings, 1);
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_answers_pings_alone_is_given_up() {
    bounded(async {
        let settings = Settings::default().ping(ms(30), ms(30_000)).heartbeat(ms(150));
        let (client, mut server) = with_tungstenite(settings).await;
        let (mut pings, mut calls) = (0, Vec::new());
        // Whoever drives tungstenite has it answer pings.
        while let Some(Ok(message)) = server.next().await {
            match message {
                Message::Ping(_) => pings += 1,
                Message::Text(text) => calls.push(text.to_string()),
                other => panic!("{other:?}"),
            }
        }
        let reason = client.closed().await;
        assert!(
            matches!(&reason, CloseReason::Unresponsive { probe: Probe::Heartbeat, silence } if *silence >= ms(450)),
            "{reason}"
        );
        assert!(pings > 2, "{pings} pings");
        assert_eq!(calls, [r#"{"id":2147483647,"method":"Browser.getVersion"}"#; 2]);
    })
    .await;
}

#[tokio::test]
async fn an_answer_to_the_second_heartbeat_is_in_time_and_seen_by_nobody() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default().heartbeat(ms(700))).await;
        let first = server.next().await.unwrap().unwrap();
        let second = server.next().await.unwrap().unwrap();
        assert_eq!(first, second);
        assert_eq!((client.stats().pending_calls, client.stats().late_replies), (0, 0));
        for _ in 0..2 {
            server.send(Message::text(r#"{"id":2147483647,"result":{"product":"P/1"}}"#)).await.unwrap();
        }
        let answer = client.browser().call_raw("Test.one", &raw("{}"));
        let call = next_call(&mut server).await;
        assert_eq!(call["method"], "Test.one");
        server.send(reply(&call, json!({}))).await.unwrap();
        answer.await.unwrap();
        assert_eq!((client.stats().pending_calls, client.stats().late_replies), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_hangs_behind_its_pipe_is_given_up() {
    bounded(async {
        let (reads, from_browser) = std::io::pipe().unwrap();
        let (to_browser, writes) = std::io::pipe().unwrap();
        let settings = Settings::default().heartbeat(ms(100)).ping(ms(1), ms(1));
        let client = Client::from_pipe(reads.into(), writes.into(), settings).unwrap();
        let reason = client.closed().await;
        assert!(matches!(reason, CloseReason::Unresponsive { probe: Probe::Heartbeat, .. }), "{reason}");
        let calls = tokio::net::unix::pipe::Receiver::from_owned_fd(OwnedFd::from(to_browser)).unwrap();
        let mut calls = BufReader::new(calls).split(0);
        for _ in 0..2 {
            let call: Value = serde_json::from_slice(&calls.next_segment().await.unwrap().unwrap()).unwrap();
            assert_eq!(call["method"], "Browser.getVersion");
        }
        assert_eq!(calls.next_segment().await.unwrap(), None);
        drop(from_browser);
    })
    .await;
}
