//! What a server can do wrong on a websocket: each fault is one clear error for everyone who waits, and the server is told by the
//! right close code. And the ways in which a conversation ends in order.

use std::time::Duration;

use cdp_protocol::domains::browser::GetVersion;
use cdp_protocol::testing::fake_browser;
use cdp_protocol::wire::Limits;
use cdp_protocol::{Call, CallError, Client, CloseReason, Sent, Settings};
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::servers::{accept, listen, switch};
use crate::{bounded, raw};

/// A server that says any bytes, and takes frames apart without the code under test.
struct Peer {
    socket: TcpStream,
}

impl Peer {
    async fn connect(settings: Settings) -> (Client, Self) {
        let (listener, address) = listen().await;
        let server = async {
            let mut socket = accept(&listener).await;
            socket.set_nodelay(true).unwrap();
            switch(&mut socket).await;
            Self { socket }
        };
        let connect = Client::connect(format!("ws://{address}/")).settings(settings);
        let (client, peer) = tokio::join!(connect.into_future(), server);
        (client.unwrap(), peer)
    }

    async fn say(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).await.unwrap();
    }

    /// The next frame's first byte and its payload; `None` when nothing follows.
    async fn hear(&mut self) -> Option<(u8, Vec<u8>)> {
        let first = self.socket.read_u8().await.ok()?;
        let second = self.socket.read_u8().await.unwrap();
        assert!(second & 0x80 != 0, "a client's frames are masked");
        let length = match second & 0x7F {
            126 => u64::from(self.socket.read_u16().await.unwrap()),
            127 => self.socket.read_u64().await.unwrap(),
            short => u64::from(short),
        };
        let mut key = [0; 4];
        self.socket.read_exact(&mut key).await.unwrap();
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.socket.read_exact(&mut payload).await.unwrap();
        payload.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
        Some((first, payload))
    }

    /// That a close frame with this code and no words comes, nothing but pongs before it and nothing behind it.
    async fn hear_close(&mut self, code: u16, case: &str) {
        let mut heard = self.hear().await;
        while heard.as_ref().is_some_and(|(first, _)| *first == 0x8A) {
            heard = self.hear().await;
        }
        assert_eq!(heard, Some((0x88, code.to_be_bytes().to_vec())), "{case}");
        assert_eq!(self.hear().await, None, "{case}");
    }
}

/// A server's frame: first byte and payload.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short @ 0..=125), _) => out.push(short),
        (_, Ok(medium)) => {
            out.push(126);
            out.extend(medium.to_be_bytes());
        }
        _ => {
            out.push(127);
            out.extend((payload.len() as u64).to_be_bytes());
        }
    }
    out.extend(payload);
    out
}

fn close(code: u16, words: &str) -> Vec<u8> {
    frame(0x88, &[&code.to_be_bytes(), words.as_bytes()].concat())
}

fn small_limits() -> Settings {
    Settings::default().limits(Limits::default().frame(1000).message(1500).fragments(4))
}

/// A call on the browser and one on a session, both of which the server has read.
async fn two_calls(client: &Client, peer: &mut Peer) -> [Call<Box<RawValue>>; 2] {
    let calls = [
        client.browser().call_raw("Test.call", &raw("{}")),
        client.session(&"S".into()).call_raw("Test.call", &raw("{}")),
    ];
    for _ in 0..2 {
        assert_eq!(peer.hear().await.unwrap().0, 0x81);
    }
    calls
}

/// That each call was told the same, and that nothing waits any more.
async fn told(client: &Client, calls: [Call<Box<RawValue>>; 2], case: &str) -> CloseReason {
    let expected = client.closed().await;
    for call in calls {
        match call.await {
            Err(CallError::Closed { reason, sent, .. }) => {
                assert_eq!((reason, sent), (expected.clone(), Sent::Unknown), "{case}");
            }
            other => panic!("{case}: {other:?}"),
        }
    }
    assert_eq!(client.stats().pending_calls, 0, "{case}");
    let late = client.browser().call_raw("Test.late", &raw("{}")).await.unwrap_err();
    assert!(late.is_not_sent() && late.to_string().contains(&expected.to_string()), "{case}: {late}");
    expected
}

