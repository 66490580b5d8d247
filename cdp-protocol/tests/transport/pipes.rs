//! The pipe carrier over real pipes of the operating system: records of every size through buffers of 64 KiB, and the same faults
//! as on a websocket as far as a pipe has them.

use std::io;

use cdp_protocol::wire::Limits;
use cdp_protocol::{Call, CallError, Client, CloseReason, Sent, Settings};
use futures_util::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::{bounded, raw};

/// The browser's ends of two pipes.
struct Peer {
    reads: Receiver,
    writes: Sender,
    buffer: Vec<u8>,
}

impl Peer {
    fn connect(settings: Settings) -> (Client, Self) {
        let (browser_reads, ours_writes) = io::pipe().unwrap();
        let (ours_reads, browser_writes) = io::pipe().unwrap();
        let reads = Receiver::from_owned_fd(browser_reads.into()).unwrap();
        let writes = Sender::from_owned_fd(browser_writes.into()).unwrap();
        let client = Client::from_pipe(ours_reads.into(), ours_writes.into(), settings).unwrap();
        (client, Self { reads, writes, buffer: Vec::new() })
    }

    async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.writes.write_all(bytes.as_ref()).await.unwrap();
    }

    async fn answer(&mut self, call: &Value, result: &Value) {
        self.say(format!("{{\"id\":{},\"result\":{result}}}\0", call["id"])).await;
    }

    /// The next call, read in pieces of at most `piece` bytes; `None` when nothing follows.
    async fn hear(&mut self, piece: usize) -> Option<Value> {
        let mut seen = 0;
        loop {
            if let Some(end) = self.buffer[seen..].iter().position(|byte| *byte == 0) {
                let record: Vec<u8> = self.buffer.drain(..=seen + end).collect();
                return Some(serde_json::from_slice(&record[..record.len() - 1]).unwrap());
            }
            seen = self.buffer.len();
            let mut chunk = vec![0; piece];
            match self.reads.read(&mut chunk).await.unwrap() {
                0 => return None,
                count => self.buffer.extend(&chunk[..count]),
            }
        }
    }
}

fn call(client: &Client, params: &Value) -> Call<Box<RawValue>> {
    client.browser().call_raw("Test.call", &raw(&params.to_string()))
}

async fn end_of(call: Call<Box<RawValue>>) -> (CloseReason, Sent) {
    match call.await {
        Err(CallError::Closed { reason, sent, .. }) => (reason, sent),
        other => panic!("{other:?}"),
    }
}

/// The browser says `bytes`, and nothing more if `ends`, while a call waits: why it has no answer, and that our end is closed.
async fn broken_by(bytes: &[u8], ends: bool) -> CloseReason {
    let limits = Limits::default().message(1000);
    let (client, peer) = Peer::connect(Settings::default().limits(limits));
    let mut peer = peer;
    let waiting = call(&client, &json!({}));
    peer.hear(1000).await.unwrap();
    peer.say(bytes).await;
    let Peer { mut reads, writes, .. } = peer;
    let _kept = (!ends).then_some(writes);
    let (reason, sent) = end_of(waiting).await;
    assert_eq!(sent, Sent::Unknown);
    assert_eq!(client.closed().await, reason);
    assert_eq!(client.stats().pending_calls, 0);
    // A pipe has no word of farewell.
    assert_eq!(reads.read(&mut [0; 10]).await.unwrap(), 0, "{reason}");
    reason
}

#[tokio::test]
async fn a_record_over_the_limit_ends_the_connection() {
    bounded(async {
        let reason = broken_by(&[b' '; 1001], false).await;
        let words = "the connection was ended by `Settings::limits`: a message of at least 1001 bytes exceeds the limit `message` of 1000 bytes";
        assert_eq!(reason.to_string(), words);
    })
    .await;
}

