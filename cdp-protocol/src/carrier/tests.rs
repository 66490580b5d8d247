//! The driver on an in-memory carrier and a clock that stands still until nothing else can be done: what it asks a silent peer,
//! and how a full stream holds it.

use std::future::{Future as _, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream, ReadBuf, duplex};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, timeout};

use super::driver::start;
use super::half::{ReadHalf, WriteHalf};
use super::outgoing::Outgoing;
use super::shared::Shared;
use crate::error::{CloseReason, Probe};
use crate::mux::{Answer, CallId, Interest, Subscription};
use crate::settings::Settings;
use crate::wire::{Decoder, Encoder, Limits, Masking};

/// What a ws ping looks like here, where nothing is masked.
const PING: &[u8] = &[0x89, 0x80, 0, 0, 0, 0];
const PONG: &[u8] = &[0x8A, 0];
/// How much may stand in the carrier unread.
const ROOM: usize = 1024;

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The other end: what is written to `bytes` arrives, and each write of this side comes out of `writes`.
struct Peer {
    bytes: DuplexStream,
    writes: UnboundedReceiver<Vec<u8>>,
    blocked: Arc<AtomicBool>,
    started: Instant,
}

struct Sink {
    writes: UnboundedSender<Vec<u8>>,
    blocked: Arc<AtomicBool>,
}

