//! The faults themselves: that they do what they say, and nothing else.

use std::future::Future;
use std::task::Poll;

use cdp_protocol::testing::{FaultProxy, Faults, Flow, Framing, Passed, Wiring, fake_browser_with};
use cdp_protocol::{CloseReason, Sent};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::servers::{accept, listen};
use crate::{bounded, raw};

/// The client's end, the server's end, and the proxy between them.
async fn through_proxy(faults: Faults) -> (TcpStream, TcpStream, FaultProxy) {
    let (listener, address) = listen().await;
    let proxy = FaultProxy::start(address, faults).await.unwrap();
    let (client, server) = tokio::join!(TcpStream::connect(proxy.address()), accept(&listener));
    (client.unwrap(), server, proxy)
}

async fn rest(mut socket: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A reset is an end like any other here.
    let _ = socket.read_to_end(&mut bytes).await;
    bytes
}

fn passed(proxy: &FaultProxy) -> (u64, u64) {
    let Passed { to_browser, to_client, .. } = proxy.passed();
    (to_browser, to_client)
}

#[tokio::test]
async fn a_proxy_without_faults_carries_every_byte_in_order_and_passes_on_the_end() {
    bounded(async {
        let single = Flow::default().single_bytes();
        for (faults, count) in
            [(Faults::default(), 1_000_000), (Faults::default().to_browser(single).to_client(single), 5000)]
        {
            let (mut client, server, proxy) = through_proxy(faults).await;
            let bytes: Vec<u8> = (0..count).map(|n| (n % 251) as u8).collect();
            let (mut reads, mut writes) = server.into_split();
            let echo = async {
                tokio::io::copy(&mut reads, &mut writes).await.unwrap();
                drop(writes);
            };
            let (mut from, mut to) = client.split();
            let send = async {
                to.write_all(&bytes).await.unwrap();
                to.shutdown().await.unwrap();
            };
            let mut back = Vec::new();
            let (_, (), ()) = tokio::join!(from.read_to_end(&mut back), send, echo);
            assert!(back == bytes);
            assert_eq!(passed(&proxy), (count, count));
        }
    })
    .await;
}

#[tokio::test]
async fn a_cut_ends_both_directions_behind_what_has_passed() {
    bounded(async {
        let faults = Faults::default().to_browser(Flow::default().cut_at(3));
        let (mut client, server, proxy) = through_proxy(faults).await;
        client.write_all(b"abcdef").await.unwrap();
        assert_eq!((rest(server).await, rest(client).await), (b"abc".to_vec(), vec![]));
        assert_eq!(passed(&proxy), (3, 0));
    })
    .await;
}

#[tokio::test]
async fn a_stall_holds_its_direction_alone_until_a_cut_ends_both() {
    bounded(async {
        let faults = Faults::default().to_browser(Flow::default().stall_at(3));
        let (mut client, mut server, proxy) = through_proxy(faults).await;
        client.write_all(b"abcdef").await.unwrap();
        server.write_all(b"xyz").await.unwrap();
        let mut three = [0; 3];
        client.read_exact(&mut three).await.unwrap();
        assert_eq!(&three, b"xyz");
        server.read_exact(&mut three).await.unwrap();
        assert_eq!(&three, b"abc");
        proxy.cut();
        assert_eq!((rest(server).await, rest(client).await), (vec![], vec![]));
        assert_eq!(passed(&proxy), (3, 3));
    })
    .await;
}

#[tokio::test]
async fn a_stall_at_run_time_lets_nothing_more_pass_and_the_end_of_the_proxy_ends_its_connections() {
    bounded(async {
        let (mut client, mut server, proxy) = through_proxy(Faults::default()).await;
        client.write_all(b"a").await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'a');
        proxy.stall();
        client.write_all(b"b").await.unwrap();
        server.write_all(b"c").await.unwrap();
        drop(proxy);
        assert_eq!((rest(server).await, rest(client).await), (vec![], vec![]));
    })
    .await;
}

#[tokio::test]
async fn a_fake_browser_speaks_both_framings_and_shakes_hands_at_the_end() {
    bounded(async {
        for framing in [Framing::Pipe, Framing::Ws] {
            for size in [0, 100, 126, 70_000] {
                let (client, mut browser) = fake_browser_with(Wiring::default().framing(framing));
                let params = json!({ "text": "x".repeat(size) });
                let answer = client.browser().call_raw("Test.echo", &raw(&params.to_string()));
                let call = browser.next_call().await;
                assert_eq!(call.params, params);
                browser.reply(&call, call.params.clone());
                assert_eq!(answer.await.unwrap().get(), params.to_string());
                client.close();
                assert!(browser.next_call_or_end().await.is_none());
                assert_eq!(client.closed().await, CloseReason::Requested);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_stall_in_memory_holds_a_call_that_has_not_passed_whole() {
    bounded(async {
        let faults = Faults::default().to_browser(Flow::default().stall_at(20));
        let (client, mut browser) = fake_browser_with(Wiring::default().faults(faults));
        let mut answer = Box::pin(client.browser().call_raw("Test.held", &raw("{}")));
        assert!(futures_util::poll!(&mut answer).is_pending());
        assert_eq!(browser.passed().to_browser, 20);
        // The other direction still works.
        let mut events = client.browser().events_raw(None);
        browser.event(None, "A.b", json!({}));
        assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        let mut next = Box::pin(browser.next_call_or_end());
        let polled = std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        drop(next);
        browser.hang_up();
        let Err(cdp_protocol::CallError::Closed { sent, .. }) = answer.await else { panic!("not closed") };
        assert_eq!(sent, Sent::No);
    })
    .await;
}
