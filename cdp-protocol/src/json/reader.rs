//! The state of a deserialization and the steps that all kinds of values share. The serde interface to it is in
//! `de`.

use std::borrow::Cow;

use serde::de::{self, Error as _, Unexpected, Visitor};

use super::cursor::Cursor;
use super::error::Error;
use super::skip::too_deep;

/// The name under which serde_json's `RawValue` asks for the text of a value.
pub(super) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The name under which generated items ask for the name of a member, the expected one first.
pub(super) const MEMBER: &str = "$cdp_protocol::Member";

/// Text that is being decoded: where the cursor stands and how deep.
pub(super) struct Deserializer<'de> {
    pub(super) cursor: Cursor<'de>,
    /// How many containers lie around the cursor.
    pub(super) depth: usize,
    /// How many there may be; passing over a value does not recurse and always goes to `MAX_DEPTH`.
    limit: usize,
    /// Whether `null` is a floating point number: Chromium has no other way to write one that is not finite.
    pub(super) null_is_nan: bool,
    /// Whether that limit was met.
    beyond: bool,
}

impl<'de> Deserializer<'de> {
    pub(super) fn new(text: &'de str, limit: usize, null_is_nan: bool) -> Deserializer<'de> {
        Deserializer { cursor: Cursor::new(text), depth: 0, limit, null_is_nan, beyond: false }
    }

    /// Whether the limit of nesting was met.
    pub(super) fn was_too_deep(&self) -> bool {
        self.beyond
    }

    pub(super) fn end(&mut self) -> Result<(), Error> {
        if self.cursor.peek_token().is_none() {
            Ok(())
        } else {
            Err(self.cursor.error("the end of the text"))
        }
    }

    /// Where the next value starts.
    #[inline]
    pub(super) fn start(&mut self) -> usize {
        self.cursor.peek_token();
        self.cursor.pos()
    }

    /// Takes `null` if it comes next.
    #[inline]
    pub(super) fn take_null(&mut self) -> Result<bool, Error> {
        if self.cursor.peek_token() != Some(b'n') {
            return Ok(false);
        }
        self.cursor.literal("null").map(|()| true)
    }

    /// Passes over the next value.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        self.cursor.skip(self.depth).map(|_| ())
    }

    /// Enters a container, lets `visit` read it, and takes the closing byte.
    pub(super) fn nested<T>(
        &mut self,
        close: u8,
        visit: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.depth >= self.limit {
            self.beyond = true;
            return Err(too_deep(self.cursor.pos()));
        }
        let start = self.cursor.pos();
        self.cursor.advance(1);
        self.depth += 1;
        let value = visit(self).map_err(|error| error.or_at(start))?;
        self.depth -= 1;
        if self.cursor.take_token(close) {
            Ok(value)
        } else {
            Err(self.cursor.error(if close == b'}' { "`}`" } else { "`]`" }))
        }
    }

    /// The error for a value of another kind than the visitor wants.
    #[cold]
    pub(super) fn wrong_kind<T>(&mut self, visitor: &dyn de::Expected) -> Result<T, Error> {
        let start = self.start();
        let found = match self.cursor.peek() {
            Some(b'"') => Unexpected::Str(""),
            Some(b'{') => Unexpected::Map,
            Some(b'[') => Unexpected::Seq,
            Some(b't' | b'f') => Unexpected::Bool(true),
            Some(b'n') => Unexpected::Unit,
            Some(b'-' | b'0'..=b'9') => Unexpected::Float(0.0),
            _ => return Err(self.cursor.error("a value")),
        };
        Err(Error::invalid_type(found, visitor).or_at(start))
    }
}

/// Hands the bytes of a text over in the cheapest way.
pub(super) fn visit_bytes<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Error> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
        Cow::Owned(text) => visitor.visit_byte_buf(text.into_bytes()),
    }
}

/// Hands a text over in the cheapest way.
pub(super) fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Error> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}
