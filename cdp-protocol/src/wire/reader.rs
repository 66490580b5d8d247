//! Reads a server's ws frames into whole messages. A message in one frame is a slice of the read buffer; only fragmented ones
//! are copied together. Answering pings and closes is the caller's part.

use bytes::{Buf, Bytes, BytesMut};

use super::error::{Limits, WireError};
use super::frame::{Header, OpCode};
use super::utf8::Utf8;

/// What a peer sent, in wire order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A whole text or binary message, or one pipe record.
    Message(Bytes),
    /// To be answered with a pong of the same payload.
    Ping(Bytes),
    /// The answer to a ping of ours, or an unasked sign of life.
    Pong(Bytes),
    /// The peer ends the conversation.
    Close(Close),
}

/// The content of a close frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Close {
    /// The code, if the frame carried one (RFC 6455 section 7.4).
    pub code: Option<u16>,
    /// The peer's words; empty when there were none.
    pub reason: String,
}

/// Incremental reader of the server's side of a websocket.
#[derive(Debug)]
pub struct WsReader {
    limits: Limits,
    /// A header that was taken from the buffer while its payload is not complete there.
    header: Option<Header>,
    fragments: Option<Fragments>,
    /// The check of the text message under way; `None` in a binary one.
    text: Option<Utf8>,
    /// Bytes of the frame under way, at the front of the buffer, that the check has seen.
    checked: usize,
}

#[derive(Debug)]
struct Fragments {
    joined: BytesMut,
    count: usize,
}

impl WsReader {
    /// A reader at the start of a conversation, right behind the upgrade response.
    pub fn new(limits: Limits) -> Self {
        Self { limits, header: None, fragments: None, text: None, checked: 0 }
    }

    /// Takes the next thing from the front of `buffer`; `None` when it isn't complete yet. In between the caller only appends to
    /// the buffer (or moves what it holds to another one).
    ///
    /// # Errors
    ///
    /// The first violation of the RFC or of the limits. The reader must not be used after it.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Incoming>, WireError> {
        self.next_where(buffer, |_| true)
    }

    /// As [`next`](Self::next), but passes over messages that are not `wanted`, where they stand: they cost neither a count of who
    /// shares the buffer nor an allocation. A fragmented message is shown once it is whole.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn next_where(
        &mut self,
        buffer: &mut BytesMut,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<Incoming>, WireError> {
        loop {
            let header = match self.header {
                Some(header) => header,
                None => {
                    let Some(header) = Header::parse(buffer)? else { return Ok(None) };
                    self.check(&header)?;
                    buffer.advance(header.size);
                    self.begin(header);
                    header
                }
            };
            // `check` held the length below a limit that is a `usize`.
            let length = usize::try_from(header.length).unwrap_or(usize::MAX);
            self.check_text(&header, buffer, length)?;
            if buffer.len() < length {
                return Ok(None);
            }
            self.header = None;
            let is_whole = header.fin && matches!(header.opcode, OpCode::Text | OpCode::Binary);
            if is_whole && !wanted(buffer.get(..length).unwrap_or_default()) {
                buffer.advance(length);
                continue;
            }
            let payload = buffer.split_to(length);
            let Some(incoming) = self.accept(header, payload)? else { continue };
            if let Incoming::Message(message) = &incoming
                && !is_whole
                && !wanted(message)
            {
                continue;
            }
            return Ok(Some(incoming));
        }
    }

    /// Bytes still missing for the frame under way; 0 when its header isn't known yet.
    pub fn missing(&self, buffer: &BytesMut) -> usize {
        let length = self.header.map_or(0, |h| usize::try_from(h.length).unwrap_or(usize::MAX));
        length.saturating_sub(buffer.len())
    }

    /// Whether the conversation stands inside a message, so that its end now would cut it.
    pub fn is_mid_message(&self, buffer: &BytesMut) -> bool {
        self.header.is_some() || self.fragments.is_some() || !buffer.is_empty()
    }

    /// Everything that can be refused before the payload has arrived.
    fn check(&self, header: &Header) -> Result<(), WireError> {
        let limit = self.limits.frame;
        let length = usize::try_from(header.length).ok().filter(|l| *l <= limit);
        let Some(length) = length else { return Err(WireError::FrameTooLong { size: header.length, limit }) };
        if header.opcode.is_control() {
            return Ok(());
        }
        let before = match (&self.fragments, header.opcode) {
            (None, OpCode::Continuation) => return Err(WireError::LoneContinuation),
            (Some(_), OpCode::Text | OpCode::Binary) => return Err(WireError::MessageInsideMessage),
            (Some(fragments), _) => {
                if fragments.count >= self.limits.fragments {
                    return Err(WireError::TooManyFragments { limit: self.limits.fragments });
                }
                fragments.joined.len()
            }
            (None, _) => 0,
        };
        let total = before.saturating_add(length);
        if total > self.limits.message {
            let size = u64::try_from(total).unwrap_or(u64::MAX);
            return Err(WireError::MessageTooLong { size, limit: self.limits.message });
        }
        Ok(())
    }

    fn begin(&mut self, header: Header) {
        self.header = Some(header);
        self.checked = 0;
        match header.opcode {
            OpCode::Text => self.text = Some(Utf8::default()),
            OpCode::Binary => self.text = None,
            OpCode::Continuation | OpCode::Close | OpCode::Ping | OpCode::Pong => {}
        }
    }

    /// Holds what has come of a text message to UTF-8: each read while its bytes are in the processor's cache, and so that a
    /// violation at the front of a large message is told at once.
    fn check_text(&mut self, header: &Header, buffer: &[u8], length: usize) -> Result<(), WireError> {
        let Some(text) = self.text.as_mut().filter(|_| !header.opcode.is_control()) else { return Ok(()) };
        let end = buffer.len().min(length);
        text.feed(buffer.get(self.checked..end).unwrap_or_default())?;
        self.checked = end;
        if header.fin && end == length { text.end() } else { Ok(()) }
    }

    fn accept(&mut self, header: Header, payload: BytesMut) -> Result<Option<Incoming>, WireError> {
        Ok(match header.opcode {
            OpCode::Ping => Some(Incoming::Ping(payload.freeze())),
            OpCode::Pong => Some(Incoming::Pong(payload.freeze())),
            OpCode::Close => Some(Incoming::Close(close(&payload)?)),
            OpCode::Text | OpCode::Binary if header.fin => Some(Incoming::Message(payload.freeze())),
            OpCode::Text | OpCode::Binary => {
                self.fragments = Some(Fragments { joined: payload, count: 1 });
                None
            }
            OpCode::Continuation => {
                let Some(mut fragments) = self.fragments.take() else {
                    return Err(WireError::LoneContinuation);
                };
                fragments.joined.extend_from_slice(&payload);
                fragments.count = fragments.count.saturating_add(1);
                if header.fin {
                    Some(Incoming::Message(fragments.joined.freeze()))
                } else {
                    self.fragments = Some(fragments);
                    None
                }
            }
        })
    }
}