impl WriteHalf for Sink {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        if self.blocked.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.writes.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.blocked.load(Ordering::Relaxed) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

type Connect = fn(Settings) -> (Arc<Shared>, Peer);

fn ws(settings: Settings) -> (Arc<Shared>, Peer) {
    connect(Encoder::ws(Masking::Zero), Decoder::ws(Limits::default()), settings)
}

fn pipe(settings: Settings) -> (Arc<Shared>, Peer) {
    connect(Encoder::Pipe, Decoder::pipe(Limits::default()), settings)
}

fn connect(encoder: Encoder, decoder: Decoder, settings: Settings) -> (Arc<Shared>, Peer) {
    let (bytes, reads) = duplex(ROOM);
    connect_to(Box::new(reads), bytes, encoder, decoder, settings)
}

fn connect_to(
    reads: ReadHalf,
    bytes: DuplexStream,
    encoder: Encoder,
    decoder: Decoder,
    settings: Settings,
) -> (Arc<Shared>, Peer) {
    let (sent, writes) = unbounded_channel();
    let blocked = Arc::new(AtomicBool::new(false));
    let outgoing = Outgoing::new(encoder, Box::new(Sink { writes: sent, blocked: blocked.clone() }));
    let shared = start(reads, decoder, BytesMut::new(), outgoing, settings);
    (shared, Peer { bytes, writes, blocked, started: Instant::now() })
}

impl Peer {
    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.bytes.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next write, and how many milliseconds after the start it came.
    async fn wrote(&mut self) -> (u64, Vec<u8>) {
        let bytes = self.writes.recv().await.expect("the driver writes again");
        (self.now(), bytes)
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Nothing was written, and the writing half is still there.
    fn is_left_alone(&mut self) -> bool {
        self.writes.is_empty() && !self.writes.is_closed()
    }
}

fn call(shared: &Shared) -> CallId {
    let key = shared.mux().open(None);
    shared.call(key, None, "Test.call", &()).ok().expect("the call is taken")
}

async fn answer(shared: &Shared, id: CallId) -> Answer {
    poll_fn(|cx| shared.mux().poll(id, cx.waker()).0).await.expect("the call is known")
}

/// Pending calls and late replies.
fn counts(shared: &Shared) -> (usize, u64) {
    let mux = shared.mux();
    (mux.pending_calls(), mux.late_replies())
}

fn probe_call(encoder: Encoder) -> Vec<u8> {
    let json = br#"{"id":2147483647,"method":"Browser.getVersion"}"#;
    match encoder {
        Encoder::Pipe => [&json[..], b"\0"].concat(),
        _ => [&[0x81, 0x80 | json.len() as u8, 0, 0, 0, 0], &json[..]].concat(),
    }
}

fn text(json: &str) -> Vec<u8> {
    assert!(json.len() < 126);
    [&[0x81, json.len() as u8], json.as_bytes()].concat()
}

#[tokio::test(start_paused = true)]
async fn a_socket_without_a_byte_is_pinged_and_given_up() {
    let (shared, mut peer) = ws(Settings::default().ping(ms(1000), ms(300)));
    let id = call(&shared);
    assert_eq!(peer.wrote().await.0, 0);
    assert_eq!(peer.wrote().await, (1000, PING.to_vec()));
    let reason = CloseReason::Unresponsive { probe: Probe::Ping, silence: ms(1300) };
    assert_eq!(reason.to_string(), "the peer has been silent for 1300 ms and did not answer a ping");
    let Answer::Closed { reason: told, .. } = answer(&shared, id).await else { panic!("not closed") };
    assert_eq!((told, peer.now()), (reason.clone(), 1300));
    assert_eq!(peer.writes.recv().await, None, "the carrier is let go without a word");
    assert_eq!((shared.closed().await, peer.now()), (reason, 1300));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_answers_pings_is_kept_for_ever() {
    let (shared, mut peer) = ws(Settings::default().ping(ms(1000), ms(300)));
    for round in 1..=20 {
        assert_eq!(peer.wrote().await, (round * 1250 - 250, PING.to_vec()));
        sleep(ms(250)).await;
        peer.send(PONG).await;
    }
    assert!(shared.mux().closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_pipe_is_not_pinged() {
    let (shared, mut peer) = pipe(Settings::default().ping(ms(1000), ms(300)));
    sleep(ms(1_000_000)).await;
    assert!(peer.is_left_alone() && shared.mux().closed().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_browser_that_answers_no_call_is_given_up_though_its_pongs_come() {
    let settings = Settings::default().heartbeat(ms(1000)).ping(ms(700), ms(300));
    let (shared, mut peer) = ws(settings);
    for at in [700, 1000, 1700, 2000, 2700] {
        let (now, bytes) = peer.wrote().await;
        assert_eq!(now, at);
        let is_ping = at % 1000 != 0;
        assert_eq!(bytes, if is_ping { PING.to_vec() } else { probe_call(Encoder::ws(Masking::Zero)) });
        peer.send(PONG).await;
    }
    let reason = CloseReason::Unresponsive { probe: Probe::Heartbeat, silence: ms(3000) };
    assert_eq!((shared.closed().await, peer.now()), (reason, 3000));
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_to_a_heartbeat_is_an_answer_and_nobodys() {
    let (shared, mut peer) = pipe(Settings::default().heartbeat(ms(1000)));
    let asked = probe_call(Encoder::Pipe);
    for round in 0..5 {
        let start = round * 2900;
        assert_eq!(peer.wrote().await, (start + 1000, asked.clone()));
        assert_eq!(counts(&shared), (0, 0));
        assert_eq!(peer.wrote().await, (start + 2000, asked.clone()));
        sleep(ms(900)).await;
        let says = ["\"result\":{}", "\"error\":{\"code\":1,\"message\":\"x\"}"][round as usize % 2];
        peer.send(format!("{{\"id\":2147483647,{says}}}\0")).await;
    }
    sleep(ms(1)).await;
    assert_eq!(counts(&shared), (0, 0));
    // And without any, two misses are the end.
    let reason = CloseReason::Unresponsive { probe: Probe::Heartbeat, silence: ms(3000) };
    assert_eq!((shared.closed().await, peer.now()), (reason, 5 * 2900 + 3000));
}

#[tokio::test(start_paused = true)]
async fn a_large_message_that_trickles_in_is_a_sign_of_life_to_both() {
    let mut json = br#"{"method":"A.b","params":{"x":"#.to_vec();
    json.extend([b"\"", &[b'x'; 300][..], b"\"}}"].concat());
    let length = u16::try_from(json.len()).unwrap().to_be_bytes();
    let fragments = json.chunks(10).enumerate().map(|(n, part)| {
        let first = (u8::from(n == 0)) | if (n + 1) * 10 >= json.len() { 0x80 } else { 0 };
        [&[first, part.len() as u8], part].concat()
    });
    let pieces = [
        (ws as Connect, [&[0x81, 126][..], &length, &json].concat()),
        (ws, fragments.flatten().collect()),
        (pipe, [&json[..], b"\0"].concat()),
    ];
    for (connect, bytes) in pieces {
        let (shared, mut peer) = connect(Settings::default().ping(ms(1000), ms(1)).heartbeat(ms(1000)));
        let stream = subscribe(&shared);
        for byte in bytes {
            sleep(ms(999)).await;
            peer.send([byte]).await;
        }
        sleep(ms(1)).await;
        assert!(peer.is_left_alone() && shared.mux().closed().is_none());
        assert!(matches!(stream.poll(Waker::noop()), Poll::Ready(Some(Ok(_)))));
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_connection_is_never_asked() {
    let (shared, mut peer) = ws(Settings::default().ping(ms(1000), ms(1)).heartbeat(ms(1000)));
    for _ in 0..1000 {
        sleep(ms(999)).await;
        peer.send(text(r#"{"method":"A.b","params":{}}"#)).await;
    }
    assert!(peer.is_left_alone() && shared.mux().closed().is_none());
}

/// What has arrived without anyone having been woken for it yet.
#[derive(Clone, Default)]
struct Quiet(Arc<Mutex<Vec<u8>>>);

impl AsyncRead for Quiet {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let arrived = std::mem::take(&mut *self.0.lock().unwrap());
        out.put_slice(&arrived);
        if arrived.is_empty() { Poll::Pending } else { Poll::Ready(Ok(())) }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_there_is_read_before_the_peer_is_judged() {
    let quiet = Quiet::default();
    let (encoder, decoder) = (Encoder::ws(Masking::Zero), Decoder::ws(Limits::default()));
    let settings = Settings::default().ping(ms(1000), ms(300));
    let (shared, mut peer) = connect_to(Box::new(quiet.clone()), duplex(ROOM).0, encoder, decoder, settings);
    assert_eq!(peer.wrote().await, (1000, PING.to_vec()));
    // As after a stop of this machine: the time is over, and the answer lies in the carrier.
    quiet.0.lock().unwrap().extend(PONG);
    assert_eq!(peer.wrote().await, (2300, PING.to_vec()));
    assert!(shared.mux().closed().is_none());
}

/// A carrier whose reader is run late once, as on a thread that something else keeps busy.
struct Late<F> {
    carrier: DuplexStream,
    at: Instant,
    by: Duration,
    meanwhile: Option<F>,
}

impl<F: FnOnce() + Unpin> AsyncRead for Late<F> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if Instant::now() >= this.at
            && let Some(meanwhile) = this.meanwhile.take()
        {
            // Moves the clock when it is polled for the first time; timers fire and tasks run only after this one.
            assert!(pin!(tokio::time::advance(this.by)).poll(cx).is_pending());
            meanwhile();
        }
        Pin::new(&mut this.carrier).poll_read(cx, out)
    }
}

#[tokio::test(start_paused = true)]
async fn what_falls_due_while_the_driver_waits_for_its_turn_is_not_judged_before_the_carrier_is_looked_at() {
    // One asks at 1000 ms, the other would end the connection soon after, and the driver is run at 1300.
    for settings in [
        Settings::default().ping(ms(1000), ms(5000)).heartbeat(ms(400)),
        Settings::default().ping(ms(800), ms(250)).heartbeat(ms(1000)),
    ] {
        let (encoder, decoder) = (Encoder::ws(Masking::Zero), Decoder::ws(Limits::default()));
        let (carrier, mut browser) = duplex(ROOM);
        let is_late = Arc::new(Notify::new());
        let (at, by, meanwhile) = (Instant::now() + ms(1000), ms(300), is_late.clone());
        let late = Late { carrier, at, by, meanwhile: Some(move || meanwhile.notify_one()) };
        let (shared, _peer) = connect_to(Box::new(late), duplex(ROOM).0, encoder, decoder, settings);
        // The answer came in time, and the runtime has not noticed it.
        is_late.notified().await;
        browser.write_all(&text(r#"{"id":2147483647,"result":{}}"#)).await.unwrap();
        sleep(ms(300)).await;
        assert_eq!(shared.mux().closed(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocked_writer_does_not_keep_a_silent_peer() {
    for (settings, probe) in [
        (Settings::default().ping(ms(1000), ms(2000)), Probe::Ping),
        (Settings::default().heartbeat(ms(1000)), Probe::Heartbeat),
    ] {
        let (shared, peer) = ws(settings);
        peer.blocked.store(true, Ordering::Relaxed);
        let id = call(&shared);
        let reason = CloseReason::Unresponsive { probe, silence: ms(3000) };
        assert_eq!((shared.closed().await, peer.now()), (reason, 3000));
        assert!(matches!(answer(&shared, id).await, Answer::Closed { .. }));
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_while_the_connection_closes() {
    let (shared, mut peer) = ws(Settings::default().ping(ms(900), ms(10)).heartbeat(ms(100)));
    peer.blocked.store(true, Ordering::Relaxed);
    call(&shared);
    shared.request_close();
    assert_eq!((shared.closed().await, peer.now()), (CloseReason::Requested, 1000));
    assert_eq!(peer.writes.recv().await, None);
}

const EVENT: &str = r#"{"method":"A.b","params":{"number":12345678}}"#;

fn subscribe(shared: &Shared) -> Arc<Subscription> {
    let stream = Arc::new(Subscription::new(Interest::Prefixed("")));
    let key = shared.mux().open(None);
    shared.mux().subscribe(key, stream.clone());
    stream
}

/// Reads all that a stream holds, without letting the driver run; says how many events.
fn drain(stream: &Subscription) -> usize {
    let mut count = 0;
    while let Poll::Ready(Some(event)) = stream.poll(Waker::noop()) {
        assert_eq!(event.unwrap().method(), "A.b");
        count += 1;
    }
    count
}

#[tokio::test(start_paused = true)]
async fn a_full_stream_stops_the_reader_at_one_event_over_its_limit_until_it_is_read() {
    let (shared, mut peer) = pipe(Settings::default().heartbeat(ms(1000)));
    let (stream, other) = (subscribe(&shared), subscribe(&shared));
    stream.set_limit(1500);
    stream.hold_reader();
    let sent = format!("{EVENT}\0").repeat(200);
    let mut writing = Box::pin(peer.bytes.write_all(sent.as_bytes()));
    // Time moves only when nobody can do anything, so this says that the peer is held up, and for how long nobody is asked.
    assert!(timeout(ms(100_000), &mut writing).await.is_err(), "the peer feels nothing");
    let held = drain(&stream);
    assert!((1..1500 / EVENT.len()).contains(&held), "{held} events of {} bytes", EVENT.len());
    assert_eq!(drain(&other), held, "the others see no more");
    let mut seen = held;
    while timeout(ms(100), &mut writing).await.is_err() {
        let more = drain(&stream);
        assert_eq!(more, held, "as much as before, each time");
        seen += more;
    }
    writing.await.unwrap();
    while seen < 200 {
        sleep(ms(1)).await;
        seen += drain(&stream);
    }
    assert_eq!((seen, shared.mux().closed()), (200, None));
    assert!(peer.writes.is_empty(), "nobody was asked");
    // When all is read, the silence counts again.
    let before = peer.now();
    let (asked, _) = peer.wrote().await;
    assert!(asked - before <= 1000, "asked {} ms later", asked - before);
}

#[tokio::test(start_paused = true)]
async fn closing_while_the_reader_is_held_writes_what_is_queued_and_ends() {
    for blocked in [false, true] {
        let (shared, mut peer) = pipe(Settings::default());
        let stream = subscribe(&shared);
        stream.set_limit(0);
        stream.hold_reader();
        peer.send(format!("{EVENT}\0").repeat(10)).await;
        sleep(ms(1)).await;
        peer.blocked.store(blocked, Ordering::Relaxed);
        let id = call(&shared);
        shared.request_close();
        assert_eq!(shared.closed().await, CloseReason::Requested);
        assert_eq!(peer.now(), if blocked { 1001 } else { 1 });
        assert_eq!(peer.writes.recv().await.is_some(), !blocked);
        assert!(matches!(answer(&shared, id).await, Answer::Closed { .. }));
        assert_eq!(drain(&stream), 1, "what was taken can still be read");
    }
}

#[tokio::test(start_paused = true)]
async fn when_writing_fails_all_that_came_is_still_taken_though_a_stream_is_full() {
    let (shared, mut peer) = pipe(Settings::default());
    let stream = subscribe(&shared);
    stream.set_limit(0);
    stream.hold_reader();
    peer.send(format!("{EVENT}\0").repeat(10)).await;
    sleep(ms(1)).await;
    peer.writes.close();
    call(&shared);
    assert!(matches!(shared.closed().await, CloseReason::Io { kind: io::ErrorKind::BrokenPipe, .. }));
    assert_eq!(drain(&stream), 10);
}

#[tokio::test(start_paused = true)]
async fn pings_that_nobody_takes_the_answers_of_do_not_fill_the_memory() {
    let (shared, mut peer) = ws(Settings::default());
    peer.blocked.store(true, Ordering::Relaxed);
    for round in 0..5000u32 {
        peer.send([&[0x89, 4][..], &round.to_be_bytes()].concat()).await;
    }
    sleep(ms(1)).await;
    assert_eq!(shared.queued_bytes(), 1000 * 10);
    // When all of those are written, the newest is answered.
    peer.blocked.store(false, Ordering::Relaxed);
    call(&shared);
    let newest = [&[0x8A, 0x84, 0, 0, 0, 0][..], &4999u32.to_be_bytes()].concat();
    let mut written = Vec::new();
    while !written.ends_with(&newest) {
        written.extend(timeout(ms(1000), peer.wrote()).await.expect("the newest ping is answered").1);
    }
}

/// A reading half that looks, when it is dropped, whether the connection counts as closed already.
struct Watched {
    reads: DuplexStream,
    shared: Arc<OnceLock<Arc<Shared>>>,
    was_closed: Arc<OnceLock<bool>>,
}

impl AsyncRead for Watched {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().reads).poll_read(cx, out)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let closed = pin!(self.shared.get().unwrap().closed()).poll(&mut Context::from_waker(Waker::noop()));
        self.was_closed.set(closed.is_ready()).unwrap();
    }
}

#[tokio::test]
async fn a_connection_counts_as_closed_when_its_carrier_is_released() {
    let (shared, was_closed) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
    let (bytes, reads) = duplex(ROOM);
    let reads = Box::new(Watched { reads, shared: shared.clone(), was_closed: was_closed.clone() });
    let (connection, peer) =
        connect_to(reads, bytes, Encoder::Pipe, Decoder::pipe(Limits::default()), Settings::default());
    shared.set(connection.clone()).ok().unwrap();
    connection.request_close();
    connection.closed().await;
    assert_eq!((was_closed.get(), peer.writes.is_closed()), (Some(&false), true));
}

/// A peer that sends without an end, and counts.
struct Endless(Arc<AtomicU64>);

impl AsyncRead for Endless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let count = out.remaining().min(1 << 20);
        out.put_slice(&vec![b' '; count]);
        // Far beyond the bound it does end, so that a test of that fails in place of running for ever.
        let before = self.0.fetch_add(count as u64, Ordering::Relaxed);
        Poll::Ready(if before > 200 << 20 { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) })
    }
}

#[tokio::test(start_paused = true)]
async fn when_writing_fails_a_peer_that_goes_on_sending_is_not_read_for_ever() {
    let count = Arc::new(AtomicU64::new(0));
    let (bytes, _) = duplex(ROOM);
    let reads = Box::new(Endless(count.clone()));
    let (shared, peer) =
        connect_to(reads, bytes, Encoder::Pipe, Decoder::pipe(Limits::default()), Settings::default());
    drop(peer);
    call(&shared);
    assert!(matches!(shared.closed().await, CloseReason::Io { kind: io::ErrorKind::BrokenPipe, .. }));
    assert!((64 << 20..66 << 20).contains(&count.load(Ordering::Relaxed)), "{count:?} bytes were read");
}
