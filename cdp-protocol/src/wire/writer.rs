//! Writes a client's ws frames into an outgoing buffer. The payload is produced in place behind room for the header, so that
//! it is encoded once and not copied again.

use bytes::{Buf, BytesMut};

use super::frame::{self, MAX_CONTROL, MAX_HEADER, OpCode};
use super::mask::{self, Keys, Masking};

/// Writer of the client's side of a websocket. Each message goes out as one frame.
#[derive(Debug)]
pub struct WsWriter {
    keys: Keys,
}

impl WsWriter {
    /// A writer that masks with keys of the given kind.
    pub fn new(masking: Masking) -> Self {
        Self { keys: Keys::new(masking) }
    }

    /// Appends one text message, whose payload `fill` appends; returns the payload's length.
    ///
    /// # Errors
    ///
    /// The error of `fill`. Then, and when `fill` panics, `out` is as it was.
    pub fn message<E>(
        &mut self,
        out: &mut BytesMut,
        fill: impl FnOnce(&mut BytesMut) -> Result<(), E>,
    ) -> Result<usize, E> {
        let start = out.len();
        // The length decides how long the header is, and is known last. In an empty buffer the room can be the largest header,
        // whose unused front is cut off; between frames a hole can't stand, so the usual size is guessed there.
        let room = if start == 0 { MAX_HEADER } else { frame::header_size(1000) };
        fill_or_undo(out, |out| {
            out.resize(start.saturating_add(room), 0);
            fill(out)
        })?;
        let length = out.len().saturating_sub(start.saturating_add(room));
        let size = frame::header_size(length);
        let at = match room.checked_sub(size) {
            Some(0) => start,
            Some(hole) if start == 0 => {
                out.advance(hole);
                0
            }
            _ => {
                shift(out, start, room, size, length);
                start
            }
        };
        let key = self.keys.next();
        if let Some((header, payload)) = out.get_mut(at..).and_then(|frame| frame.split_at_mut_checked(size))
        {
            frame::write_header(header, OpCode::Text, length, key);
            mask::apply(key, payload);
        }
        Ok(length)
    }

    /// Appends a pong; a payload over 125 bytes, which no ping can have, is cut.
    pub fn pong(&mut self, out: &mut BytesMut, payload: &[u8]) {
        self.control(out, OpCode::Pong, payload);
    }

    /// Appends a ping; the payload is cut at 125 bytes.
    pub fn ping(&mut self, out: &mut BytesMut, payload: &[u8]) {
        self.control(out, OpCode::Ping, payload);
    }

    /// Appends a close frame with this code and no reason.
    pub fn close(&mut self, out: &mut BytesMut, code: u16) {
        self.control(out, OpCode::Close, &code.to_be_bytes());
    }

    fn control(&mut self, out: &mut BytesMut, opcode: OpCode, payload: &[u8]) {
        let payload = payload.get(..MAX_CONTROL).unwrap_or(payload);
        let key = self.keys.next();
        frame::write_header(&mut *out, opcode, payload.len(), key);
        let start = out.len();
        out.extend_from_slice(payload);
        mask::apply(key, out.get_mut(start..).unwrap_or_default());
    }
}

/// Moves a payload so that it stands `size` bytes behind `start` instead of `room`.
fn shift(out: &mut BytesMut, start: usize, room: usize, size: usize, length: usize) {
    let (from, to) = (start.saturating_add(room), start.saturating_add(size));
    let end = from.saturating_add(length);
    if to > from {
        out.resize(to.saturating_add(length), 0);
    }
    out.copy_within(from..end, to);
    out.truncate(to.saturating_add(length));
}

/// Lets `fill` append to `out`, and takes back what it appended when it fails or panics (it runs the caller's serialiser).
pub(super) fn fill_or_undo<E>(
    out: &mut BytesMut,
    fill: impl FnOnce(&mut BytesMut) -> Result<(), E>,
) -> Result<(), E> {
    let mut undo = Undo { start: out.len(), out, armed: true };
    let result = fill(undo.out);
    undo.armed = result.is_err();
    result
}

