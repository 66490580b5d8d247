//! Websockets: against tungstenite's server, which shares no code with ours, and against sockets that say exactly what a test
//! wants.

use cdp_protocol::domains::page;
use cdp_protocol::{CallError, Client, CloseReason, Sent, Settings};
use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::servers::{accept, listen, next_call, read_head, reply, switching, with_tungstenite};
use crate::{bounded, raw};

/// A connection, and a socket at its other end that has answered the upgrade with `behind` right behind the response.
async fn with_socket(behind: &[u8]) -> (Client, TcpStream, String) {
    let (listener, address) = listen().await;
    let url = format!("ws://{address}/devtools/browser/1?a=b");
    let server = async {
        let mut socket = accept(&listener).await;
        let head = read_head(&mut socket).await;
        let mut response = format!("{}\r\n", switching(&head)).into_bytes();
        response.extend(behind);
        socket.write_all(&response).await.unwrap();
        (socket, head)
    };
    let (client, (socket, head)) = tokio::join!(Client::connect(&url), server);
    (client.unwrap(), socket, head)
}

#[tokio::test]
async fn calls_of_every_size_cross_a_websocket_both_ways() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let session = client.browser();
        let sizes = [0, 10, 60, 125, 126, 500, 65_000, 65_536, 3_000_000];
        let server = async {
            for size in sizes {
                let call = next_call(&mut server).await;
                assert_eq!(call["params"]["text"].as_str().unwrap().len(), size);
                server.send(reply(&call, call["params"].clone())).await.unwrap();
            }
        };
        let caller = async {
            for size in sizes {
                let params = raw(&json!({"text": "x".repeat(size)}).to_string());
                let answer = session.call_raw("Test.echo", &params).await.unwrap();
                assert_eq!(answer.get(), params.get());
            }
        };
        tokio::join!(server, caller);
    })
    .await;
}

#[tokio::test]
async fn many_calls_at_once_and_large_ones_between_them_stay_whole() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let session = client.browser();
        let params: Vec<_> = (0..300)
            .map(|n| {
                raw(&json!({"n": n, "text": "y".repeat(if n % 50 == 7 { 1_000_000 } else { n })}).to_string())
            })
            .collect();
        let calls =
            futures_util::future::join_all(params.iter().map(|params| session.call_raw("Test.echo", params)));
        let server = async {
            for n in 0..300 {
                let call = next_call(&mut server).await;
                assert_eq!(call["params"]["n"], n);
                server.send(reply(&call, json!(n))).await.unwrap();
            }
        };
        let (answers, ()) = tokio::join!(calls, server);
        for (n, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.unwrap().get(), n.to_string());
        }
    })
    .await;
}

#[tokio::test]
async fn pings_inside_a_fragmented_message_are_answered_and_the_message_is_joined() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let mut events = client.browser().events_raw(None);
        let part = |opcode, fin, text: &'static str| {
            Message::Frame(Frame::message(Bytes::from_static(text.as_bytes()), OpCode::Data(opcode), fin))
        };
        server.send(part(Data::Text, false, "{\"method\":\"A.b\",")).await.unwrap();
        server.send(Message::Ping(Bytes::from_static(b"there?"))).await.unwrap();
        server.send(part(Data::Continue, false, "\"params\":")).await.unwrap();
        server.send(part(Data::Continue, true, "{}}")).await.unwrap();
        assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        assert_eq!(server.next().await.unwrap().unwrap(), Message::Pong(Bytes::from_static(b"there?")));
    })
    .await;
}

#[tokio::test]
async fn closing_shakes_hands_with_code_1000() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        client.close();
        let Message::Close(Some(close)) = server.next().await.unwrap().unwrap() else {
            panic!("no close frame")
        };
        assert_eq!(close.code, CloseCode::Normal);
        assert!(server.next().await.is_none());
        assert_eq!(client.closed().await, CloseReason::Requested);
    })
    .await;
}

#[tokio::test]
async fn a_close_by_the_browser_tells_code_and_words() {
    bounded(async {
        let (client, mut server) = with_tungstenite(Settings::default()).await;
        let answer = client.browser().call(&page::Enable::new());
        next_call(&mut server).await;
        server.close(Some(CloseFrame { code: CloseCode::Away, reason: "bye".into() })).await.unwrap();
        // The close frame was echoed, or this would be an error.
        while server.next().await.is_some_and(|message| message.unwrap().is_close()) {}
        let Err(CallError::Closed { reason, sent, .. }) = answer.await else { panic!("not closed") };
        assert_eq!(
            (&reason, sent),
            (&CloseReason::PeerClosed { code: Some(1001), reason: "bye".into() }, Sent::Unknown)
        );
        assert_eq!(reason.to_string(), "the browser closed the connection (code 1001: bye)");
        assert_eq!(client.closed().await, reason);
    })
    .await;
}

#[tokio::test]
async fn the_upgrade_offers_nothing_and_keeps_what_comes_right_behind_it() {
    bounded(async {
        // A whole message and the first half of another come in one piece with the response.
        let frames = b"\x81\x04null\x81\x1c{\"method\":\"A.b\",\"params\":{}}";
        let (behind, later) = frames.split_at(20);
        let (client, mut socket, head) = with_socket(behind).await;
        let lower = head.to_ascii_lowercase();
        assert!(!lower.contains("origin:") && !lower.contains("extensions"), "{head}");
        assert!(head.starts_with("GET /devtools/browser/1?a=b HTTP/1.1\r\n"), "{head}");
        let mut events = client.browser().events_raw(None);
        socket.write_all(later).await.unwrap();
        assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        assert_eq!(client.stats().ignored_messages, 1);
    })
    .await;
}

#[tokio::test]
async fn a_broken_server_is_told_why_and_so_is_everyone_else() {
    bounded(async {
        let table: &[(&[u8], u16, &str)] = &[
            (&[0xC1, 0x00], 1002, "reserved bits"),
            (&[0x83, 0x00], 1002, "reserved opcode"),
            (&[0x81, 0x80, 1, 2, 3, 4], 1002, "masked"),
            (&[0x89, 0x7E, 0, 126], 1002, "126 bytes"),
            (&[0x80, 0x00], 1002, "continuation"),
            (&[0x88, 0x03, 0x03, 0xE8, 0xFF], 1007, "not UTF-8"),
            (&[0x81, 0x7F, 0, 0, 1, 0, 0, 0, 0, 0], 1009, "limit `frame`"),
            (&[0x81, 0x02, b'{', b'x'], 1007, "not JSON"),
        ];
        for (bytes, code, words) in table {
            let (client, mut socket, _) = with_socket(b"").await;
            let answer = client.browser().call(&page::Enable::new());
            socket.write_all(bytes).await.unwrap();
            let Err(CallError::Closed { reason, .. }) = answer.await else { panic!("not closed") };
            assert!(reason.to_string().contains(words), "{reason}");
            let mut received = Vec::new();
            socket.read_to_end(&mut received).await.unwrap();
            let close = &received[received.len() - 8..];
            assert_eq!(close, [&[0x88, 0x82, 0, 0, 0, 0][..], &code.to_be_bytes()].concat(), "{words}");
            client.closed().await;
        }
    })
    .await;
}
