//! The buffer of everything that waits to be written, and the writing itself. Messages of several calls leave in one write.

use std::io;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, Bytes, BytesMut};

use super::half::WriteHalf;
use crate::wire::Encoder;

/// Above this the buffer's memory is given back when all is written.
const KEEP: usize = 1024 * 1024;

/// Answers to pings that may wait at a time; each takes 131 bytes at most.
const MOST_PONGS: usize = 1000;

/// What is on its way out.
pub(crate) struct Outgoing {
    encoder: Encoder,
    buffer: BytesMut,
    /// Bytes that have left since the start. With the buffer's length this gives each message a place in the stream of all bytes.
    written: u64,
    /// `None` once nothing may be written any more.
    half: Option<Box<dyn WriteHalf>>,
    /// The carrier took no more, and the driver waits until it does. Callers don't try meanwhile.
    blocked: bool,
    /// Writing failed; the driver has yet to take note.
    failed: Option<io::Error>,
    /// Someone asked for the end; no more calls are taken.
    closing: bool,
    driver: Option<Waker>,
    /// Answers to pings that were queued since all was written, and the newest ping that has to wait for its answer.
    pongs: usize,
    latest_ping: Option<Bytes>,
}

impl Outgoing {
    pub(crate) fn new(encoder: Encoder, half: Box<dyn WriteHalf>) -> Self {
        Self {
            encoder,
            buffer: BytesMut::new(),
            written: 0,
            half: Some(half),
            blocked: false,
            failed: None,
            closing: false,
            driver: None,
            pongs: 0,
            latest_ping: None,
        }
    }

    /// Appends a message; returns its length, and where it ends in the stream of all bytes.
    pub(super) fn message<E>(
        &mut self,
        fill: impl FnOnce(&mut BytesMut) -> Result<(), E>,
    ) -> Result<(usize, u64), E> {
        let length = self.encoder.message(&mut self.buffer, fill)?;
        Ok((length, self.written.saturating_add(self.buffer.len() as u64)))
    }

    pub(super) fn ping(&mut self) {
        if let (Encoder::Ws(writer), false) = (&mut self.encoder, self.closing) {
            writer.ping(&mut self.buffer, b"");
        }
    }

    /// Answers a ping. When very many answers wait already, only the newest of the further ones is kept (RFC 6455 section 5.5.3
    /// allows to answer the most recent ping alone): a peer that pings and reads nothing must not fill the memory.
    pub(super) fn pong(&mut self, payload: Bytes) {
        let (Encoder::Ws(writer), false) = (&mut self.encoder, self.closing) else { return };
        if self.pongs >= MOST_PONGS {
            self.latest_ping = Some(payload);
            return;
        }
        self.pongs = self.pongs.saturating_add(1);
        writer.pong(&mut self.buffer, &payload);
    }

    /// Writes as much as the carrier takes, unless the driver already waits for it to take more.
    pub(super) fn flush(&mut self) {
        while let (Some(half), false, None) = (&self.half, self.blocked, &self.failed) {
            if self.buffer.is_empty() {
                return;
            }
            match half.try_write(&self.buffer) {
                Ok(0) => self.failed = Some(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // The driver alone may wait for the carrier. It has been woken, since what is queued has not left.
                    self.blocked = true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failed = Some(error),
            }
        }
    }

    /// The driver's part: writes what can be written, waits for the carrier otherwise, and leaves its waker for new messages.
    /// `Ready` when nothing is left to write.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            self.blocked = false;
            self.flush();
            if let Some(error) = self.failed.take() {
                return Poll::Ready(Err(error));
            }
            if !self.blocked {
                break;
            }
            let Some(half) = &self.half else { break };
            match half.poll_writable(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => break,
            }
        }
        if !self.driver.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
            self.driver = Some(cx.waker().clone());
        }
        if self.buffer.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Whom to wake after something was queued. `None` when the driver was woken already and has not run since.
    pub(super) fn take_driver(&mut self) -> Option<Waker> {
        self.driver.take()
    }

    pub(super) fn request_close(&mut self) -> Option<Waker> {
        self.closing = true;
        self.driver.take()
    }

    /// Whether calls are still taken.
    pub(super) fn is_open(&self) -> bool {
        self.half.is_some() && !self.closing
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    pub(super) fn queued(&self) -> usize {
        self.buffer.len()
    }

    /// Stops all writing by others for good; returns how many bytes have left, and what is needed to say farewell.
    pub(super) fn stop(&mut self) -> (u64, Option<Farewell>) {
        self.closing = true;
        let half = self.half.take();
        // A message of which a part has left can't be followed by anything else.
        let clean = self.buffer.is_empty();
        self.buffer = BytesMut::new();
        let farewell = half.map(|half| {
            let encoder = std::mem::replace(&mut self.encoder, Encoder::Pipe);
            Farewell { encoder, half, clean, buffer: BytesMut::new() }
        });
        (self.written, farewell)
    }

    fn advance(&mut self, count: usize) {
        self.buffer.advance(count);
        self.written = self.written.saturating_add(count as u64);
        if !self.buffer.is_empty() {
            return;
        }
        if self.buffer.capacity() > KEEP {
            self.buffer = BytesMut::new();
        }
        self.pongs = 0;
        if let Some(payload) = self.latest_ping.take() {
            self.pong(payload);
        }
    }
}

/// What is left of the outgoing side when a connection ends.
pub(super) struct Farewell {
    encoder: Encoder,
    half: Box<dyn WriteHalf>,
    clean: bool,
    buffer: BytesMut,
}

impl Farewell {
    /// Queues a close frame where the carrier has such a thing; says whether it did.
    pub(super) fn close_frame(&mut self, code: u16) -> bool {
        match &mut self.encoder {
            Encoder::Ws(writer) if self.clean => {
                writer.close(&mut self.buffer, code);
                true
            }
            _ => false,
        }
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffer.is_empty() {
            match self.half.try_write(&self.buffer) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(count) => self.buffer.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::task::ready!(self.half.poll_writable(cx))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes everything.
    struct Open;

    impl WriteHalf for Open {
        fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[test]
    fn a_large_message_that_has_left_leaves_no_memory_behind() {
        let mut outgoing = Outgoing::new(Encoder::Pipe, Box::new(Open));
        for (size, is_kept) in [(1000, true), (2 * KEEP, false), (1000, true)] {
            let message = outgoing.message::<()>(|out| {
                out.extend_from_slice(&vec![b'x'; size]);
                Ok(())
            });
            assert!(message.is_ok() && outgoing.buffer.capacity() > size);
            outgoing.flush();
            assert_eq!((outgoing.queued(), outgoing.buffer.capacity() > 0), (0, is_kept));
        }
    }
}
