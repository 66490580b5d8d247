//! The browser's side of both framings: taking whole messages of the client out of a buffer, and putting messages into frames.
//! Believes the client; what the client may receive is judged elsewhere.

use bytes::{Buf, Bytes, BytesMut};

use crate::wire::{Decoder, Encoder, Limits, Masking, PipeReader};

/// How messages are set apart from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// By a NUL behind each, as on a browser's pipe.
    #[default]
    Pipe,
    /// As ws frames, without the HTTP upgrade in front.
    Ws,
}

impl Framing {
    /// What the client's side of a connection reads and writes with.
    pub(super) fn client(self, limits: Limits) -> (Decoder, Encoder) {
        match self {
            Self::Pipe => (Decoder::pipe(limits), Encoder::Pipe),
            Self::Ws => (Decoder::ws(limits), Encoder::ws(Masking::Random)),
        }
    }

    /// A whole message of the browser's.
    pub(super) fn frame(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Pipe => [message, b"\0"].concat(),
            Self::Ws => ws_frame(TEXT, message),
        }
    }
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// What the client sent.
pub(super) enum Taken {
    Message(Bytes),
    /// Something that wants this answer.
    Answer(Vec<u8>),
    /// The farewell, which wants this answer and is followed by nothing.
    Farewell(Vec<u8>),
}

/// Takes the client's messages out of a buffer.
pub(super) enum Reader {
    Pipe(PipeReader),
    Ws,
}

impl Reader {
    pub(super) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Pipe => Self::Pipe(PipeReader::new(Limits::default())),
            Framing::Ws => Self::Ws,
        }
    }

    /// The next whole thing in `buffer`.
    pub(super) fn next(&mut self, buffer: &mut BytesMut) -> Option<Taken> {
        match self {
            Self::Pipe(reader) => {
                reader.next(buffer).expect("a call is within the limits").map(Taken::Message)
            }
            Self::Ws => loop {
                let (opcode, payload) = take_ws_frame(buffer)?;
                return Some(match opcode {
                    TEXT => Taken::Message(payload),
                    PING => Taken::Answer(ws_frame(PONG, &payload)),
                    CLOSE => Taken::Farewell(ws_frame(CLOSE, &payload)),
                    PONG => continue,
                    other => panic!("the client sent a ws frame with opcode {other}"),
                });
            },
        }
    }
}

/// A server's ws frame (RFC 6455 section 5.2): whole, and not masked.
fn ws_frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..=125 => frame.push(length as u8),
        length @ 126..=0xFFFF => {
            frame.push(126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend(payload);
    frame
}

/// A client's ws frame, its mask taken off.
fn take_ws_frame(buffer: &mut BytesMut) -> Option<(u8, Bytes)> {
    let (&first, &second) = (buffer.first()?, buffer.get(1)?);
    assert_eq!((first & 0xF0, second & 0x80), (0x80, 0x80), "a client's frame is whole and masked");
    let (length, header) = match second & 0x7F {
        126 => (usize::from(u16::from_be_bytes(buffer.get(2..4)?.try_into().ok()?)), 4),
        127 => (u64::from_be_bytes(buffer.get(2..10)?.try_into().ok()?) as usize, 10),
        short => (usize::from(short), 2),
    };
    let key: [u8; 4] = buffer.get(header..header + 4)?.try_into().ok()?;
    if buffer.len() < header + 4 + length {
        return None;
    }
    buffer.advance(header + 4);
    let mut payload = buffer.split_to(length);
    payload.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
    Some((first & 0x0F, payload.freeze()))
}
