//! An in-memory carrier: bytes that are written at one side come out at the other. Room can be limited, so that writes become
//! partial, writes are counted, and each direction has its faults.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};

use super::faults::{Faults, Flow, Gate, Passed, Stop};
use crate::carrier::WriteHalf;

/// One direction.
struct Lane {
    gate: Gate,
    bytes: BytesMut,
    room: Option<usize>,
    writes: usize,
    writer_gone: bool,
    reader_gone: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

#[derive(Clone, Copy)]
enum Way {
    ToBrowser,
    ToClient,
}

struct State {
    to_browser: Lane,
    to_client: Lane,
}

/// Both directions of a connection. They share a lock, since a cut of one ends the other at the same time.
#[derive(Clone)]
pub(super) struct Link(Arc<Mutex<State>>);

/// Where one side writes.
pub(super) struct Writer(Link, Way);

/// Where one side reads.
pub(super) struct Reader(Link, Way);

/// The two ends that one side holds.
pub(super) type Ends = (Reader, Writer);

impl Link {
    /// A connection: itself, the client's ends, the browser's ends.
    pub(super) fn new(faults: Faults) -> (Self, Ends, Ends) {
        let state =
            State { to_browser: Lane::new(faults.to_browser), to_client: Lane::new(faults.to_client) };
        let link = Self(Arc::new(Mutex::new(state)));
        let client = (Reader(link.clone(), Way::ToClient), Writer(link.clone(), Way::ToBrowser));
        let browser = (Reader(link.clone(), Way::ToBrowser), Writer(link.clone(), Way::ToClient));
        (link, client, browser)
    }

    pub(super) fn passed(&self) -> Passed {
        let state = self.lock();
        Passed { to_browser: state.to_browser.gate.passed(), to_client: state.to_client.gate.passed() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn lane(&mut self, way: Way) -> &mut Lane {
        match way {
            Way::ToBrowser => &mut self.to_browser,
            Way::ToClient => &mut self.to_client,
        }
    }

    fn is_cut(&self) -> bool {
        [&self.to_browser, &self.to_client].iter().any(|lane| lane.gate.stopped() == Some(Stop::Cut))
    }

    /// Takes as many bytes as may pass of those that there is `room` for, and says how many.
    fn accept(&mut self, way: Way, bytes: &[u8], room: usize) -> usize {
        let lane = self.lane(way);
        let count = lane.gate.admit(bytes.len().min(room));
        lane.bytes.extend_from_slice(&bytes[..count]);
        lane.gate.pass(count);
        wake(&mut lane.reader);
        if self.is_cut() {
            // Everyone who waits for anything learns of the end.
            for lane in [&mut self.to_browser, &mut self.to_client] {
                wake(&mut lane.reader);
                wake(&mut lane.writer);
            }
        }
        count
    }
}

impl Lane {
    fn new(flow: Flow) -> Self {
        Self {
            gate: Gate::new(flow),
            bytes: BytesMut::new(),
            room: None,
            writes: 0,
            writer_gone: false,
            reader_gone: false,
            reader: None,
            writer: None,
        }
    }

    fn room(&self) -> usize {
        self.room.map_or(usize::MAX, |room| room.saturating_sub(self.bytes.len()))
    }
}

impl Writer {
    /// Writes all that may pass, whatever the room; the rest is lost.
    pub(super) fn write(&self, mut bytes: &[u8]) {
        let mut state = self.0.lock();
        while !bytes.is_empty() && !state.is_cut() {
            match state.accept(self.1, bytes, usize::MAX) {
                0 => return,
                count => bytes.advance(count),
            }
        }
    }
}

impl Reader {
    /// How often something was written.
    pub(super) fn writes(&self) -> usize {
        self.0.lock().lane(self.1).writes
    }

    /// Lets at most this many unread bytes stand in the carrier; `None` for any number.
    pub(super) fn set_room(&self, room: Option<usize>) {
        let mut state = self.0.lock();
        let lane = state.lane(self.1);
        lane.room = room;
        wake(&mut lane.writer);
    }

    /// Takes at most `limit` bytes of what is there; `Ready(0)` at the end.
    fn poll_bytes<T>(&self, cx: &mut Context<'_>, limit: usize, take: impl FnOnce(&[u8]) -> T) -> Poll<T> {
        let mut state = self.0.lock();
        let is_cut = state.is_cut();
        let lane = state.lane(self.1);
        if lane.bytes.is_empty() && !lane.writer_gone && !is_cut {
            lane.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let count = lane.bytes.len().min(limit).min(lane.gate.piece());
        let taken = take(&lane.bytes[..count]);
        lane.bytes.advance(count);
        wake(&mut lane.writer);
        Poll::Ready(taken)
    }

    /// Takes what is there; `Ready(0)` at the end.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>, into: &mut BytesMut) -> Poll<usize> {
        self.poll_bytes(cx, usize::MAX, |bytes| {
            into.extend_from_slice(bytes);
            bytes.len()
        })
    }
}

impl WriteHalf for Writer {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if state.is_cut() || state.lane(self.1).reader_gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let room = state.lane(self.1).room();
        let count = state.accept(self.1, bytes, room);
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        state.lane(self.1).writes += 1;
        Ok(count)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        let is_cut = state.is_cut();
        let lane = state.lane(self.1);
        if is_cut || lane.reader_gone || (lane.room() > 0 && lane.gate.stopped().is_none()) {
            return Poll::Ready(Ok(()));
        }
        lane.writer = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_bytes(cx, out.remaining(), |bytes| out.put_slice(bytes)).map(Ok)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let lane = state.lane(self.1);
        lane.writer_gone = true;
        wake(&mut lane.reader);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let lane = state.lane(self.1);
        lane.reader_gone = true;
        wake(&mut lane.writer);
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}
