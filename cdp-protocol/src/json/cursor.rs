//! A position in JSON text: blanks, single bytes, literals and strings. Knows no types and no nesting.

use std::borrow::Cow;

use super::error::Error;
use super::text;

/// Reads a text front to back. Never moves beyond its end.
#[derive(Clone)]
pub(super) struct Cursor<'de> {
    all: &'de [u8],
    pos: usize,
}

/// A string as it stands in the text, between its quotes.
#[derive(Clone, Copy)]
pub(super) struct RawText<'de> {
    pub(super) bytes: &'de [u8],
    /// Whether a backslash occurs.
    pub(super) escaped: bool,
}

impl<'de> Cursor<'de> {
    pub(super) fn new(bytes: &'de [u8]) -> Cursor<'de> {
        Cursor { all: bytes, pos: 0 }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.all.get(self.pos..).unwrap_or_default()
    }

    /// What was read since `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'de [u8] {
        self.all.get(start..self.pos).unwrap_or_default()
    }

    /// Moves on by `n` bytes, which the caller has seen.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        self.pos = self.pos.saturating_add(n).min(self.all.len());
    }

    /// The byte at the cursor.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.all.get(self.pos).copied()
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

    /// Takes the string `text`, which has nothing to escape, if it comes next.
    #[inline]
    pub(super) fn take_quoted(&mut self, text: &str) -> bool {
        let inner = self.rest().strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(text.as_bytes()));
        let found = inner.is_some_and(|rest| rest.first() == Some(&b'"'));
        if found {
            self.advance(text.len() + 2);
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

    /// Takes a string whose opening quote comes next, and leaves its escapes as they are.
    #[inline]
    pub(super) fn string(&mut self) -> Result<RawText<'de>, Error> {
        self.opening_quote()?;
        let start = self.pos;
        let mut escaped = false;
        while !self.plain()? {
            escaped = true;
            match text::escape_len(self.rest()) {
                Some(n) => self.advance(n),
                None => return Err(self.error("a valid escape")),
            }
        }
        let bytes = self.since(start);
        self.advance(1);
        Ok(RawText { bytes, escaped })
    }

    /// Takes a string and gives its value: borrowed when it has no escapes and is UTF-8; what is no Unicode becomes
    /// U+FFFD.
    #[inline]
    pub(super) fn text(&mut self) -> Result<Cow<'de, str>, Error> {
        self.opening_quote()?;
        let start = self.pos;
        if !self.plain()? {
            return self.escaped_text(start);
        }
        let bytes = self.since(start);
        self.advance(1);
        Ok(text::lossy(bytes))
    }

    /// Takes a string as bytes, which nobody checks for UTF-8.
    #[inline]
    pub(super) fn bytes(&mut self) -> Result<Cow<'de, [u8]>, Error> {
        self.opening_quote()?;
        let start = self.pos;
        if !self.plain()? {
            return Ok(Cow::Owned(self.escaped_text(start)?.into_owned().into_bytes()));
        }
        let bytes = self.since(start);
        self.advance(1);
        Ok(Cow::Borrowed(bytes))
    }

    /// Continues a string that began at `start` and is plain up to the backslash at the cursor.
    fn escaped_text(&mut self, start: usize) -> Result<Cow<'de, str>, Error> {
        let mut out = self.since(start).to_vec();
        loop {
            match text::push_escape(self.rest(), &mut out) {
                Some(n) => self.advance(n),
                None => return Err(self.error("a valid escape")),
            }
            let run = self.pos;
            let end = self.plain()?;
            out.extend_from_slice(self.since(run));
            if end {
                self.advance(1);
                return Ok(Cow::Owned(text::into_string(out)));
            }
        }
    }

    #[inline]
    fn opening_quote(&mut self) -> Result<(), Error> {
        if self.take_token(b'"') { Ok(()) } else { Err(self.error("text")) }
    }

    /// Moves on to the quote (true) or the backslash (false) that ends a plain piece of a string.
    #[inline]
    fn plain(&mut self) -> Result<bool, Error> {
        self.advance(text::plain_len(self.rest()));
        match self.peek() {
            Some(b'"') => Ok(true),
            Some(b'\\') => Ok(false),
            Some(_) => Err(self.error("control characters in a string to be escaped")),
            None => Err(self.error("the end of a string")),
        }
    }
}
