//! Reads a server's ws frames into whole messages. A message in one frame is a slice of the read buffer; only fragmented ones
//! are copied together. Answering pings and closes is the caller's part.

use std::ops::Range;

use bytes::{Buf, Bytes, BytesMut};

use super::error::{Limits, WireError};
use super::frame::{Header, OpCode};
use super::utf8::{self, Utf8};

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

/// What came of a ws frame.
enum Frame {
    /// Not all of it is there.
    Incomplete,
    /// It is a part of a message, and not the last.
    Part,
    /// It is, or completes, what the peer sent.
    Last(Incoming),
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
            // Messages that are passed over leave the buffer together: to move its front costs as much as to read a header.
            let mut passed = 0;
            while let Some(message) = self.message_at_front(buffer.get(passed..).unwrap_or_default())? {
                let message = passed.saturating_add(message.start)..passed.saturating_add(message.end);
                if wanted(buffer.get(message.clone()).unwrap_or_default()) {
                    buffer.advance(message.start);
                    return Ok(Some(Incoming::Message(buffer.split_to(message.len()).freeze())));
                }
                passed = message.end;
            }
            buffer.advance(passed);
            match self.frame(buffer)? {
                Frame::Incomplete => return Ok(None),
                Frame::Part => {}
                Frame::Last(Incoming::Message(message)) if !wanted(&message) => {}
                Frame::Last(incoming) => return Ok(Some(incoming)),
            }
        }
    }

    /// Where the message at the front of `bytes` stands, if it is there whole and in one frame, as nearly all are.
    #[inline]
    fn message_at_front(&self, bytes: &[u8]) -> Result<Option<Range<usize>>, WireError> {
        if self.header.is_some() {
            return Ok(None);
        }
        let Some(header) = Header::parse(bytes)? else { return Ok(None) };
        self.check(&header)?;
        if !header.fin || !matches!(header.opcode, OpCode::Text | OpCode::Binary) {
            return Ok(None);
        }
        let payload = header.size..header.size.saturating_add(length(&header));
        let Some(message) = bytes.get(payload.clone()) else { return Ok(None) };
        if header.opcode == OpCode::Text {
            utf8::check(message)?;
        }
        Ok(Some(payload))
    }

    /// Takes the next ws frame of any kind, once it is complete.
    fn frame(&mut self, buffer: &mut BytesMut) -> Result<Frame, WireError> {
        let header = match self.header {
            Some(header) => header,
            None => {
                let Some(header) = Header::parse(buffer)? else { return Ok(Frame::Incomplete) };
                self.check(&header)?;
                buffer.advance(header.size);
                self.begin(header);
                header
            }
        };
        let length = length(&header);
        self.check_text(&header, buffer, length)?;
        if buffer.len() < length {
            return Ok(Frame::Incomplete);
        }
        self.header = None;
        let payload = buffer.split_to(length);
        Ok(self.accept(header, payload)?.map_or(Frame::Part, Frame::Last))
    }

    /// Bytes still missing for the frame under way; 0 when its header isn't known yet.
    pub fn missing(&self, buffer: &BytesMut) -> usize {
        self.header.as_ref().map_or(0, length).saturating_sub(buffer.len())
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

/// The length of a frame that was held below a limit, which is a `usize`.
fn length(header: &Header) -> usize {
    usize::try_from(header.length).unwrap_or(usize::MAX)
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
mod tests;