struct Undo<'a> {
    start: usize,
    out: &'a mut BytesMut,
    armed: bool,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.out.truncate(self.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::BufMut;

    use super::*;

    fn fill(payload: &[u8]) -> impl FnOnce(&mut BytesMut) -> Result<(), ()> {
        move |out| {
            out.put_slice(payload);
            Ok(())
        }
    }

    /// Reads one frame as a server does: opcode byte, payload unmasked, bytes taken.
    fn unmask(bytes: &[u8]) -> (u8, Vec<u8>, usize) {
        assert_eq!(bytes[1] & 0x80, 0x80, "a client's frame is masked");
        let (length, at) = match bytes[1] & 0x7F {
            126 => (u16::from_be_bytes(bytes[2..4].try_into().unwrap()) as usize, 4),
            127 => (u64::from_be_bytes(bytes[2..10].try_into().unwrap()) as usize, 10),
            n => (n as usize, 2),
        };
        let key = &bytes[at..at + 4];
        let payload = &bytes[at + 4..at + 4 + length];
        (bytes[0], payload.iter().zip(key.iter().cycle()).map(|(b, k)| b ^ k).collect(), at + 4 + length)
    }

    #[test]
    fn frames_of_every_size_come_back_alone_and_in_a_row() {
        for masking in [Masking::Zero, Masking::Random] {
            for length in [0usize, 1, 125, 126, 127, 1000, 65535, 65536, 70_000] {
                let payload: Vec<u8> = (0..length).map(|n| n as u8).collect();
                let mut writer = WsWriter::new(masking);
                let mut out = BytesMut::new();
                for _ in 0..3 {
                    assert_eq!(writer.message(&mut out, fill(&payload)), Ok(length));
                }
                let mut at = 0;
                for n in 0..3 {
                    let (first, got, taken) = unmask(&out[at..]);
                    assert_eq!((first, got == payload), (0x81, true), "frame {n} of {length} bytes");
                    at += taken;
                }
                assert_eq!(at, out.len());
            }
        }
    }

    #[test]
    fn a_zero_key_leaves_the_payload_readable_and_the_mask_bit_set() {
        let mut out = BytesMut::new();
        WsWriter::new(Masking::Zero).message(&mut out, fill(b"Hello")).unwrap();
        assert_eq!(&out[..], b"\x81\x85\0\0\0\0Hello");
    }

    #[test]
    fn a_payload_that_fails_or_panics_leaves_the_buffer_as_it_was() {
        for before in [&b""[..], b"earlier frame"] {
            let mut out = BytesMut::from(before);
            let mut writer = WsWriter::new(Masking::Zero);
            let failed = writer.message(&mut out, |out| {
                out.put_slice(b"half");
                Err("no")
            });
            assert_eq!((failed, &out[..]), (Err("no"), before));
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                writer.message::<()>(&mut out, |out| {
                    out.put_slice(b"half");
                    panic!("on purpose")
                })
            }));
            assert!(panicked.is_err());
            assert_eq!(&out[..], before);
        }
    }

    #[test]
    fn control_frames_carry_what_they_should() {
        let mut out = BytesMut::new();
        let mut writer = WsWriter::new(Masking::Random);
        writer.pong(&mut out, b"are you there");
        writer.close(&mut out, 1000);
        writer.ping(&mut out, b"");
        let (first, payload, taken) = unmask(&out);
        assert_eq!((first, &payload[..]), (0x8A, &b"are you there"[..]));
        let (first, payload, next) = unmask(&out[taken..]);
        assert_eq!((first, &payload[..]), (0x88, &1000u16.to_be_bytes()[..]));
        assert_eq!(unmask(&out[taken + next..]), (0x89, vec![], 6));
    }
}
