//! A position in JSON text: blanks, single bytes, literals and strings. Knows no types and no nesting.

use std::borrow::Cow;

use super::error::Error;
use super::text;

/// Reads a text front to back. It is a `str` and the cursor stops beside ASCII alone, so what lies between two stops is one as well
/// and needs no check.
#[derive(Clone)]
pub(super) struct Cursor<'de> {
    all: &'de str,
    pos: usize,
}

/// A string as it stands in the text.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'de> {
    /// What stands between the quotes.
    pub(super) inner: &'de str,
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

    /// Moves on by `n` bytes, which the caller has seen: the cursor doesn't look whether they are there.
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

    /// Passes the blanks at the cursor and gives the byte behind them. Cold, since Chromium writes no blanks.
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
            self.advance(1);
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
    pub(super) fn string(&mut self) -> Result<Quoted<'de>, Error> {
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
        let inner = self.since(start);
        self.advance(1);
        Ok(Quoted { inner, escaped })
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

/// Whether two texts of the same length are the same. Those of 8 to 16 bytes, as names of members mostly are, are compared as their
/// first and their last word, which may overlap: a call of memcmp costs more.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_taken_when_every_byte_of_it_stands_there() {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        for length in 0..40 {
            let name = &letters[..length];
            let taken = |text: &str| {
                let mut cursor = Cursor::new(text);
                let taken = cursor.take_quoted(name);
                assert_eq!(cursor.pos(), if taken { length + 2 } else { 0 }, "{text}");
                taken
            };
            assert!(taken(&format!("\"{name}\"")) && taken(&format!("\"{name}\":1")));
            for at in 0..length {
                let mut other = name.to_owned();
                other.replace_range(at..=at, "_");
                assert!(!taken(&format!("\"{other}\":1")), "{other}");
            }
            for text in
                [format!("\"{name}x\":1"), format!("\"{name}"), format!("{name}\""), format!("\"{name}:1")]
            {
                assert!(!taken(&text), "{text}");
            }
            if length > 0 {
                assert!(!taken(&format!("\"{}\":1", &name[..length - 1])));
            }
        }
    }
}
