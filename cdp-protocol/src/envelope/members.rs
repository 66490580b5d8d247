//! The members of one JSON object, each with the range of its value. Values are skipped, not checked: brackets are counted and
//! strings passed over, which is all that is needed to find where a value ends.

use std::borrow::Cow;
use std::ops::Range;

use super::error::EnvelopeError;
use super::text;

/// A member's name, and the range of its value.
type Member<'a> = (Cow<'a, str>, Range<usize>);

/// Walks over the members of an object that fills `bytes` but for white space around it.
pub(super) struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    state: State,
}

enum State {
    Start,
    Inside,
    Done,
}

impl<'a> Members<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, state: State::Start }
    }

    /// The next member's name and the range of its value; `None` behind the last.
    pub(super) fn next(&mut self) -> Result<Option<Member<'a>>, EnvelopeError> {
        match self.state {
            State::Done => return Ok(None),
            State::Start => {
                self.expect(b'{', EnvelopeError::NotAnEnvelope)?;
                self.state = State::Inside;
                if self.peek() == Some(b'}') {
                    return self.end();
                }
            }
            State::Inside => match self.peek() {
                Some(b',') => self.at = self.at.saturating_add(1),
                Some(b'}') => return self.end(),
                _ => return Err(self.broken()),
            },
        }
        if self.peek() != Some(b'"') {
            return Err(self.broken());
        }
        let key = text::skip(self.bytes, self.at).map(|end| self.at..end).ok_or_else(|| self.cut())?;
        let name = inner(self.bytes, &key).ok_or_else(|| self.broken())?;
        self.at = key.end;
        self.expect(b':', self.broken())?;
        self.peek();
        let value = self.at..self.skip_value()?;
        self.at = value.end;
        Ok(Some((name, value)))
    }

    fn end(&mut self) -> Result<Option<Member<'a>>, EnvelopeError> {
        self.at = self.at.saturating_add(1);
        if self.peek().is_some() {
            return Err(self.broken());
        }
        self.state = State::Done;
        Ok(None)
    }

    /// Passes over white space and returns the byte behind it.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at = self.at.saturating_add(1);
        }
        None
    }

    fn expect(&mut self, byte: u8, otherwise: EnvelopeError) -> Result<(), EnvelopeError> {
        if self.peek() != Some(byte) {
            return Err(otherwise);
        }
        self.at = self.at.saturating_add(1);
        Ok(())
    }

    /// The offset behind the value at `self.at`.
    fn skip_value(&self) -> Result<usize, EnvelopeError> {
        let mut depth = 0usize;
        let mut at = self.at;
        while let Some(byte) = self.bytes.get(at) {
            let next = at.saturating_add(1);
            at = match byte {
                b'"' => text::skip(self.bytes, at).ok_or_else(|| self.cut())?,
                b'{' | b'[' => {
                    depth = depth.saturating_add(1);
                    next
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(EnvelopeError::Broken { offset: at })?;
                    next
                }
                _ if depth == 0 => return self.skip_scalar(),
                _ => next,
            };
            if depth == 0 {
                return Ok(at);
            }
        }
        Err(self.cut())
    }

    fn skip_scalar(&self) -> Result<usize, EnvelopeError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let scalar = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
        let length = rest.iter().position(|b| !scalar(b)).ok_or_else(|| self.cut())?;
        if length == 0 {
            return Err(self.broken());
        }
        Ok(self.at.saturating_add(length))
    }

    fn broken(&self) -> EnvelopeError {
        EnvelopeError::Broken { offset: self.at }
    }

    fn cut(&self) -> EnvelopeError {
        EnvelopeError::Broken { offset: self.bytes.len() }
    }
}

/// The text of the string, quotes included, that stands at `range`.
pub(super) fn inner<'a>(bytes: &'a [u8], range: &Range<usize>) -> Option<Cow<'a, str>> {
    text::unescape(bytes.get(range.clone())?.strip_prefix(b"\"")?.strip_suffix(b"\"")?)
}

/// The raw value of a member of `object`, an object as found in a payload. The last of several with one name counts.
pub(crate) fn field<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut members = Members::new(object);
    let mut found = None;
    while let Ok(Some((key, value))) = members.next() {
        if key == name {
            found = object.get(value);
        }
    }
    found
}

/// The text of a member of `object`; `None` when it is absent or no string.
pub(crate) fn text_field<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let value = field(object, name)?;
    inner(value, &(0..value.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_at_the_top_only() {
        let object = br#" { "a" : {"b":"no","x":[1,{"b":"}"}]} , "b":"y\u0065s", "c":-1.5e3 } "#;
        assert_eq!(text_field(object, "b").as_deref(), Some("yes"));
        assert_eq!(field(object, "c"), Some(&b"-1.5e3"[..]));
        assert_eq!(text_field(object, "c"), None);
        assert_eq!(field(object, "x"), None);
        assert_eq!(field(b"[1]", "a"), None);
    }
}
