//! A serde deserializer over a byte slice that takes what Chromium sends and serde_json refuses: half
//! surrogate pairs, nesting beyond 128, `1.0` for a whole number. Never panics, whatever the bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Error as _, Unexpected, Visitor};

use super::access::{Items, Members, RawAccess, Variant};
use super::cursor::Cursor;
use super::error::Error;
use super::number::Number;
use super::skip::{MAX_DEPTH, too_deep};
use super::text;

/// The name under which serde_json's `RawValue` asks for the text of a value.
pub(super) const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// How deep values may nest before decoding moves to a thread with a large stack. Without optimisation an
/// element of a document tree takes 11 KiB of stack, so this much fits into any thread.
const SHALLOW: usize = 96;

/// Stack for values nested deeper than that: 64 KiB a level, of which only what is touched costs memory.
const DEEP_STACK: usize = MAX_DEPTH * 64 * 1024;

/// Decodes the JSON text `text` into `T`.
///
/// Beyond what JSON allows it accepts half surrogate pairs and bytes that are no UTF-8 inside strings (both
/// become U+FFFD), nesting to 512, and `1.0` or `1e3` where a whole number is wanted. `()` takes any value.
///
/// # Errors
///
/// Text that is no JSON, or lacks what `T` requires, with the path to the fault. The value itself is never repeated.
pub fn decode<T: DeserializeOwned + Send>(text: &[u8]) -> Result<T, Error> {
    let mut de = Deserializer { cursor: Cursor::new(text), depth: 0, limit: SHALLOW, beyond: false };
    let mut result = de.whole();
    if result.is_err() && de.beyond {
        result = deep(text);
    }
    result.map_err(|error| error.with_path(text))
}

/// Decodes on a thread of its own, whose stack holds the deepest nesting allowed: a browser's page decides how
/// deep its document is, and must not be able to overflow the stack of whoever reads it.
#[cold]
fn deep<T: DeserializeOwned + Send>(text: &[u8]) -> Result<T, Error> {
    let whole =
        || Deserializer { cursor: Cursor::new(text), depth: 0, limit: MAX_DEPTH, beyond: false }.whole();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("deep-json".to_owned()).stack_size(DEEP_STACK);
        match thread.spawn_scoped(scope, whole) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => {
                Err(Error::new("expected a thread for a deeply nested value, but the system gave none", 0))
            }
        }
    })
}

/// See the module.
pub(super) struct Deserializer<'de> {
    pub(super) cursor: Cursor<'de>,
    /// How many containers lie around the cursor.
    pub(super) depth: usize,
    /// How many there may be; passing over a value does not recurse and always goes to `MAX_DEPTH`.
    limit: usize,
    /// Whether that limit was met.
    beyond: bool,
}

impl<'de> Deserializer<'de> {
    fn whole<T: Deserialize<'de>>(&mut self) -> Result<T, Error> {
        let value = T::deserialize(&mut *self)?;
        self.end()?;
        Ok(value)
    }

    fn end(&mut self) -> Result<(), Error> {
        if self.cursor.peek_token().is_none() {
            Ok(())
        } else {
            Err(self.cursor.error("the end of the text"))
        }
    }

    /// Where the next value starts.
    #[inline]
    fn start(&mut self) -> usize {
        self.cursor.peek_token();
        self.cursor.pos()
    }

    /// Takes `null` if it comes next.
    #[inline]
    fn take_null(&mut self) -> Result<bool, Error> {
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
    fn nested<T>(
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

    fn list<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        self.nested(b']', |de| visitor.visit_seq(Items::new(de)))
    }

    fn object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        self.nested(b'}', |de| visitor.visit_map(Members::new(de)))
    }

    fn number<V: Visitor<'de>>(&mut self, visitor: V, whole: bool) -> Result<V::Value, Error> {
        let start = self.start();
        if !matches!(self.cursor.peek(), Some(b'-' | b'0'..=b'9')) {
            return self.wrong_kind(&visitor);
        }
        let number = self.cursor.number()?;
        match if whole { number.whole() } else { number } {
            Number::Unsigned(value) => visitor.visit_u64(value),
            Number::Negative(value) => visitor.visit_i64(value),
            Number::Float(value) => visitor.visit_f64(value),
        }
        .map_err(|error: Error| error.or_at(start))
    }

    fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        if self.cursor.peek() != Some(b'"') {
            return self.wrong_kind(&visitor);
        }
        visit_text(self.cursor.string()?.value(), visitor).map_err(|error| error.or_at(start))
    }

    fn raw<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        let surrogates = self.cursor.skip(self.depth)?;
        let bytes = self.cursor.since(start);
        let text =
            if surrogates { Cow::Owned(text::mend_raw(bytes)) } else { String::from_utf8_lossy(bytes) };
        visitor.visit_map(RawAccess::new(text)).map_err(|error| error.or_at(start))
    }

    /// The error for a value of another kind than the visitor wants.
    #[cold]
    fn wrong_kind<T>(&mut self, visitor: &dyn de::Expected) -> Result<T, Error> {
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

/// Hands a text over in the cheapest way.
pub(super) fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Error> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

macro_rules! numbers {
    ($($method:ident $whole:literal,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number(visitor, $whole)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        match self.cursor.peek() {
            Some(b'"') => self.text(visitor),
            Some(b'{') => self.object(visitor),
            Some(b'[') => self.list(visitor),
            Some(b'-' | b'0'..=b'9') => self.number(visitor, false),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'n') => {
                self.cursor.literal("null")?;
                visitor.visit_unit().map_err(|error: Error| error.or_at(start))
            }
            _ => Err(self.cursor.error("a value")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        let value = match self.cursor.peek() {
            Some(b't') => self.cursor.literal("true").map(|()| true)?,
            Some(b'f') => self.cursor.literal("false").map(|()| false)?,
            _ => return self.wrong_kind(&visitor),
        };
        visitor.visit_bool(value).map_err(|error: Error| error.or_at(start))
    }

    numbers! {
        deserialize_i8 true, deserialize_i16 true, deserialize_i32 true, deserialize_i64 true,
        deserialize_u8 true, deserialize_u16 true, deserialize_u32 true, deserialize_u64 true,
        deserialize_i128 true, deserialize_u128 true, deserialize_f32 false, deserialize_f64 false,
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        match self.cursor.peek() {
            Some(b'[') => return self.list(visitor),
            Some(b'"') => {}
            _ => return self.wrong_kind(&visitor),
        }
        let text = self.cursor.string()?;
        if text.escaped {
            visitor.visit_byte_buf(text.value().into_owned().into_bytes())
        } else {
            visitor.visit_borrowed_bytes(text.bytes)
        }
        .map_err(|error: Error| error.or_at(start))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.take_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        self.skip()?;
        visitor.visit_unit().map_err(|error: Error| error.or_at(start))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == RAW_VALUE { self.raw(visitor) } else { visitor.visit_newtype_struct(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.cursor.peek_token() == Some(b'[') { self.list(visitor) } else { self.wrong_kind(&visitor) }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.cursor.peek_token() == Some(b'{') { self.object(visitor) } else { self.wrong_kind(&visitor) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.cursor.peek_token() {
            Some(b'[') => self.list(visitor),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let start = self.start();
        match self.cursor.peek() {
            Some(b'"') => visitor.visit_enum(Variant::text(self)).map_err(|error| error.or_at(start)),
            Some(b'{') => self.nested(b'}', |de| visitor.visit_enum(Variant::object(de))),
            _ => self.wrong_kind(&visitor),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.text(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.skip()?;
        visitor.visit_unit()
    }
}
