//! The header of one ws frame (RFC 6455 section 5.2), read and written. Knows nothing of messages made of several frames.

use bytes::BufMut;

use super::error::WireError;

/// Longest payload of a control frame (section 5.5).
pub(super) const MAX_CONTROL: usize = 125;
/// Longest header a client writes: two bytes, eight bytes of length, four of mask.
pub(super) const MAX_HEADER: usize = 14;

/// What a ws frame is (RFC 6455 section 11.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpCode {
    /// A further part of a fragmented message.
    Continuation,
    /// A message, or its first part, in UTF-8.
    Text,
    /// A message, or its first part, in bytes.
    Binary,
    /// The end of the conversation.
    Close,
    /// A question that a pong with the same payload answers.
    Ping,
    /// The answer to a ping.
    Pong,
}

impl OpCode {
    fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0x0 => Self::Continuation,
            0x1 => Self::Text,
            0x2 => Self::Binary,
            0x8 => Self::Close,
            0x9 => Self::Ping,
            0xA => Self::Pong,
            _ => return None,
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Continuation => 0x0,
            Self::Text => 0x1,
            Self::Binary => 0x2,
            Self::Close => 0x8,
            Self::Ping => 0x9,
            Self::Pong => 0xA,
        }
    }

    pub(super) fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// A server's frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) fin: bool,
    pub(super) opcode: OpCode,
    pub(super) length: u64,
    /// Bytes that the header itself takes.
    pub(super) size: usize,
}

impl Header {
    /// Reads a header from the front of `bytes`; `None` when more bytes are needed.
    ///
    /// A violation that the first byte or two show is reported without waiting for the rest.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, WireError> {
        let Some(&first) = bytes.first() else { return Ok(None) };
        let reserved = (first >> 4) & 0b111;
        if reserved != 0 {
            return Err(WireError::ReservedBits { bits: reserved });
        }
        let fin = first & 0x80 != 0;
        let bits = first & 0x0F;
        let opcode = OpCode::from_bits(bits).ok_or(WireError::ReservedOpCode { opcode: bits })?;
        if opcode.is_control() && !fin {
            return Err(WireError::ControlFragmented);
        }
        let Some(&second) = bytes.get(1) else { return Ok(None) };
        if second & 0x80 != 0 {
            return Err(WireError::MaskedFrame);
        }
        let (length, size) = match second & 0x7F {
            126 => match bytes.get(2..4).and_then(|b| b.try_into().ok()) {
                Some(b) => (u64::from(u16::from_be_bytes(b)), 4),
                None => return Ok(None),
            },
            127 => match bytes.get(2..10).and_then(|b| b.try_into().ok()) {
                Some(b) => (u64::from_be_bytes(b), 10),
                None => return Ok(None),
            },
            short => (u64::from(short), 2),
        };
        let minimal = match size {
            4 => length > 125,
            10 => length > u64::from(u16::MAX) && length >> 63 == 0,
            _ => true,
        };
        if !minimal {
            return Err(WireError::BadLength { length });
        }
        if opcode.is_control() && length > 125 {
            return Err(WireError::ControlTooLong { length });
        }
        Ok(Some(Self { fin, opcode, length, size }))
    }
}

/// Bytes that the header of a client's frame with `length` bytes of payload takes.
pub(super) fn header_size(length: usize) -> usize {
    match length {
        0..=125 => 6,
        126..=0xFFFF => 8,
        _ => MAX_HEADER,
    }
}

/// Writes a client's header for one whole message or control frame.
pub(super) fn write_header(mut out: impl BufMut, opcode: OpCode, length: usize, key: [u8; 4]) {
    out.put_u8(0x80 | opcode.bits());
    if let (Ok(short), true) = (u8::try_from(length), length <= 125) {
        out.put_u8(0x80 | short);
    } else if let Ok(medium) = u16::try_from(length) {
        out.put_u8(0x80 | 126);
        out.put_u16(medium);
    } else {
        out.put_u8(0x80 | 127);
        // A `usize` always fits: no target that std supports has a wider one.
        out.put_u64(u64::try_from(length).unwrap_or(u64::MAX));
    }
    out.put_slice(&key);
}
