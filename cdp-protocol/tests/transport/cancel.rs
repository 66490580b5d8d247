//! Every public future, dropped after each of its polls: it leaves nothing behind, and takes nothing from its neighbours.

use std::future::{Future, IntoFuture, poll_fn};
use std::pin::pin;
use std::task::Poll;

use cdp_protocol::domains::page::LoadEventFired;
use cdp_protocol::testing::{FakeBrowser, fake_browser};
use cdp_protocol::{Client, CloseReason};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

use crate::servers::{accept, listen, naming, read_head, switching};
use crate::{bounded, raw};

/// Polls a future at most `polls` times, then drops it.
async fn polled<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|cx| {
        if left > 0 {
            left -= 1;
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
        }
        if left > 0 { Poll::Pending } else { Poll::Ready(None) }
    })
    .await
}

#[tokio::test]
async fn a_call_that_is_dropped_after_any_poll_leaves_nothing_and_no_neighbour_waits() {
    bounded(async {
        for polls in 0.. {
            let (client, mut browser) = fake_browser();
            let session = client.session(&"S".into());
            let neighbour = session.call_raw("Test.neighbour", &raw("{}"));
            let mut events = session.events_raw(None);
            let dropped = polled(polls, session.call_raw("Test.dropped", &raw("{}")));
            let serving = async {
                let calls = [browser.next_call().await, browser.next_call().await];
                assert_eq!(calls[1].method, "Test.dropped", "what is dropped is sent all the same");
                browser.event(Some("S"), "A.before", json!({}));
                browser.reply(&calls[1], json!({}));
                browser.event(Some("S"), "A.behind", json!({}));
                browser.reply(&calls[0], json!({}));
            };
            let (answer, ()) = tokio::join!(dropped, serving);
            neighbour.await.unwrap();
            for name in ["A.before", "A.behind"] {
                assert_eq!(events.next().await.unwrap().unwrap().method(), name);
            }
            let stats = client.stats();
            assert_eq!((stats.pending_calls, stats.late_replies), (0, u64::from(answer.is_none())));
            if let Some(answer) = answer {
                answer.unwrap();
                assert!(polls > 1, "a call needs an answer");
                break;
            }
        }
    })
    .await;
}

const EVENTS: usize = 60;

/// Reads all events by futures that are dropped after each number of polls, while they come one by one.
async fn read_in_pieces(mut browser: FakeBrowser, mut next: impl AsyncFnMut() -> Option<usize>) {
    let sending = async {
        for n in 0..EVENTS {
            browser.event(Some("S"), "Page.loadEventFired", json!({ "timestamp": n }));
            tokio::task::yield_now().await;
        }
        browser.hang_up();
    };
    let reading = async {
        let mut seen = Vec::new();
        for polls in (0..4).cycle() {
            match polled(polls, next()).await {
                Some(Some(event)) => seen.push(event),
                Some(None) => break,
                // Nobody waits now; the sender goes on.
                None => tokio::task::yield_now().await,
            }
        }
        assert_eq!(seen, Vec::from_iter(0..EVENTS));
    };
    tokio::join!(sending, reading);
}

#[tokio::test]
async fn waiting_for_an_event_may_be_given_up_at_any_poll_without_losing_one() {
    bounded(async {
        let (client, browser) = fake_browser();
        let mut raw = client.session(&"S".into()).events_raw(None);
        read_in_pieces(browser, async || {
            let event: LoadEventFired = raw.next().await?.unwrap().decode().unwrap();
            Some(event.timestamp.get() as usize)
        })
        .await;

        let (client, browser) = fake_browser();
        let mut typed = client.session(&"S".into()).events::<LoadEventFired>();
        read_in_pieces(browser, async || Some(typed.next().await?.unwrap().timestamp.get() as usize)).await;
    })
    .await;
}

#[tokio::test]
async fn a_wait_that_is_made_anew_at_each_poll_is_woken_for_every_event() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.session(&"S".into());
        let (mut events, mut raw) = (session.events::<LoadEventFired>(), session.events_raw(None));
        // In a task of its own: only a waker that was left behind runs it.
        let reading = tokio::spawn(async move {
            for n in 0..EVENTS {
                let event = poll_fn(|cx| pin!(events.next()).poll(cx)).await.unwrap().unwrap();
                assert_eq!(event.timestamp.get() as usize, n);
                poll_fn(|cx| pin!(raw.next()).poll(cx)).await.unwrap().unwrap();
            }
        });
        for n in 0..EVENTS {
            browser.event(Some("S"), "Page.loadEventFired", json!({ "timestamp": n }));
            tokio::task::yield_now().await;
        }
        reading.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn waiting_for_the_end_may_be_given_up_at_any_poll() {
    bounded(async {
        for polls in 0.. {
            let (client, mut browser) = fake_browser();
            let neighbour = tokio::spawn({
                let client = client.clone();
                async move { client.closed().await }
            });
            let ending = async {
                tokio::task::yield_now().await;
                browser.hang_up();
            };
            let (reason, ()) = tokio::join!(polled(polls, client.closed()), ending);
            assert_eq!(neighbour.await.unwrap(), CloseReason::HungUp { mid_message: false });
            if reason.is_some() {
                assert!(polls > 1, "the end comes later");
                break;
            }
        }
    })
    .await;
}

/// Answers discovery, then the upgrade, a few bytes at a time. Keeps the sockets for later.
async fn serve_slowly(listener: &TcpListener, sockets: &mut Vec<TcpStream>) {
    let address = listener.local_addr().unwrap();
    loop {
        let socket = accept(listener).await;
        socket.set_nodelay(true).unwrap();
        sockets.push(socket);
        let Some(socket) = sockets.last_mut() else { unreachable!() };
        let head = read_head(socket).await;
        let answer = if head.starts_with("GET /json/version ") {
            naming(&format!("ws://{address}/devtools/browser/1"))
        } else {
            format!("{}\r\n", switching(&head))
        };
        for part in answer.as_bytes().chunks(5) {
            socket.write_all(part).await.unwrap();
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn connecting_may_be_given_up_at_any_poll_and_leaves_neither_socket_nor_task() {
    bounded(async {
        let tasks = || Handle::current().metrics().num_alive_tasks();
        let before = tasks();
        for polls in 0.. {
            let (listener, address) = listen().await;
            let url = format!("http://{address}");
            let mut sockets = Vec::new();
            let connected = tokio::select! {
                biased;
                connected = polled(polls, Client::connect(url).into_future()) => connected,
                () = serve_slowly(&listener, &mut sockets) => unreachable!("it serves for ever"),
            };
            if let Some(client) = connected {
                let client = client.unwrap();
                assert!(polls > 50, "each part of an answer takes a poll, but it took {polls}");
                client.close();
                // The peer has to answer the close frame.
                drop(sockets);
                client.closed().await;
                break;
            }
            assert_eq!(tasks(), before, "after {polls} polls");
            for mut socket in sockets {
                // An end, orderly or not; a socket that is held would keep this waiting.
                let _ = socket.read_to_end(&mut Vec::new()).await;
            }
        }
    })
    .await;
}
