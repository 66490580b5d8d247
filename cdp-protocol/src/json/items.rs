//! What generated protocol items are made of: readers and writers of objects that every item shares, and
//! macros for the kinds that have one shape. Hidden from the docs: only generated text uses it.
//!
//! Everything here is generic or `#[inline]`, so that building this crate compiles none of it for two
//! thousand items; what a program uses is compiled there. Errors are kept inside reader and writer instead
//! of returned from each step, which makes the text of an item a row of plain calls.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error as _, Visitor};

pub use std::sync::Arc;

pub use serde::de::MapAccess;
pub use serde::ser::SerializeMap;
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub use serde_json::value::RawValue;

pub use super::binary::Binary;
pub use crate::{Command, Event};
pub use crate::{number_newtype, text_enum, text_newtype, wrapper, wrapper_received, wrapper_sent};

/// An object with declared members.
pub trait Record<'de>: Sized {
    /// The members' names on the wire.
    const KEYS: &'static [&'static str];

    /// Reads the members and puts the whole into `out`.
    fn read<A: MapAccess<'de>>(fields: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error>;
}

/// Deserializes a [`Record`].
///
/// The value goes into a slot of this function, past the half dozen calls between here and
/// [`Record::read`]: without optimisation each of them would keep copies of it on its own stack, and a tree of
/// 250 nested elements would no longer fit into a thread's 2 MiB.
#[inline]
pub fn record<'de, T: Record<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut out = None;
    deserializer.deserialize_map(RecordVisitor(&mut out))?;
    match out {
        Some(value) => Ok(value),
        None => Err(D::Error::custom("expected the deserializer to visit an object")),
    }
}

struct RecordVisitor<'a, T>(&'a mut Option<T>);

impl<'de, T: Record<'de>> Visitor<'de> for RecordVisitor<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        T::read(&mut Fields { map, keys: T::KEYS, next: 0, error: None, lifetime: PhantomData }, self.0)
    }
}

/// Puts a value into a slot, `null` like any other.
struct IntoSlot<'a, T>(&'a mut Option<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for IntoSlot<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        *self.0 = Some(T::deserialize(deserializer)?);
        Ok(())
    }
}

/// Puts a value into a slot and leaves it empty for `null`.
struct UnlessNull<'a, T>(&'a mut Option<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for UnlessNull<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for UnlessNull<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        IntoSlot(self.0).deserialize(deserializer)
    }

    #[inline]
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    #[inline]
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// The members of an object as they come.
pub struct Fields<'de, A: MapAccess<'de>> {
    map: A,
    keys: &'static [&'static str],
    /// Which key is expected: members mostly come in the order of the description.
    next: usize,
    error: Option<A::Error>,
    lifetime: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> Fields<'de, A> {
    /// The number of the next member's key, or one that no key has for an unknown member.
    #[inline]
    pub fn next_key(&mut self) -> Option<usize> {
        if self.error.is_some() {
            return None;
        }
        match self.map.next_key_seed(KeySeed { keys: self.keys, expected: self.next }) {
            Ok(Some(key)) => {
                self.next = key.wrapping_add(1);
                Some(key)
            }
            Ok(None) => None,
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// Reads a value that must be there, or one for which `null` is a value.
    #[inline]
    pub fn required<T: Deserialize<'de>>(&mut self, slot: &mut Option<T>) {
        self.error = self.map.next_value_seed(IntoSlot(slot)).err();
    }

    /// Reads a value that may be absent; `null` counts as absent.
    #[inline]
    pub fn optional<T: Deserialize<'de>>(&mut self, slot: &mut Option<T>) {
        self.error = self.map.next_value_seed(UnlessNull(slot)).err();
    }

    /// Passes over the value of an unknown member.
    #[inline]
    pub fn skip(&mut self) {
        self.error = self.map.next_value::<serde::de::IgnoredAny>().err();
    }

    /// The error of an earlier step, if there was one.
    #[inline]
    pub fn done(&mut self) -> Result<(), A::Error> {
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The value of the required member with the number `key`.
    #[inline]
    pub fn take<T>(&self, slot: Option<T>, key: usize) -> Result<T, A::Error> {
        match slot {
            Some(value) => Ok(value),
            None => Err(A::Error::missing_field(self.keys.get(key).copied().unwrap_or_default())),
        }
    }
}

struct KeySeed {
    keys: &'static [&'static str],
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        // Bytes, since a comparison with known keys needs no check for UTF-8.
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    #[inline]
    fn visit_bytes<E: serde::de::Error>(self, key: &[u8]) -> Result<usize, E> {
        let is = |name: &&str| name.as_bytes() == key;
        if self.keys.get(self.expected).is_some_and(is) {
            return Ok(self.expected);
        }
        Ok(self.keys.iter().position(is).unwrap_or(usize::MAX))
    }

    #[inline]
    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<usize, E> {
        self.visit_bytes(key.as_bytes())
    }
}

/// Writes the members of an object.
pub struct Writer<S: Serializer> {
    state: Result<S::SerializeMap, S::Error>,
}

impl<S: Serializer> Writer<S> {
    /// Begins an object.
    #[inline]
    pub fn new(serializer: S) -> Writer<S> {
        Writer { state: serializer.serialize_map(None) }
    }

    /// Writes a member in any case: an empty list, nought and false are values too.
    #[inline]
    pub fn required<T: Serialize + ?Sized>(mut self, key: &'static str, value: &T) -> Writer<S> {
        if let Ok(map) = &mut self.state
            && let Err(error) = map.serialize_entry(key, value)
        {
            self.state = Err(error);
        }
        self
    }

    /// Writes a member that is there; an absent one is left out, since Chromium refuses `null`.
    #[inline]
    pub fn optional<T: Serialize>(self, key: &'static str, value: &Option<T>) -> Writer<S> {
        match value {
            Some(value) => self.required(key, value),
            None => self,
        }
    }

    /// Ends the object.
    #[inline]
    pub fn end(self) -> Result<S::Ok, S::Error> {
        self.state?.end()
    }
}

/// Deserializes what is made from a text.
#[inline]
pub fn from_text<'de, T: for<'a> From<&'a str>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(TextVisitor(PhantomData))
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: for<'a> From<&'a str>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    #[inline]
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }
}
