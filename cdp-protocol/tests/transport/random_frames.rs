//! Both directions of a websocket against tungstenite, which shares no code with ours: random messages, fragments, control frames
//! between them and cuts of the stream. A seed that fails is printed; `ARBTEST_SEED` repeats it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use bytes::{Bytes, BytesMut};
use cdp_protocol::wire::{Decoder, Encoder, Incoming, Limits, Masking};
use cdp_protocol::{CallError, Client, CloseReason, Sent};
use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocket};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::servers::{accept, listen};
use crate::{bounded, raw};

/// Runs `property` on `seeds` seeds, each with up to `bytes` bytes of chance.
fn with_seeds(seeds: u32, bytes: u64, mut property: impl FnMut(&mut Unstructured<'_>) -> Result<()>) {
    if std::env::var_os("ARBTEST_SEED").is_some() {
        return arbtest(&mut property).run();
    }
    for _ in 0..seeds {
        // The lower half of a seed says how many bytes there are.
        let chance = RandomState::new().build_hasher().finish() << u32::BITS;
        arbtest(&mut property).seed(chance | bytes).run();
    }
}

/// A length that is mostly small, at times near a border of the format, and rarely large.
fn length(u: &mut Unstructured<'_>) -> Result<usize> {
    Ok(match u.int_in_range(0..=9u8)? {
        0..=4 => u.int_in_range(0..=60)?,
        5 => u.int_in_range(120..=130)?,
        6 => u.int_in_range(65_530..=65_540)?,
        7 => u.int_in_range(100_000..=300_000)?,
        _ => u.int_in_range(0..=5_000)?,
    })
}

/// Text of about this many bytes, of characters of every width.
fn text(u: &mut Unstructured<'_>, length: usize) -> Result<String> {
    let few: Vec<char> = (0..7).map(|_| u.arbitrary()).collect::<Result<_>>()?;
    let mut out = String::new();
    for c in few.into_iter().chain(['x', '€']).cycle() {
        if out.len() >= length {
            return Ok(out);
        }
        out.push(c);
    }
    Ok(out)
}

/// One frame of a server, as it is to be sent.
#[derive(Clone, Debug)]
enum Step {
    Data(OpCode, bool, Bytes),
    Ping(Bytes),
    Pong(Bytes),
}

impl Step {
    fn message(self) -> Message {
        match self {
            Self::Data(opcode, fin, payload) => Message::Frame(Frame::message(payload, opcode, fin)),
            Self::Ping(payload) => Message::Ping(payload),
            Self::Pong(payload) => Message::Pong(payload),
        }
    }
}

/// Cuts a message into frames anywhere, also inside of characters and into empty ones, with pings and pongs between them.
fn steps(u: &mut Unstructured<'_>, message: &Bytes, kind: Data) -> Result<Vec<Step>> {
    let cuts = if u.ratio(1, 2)? { u.int_in_range(0..=6)? } else { 0 };
    let mut borders: Vec<usize> =
        (0..cuts).map(|_| u.int_in_range(0..=message.len())).collect::<Result<_>>()?;
    borders.sort_unstable();
    borders.push(message.len());
    let (mut out, mut from) = (Vec::new(), 0);
    for (n, to) in borders.iter().copied().enumerate() {
        let opcode = OpCode::Data(if n == 0 { kind } else { Data::Continue });
        out.push(Step::Data(opcode, n == cuts, message.slice(from..to)));
        from = to;
        while u.ratio(1, 3)? {
            let length = u.int_in_range(0..=125)?;
            let payload = Bytes::copy_from_slice(u.bytes(length.min(u.len()))?);
            out.push(if u.ratio(2, 3)? { Step::Ping(payload) } else { Step::Pong(payload) });
        }
    }
    Ok(out)
}

/// A stream in memory: what is written, and what is to be read.
#[derive(Clone, Default)]
struct Memory {
    written: Rc<RefCell<Vec<u8>>>,
    to_read: Rc<RefCell<VecDeque<u8>>>,
}

impl Read for Memory {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.to_read.borrow_mut().read(out)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            count => Ok(count),
        }
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn tungstenite() -> (WebSocket<Memory>, Memory) {
    let memory = Memory::default();
    (WebSocket::from_raw_socket(memory.clone(), Role::Server, None), memory)
}

#[test]
fn whatever_tungstenite_sends_is_read_in_any_pieces() {
    with_seeds(300, 1 << 12, |u| {
        let (mut server, memory) = tungstenite();
        let mut expected = Vec::new();
        for _ in 0..u.int_in_range(1..=8)? {
            let wanted = length(u)?;
            let (kind, message) = if u.ratio(3, 4)? {
                (Data::Text, Bytes::from(text(u, wanted)?))
            } else {
                (Data::Binary, Bytes::from(vec![0xFF; wanted]))
            };
            let mut behind = Vec::new();
            for step in steps(u, &message, kind)? {
                match &step {
                    Step::Data(_, false, _) => {}
                    Step::Data(_, true, _) => expected.push(Incoming::Message(message.clone())),
                    Step::Ping(payload) => expected.push(Incoming::Ping(payload.clone())),
                    Step::Pong(payload) => expected.push(Incoming::Pong(payload.clone())),
                }
                behind.push(step);
            }
            for step in behind {
                server.send(step.message()).unwrap();
            }
        }
        let bytes = memory.written.take();
        let mut decoder = Decoder::ws(Limits::default());
        let (mut buffer, mut seen, mut rest) = (BytesMut::new(), Vec::new(), &bytes[..]);
        while !rest.is_empty() {
            decoder.make_room(&mut buffer);
            // As a read does, no more than there is room for.
            let room = (buffer.capacity() - buffer.len()).min(rest.len());
            let most = if u.ratio(1, 2)? { room.min(10) } else { room };
            let (piece, behind) = rest.split_at(u.int_in_range(1..=most)?);
            buffer.extend_from_slice(piece);
            rest = behind;
            while let Some(incoming) = decoder.next(&mut buffer).unwrap() {
                seen.push(incoming);
            }
        }
        assert!(seen == expected, "{} of {} came out as they were sent", seen.len(), expected.len());
        assert!(!decoder.is_mid_message(&buffer));
        Ok(())
    });
}

#[test]
fn whatever_is_written_is_read_by_tungstenite_under_every_mask() {
    with_seeds(300, 1 << 10, |u| {
        let masking = if u.arbitrary()? { Masking::Random } else { Masking::Zero };
        let mut encoder = Encoder::ws(masking);
        let (mut server, memory) = tungstenite();
        for _ in 0..u.int_in_range(1..=4)? {
            let mut out = BytesMut::new();
            let mut expected = Vec::new();
            for _ in 0..u.int_in_range(1..=4)? {
                let wanted = length(u)?;
                let text = text(u, wanted)?;
                let written = encoder.message::<()>(&mut out, |out| {
                    out.extend_from_slice(text.as_bytes());
                    Ok(())
                });
                assert_eq!(written, Ok(text.len()));
                expected.push(Message::text(text));
                if let (Encoder::Ws(writer), true) = (&mut encoder, u.arbitrary()?) {
                    let payload = Bytes::copy_from_slice(u.bytes(u.len().min(20))?);
                    writer.pong(&mut out, &payload);
                    expected.push(Message::Pong(payload));
                }
            }
            memory.to_read.borrow_mut().extend(&out[..]);
            for expected in expected {
                // Tungstenite refuses frames that are not masked.
                assert!(server.read().unwrap() == expected);
            }
            let nothing = server.read();
            assert!(matches!(&nothing, Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock));
        }
        Ok(())
    });
}

/// A socket that is written to in pieces of the sizes given, over and over, and lets others run between them.
struct Pieces {
    socket: TcpStream,
    sizes: Vec<usize>,
    next: usize,
    rest: bool,
}

impl AsyncWrite for Pieces {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.rest = !this.rest;
        if this.rest {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let size = this.sizes[this.next % this.sizes.len()];
        this.next += 1;
        Pin::new(&mut this.socket).poll_write(cx, &bytes[..size.min(bytes.len())])
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

impl AsyncRead for Pieces {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_read(cx, out)
    }
}

/// How a conversation ends.
#[derive(Debug)]
enum End {
    Client,
    Server(CloseFrame),
    Gone,
}

/// All that happens in one conversation.
#[derive(Debug)]
struct Plan {
    events: Vec<Vec<Step>>,
    calls: Vec<String>,
    sizes: Vec<usize>,
    end: End,
}

impl Plan {
    fn choose(u: &mut Unstructured<'_>) -> Result<Self> {
        let mut events = Vec::new();
        for n in 0..u.int_in_range(0..=12)? {
            let wanted = length(u)?;
            let params = json!({"n": n, "text": text(u, wanted)?});
            let message = Bytes::from(json!({"method": "Test.event", "params": params}).to_string());
            let kind = if u.ratio(1, 5)? { Data::Binary } else { Data::Text };
            events.push(steps(u, &message, kind)?);
        }
        let mut calls = Vec::new();
        for _ in 0..u.int_in_range(0..=6)? {
            let wanted = length(u)?;
            calls.push(text(u, wanted)?);
        }
        let mut sizes = vec![if u.arbitrary()? { 1 << 20 } else { 4_000 }];
        for _ in 0..u.int_in_range(0..=5)? {
            sizes.push(u.int_in_range(1..=3_000)?);
        }
        let end = match u.int_in_range(0..=3)? {
            0 => End::Client,
            1 => End::Gone,
            _ => {
                let code = u.choose(&[1000u16, 1001, 1003, 1011, 3000, 4999])?;
                End::Server(CloseFrame { code: (*code).into(), reason: text(u, 40)?.into() })
            }
        };
        Ok(Self { events, calls, sizes, end })
    }
}

#[test]
fn conversations_with_tungstenite_over_tcp_lose_and_mix_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    with_seeds(40, 1 << 12, |u| {
        let plan = Plan::choose(u)?;
        runtime.block_on(bounded(converse(plan)));
        Ok(())
    });
}

async fn converse(plan: Plan) {
    let (listener, address) = listen().await;
    let (sizes, count) = (plan.sizes.clone(), plan.events.len());
    let server = async {
        let socket = accept(&listener).await;
        socket.set_nodelay(true).unwrap();
        accept_async(Pieces { socket, sizes, next: 0, rest: false }).await.unwrap()
    };
    let (client, server) = tokio::join!(Client::connect(format!("ws://{address}/")).into_future(), server);
    let client = client.unwrap();
    let mut events = client.browser().events_raw(None).limit(64 << 20);
    let all_calls =
        plan.calls.iter().map(|text| client.browser().call_raw("Test.echo", &raw(&json!(text).to_string())));
    let answers = join_all(all_calls.collect::<Vec<_>>());

    let (mut sink, mut stream) = server.split();
    let (calls_in, mut calls_out) = tokio::sync::mpsc::unbounded_channel::<Value>();
    let pings = plan.events.iter().flatten().filter_map(|step| match step {
        Step::Ping(payload) => Some(payload.clone()),
        _ => None,
    });
    let pings: Vec<Bytes> = pings.collect();
    let hear = async {
        let (mut calls, mut pongs) = (0, Vec::new());
        while calls < plan.calls.len() || pongs.len() < pings.len() {
            match stream.next().await.unwrap().unwrap() {
                Message::Text(call) => {
                    calls_in.send(serde_json::from_str(&call).unwrap()).unwrap();
                    calls += 1;
                }
                Message::Pong(payload) => pongs.push(payload),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(pongs, pings);
        stream
    };
    let say = async {
        let mut left = plan.calls.len();
        let mut events = plan.events.iter();
        loop {
            // Answers go between messages, as they are ready, and at last when nothing else is left to say.
            let event = events.next();
            let call =
                if event.is_none() && left > 0 { calls_out.recv().await } else { calls_out.try_recv().ok() };
            if let Some(call) = call {
                let answer = json!({"id": call["id"], "result": call["params"]});
                sink.send(Message::text(answer.to_string())).await.unwrap();
                left -= 1;
            } else if event.is_none() {
                return sink;
            }
            for step in event.into_iter().flatten() {
                sink.send(step.clone().message()).await.unwrap();
            }
        }
    };
    let take = async {
        for n in 0..count {
            let event = events.next().await.unwrap().unwrap();
            let params: Value = serde_json::from_slice(event.params()).unwrap();
            assert_eq!(params["n"], n);
            let whole: Vec<u8> = plan.events[n]
                .iter()
                .flat_map(|step| match step {
                    Step::Data(_, _, part) => part.to_vec(),
                    _ => Vec::new(),
                })
                .collect();
            assert!(serde_json::from_slice::<Value>(&whole).unwrap()["params"] == params, "event {n}");
        }
    };
    let (answers, stream, sink, ()) = tokio::join!(answers, hear, say, take);
    for (answer, text) in answers.into_iter().zip(&plan.calls) {
        let answer: String = serde_json::from_str(answer.unwrap().get()).unwrap();
        assert!(answer == *text);
    }
    let mut server = stream.reunite(sink).unwrap();

    // The end, while a call waits.
    let waiting = client.browser().call_raw("Test.last", &raw("{}"));
    assert!(server.next().await.unwrap().unwrap().is_text());
    let expected = match plan.end {
        End::Client => {
            client.close();
            let close = server.next().await.unwrap().unwrap();
            assert!(matches!(&close, Message::Close(Some(close)) if close.code == 1000.into()), "{close:?}");
            assert!(server.next().await.is_none());
            CloseReason::Requested
        }
        End::Server(frame) => {
            let expected = CloseReason::PeerClosed {
                code: Some(frame.code.into()),
                reason: frame.reason.as_str().into(),
            };
            server.close(Some(frame.clone())).await.unwrap();
            let echo = server.next().await.unwrap().unwrap();
            assert!(matches!(&echo, Message::Close(Some(echo)) if echo.code == frame.code), "{echo:?}");
            assert!(server.next().await.is_none());
            expected
        }
        End::Gone => {
            drop(server);
            CloseReason::HungUp { mid_message: false }
        }
    };
    let Err(CallError::Closed { reason, sent: Sent::Unknown, .. }) = waiting.await else {
        panic!("not closed as {expected}")
    };
    assert_eq!((&reason, &client.closed().await), (&expected, &expected));
    assert_eq!((client.stats().pending_calls, client.stats().ignored_messages), (0, 0));
}
