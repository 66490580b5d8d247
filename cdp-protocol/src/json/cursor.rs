//! A position in JSON text: blanks, single bytes, literals and strings. Knows no types and no nesting.

use std::borrow::Cow;

use super::error::Error;
use super::text;

/// Reads a text front to back. Never moves beyond its end. A part of a `str` is one too, so no string in it has to be checked.
#[derive(Clone)]
pub(super) struct Cursor<'de> {
    all: &'de str,
    pos: usize,
}

/// A string as it stands in the text, between its quotes.
#[derive(Clone, Copy)]
pub(super) struct RawText<'de> {
    pub(super) text: &'de str,
    /// Whether a backslash occurs.
    pub(super) escaped: bool,
}

impl<'de> Cursor<'de> {
    pub(super) fn new(text: &'de str) -> Cursor<'de> {
        Cursor { all: text, pos: 0 }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.all.as_bytes().get(self.pos..).unwrap_or_default()
    }

    /// What was read since `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'de str {
        self.all.get(start..self.pos).unwrap_or_default()
    }

    /// Moves on by `n` bytes, which the caller has seen.
    #[inline]
    pub(super) fn advance(&mut self, n: usize) {
        self.pos += n;
    }

    /// The byte at the cursor.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.all.as_bytes().get(self.pos).copied()
    }

    /// The next byte that is not blank, without taking it.
    #[inline]
    pub(super) fn peek_token(&mut self) -> Option<u8> {
        match self.peek() {
            Some(b' ' | b'\n' | b'\r' | b'\t') => self.pass_blanks(),
            token => token,
        }
    }

    /// Chromium writes none.
    #[cold]
    fn pass_blanks(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.advance(1);
        }
        self.peek()
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
        let found = match self.rest().split_at_checked(text.len() + 2) {
            Some(([b'"', inner @ .., b'"'], _)) => same(inner, text.as_bytes()),
            _ => false,
        };
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
        let text = self.since(start);
        self.advance(1);
        Ok(RawText { text, escaped })
    }

    /// Takes a string and gives its value, borrowed when it has no escapes. Half a surrogate pair becomes U+FFFD.
    #[inline]
    pub(super) fn text(&mut self) -> Result<Cow<'de, str>, Error> {
        self.opening_quote()?;
        let start = self.pos;
        if !self.plain()? {
            return self.escaped_text(start);
        }
        let text = self.since(start);
        self.advance(1);
        Ok(Cow::Borrowed(text))
    }

    /// Continues a string that began at `start` and is plain up to the backslash at the cursor.
    fn escaped_text(&mut self, start: usize) -> Result<Cow<'de, str>, Error> {
        let mut out = self.since(start).to_owned();
        loop {
            match text::push_escape(self.rest(), &mut out) {
                Some(n) => self.advance(n),
                None => return Err(self.error("a valid escape")),
            }
            let run = self.pos;
            let end = self.plain()?;
            out.push_str(self.since(run));
            if end {
                self.advance(1);
                return Ok(Cow::Owned(out));
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

/// Whether two texts of the same length are the same. Names of members mostly take one word or two, for which the call of a function
/// costs more than the comparison.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() <= 16
        && let (Some(a_first), Some(a_last)) = (a.first_chunk::<8>(), a.last_chunk::<8>())
        && let (Some(b_first), Some(b_last)) = (b.first_chunk::<8>(), b.last_chunk::<8>())
    {
        return a_first == b_first && a_last == b_last;
    }
    a == b
}
