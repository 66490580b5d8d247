//! What generated protocol items are made of: readers and writers of objects that every item shares, and
//! macros for the kinds that have one shape. Hidden from the docs: only generated text uses it.
//!
//! Everything here is generic or `#[inline]`, so that building this crate compiles none of it for two
//! thousand items; what a program uses is compiled there.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, EnumAccess, Error as _, MapAccess, VariantAccess, Visitor};
use serde::ser::SerializeMap;

pub use std::fmt::{Debug, Formatter, Result as FmtResult};
pub use std::sync::Arc;

pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub use serde_json::value::RawValue;

pub use super::binary::Binary;
use super::reader::MEMBER;
pub use super::slots::{Any, May, Need, Put, PutSome};
use super::slots::{Members, Slots};
pub use super::units::{corners, seconds_to, span, system_time};
pub use crate::{Command, Event};
pub use crate::{hidden, number_newtype, text_enum, text_newtype, wrapper, wrapper_received, wrapper_sent};
pub use crate::{milliseconds, milliseconds_since_epoch, monotonic_seconds, quad, seconds_since_epoch};

/// Deserializes an object with declared members: reads them into the slots `S`, which are in the order of `keys`, the
/// members' names on the wire, and builds the whole of what the slots hold.
///
/// `build` has a type of its own, so that it is compiled into its caller and not called by a pointer.
///
/// The value goes into a slot of this function, past the half dozen calls between here and the reading of the
/// members: without optimisation each of them would keep copies of it on its own stack.
#[inline]
pub fn record<'de, S: Slots<'de>, T, D: Deserializer<'de>>(
    deserializer: D,
    keys: &'static [&'static str],
    build: impl FnOnce(S::Values) -> T,
) -> Result<T, D::Error> {
    let mut out = None;
    deserializer.deserialize_map(RecordVisitor { keys, build, out: &mut out, slots: PhantomData::<S> })?;
    match out {
        Some(value) => Ok(value),
        None => Err(D::Error::custom("expected the deserializer to visit an object")),
    }
}

struct RecordVisitor<'a, S, T, F> {
    keys: &'static [&'static str],
    build: F,
    out: &'a mut Option<T>,
    slots: PhantomData<S>,
}

impl<'de, S: Slots<'de>, T, F: FnOnce(S::Values) -> T> Visitor<'de> for RecordVisitor<'_, S, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut slots = S::empty();
        read_members(&mut slots, self.keys, &mut map)?;
        match slots.take() {
            Ok(values) => *self.out = Some((self.build)(values)),
            Err(key) => return Err(A::Error::missing_field(self.keys.get(key).copied().unwrap_or_default())),
        }
        Ok(())
    }
}

fn read_members<'de, S: Slots<'de>, A: MapAccess<'de>>(
    slots: &mut S,
    keys: &'static [&'static str],
    map: &mut A,
) -> Result<(), A::Error> {
    // Members mostly come in the order of the description.
    let mut expected = 0;
    while let Some(key) = map.next_key_seed(KeySeed { keys, expected })? {
        expected = key.wrapping_add(1);
        slots.read(key, map)?;
    }
    Ok(())
}

/// Serializes an object.
#[inline]
pub fn object<S: Serializer, M: Members>(
    serializer: S,
    keys: &[&'static str],
    members: M,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    members.write(keys, &mut map)?;
    map.end()
}

struct KeySeed {
    keys: &'static [&'static str],
    expected: usize,
}

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        // One of several names is what serde calls an enumeration. Our own reader knows this one, and compares the first name
        // with what stands at its cursor, which is right for nearly all members.
        deserializer.deserialize_enum(MEMBER, self.keys.get(self.expected..).unwrap_or_default(), self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    /// The name is the expected one.
    #[inline]
    fn visit_unit<E: serde::de::Error>(self) -> Result<usize, E> {
        Ok(self.expected)
    }

    /// Another deserializer than ours is at work.
    fn visit_enum<A: EnumAccess<'de>>(self, name: A) -> Result<usize, A::Error> {
        let (key, rest) = name.variant_seed(NameSeed(self))?;
        rest.unit_variant()?;
        Ok(key)
    }

    #[inline]
    fn visit_bytes<E: serde::de::Error>(self, key: &[u8]) -> Result<usize, E> {
        // Searched from the expected name on: mostly the text only leaves out members that may be absent.
        let is = |name: &&str| name.as_bytes() == key;
        let (before, after) = self.keys.split_at_checked(self.expected).unwrap_or((self.keys, &[]));
        let after = after.iter().position(is).map(|place| self.expected + place);
        Ok(after.or_else(|| before.iter().position(is)).unwrap_or(usize::MAX))
    }

    #[inline]
    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<usize, E> {
        self.visit_bytes(key.as_bytes())
    }
}

struct NameSeed(KeySeed);

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self.0)
    }
}

/// Shows a struct with some of its members hidden.
pub fn show(f: &mut Formatter<'_>, name: &str, members: &[(&str, &dyn Debug)]) -> fmt::Result {
    let mut out = f.debug_struct(name);
    for (member, value) in members {
        out.field(member, value);
    }
    out.finish()
}

/// Stands for a value that is not shown: it may be a secret.
pub struct Hidden;

impl Debug for Hidden {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("…")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Item(i64, Option<i64>, Option<i64>, i64);

    impl<'de> Deserialize<'de> for Item {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            type Slots = (Need<i64>, May<i64>, May<i64>, Need<i64>);
            record::<Slots, _, _>(d, &["a", "may", "maybe", "z"], |v| Item(v.0, v.1, v.2, v.3))
        }
    }

    #[test]
    fn members_are_found_in_any_order_and_between_unknown_ones() {
        let members = [("a", 1), ("may", 2), ("maybe", 3), ("z", 4), ("x", 5), ("ma", 6)];
        let mut orders = vec![Vec::new()];
        for _ in 0..members.len() {
            let longer = |order: &Vec<usize>| {
                let left = (0..members.len()).filter(|n| !order.contains(n));
                left.map(|n| [&order[..], &[n]].concat()).collect::<Vec<_>>()
            };
            let grown: Vec<_> = orders.iter().flat_map(longer).collect();
            orders.extend(grown);
            orders.sort();
            orders.dedup();
        }
        assert_eq!(orders.len(), 1957, "all orders of all choices of six");
        for order in orders {
            let text: Vec<_> =
                order.iter().map(|n| format!("\"{}\":{}", members[*n].0, members[*n].1)).collect();
            let text = format!("{{{}}}", text.join(","));
            let has = |n: usize| order.contains(&n);
            let expected = (has(0) && has(3)).then(|| Item(1, has(1).then_some(2), has(2).then_some(3), 4));
            assert_eq!(super::super::decode::<Item>(text.as_bytes()).ok(), expected, "{text}");
            assert_eq!(serde_json::from_str::<Item>(&text).ok(), expected, "{text}");
        }
    }
}