fn close(payload: &[u8]) -> Result<Close, WireError> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return if payload.is_empty() { Ok(Close::default()) } else { Err(WireError::CloseCutShort) };
    };
    let code = u16::from_be_bytes(*code);
    // 1004 to 1006 and 1015 are never sent; below 3000 only registered codes are (section 7.4).
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(WireError::CloseCode { code });
    }
    let reason = str::from_utf8(reason).map_err(|_| WireError::CloseReasonNotUtf8)?;
    Ok(Close { code: Some(code), reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Incoming {
        Incoming::Message(Bytes::copy_from_slice(text.as_bytes()))
    }

    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut out = vec![first];
        match payload.len() {
            n @ 0..=125 => out.push(n as u8),
            n @ 126..=0xFFFF => {
                out.push(126);
                out.extend((n as u16).to_be_bytes());
            }
            n => {
                out.push(127);
                out.extend((n as u64).to_be_bytes());
            }
        }
        out.extend(payload);
        out
    }

    /// Feeds `bytes` cut at `cut`, and returns all that came out.
    fn read(limits: &Limits, bytes: &[u8], cuts: &[usize]) -> Result<Vec<Incoming>, WireError> {
        let mut reader = WsReader::new(limits.clone());
        let mut buffer = BytesMut::new();
        let mut seen = Vec::new();
        let mut from = 0;
        for to in cuts.iter().copied().chain([bytes.len()]) {
            buffer.extend_from_slice(&bytes[from..to]);
            from = to;
            while let Some(incoming) = reader.next(&mut buffer)? {
                seen.push(incoming);
            }
        }
        assert!(!reader.is_mid_message(&buffer), "left over: {buffer:?}");
        Ok(seen)
    }

    /// The result must not depend on where the bytes are cut: whole, at each single byte, and byte by byte.
    #[track_caller]
    fn check(limits: &Limits, bytes: &[u8], expected: Result<Vec<Incoming>, WireError>) {
        assert_eq!(read(limits, bytes, &[]), expected, "whole");
        if bytes.len() > 4096 {
            return;
        }
        for cut in 0..bytes.len() {
            assert_eq!(read(limits, bytes, &[cut]), expected, "cut at {cut}");
        }
        let every: Vec<usize> = (0..bytes.len()).collect();
        assert_eq!(read(limits, bytes, &every), expected, "byte by byte");
    }

    #[test]
    fn the_examples_of_the_rfc_are_read() {
        // RFC 6455 section 5.7, the unmasked ones.
        let limits = Limits::default();
        check(&limits, &[0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], Ok(vec![message("Hello")]));
        check(&limits, &[0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f], Ok(vec![message("Hello")]));
        check(
            &limits,
            &[0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f],
            Ok(vec![Incoming::Ping(Bytes::from_static(b"Hello"))]),
        );
        let bytes = vec![7u8; 256];
        check(&limits, &frame(0x82, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
        let bytes = vec![9u8; 65536];
        let sent = frame(0x82, &bytes);
        assert_eq!(sent[..10], [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]);
        check(&limits, &sent, Ok(vec![Incoming::Message(bytes.into())]));
    }

    #[test]
    fn control_frames_may_stand_between_fragments() {
        let sent = [
            frame(0x01, b"{\"a\""),
            frame(0x89, b"ping"),
            frame(0x00, b":1"),
            frame(0x8A, b""),
            frame(0x00, b""),
            frame(0x80, b"}"),
            frame(0x82, b"next"),
        ]
        .concat();
        check(
            &Limits::default(),
            &sent,
            Ok(vec![
                Incoming::Ping(Bytes::from_static(b"ping")),
                Incoming::Pong(Bytes::new()),
                message("{\"a\":1}"),
                message("next"),
            ]),
        );
    }

    #[test]
    fn a_character_may_be_cut_by_a_fragment_and_bytes_need_be_no_text() {
        let sent = [
            frame(0x01, b"a\xF0"),
            frame(0x89, b"\xFF"),
            frame(0x00, b"\x9F\x98"),
            frame(0x00, b""),
            frame(0x80, b"\x80b"),
            frame(0x02, b"\xFF\xC3"),
            frame(0x80, b"\xC3"),
            frame(0x81, "ü".as_bytes()),
            frame(0x82, b"\x80"),
        ]
        .concat();
        check(
            &Limits::default(),
            &sent,
            Ok(vec![
                Incoming::Ping(Bytes::from_static(b"\xFF")),
                message("a😀b"),
                Incoming::Message(Bytes::from_static(b"\xFF\xC3\xC3")),
                message("ü"),
                Incoming::Message(Bytes::from_static(b"\x80")),
            ]),
        );
    }

    #[test]
    fn messages_that_are_not_wanted_are_shown_once_and_passed_over_whole_or_in_fragments() {
        let sent = [
            frame(0x81, b"no"),
            frame(0x01, b"al"),
            frame(0x89, b"p"),
            frame(0x80, b"so"),
            frame(0x81, b"yes"),
        ]
        .concat();
        let (mut reader, mut buffer) = (WsReader::new(Limits::default()), BytesMut::from(&sent[..]));
        let (mut shown, mut taken) = (Vec::new(), Vec::new());
        while let Some(incoming) = reader
            .next_where(&mut buffer, |message| {
                shown.push(message.to_vec());
                message == b"yes"
            })
            .unwrap()
        {
            taken.push(incoming);
        }
        assert_eq!(shown, [&b"no"[..], b"also", b"yes"]);
        assert_eq!(taken, [Incoming::Ping(Bytes::from_static(b"p")), message("yes")]);
        assert!(!reader.is_mid_message(&buffer));
    }

    #[test]
    fn empty_messages_and_lengths_at_the_borders_are_read() {
        for length in [0usize, 1, 125, 126, 127, 1000] {
            let bytes = vec![b'x'; length];
            check(&Limits::default(), &frame(0x81, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
        }
        let bytes = vec![b'x'; 65535];
        check(&Limits::default(), &frame(0x81, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
    }

    #[test]
    fn violations_have_one_error_each() {
        let limits = Limits { frame: 100, message: 150, fragments: 3 };
        let table: &[(&[u8], WireError, u16)] = &[
            (&[0xC1, 0x00], WireError::ReservedBits { bits: 0b100 }, 1002),
            (&[0x83, 0x00], WireError::ReservedOpCode { opcode: 3 }, 1002),
            (&[0x8B, 0x00], WireError::ReservedOpCode { opcode: 11 }, 1002),
            (
                &[0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58],
                WireError::MaskedFrame,
                1002,
            ),
            (&[0x81, 126, 0, 125], WireError::BadLength { length: 125 }, 1002),
            (&[0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], WireError::BadLength { length: 0xFFFF }, 1002),
            (&[0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], WireError::BadLength { length: 1 << 63 }, 1002),
            (&[0x89, 126, 0, 126], WireError::ControlTooLong { length: 126 }, 1002),
            (&[0x09, 0x00], WireError::ControlFragmented, 1002),
            (&[0x80, 0x00], WireError::LoneContinuation, 1002),
            (&[0x01, 0x01, b'a', 0x81, 0x01, b'b'], WireError::MessageInsideMessage, 1002),
            (&[0x88, 0x01, 0x03], WireError::CloseCutShort, 1002),
            (&[0x88, 0x02, 0x03, 0xED], WireError::CloseCode { code: 1005 }, 1002),
            (&[0x88, 0x02, 0x00, 0x00], WireError::CloseCode { code: 0 }, 1002),
            (&[0x88, 0x03, 0x03, 0xE8, 0xFF], WireError::CloseReasonNotUtf8, 1007),
            (&[0x81, 0x03, b'a', 0xFF, b'b'], WireError::NotUtf8 { offset: 1 }, 1007),
            (&[0x81, 0x03, b'a', 0xE2, 0x82], WireError::NotUtf8 { offset: 1 }, 1007),
            (&[0x01, 0x01, 0xE2, 0x89, 0x00, 0x80, 0x01, b'a'], WireError::NotUtf8 { offset: 0 }, 1007),
            (&[0x01, 0x02, b'a', 0xE2, 0x00, 0x01, 0x82, 0x80, 0x00], WireError::NotUtf8 { offset: 1 }, 1007),
            // Told although most of the message has yet to come.
            (&[0x81, 100, b'a', b'b', 0xFF], WireError::NotUtf8 { offset: 2 }, 1007),
            (&[0x81, 101], WireError::FrameTooLong { size: 101, limit: 100 }, 1009),
            (
                &[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0],
                WireError::FrameTooLong { size: 1 << 40, limit: 100 },
                1009,
            ),
            (
                &[&[0x01, 90][..], &[b'x'; 90], &[0x80, 61]].concat(),
                WireError::MessageTooLong { size: 151, limit: 150 },
                1009,
            ),
            (
                &[0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00],
                WireError::TooManyFragments { limit: 3 },
                1009,
            ),
        ];
        for (bytes, error, code) in table {
            check(&limits, bytes, Err(error.clone()));
            assert_eq!(error.close_code(), *code, "{error}");
        }
        let largest = [frame(0x01, &[b'x'; 100]), frame(0x00, &[b'x'; 50]), frame(0x80, b"")].concat();
        check(&limits, &largest, Ok(vec![message(&"x".repeat(150))]));
        assert!(
            WireError::FrameTooLong { size: 101, limit: 100 }.to_string().contains("limit `frame` of 100")
        );
    }

    #[test]
    fn close_frames_tell_code_and_reason() {
        let limits = Limits::default();
        check(&limits, &[0x88, 0x00], Ok(vec![Incoming::Close(Close::default())]));
        check(
            &limits,
            &frame(0x88, b"\x03\xE8bye \xC3\xBC"),
            Ok(vec![Incoming::Close(Close { code: Some(1000), reason: "bye ü".to_owned() })]),
        );
        for code in [1000u16, 1003, 1007, 1014, 3000, 4999] {
            let expected = Incoming::Close(Close { code: Some(code), reason: String::new() });
            check(&limits, &frame(0x88, &code.to_be_bytes()), Ok(vec![expected]));
        }
    }

    #[test]
    fn a_message_is_under_way_from_its_first_byte_to_its_last() {
        let sent = [frame(0x01, b"ab"), frame(0x89, b""), frame(0x80, b"c")].concat();
        let mut reader = WsReader::new(Limits::default());
        let mut buffer = BytesMut::new();
        assert!(!reader.is_mid_message(&buffer));
        for (n, byte) in sent.iter().enumerate() {
            buffer.extend_from_slice(&[*byte]);
            while reader.next(&mut buffer).unwrap().is_some() {}
            assert_eq!(reader.is_mid_message(&buffer), n + 1 < sent.len(), "after byte {n}");
        }
        buffer.extend_from_slice(&[0x81, 0x01]);
        assert_eq!(reader.next(&mut buffer), Ok(None));
        assert!(buffer.is_empty() && reader.is_mid_message(&buffer), "a header alone is a cut message");
    }

    #[test]
    fn a_message_in_one_frame_is_a_slice_of_the_read_buffer() {
        let mut buffer = BytesMut::from(&frame(0x81, b"payload")[..]);
        let at = buffer.as_ptr().wrapping_add(2);
        let Some(Incoming::Message(payload)) = WsReader::new(Limits::default()).next(&mut buffer).unwrap()
        else {
            panic!("no message");
        };
        assert_eq!(payload.as_ptr(), at);
    }

    #[test]
    fn the_missing_bytes_of_a_frame_are_known_from_its_header_on() {
        let sent = frame(0x81, &[b'x'; 300]);
        let mut reader = WsReader::new(Limits::default());
        let mut buffer = BytesMut::from(&sent[..3]);
        assert_eq!(reader.next(&mut buffer), Ok(None));
        assert_eq!(reader.missing(&buffer), 0);
        buffer.extend_from_slice(&sent[3..104]);
        assert_eq!(reader.next(&mut buffer), Ok(None));
        assert_eq!(reader.missing(&buffer), 200);
    }
}