/// The server says `bytes` while two calls wait: they are told of `words`, and the server of `code`.
async fn check(bytes: &[u8], code: u16, words: &str) {
    let (client, mut peer) = Peer::connect(small_limits()).await;
    let calls = two_calls(&client, &mut peer).await;
    peer.say(bytes).await;
    let reason = told(&client, calls, words).await;
    assert!(reason.to_string().contains(words), "{reason}, expected {words}");
    peer.hear_close(code, words).await;
}

#[tokio::test]
async fn a_frame_that_breaks_the_rules_ends_the_connection_with_code_1002() {
    bounded(async {
        check(&[0x81, 0x82, 1, 2, 3, 4, b'{', b'}'], 1002, "from the server is masked").await;
        for bit in [0x40, 0x20, 0x10] {
            check(&[0x81 | bit, 2, b'{', b'}'], 1002, &format!("reserved bits set ({:#05b})", bit >> 4))
                .await;
        }
        for opcode in [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] {
            check(&[0x80 | opcode, 0], 1002, &format!("reserved opcode {opcode:#x}")).await;
        }
        for control in [0x88, 0x89, 0x8A] {
            check(&frame(control, &[b'x'; 126]), 1002, "carries 126 bytes, more than 125").await;
            check(&[control & 0x0F, 0], 1002, "control frame is fragmented").await;
        }
        check(&frame(0x80, b"{}"), 1002, "without a message to continue").await;
        check(&[frame(0x01, b"{"), frame(0x81, b"{}")].concat(), 1002, "inside a fragmented one").await;
        check(&[frame(0x02, b"{"), frame(0x01, b"{}")].concat(), 1002, "inside a fragmented one").await;
        check(&[0x81, 126, 0, 2, b'{', b'}'], 1002, "length 2 is written in a form").await;
        check(&[0x81, 127, 0, 0, 0, 0, 0, 0, 0, 2], 1002, "length 2 is written in a form").await;
        check(&[0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 2], 1002, "written in a form").await;
    })
    .await;
}

#[tokio::test]
async fn text_that_is_no_utf_8_ends_the_connection_with_code_1007() {
    bounded(async {
        check(&frame(0x81, b"{\"\xFF\":1}"), 1007, "not UTF-8 at byte 2").await;
        check(&frame(0x81, b"{}\xE2\x82"), 1007, "not UTF-8 at byte 2").await;
        check(
            &[frame(0x01, b"{\"\xF0\x9F"), frame(0x89, b""), frame(0x80, b"\x98x")].concat()[..],
            1007,
            "not UTF-8 at byte 2",
        )
        .await;
        check(&[frame(0x01, b"{}\xC3"), frame(0x80, b"")].concat(), 1007, "not UTF-8 at byte 2").await;
        // The rest of this message never comes.
        check(&[0x01, 126, 3, 0, b'{', 0xC0, 0x80], 1007, "not UTF-8 at byte 1").await;
        check(&frame(0x88, b"\x03\xE8bye\xFF"), 1007, "close frame's reason is not UTF-8").await;
    })
    .await;
}

