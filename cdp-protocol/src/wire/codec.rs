//! The two framings behind one face: what the driver of a connection needs to read and write messages without knowing which
//! carrier it has.

use bytes::{BufMut, Bytes, BytesMut};

use super::error::{Limits, WireError};
use super::mask::Masking;
use super::pipe::PipeReader;
use super::reader::{Incoming, WsReader};
use super::writer::{WsWriter, fill_or_undo};

/// Room for one read when nothing is known of the message's length.
const CHUNK: usize = 64 * 1024;
/// Below this much room another chunk is taken, so that reads don't become tiny.
const LOW: usize = 4 * 1024;
/// From this size on a record of unknown length is given room in small steps.
const LARGE: usize = 1024 * 1024;

/// Reads messages of either framing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Decoder {
    /// Websocket frames from a server.
    Ws(WsReader),
    /// NUL-terminated records.
    Pipe(PipeReader),
}

impl Decoder {
    /// A decoder of websocket frames.
    pub fn ws(limits: Limits) -> Self {
        Self::Ws(WsReader::new(limits))
    }

    /// A decoder of pipe records.
    pub fn pipe(limits: Limits) -> Self {
        Self::Pipe(PipeReader::new(limits))
    }

    /// Takes the next thing from the front of `buffer`; `None` when it isn't complete yet.
    ///
    /// # Errors
    ///
    /// What [`WsReader::next`] and [`PipeReader::next`] say; the decoder must not be used after it.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Incoming>, WireError> {
        self.next_where(buffer, |_| true)
    }

    /// As [`next`](Self::next), but passes over messages that are not `wanted`, where they stand. A fragmented message is
    /// shown once it is whole.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn next_where(
        &mut self,
        buffer: &mut BytesMut,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<Incoming>, WireError> {
        let mut largest = 0;
        let wanted = |message: &[u8]| {
            largest = largest.max(message.len());
            wanted(message)
        };
        let next = match self {
            Self::Ws(reader) => reader.next_where(buffer, wanted)?,
            Self::Pipe(reader) => reader.next_where(buffer, wanted)?.map(Incoming::Message),
        };
        if let Some(Incoming::Message(message)) = &next {
            largest = largest.max(message.len());
        }
        if largest > CHUNK && buffer.len() <= largest {
            // What follows leaves the large message's allocation, so that this goes with the message: it must neither stay as the
            // read buffer nor be kept alive by a small message behind. So no more is copied than large messages are read.
            *buffer = BytesMut::from(&**buffer);
        }
        Ok(next)
    }

    /// Whether an end of the stream now would cut a message.
    pub fn is_mid_message(&self, buffer: &BytesMut) -> bool {
        match self {
            Self::Ws(reader) => reader.is_mid_message(buffer),
            Self::Pipe(_) => !buffer.is_empty(),
        }
    }

    /// Makes room in `buffer` for the next read. When a frame's length is known, the room ends where the frame ends: a large
    /// message is read into its final place, in one allocation of its size.
    pub fn make_room(&self, buffer: &mut BytesMut) {
        let missing = match self {
            Self::Ws(reader) => reader.missing(buffer),
            Self::Pipe(_) => 0,
        };
        let room = buffer.capacity().saturating_sub(buffer.len());
        if missing > CHUNK {
            if missing > room {
                // `reserve` may grow by doubling; a fresh buffer is as large as asked for. What is copied is one chunk at most.
                let mut exact = BytesMut::with_capacity(buffer.len().saturating_add(missing));
                exact.extend_from_slice(buffer);
                *buffer = exact;
            }
            return;
        }
        // The end of a large frame is read into the room that was made for it, however little is left.
        let is_end = missing > 0 && buffer.len() > CHUNK;
        let low = if is_end { missing } else { LOW.max(missing) };
        if room < low {
            if buffer.len() > LARGE {
                grow_exactly(buffer, buffer.len() / 16);
            } else {
                buffer.reserve(CHUNK);
            }
        }
    }
}

/// Makes room for so many bytes and no more, where `reserve` would double the buffer: a large record of unknown length would take
/// twice its size. Nothing is copied but what the allocator moves.
fn grow_exactly(buffer: &mut BytesMut, room: usize) {
    let mut bytes = Vec::from(std::mem::take(buffer));
    bytes.reserve_exact(room);
    *buffer = BytesMut::from(Bytes::from(bytes));
}

/// Writes messages of either framing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Encoder {
    /// Websocket frames from a client.
    Ws(WsWriter),
    /// NUL-terminated records.
    Pipe,
}

impl Encoder {
    /// An encoder of websocket frames.
    pub fn ws(masking: Masking) -> Self {
        Self::Ws(WsWriter::new(masking))
    }