#[tokio::test]
async fn a_descriptor_that_is_of_no_use_is_named() {
    let ((reads, writes), (others_reads, others_writes)) = (io::pipe().unwrap(), io::pipe().unwrap());
    let socket = std::os::unix::net::UnixStream::pair().unwrap().0;
    for (reads, writes, words) in [
        (
            others_writes.into(),
            writes.try_clone().unwrap().into(),
            "`reads` must be the end of a pipe that can be read",
        ),
        (socket.into(), writes.into(), "`reads` must be"),
        (reads.into(), others_reads.into(), "`writes` must be the end of a pipe that can be written to"),
    ] {
        let error = Client::from_pipe(reads, writes, Settings::default()).unwrap_err();
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

#[tokio::test]
async fn the_end_of_a_pipe_tells_whether_it_cut_a_record() {
    bounded(async {
        for (bytes, mid_message) in [(&b""[..], false), (b"\0", false), (b"{", true), (b"{}\0{}", true)] {
            assert_eq!(broken_by(bytes, true).await, CloseReason::HungUp { mid_message });
        }
    })
    .await;
}

#[tokio::test]
async fn a_record_whose_outside_is_no_json_or_no_text_ends_the_connection() {
    bounded(async {
        let cases: &[(&[u8], usize)] = &[
            (b"{\"id\":1,\"result\":{\0", 18),
            (b"{\"method\":\"A.b\",\"params\":{}}x\0", 28),
            (b"{\"method\":\"A.\xFF\",\"params\":{}}\0", 10),
            (b"{\"meth\xFFod\":\"A.b\",\"params\":{}}\0", 1),
            (b"{\"method\":\"A.b\",\"params\":{},\"sessionId\":\"\xC3\"}\0", 40),
        ];
        for (bytes, offset) in cases {
            let reason = broken_by(bytes, false).await;
            assert!(matches!(reason, CloseReason::Malformed(_)), "{reason}");
            assert!(reason.to_string().ends_with(&format!("not JSON at offset {offset}")), "{reason}");
        }
    })
    .await;
}

#[tokio::test]
async fn bytes_that_are_no_text_inside_of_a_payload_become_the_replacement_character() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let (first, second) = (call(&client, &json!({})), call(&client, &json!({})));
        let (one, two) = (peer.hear(1000).await.unwrap(), peer.hear(1000).await.unwrap());
        let head = format!("{{\"id\":{},\"result\":", one["id"]);
        peer.say([head.as_bytes(), b"{\"a\":\"x\xFFy\xE2\x82\"}}\0"].concat()).await;
        // Outside of a string it is no JSON, which is the error of that call.
        let head = format!("{{\"id\":{},\"result\":", two["id"]);
        peer.say([head.as_bytes(), b"{\xFF}}\0"].concat()).await;
        assert_eq!(first.await.unwrap().get(), "{\"a\":\"x\u{FFFD}y\u{FFFD}\"}");
        let error = second.await.unwrap_err();
        assert!(matches!(error, CallError::Decode(_)), "{error}");
        let last = call(&client, &json!({}));
        let heard = peer.hear(1000).await.unwrap();
        peer.answer(&heard, &json!({})).await;
        last.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_pipe_that_nobody_reads_any_more_tells_which_calls_can_have_been_seen() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let seen = call(&client, &json!({}));
        peer.hear(1000).await.unwrap();
        // More than the pipe takes, so it is cut when the reader goes; the next waits behind it.
        let cut = call(&client, &json!("x".repeat(3_000_000)));
        let waiting = call(&client, &json!({}));
        let mut beginning = [0; 1000];
        peer.reads.read_exact(&mut beginning).await.unwrap();
        let Peer { reads, writes, .. } = peer;
        // The other pipe is open and might still bring answers; time passes only where none can come.
        tokio::time::pause();
        drop(reads);
        for (call, expected) in [(seen, Sent::Unknown), (cut, Sent::No), (waiting, Sent::No)] {
            let (reason, sent) = end_of(call).await;
            assert!(matches!(reason, CloseReason::Io { kind: io::ErrorKind::BrokenPipe, .. }), "{reason}");
            assert_eq!(sent, expected);
        }
        assert_eq!(end_of(call(&client, &json!({}))).await.1, Sent::No);
        drop(writes);
    })
    .await;
}

#[tokio::test]
async fn a_failed_write_loses_no_answer_that_a_real_pipe_still_holds() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let seen = call(&client, &json!({}));
        let heard = peer.hear(1000).await.unwrap();
        peer.answer(&heard, &json!("answered")).await;
        drop(peer);
        // The write fails before the runtime knows that there is something to read: what was answered is not lost.
        let refused = call(&client, &json!({}));
        let (reason, sent) = end_of(refused).await;
        assert_eq!((reason, sent), (CloseReason::HungUp { mid_message: false }, Sent::No));
        assert_eq!(seen.await.unwrap().get(), "\"answered\"");
    })
    .await;
}

#[tokio::test]
async fn calls_and_answers_of_several_megabytes_pass_through_small_pipes() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let sizes = [5_000_000, 10, 3_000_001, 65_536, 0, 7_000_000, 1];
        let text = |n: usize| char::from(b'a' + n as u8).to_string().repeat(sizes[n]);
        let calls: Vec<_> = (0..sizes.len()).map(|n| call(&client, &json!(text(n)))).collect();
        assert!(client.stats().queued_bytes > 15_000_000);
        let browser = async {
            for n in 0..sizes.len() {
                let call = peer.hear(50_000).await.unwrap();
                assert!(call["params"] == text(n), "call {n} is whole");
                peer.answer(&call, &call["params"]).await;
            }
        };
        let ((), answers) = tokio::join!(browser, join_all(calls));
        for (n, answer) in answers.into_iter().enumerate() {
            assert!(answer.unwrap().get() == format!("\"{}\"", text(n)), "answer {n} is whole");
        }
        assert_eq!((client.stats().pending_calls, client.stats().queued_bytes), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn thousands_of_calls_at_once_are_each_answered() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let calls: Vec<_> = (0..5_000).map(|n| call(&client, &json!({"n": n}))).collect();
        // All are read before the first is answered, and the last is answered first.
        let browser = async {
            let mut heard = Vec::new();
            for n in 0..5_000 {
                heard.push(peer.hear(65_536).await.unwrap());
                assert_eq!(heard[n]["params"]["n"], n);
            }
            for call in heard.iter().rev() {
                peer.answer(call, &call["params"]["n"]).await;
            }
        };
        let ((), answers) = tokio::join!(browser, join_all(calls));
        for (n, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.unwrap().get(), n.to_string());
        }
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_reads_and_writes_single_bytes_is_understood() {
    bounded(async {
        let (client, mut peer) = Peer::connect(Settings::default());
        let mut events = client.browser().events_raw(None);
        let calls: Vec<_> = (0..5).map(|n| call(&client, &json!("é".repeat(n * 400)))).collect();
        let browser = async {
            for n in 0..5 {
                let call = peer.hear(1).await.unwrap();
                assert_eq!(call["params"].as_str().unwrap(), "é".repeat(n * 400));
                let event = "{\"method\":\"A.b\",\"params\":{}}\0\0";
                let answer = format!("{event}{{\"id\":{},\"result\":{}}}\0", call["id"], call["params"]);
                for byte in answer.bytes() {
                    peer.say([byte]).await;
                    tokio::task::yield_now().await;
                }
            }
        };
        let ((), answers) = tokio::join!(browser, join_all(calls));
        for (n, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.unwrap().get(), format!("\"{}\"", "é".repeat(n * 400)));
            assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        }
        assert_eq!(client.stats().ignored_messages, 0);
    })
    .await;
}
