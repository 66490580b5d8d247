//! One direction of an in-memory carrier: bytes that are written come out at the other end. Room can be limited, so that writes
//! become partial, and writes are counted.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};

use crate::carrier::WriteHalf;

#[derive(Default)]
struct State {
    bytes: BytesMut,
    room: Option<usize>,
    writes: usize,
    writer_gone: bool,
    reader_gone: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

#[derive(Clone, Default)]
struct Channel(Arc<Mutex<State>>);

impl Channel {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The two ends of one direction.
pub(super) fn channel() -> (Writer, Reader) {
    let channel = Channel::default();
    (Writer(channel.clone()), Reader(channel))
}

pub(super) struct Writer(Channel);

pub(super) struct Reader(Channel);

impl Writer {
    /// Writes all, whatever the room.
    pub(super) fn write(&self, bytes: &[u8]) {
        let mut state = self.0.lock();
        state.bytes.extend_from_slice(bytes);
        wake(state.reader.take());
    }
}

impl Reader {
    /// How often something was written.
    pub(super) fn writes(&self) -> usize {
        self.0.lock().writes
    }

    /// Lets at most this many unread bytes stand in the carrier; `None` for any number.
    pub(super) fn set_room(&self, room: Option<usize>) {
        let mut state = self.0.lock();
        state.room = room;
        wake(state.writer.take());
    }

    /// Takes what is there; `Ready(0)` at the end.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>, into: &mut BytesMut) -> Poll<usize> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && !state.writer_gone {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let taken = state.bytes.split();
        wake(state.writer.take());
        into.extend_from_slice(&taken);
        Poll::Ready(taken.len())
    }
}

impl WriteHalf for Writer {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if state.reader_gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let room = state.room.map_or(usize::MAX, |room| room.saturating_sub(state.bytes.len()));
        let count = bytes.len().min(room);
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        state.bytes.extend_from_slice(&bytes[..count]);
        state.writes += 1;
        wake(state.reader.take());
        Ok(count)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if state.reader_gone || state.room.is_none_or(|room| state.bytes.len() < room) {
            return Poll::Ready(Ok(()));
        }
        state.writer = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncRead for Reader {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && !state.writer_gone {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let count = state.bytes.len().min(out.remaining());
        out.put_slice(&state.bytes[..count]);
        state.bytes.advance(count);
        wake(state.writer.take());
        Poll::Ready(Ok(()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.writer_gone = true;
        wake(state.reader.take());
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.reader_gone = true;
        wake(state.writer.take());
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