    /// Appends one message, whose payload `fill` appends to the buffer; returns the payload's length.
    ///
    /// # Errors
    ///
    /// The error of `fill`; `out` is then as it was.
    pub fn message<E>(
        &mut self,
        out: &mut BytesMut,
        fill: impl FnOnce(&mut BytesMut) -> Result<(), E>,
    ) -> Result<usize, E> {
        match self {
            Self::Ws(writer) => writer.message(out, fill),
            Self::Pipe => {
                let start = out.len();
                fill_or_undo(out, fill)?;
                let length = out.len().saturating_sub(start);
                out.put_u8(0);
                Ok(length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_frame_is_read_into_one_allocation_of_its_size() {
        let length = 1_000_000usize;
        let mut decoder = Decoder::ws(Limits::default());
        let mut buffer = BytesMut::new();
        decoder.make_room(&mut buffer);
        assert_eq!(buffer.capacity(), CHUNK);
        buffer.extend_from_slice(&[0x82, 127]);
        buffer.extend_from_slice(&(length as u64).to_be_bytes());
        buffer.extend_from_slice(&[b'x'; 1000]);
        assert_eq!(decoder.next(&mut buffer), Ok(None));
        decoder.make_room(&mut buffer);
        assert_eq!((buffer.len(), buffer.capacity()), (1000, length));
        let at = buffer.as_ptr();
        buffer.resize(length, b'x');
        let Some(Incoming::Message(message)) = decoder.next(&mut buffer).unwrap() else {
            panic!("no message")
        };
        assert_eq!((message.len(), message.as_ptr()), (length, at));
    }

    #[test]
    fn the_last_bytes_of_a_large_frame_want_no_further_room() {
        for length in [100_000usize, 1_000_000, 3_000_000] {
            for left in [1, 100, LOW - 1, LOW, CHUNK] {
                let mut decoder = Decoder::ws(Limits::default());
                let mut buffer = BytesMut::from(&[0x82, 127][..]);
                buffer.extend_from_slice(&(length as u64).to_be_bytes());
                assert_eq!(decoder.next(&mut buffer), Ok(None));
                decoder.make_room(&mut buffer);
                let (at, capacity) = (buffer.as_ptr(), buffer.capacity());
                buffer.resize(length - left, b'x');
                assert_eq!(decoder.next(&mut buffer), Ok(None));
                decoder.make_room(&mut buffer);
                assert_eq!((buffer.as_ptr(), buffer.capacity()), (at, capacity), "{left} of {length}");
            }
        }
    }

    #[test]
    fn a_large_message_lets_go_of_much_that_came_behind_it() {
        let large = vec![b'x'; 10_000_000];
        let behind = b"{\"a\":1}\0".repeat(100_000);
        for wanted in [true, false] {
            let mut decoder = Decoder::pipe(Limits::default());
            let mut buffer = BytesMut::from(&[&large[..], b"\0", &behind, b"{"].concat()[..]);
            let mut seen = 0;
            while let Some(incoming) = decoder.next_where(&mut buffer, |m| wanted || m.len() < 100).unwrap() {
                seen += 1;
                drop(incoming);
            }
            assert_eq!(seen, 100_000 + usize::from(wanted));
            decoder.make_room(&mut buffer);
            assert!(buffer.capacity() < 2_000_000, "{} bytes kept", buffer.capacity());
            buffer.reserve(1_000_000);
            assert!(buffer.capacity() < 2_000_000, "{} bytes kept", buffer.capacity());
        }
    }

    #[test]
    fn a_large_message_owns_its_memory_alone() {
        for (mut decoder, frame) in [
            (Decoder::pipe(Limits::default()), [&[b'x'; 100_000][..], b"\0{}\0{"].concat()),
            (
                Decoder::ws(Limits::default()),
                [&[0x82, 127, 0, 0, 0, 0, 0, 1, 0x86, 0xA0][..], &[b'x'; 100_000], b"\x81\x02{}\x81"]
                    .concat(),
            ),
        ] {
            let mut buffer = BytesMut::from(&frame[..]);
            let large = buffer.as_ptr_range();
            let mut taken = Vec::new();
            while let Some(incoming) = decoder.next(&mut buffer).unwrap() {
                taken.push(incoming);
            }
            let [Incoming::Message(first), Incoming::Message(second)] = &taken[..] else {
                panic!("{taken:?}")
            };
            assert!(large.contains(&first.as_ptr()) && !large.contains(&second.as_ptr()));
            drop(taken);
            decoder.make_room(&mut buffer);
            assert!(buffer.capacity() <= CHUNK + LOW, "{} bytes kept", buffer.capacity());
        }
    }

    #[test]
    fn pipe_records_end_with_one_nul_and_failures_leave_nothing() {
        let mut out = BytesMut::new();
        let mut fill = |payload: &'static str| {
            Encoder::Pipe.message(&mut out, |out| {
                out.put_slice(payload.as_bytes());
                if payload == "bad" { Err(()) } else { Ok(()) }
            })
        };
        assert_eq!([fill("{}"), fill("bad"), fill("[1]")], [Ok(2), Err(()), Ok(3)]);
        assert_eq!(&out[..], b"{}\0[1]\0");
    }
}