#[tokio::test]
async fn a_close_frame_with_a_code_that_must_not_be_sent_is_a_fault() {
    bounded(async {
        check(&[0x88, 1, 3], 1002, "carries one byte").await;
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535] {
            check(&close(code, ""), 1002, &format!("invalid code {code}")).await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_exceeds_a_limit_ends_the_connection_with_code_1009() {
    bounded(async {
        check(&[0x81, 126, 3, 0xE9], 1009, "1001 bytes exceeds the limit `frame` of 1000").await;
        check(&[0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0], 1009, "exceeds the limit `frame` of 1000").await;
        let part = |first| frame(first, &[b' '; 800]);
        check(&[part(0x01), part(0x80)].concat(), 1009, "1600 bytes exceeds the limit `message` of 1500")
            .await;
        let parts = [frame(0x01, b"{"), frame(0x00, b"").repeat(4)].concat();
        check(&parts, 1009, "more than 4 ws frames exceeds the limit `fragments`").await;
    })
    .await;
}

#[tokio::test]
async fn a_message_that_is_no_json_ends_the_connection_with_code_1007() {
    bounded(async {
        for text in [
            "{\"id\":1,\"result\":{",
            "{\"method\":\"A.b\",\"params\":{}",
            "{\"method\":\"A.b\",\"params\":{}}x",
            "{\"method\":\"A.b\",\"params\":{}}{}",
            "{x",
        ] {
            check(&frame(0x81, text.as_bytes()), 1007, "a message is not JSON at offset").await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_broken_inside_of_an_answer_fails_that_call_alone() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default()).await;
        for result in ["{}}", "{\"a\":}", "{\"a\":1 2}", "{]}"] {
            let call = client.browser().call_raw("Test.call", &raw("{}"));
            let (_, sent) = peer.hear().await.unwrap();
            let sent: serde_json::Value = serde_json::from_slice(&sent).unwrap();
            peer.say(&frame(0x81, format!("{{\"id\":{},\"result\":{result}}}", sent["id"]).as_bytes())).await;
            let error = call.await.unwrap_err();
            assert!(matches!(error, CallError::Decode(_)), "{result}: {error}");
        }
        client.close();
        peer.hear_close_and_answer(1000).await;
        assert_eq!(client.closed().await, CloseReason::Requested);
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_stream_tells_whether_it_cut_a_message() {
    bounded(async {
        let cases: &[(&[u8], bool)] = &[
            (b"", false),
            (b"\x89\x00", false),
            (b"\x81", true),
            (b"\x81\x05{", true),
            (b"\x81\x7E\x01", true),
            (b"\x01\x02{}", true),
            (b"\x01\x02{}\x89\x00", true),
        ];
        for (bytes, mid_message) in cases {
            let (client, mut peer) = Peer::connect(Settings::default()).await;
            let calls = two_calls(&client, &mut peer).await;
            peer.say(bytes).await;
            peer.socket.shutdown().await.unwrap();
            let reason = told(&client, calls, "hung up").await;
            assert_eq!(reason, CloseReason::HungUp { mid_message: *mid_message }, "{bytes:x?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_reset_is_told_as_the_system_tells_it() {
    bounded(async {
        for bytes in [&b""[..], b"\x81\x05{"] {
            let (client, mut peer) = Peer::connect(Settings::default()).await;
            let calls = two_calls(&client, &mut peer).await;
            peer.say(bytes).await;
            peer.socket.set_zero_linger().unwrap();
            drop(peer);
            let reason = told(&client, calls, "reset").await;
            let CloseReason::Io { kind, .. } = &reason else { panic!("{reason}") };
            assert_eq!(*kind, std::io::ErrorKind::ConnectionReset);
        }
    })
    .await;
}

impl Peer {
    /// As a server that is asked to close does.
    async fn hear_close_and_answer(&mut self, code: u16) {
        assert_eq!(self.hear().await, Some((0x88, code.to_be_bytes().to_vec())));
        self.say(&close(code, "")).await;
        assert_eq!(self.hear().await, None);
    }
}

#[tokio::test]
async fn words_of_the_peer_can_forge_no_line_of_a_log() {
    bounded(async {
        let words = "bye\r\nERROR the bank is empty\u{1b}[31m";
        let (client, mut peer) = Peer::connect(Settings::default()).await;
        peer.say(&close(4000, words)).await;
        let told = client.closed().await.to_string();
        assert_eq!(told, "the browser closed the connection (code 4000: byeERROR the bank is empty[31m)");

        let (client, mut peer) = Peer::connect(Settings::default()).await;
        peer.say(&frame(0x81, br#"{"error":{"code":1,"message":"no\n\u001b[31mway"}}"#)).await;
        let told = client.closed().await.to_string();
        assert_eq!(told, "the browser refused a message without naming its call: no[31mway (1)");

        let (client, mut browser) = fake_browser();
        let version = client.browser().call(&GetVersion::new());
        let call = browser.next_call().await;
        browser.refuse(&call, -32000, "no\nway\u{1b}[31m");
        let refused = version.await.unwrap_err();
        assert_eq!(refused.to_string(), "Browser.getVersion: noway[31m (-32000)");
        let CallError::Refused { message, .. } = refused else { panic!("{refused}") };
        assert_eq!(message, "no\nway\u{1b}[31m", "for programs as it came");

        let (client, mut peer) = Peer::connect(Settings::default()).await;
        let long = format!("{{\"error\":{{\"code\":1,\"message\":\"{}\"}}}}", "é".repeat(1000));
        peer.say(&frame(0x81, long.as_bytes())).await;
        let CloseReason::Complaint { message, .. } = client.closed().await else { panic!("no complaint") };
        assert_eq!(&*message, "é".repeat(200));
    })
    .await;
}

#[tokio::test]
async fn a_close_by_the_server_is_echoed_and_told_with_its_code_and_words() {
    bounded(async {
        let cases: &[(Option<u16>, &str, u16)] = &[
            (Some(1000), "", 1000),
            (Some(1001), "going away", 1001),
            (Some(1011), "größer", 1011),
            (Some(3000), "", 3000),
            (Some(4999), "last", 4999),
            (None, "", 1000),
        ];
        for (code, words, echoed) in cases {
            let sent = code.map_or_else(|| frame(0x88, b""), |code| close(code, words));
            // Also in the middle of a message, which the close frame cuts, and right behind a ping.
            for before in [&b""[..], b"\x01\x02{\"", b"\x89\x01?"] {
                let (client, mut peer) = Peer::connect(Settings::default()).await;
                let calls = two_calls(&client, &mut peer).await;
                peer.say(&[before, &sent].concat()).await;
                let reason = told(&client, calls, words).await;
                assert_eq!(reason, CloseReason::PeerClosed { code: *code, reason: (*words).into() });
                peer.hear_close(*echoed, words).await;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_comes_behind_a_close_frame_is_ignored() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default()).await;
        let mut events = client.browser().events_raw(None);
        let calls = two_calls(&client, &mut peer).await;
        let event = frame(0x81, b"{\"method\":\"A.b\",\"params\":{}}");
        // Neither the event nor the broken frame counts, also not in the same segment.
        peer.say(&[&event[..], &close(1001, "bye"), &event, &[0xFF, 0xFF]].concat()).await;
        let reason = told(&client, calls, "bye").await;
        assert_eq!(reason, CloseReason::PeerClosed { code: Some(1001), reason: "bye".into() });
        assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        assert!(events.next().await.is_none());
        peer.hear_close(1001, "bye").await;
    })
    .await;
}

#[tokio::test]
async fn both_sides_may_close_at_once() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default()).await;
        let calls = two_calls(&client, &mut peer).await;
        // Time only passes where nothing else can happen, so a wait for an answer that is there already would show.
        tokio::time::pause();
        let start = Instant::now();
        peer.say(&close(1001, "me, too")).await;
        client.close();
        assert_eq!(told(&client, calls, "at once").await, CloseReason::Requested);
        assert_eq!(start.elapsed(), Duration::ZERO);
        tokio::time::resume();
        peer.hear_close(1000, "at once").await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_never_answers_our_close_is_given_up_after_a_second() {
    bounded(async {
        for meanwhile in [&b""[..], &frame(0x81, b"{\"method\":\"A.b\",\"params\":{}}")] {
            let (client, mut peer) = Peer::connect(Settings::default()).await;
            tokio::time::pause();
            let start = Instant::now();
            client.close();
            peer.say(meanwhile).await;
            assert_eq!(client.closed().await, CloseReason::Requested);
            let passed = start.elapsed();
            assert!(passed >= Duration::from_secs(1) && passed < Duration::from_millis(1100), "{passed:?}");
            tokio::time::resume();
            peer.hear_close(1000, "no answer").await;
        }
    })
    .await;
}
