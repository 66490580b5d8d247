//! What the deserializer hands to visitors: members, items, variants, keys, and raw text.

use std::borrow::Cow;

use serde::de::value::CowStrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::cursor::Cursor;
use super::error::Error;
use super::reader::{Deserializer, MEMBER, RAW_VALUE, visit_bytes, visit_text};

/// The members of an object.
pub(super) struct Members<'a, 'de> {
    de: &'a mut Deserializer<'de>,
    first: bool,
}

impl<'a, 'de> Members<'a, 'de> {
    pub(super) fn new(de: &'a mut Deserializer<'de>) -> Members<'a, 'de> {
        Members { de, first: true }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let cursor = &mut self.de.cursor;
        // The token is looked at once: this runs for each member.
        let token = cursor.peek_token();
        if token == Some(b'}') {
            return Ok(None);
        }
        if !std::mem::take(&mut self.first) {
            if token != Some(b',') {
                return Err(cursor.error("`,` or `}`"));
            }
            cursor.advance(1);
            cursor.peek_token();
        }
        let start = cursor.pos();
        let key = seed.deserialize(Key { cursor }).map_err(|error| error.or_at(start))?;
        if !cursor.take_token(b':') {
            return Err(cursor.error("`:`"));
        }
        Ok(Some(key))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.de)
    }
}

/// The items of a list.
pub(super) struct Items<'a, 'de> {
    de: &'a mut Deserializer<'de>,
    first: bool,
}

impl<'a, 'de> Items<'a, 'de> {
    pub(super) fn new(de: &'a mut Deserializer<'de>) -> Items<'a, 'de> {
        Items { de, first: true }
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let cursor = &mut self.de.cursor;
        if cursor.peek_token() == Some(b']') {
            return Ok(None);
        }
        if !std::mem::take(&mut self.first) && !cursor.take_token(b',') {
            return Err(cursor.error("`,` or `]`"));
        }
        seed.deserialize(&mut *self.de).map(Some)
    }
}

/// The key of a member. A key is text; a map with numbers or booleans as keys reads them out of that text.
struct Key<'a, 'de> {
    cursor: &'a mut Cursor<'de>,
}

macro_rules! parsed_keys {
    ($($method:ident $visit:ident $ty:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.cursor.text()?.parse::<$ty>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Error::invalid_type(Unexpected::Str(""), &visitor)),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Key<'_, 'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visit_text(self.cursor.text()?, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visit_bytes(self.cursor.text()?, visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == MEMBER {
            let expected = variants.first().is_some_and(|expected| self.cursor.take_quoted(expected));
            return if expected { visitor.visit_unit() } else { self.deserialize_any(visitor) };
        }
        let key: CowStrDeserializer<'_, Error> = self.cursor.text()?.into_deserializer();
        key.deserialize_enum(name, variants, visitor)
    }

    parsed_keys! {
        deserialize_bool visit_bool bool,
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64,
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A serde enum, which the protocol has none of but callers' own types may: `"name"` or `{"name": value}`.
pub(super) struct Variant<'a, 'de> {
    de: &'a mut Deserializer<'de>,
    has_value: bool,
}

impl<'a, 'de> Variant<'a, 'de> {
    pub(super) fn text(de: &'a mut Deserializer<'de>) -> Variant<'a, 'de> {
        Variant { de, has_value: false }
    }

    pub(super) fn object(de: &'a mut Deserializer<'de>) -> Variant<'a, 'de> {
        Variant { de, has_value: true }
    }

    #[cold]
    fn no_value(&self) -> Error {
        self.de.cursor.error("a variant with a value")
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name = seed.deserialize(Key { cursor: &mut self.de.cursor })?;
        if self.has_value && !self.de.cursor.take_token(b':') {
            return Err(self.de.cursor.error("`:`"));
        }
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        if self.has_value { self.de.skip() } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        if self.has_value { seed.deserialize(self.de) } else { Err(self.no_value()) }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        if self.has_value {
            de::Deserializer::deserialize_seq(self.de, visitor)
        } else {
            Err(self.no_value())
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.has_value {
            de::Deserializer::deserialize_map(self.de, visitor)
        } else {
            Err(self.no_value())
        }
    }
}

/// The text of a value in the form in which serde_json's `RawValue` expects it: a map with one member whose
/// value is the text.
pub(super) struct RawAccess<'de> {
    text: Option<Cow<'de, str>>,
}

impl<'de> RawAccess<'de> {
    pub(super) fn new(text: Cow<'de, str>) -> RawAccess<'de> {
        RawAccess { text: Some(text) }
    }
}

impl<'de> MapAccess<'de> for RawAccess<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        if self.text.is_none() {
            return Ok(None);
        }
        seed.deserialize(RAW_VALUE.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(RawText(self.text.take().unwrap_or_default()))
    }
}

/// Hands the text over, borrowed where it can be.
struct RawText<'de>(Cow<'de, str>);

impl<'de> de::Deserializer<'de> for RawText<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visit_text(self.0, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
