//! A serde deserializer that takes what Chromium sends and serde_json refuses: half
//! surrogate pairs, nesting beyond 128, `1.0` for a whole number. Never panics, whatever the bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Visitor};

use super::access::{Items, Members, RawAccess, Variant};
use super::error::Error;
use super::number::Number;
use super::path;
use super::reader::{Deserializer, RAW_VALUE, visit_bytes, visit_text};
use super::skip::MAX_DEPTH;
use super::text;

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
    decode_by(text, false)
}

/// Decodes the payload of a message, in which a required floating point number may be `null`: it is NaN then.
pub(crate) fn decode_payload<T: DeserializeOwned + Send>(text: &[u8]) -> Result<T, Error> {
    decode_by(text, true)
}

fn decode_by<T: DeserializeOwned + Send>(text: &[u8], null_is_nan: bool) -> Result<T, Error> {
    // Looked at as a whole, which costs less than a look at each string in it.
    match simdutf8::basic::from_utf8(text) {
        Ok(text) => decode_text(text, null_is_nan),
        Err(_) => decode_text(&String::from_utf8_lossy(text), null_is_nan),
    }
}

fn decode_text<T: DeserializeOwned + Send>(text: &str, null_is_nan: bool) -> Result<T, Error> {
    let mut de = Deserializer::new(text, SHALLOW, null_is_nan);
    match whole(&mut de) {
        Ok(value) => Ok(value),
        Err(_) if de.was_too_deep() => deep(text, null_is_nan).map_err(|error| placed(error, text)),
        Err(error) => Err(placed(error, text)),
    }
}

/// The error with the path to its offset.
#[cold]
fn placed(error: Error, text: &str) -> Error {
    let Some(offset) = error.offset() else { return error };
    let path = path::at(text, offset, error.missing());
    error.with_path(path)
}

/// Decodes on a thread of its own, whose stack holds the deepest nesting allowed: a browser's page decides how
/// deep its document is, and must not be able to overflow the stack of whoever reads it.
#[cold]
fn deep<T: DeserializeOwned + Send>(text: &str, null_is_nan: bool) -> Result<T, Error> {
    let mut result =
        Err(Error::new("expected a thread for a deeply nested value, but the system gave none", 0));
    on_deep_stack(&mut || result = whole(&mut Deserializer::new(text, MAX_DEPTH, null_is_nan)));
    result
}

/// Calls `decode` where there is stack enough, or not at all where the system gives no thread. Not generic: the code
/// that starts a thread is some forty functions, which would be compiled anew for each decoded type.
fn on_deep_stack(decode: &mut (dyn FnMut() + Send)) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("deep-json".to_owned()).stack_size(DEEP_STACK);
        if let Ok(thread) = thread.spawn_scoped(scope, decode)
            && let Err(panic) = thread.join()
        {
            std::panic::resume_unwind(panic);
        }
    });
}

fn whole<'de, T: Deserialize<'de>>(de: &mut Deserializer<'de>) -> Result<T, Error> {
    // Handed on as it came: to unwrap it and wrap it again would move a value of perhaps some kilobytes.
    let result = T::deserialize(&mut *de);
    if result.is_ok() {
        de.end()?;
    }
    result
}

impl<'de> Deserializer<'de> {
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
        visit_text(self.cursor.text()?, visitor).map_err(|error| error.or_at(start))
    }

    fn raw<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        let surrogates = self.cursor.skip(self.depth)?;
        let text = self.cursor.since(start);
        let text = if surrogates { Cow::Owned(text::mend_raw(text)) } else { Cow::Borrowed(text) };
        visitor.visit_map(RawAccess::new(text)).map_err(|error| error.or_at(start))
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
        deserialize_i128 true, deserialize_u128 true, deserialize_f32 false,
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let start = self.start();
        if self.null_is_nan && self.take_null()? {
            return visitor.visit_f64(f64::NAN).map_err(|error: Error| error.or_at(start));
        }
        self.number(visitor, false)
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
        visit_bytes(self.cursor.text()?, visitor).map_err(|error: Error| error.or_at(start))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn bytes_that_are_no_text_become_the_replacement_character_wherever_a_string_is_read() {
        let text = b"{\"a\xFF\":\"\xE2\x82\",\"b\":\"\xF0\x9F\x98\x80\xC3\"}";
        let map: BTreeMap<String, String> = decode(text).unwrap();
        let expected = [("a\u{FFFD}", "\u{FFFD}"), ("b", "😀\u{FFFD}")];
        assert_eq!(map.iter().map(|(k, v)| (&**k, &**v)).collect::<Vec<_>>(), expected);
        let raw: Box<RawValue> = decode(text).unwrap();
        assert_eq!(raw.get(), "{\"a\u{FFFD}\":\"\u{FFFD}\",\"b\":\"😀\u{FFFD}\"}");
    }

    /// Takes nothing but bytes.
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Octets(Vec<u8>);

    impl<'de> Deserialize<'de> for Octets {
        fn deserialize<D: de::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            struct Octet;
            impl Visitor<'_> for Octet {
                type Value = Octets;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Octets, E> {
                    Ok(Octets(bytes.to_vec()))
                }
            }
            d.deserialize_bytes(Octet)
        }
    }

    #[test]
    fn keys_and_values_are_read_as_bytes_where_bytes_are_wanted() {
        let map: BTreeMap<Octets, Octets> = decode(br#"{"ab":"cd","\n":"\u00e9"}"#).unwrap();
        let expected = [("\n", "é"), ("ab", "cd")].map(|(k, v)| (Octets(k.into()), Octets(v.into())));
        assert_eq!(map.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_value_and_no_blank() {
        for text in [&b"\xFF"[..], b"[1,\xC3]", b"[1\xC3,2]", b"[1]\xFF"] {
            decode::<Vec<i64>>(text).unwrap_err();
        }
    }

    #[test]
    fn the_path_of_an_error_is_right_behind_bytes_that_are_no_text() {
        let error =
            decode::<BTreeMap<String, Vec<i64>>>(b"{\"\xFF\xFF\":[1],\"b\":[2,3,\"\xFF\"]}").unwrap_err();
        assert_eq!(error.path(), "b[2]");
    }
}
