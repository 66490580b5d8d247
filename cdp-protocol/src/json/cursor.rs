//! A position in JSON text: blanks, single bytes, literals and strings. Knows no types and no nesting.

use std::borrow::Cow;

use memchr::memchr2;

use super::error::Error;
use super::text;

/// Reads `bytes` front to back. Never moves beyond the end.
#[derive(Clone)]
pub(super) struct Cursor<'de> {
    bytes: &'de [u8],
    pos: usize,
}

/// A string as it stands in the text, between its quotes.
#[derive(Clone, Copy)]
pub(super) struct RawText<'de> {
    pub(super) bytes: &'de [u8],
    /// Whether a backslash occurs; without one the bytes are the value.
    pub(super) escaped: bool,
}

impl<'de> RawText<'de> {
    /// The value: borrowed when it has no escapes and is UTF-8; anything that is no Unicode becomes U+FFFD.
    pub(super) fn value(self) -> Cow<'de, str> {
        if self.escaped {
            Cow::Owned(text::unescape(self.bytes))
        } else {
            String::from_utf8_lossy(self.bytes)
        }
    }
}

impl<'de> Cursor<'de> {
    pub(super) fn new(bytes: &'de [u8]) -> Cursor<'de> {
        Cursor { bytes, pos: 0 }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// What was read since `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'de [u8] {
        self.bytes.get(start..self.pos).unwrap_or_default()
    }

    /// Moves on by `n` bytes, which the caller has seen.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        self.pos = self.pos.saturating_add(n).min(self.bytes.len());
    }

    /// The byte at the cursor.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// The next byte that is not blank, without taking it.
    #[inline]
    pub(super) fn peek_token(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.pos += 1,
                other => return other,
            }
        }
    }

    /// Takes `byte` if it comes next, blanks aside.
    #[inline]
    pub(super) fn take_token(&mut self, byte: u8) -> bool {
        let found = self.peek_token() == Some(byte);
        if found {
            self.pos += 1;
        }
        found
    }

    #[cold]
    pub(super) fn error(&self, expected: &str) -> Error {
        let found = if self.peek().is_none() { "the end of the text" } else { "another byte" };
        Error::new(format!("expected {expected}, found {found}"), self.pos)
    }

    /// Takes `null`, `true` or `false`, whose first byte was seen.
    #[inline]
    pub(super) fn literal(&mut self, word: &'static str) -> Result<(), Error> {
        if self.rest().starts_with(word.as_bytes()) {
            self.advance(word.len());
            Ok(())
        } else {
            Err(self.error(word))
        }
    }

    /// Takes a string whose opening quote comes next.
    #[inline]
    pub(super) fn string(&mut self) -> Result<RawText<'de>, Error> {
        if !self.take_token(b'"') {
            return Err(self.error("text"));
        }
        let rest = self.rest();
        // Keys and most values are short: for them a plain loop beats the set-up of a vector search.
        for (i, &byte) in rest.iter().take(24).enumerate() {
            match byte {
                b'"' => {
                    self.advance(i + 1);
                    return Ok(RawText { bytes: rest.get(..i).unwrap_or_default(), escaped: false });
                }
                b'\\' | 0..0x20 => return self.long_string(i),
                _ => {}
            }
        }
        self.long_string(24)
    }

    /// Continues a string of which `seen` bytes are known to be plain.
    fn long_string(&mut self, seen: usize) -> Result<RawText<'de>, Error> {
        let start = self.pos;
        let mut escaped = false;
        self.advance(seen);
        loop {
            let rest = self.rest();
            let Some(n) = memchr2(b'"', b'\\', rest) else {
                self.advance(rest.len());
                return Err(self.error("the end of a string"));
            };
            if let Some(bad) = text::first_control(rest.get(..n).unwrap_or_default()) {
                self.advance(bad);
                return Err(self.error("control characters in a string to be escaped"));
            }
            self.advance(n);
            if self.peek() == Some(b'"') {
                let bytes = self.since(start);
                self.advance(1);
                return Ok(RawText { bytes, escaped });
            }
            escaped = true;
            match text::escape_len(self.rest()) {
                Some(n) => self.advance(n),
                None => return Err(self.error("a valid escape")),
            }
        }
    }
}
