//! Members of an object as tuples: of slots while they are read, of references while they are written. The
//! text of a generated item is then one type and two expressions, which is what the compiler checks fastest.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap};

/// A member that must be there.
pub struct Need<T>(Option<T>);

/// A member that may be absent; `null` counts as absent.
pub struct May<T>(Option<T>);

/// A member that may be absent and for which `null` is a value.
pub struct Any<T>(Option<T>);

/// One slot or a tuple of them, each of which may be a tuple again.
pub trait Slots<'de>: Sized {
    /// What full slots hold.
    type Values;
    /// How many slots there are.
    const COUNT: usize;

    /// Slots with nothing in them.
    fn empty() -> Self;

    /// Reads the next value into the slot with the number `key`, or passes over it where there is none.
    fn read<A: MapAccess<'de>>(&mut self, key: usize, map: &mut A) -> Result<(), A::Error>;

    /// The values, or the number of the first slot that should hold one and does not.
    fn take(self) -> Result<Self::Values, usize>;
}

impl<'de, T: Deserialize<'de>> Slots<'de> for Need<T> {
    type Values = T;
    const COUNT: usize = 1;

    #[inline]
    fn empty() -> Self {
        Need(None)
    }

    #[inline]
    fn read<A: MapAccess<'de>>(&mut self, _: usize, map: &mut A) -> Result<(), A::Error> {
        map.next_value_seed(IntoSlot(&mut self.0))
    }

    #[inline]
    fn take(self) -> Result<T, usize> {
        self.0.ok_or(0)
    }
}

impl<'de, T: Deserialize<'de>> Slots<'de> for May<T> {
    type Values = Option<T>;
    const COUNT: usize = 1;

    #[inline]
    fn empty() -> Self {
        May(None)
    }

    #[inline]
    fn read<A: MapAccess<'de>>(&mut self, _: usize, map: &mut A) -> Result<(), A::Error> {
        map.next_value_seed(UnlessNull(&mut self.0))
    }

    #[inline]
    fn take(self) -> Result<Option<T>, usize> {
        Ok(self.0)
    }
}

impl<'de, T: Deserialize<'de>> Slots<'de> for Any<T> {
    type Values = Option<T>;
    const COUNT: usize = 1;

    #[inline]
    fn empty() -> Self {
        Any(None)
    }

    #[inline]
    fn read<A: MapAccess<'de>>(&mut self, _: usize, map: &mut A) -> Result<(), A::Error> {
        map.next_value_seed(IntoSlot(&mut self.0))
    }

    #[inline]
    fn take(self) -> Result<Option<T>, usize> {
        Ok(self.0)
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

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value or null")
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        IntoSlot(self.0).deserialize(deserializer)
    }

    #[inline]
    fn visit_none<E>(self) -> Result<(), E> {
        // Of members that are there twice the last one counts.
        *self.0 = None;
        Ok(())
    }

    #[inline]
    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_none()
    }
}

/// A member that is written in any case: an empty list, nought and false are values too.
pub struct Put<'a, T>(pub &'a T);

/// A member that is left out when it is absent: Chromium refuses `null`.
pub struct PutSome<'a, T>(pub &'a Option<T>);

/// One member to write or a tuple of them, each of which may be a tuple again.
pub trait Members {
    /// How many members there are.
    const COUNT: usize;

    /// Writes the members under their names.
    fn write<M: SerializeMap>(&self, keys: &[&'static str], map: &mut M) -> Result<(), M::Error>;
}

impl<T: Serialize> Members for Put<'_, T> {
    const COUNT: usize = 1;

    #[inline]
    fn write<M: SerializeMap>(&self, keys: &[&'static str], map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(keys.first().copied().unwrap_or_default(), self.0)
    }
}

impl<T: Serialize> Members for PutSome<'_, T> {
    const COUNT: usize = 1;

    #[inline]
    fn write<M: SerializeMap>(&self, keys: &[&'static str], map: &mut M) -> Result<(), M::Error> {
        match self.0 {
            Some(value) => Put(value).write(keys, map),
            None => Ok(()),
        }
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<'de, $($name: Slots<'de>),*> Slots<'de> for ($($name,)*) {
            type Values = ($($name::Values,)*);
            const COUNT: usize = 0 $(+ $name::COUNT)*;

            #[inline]
            fn empty() -> Self {
                ($($name::empty(),)*)
            }

            #[inline]
            #[allow(unused_mut, unused_variables, unused_assignments)]
            fn read<A: MapAccess<'de>>(&mut self, mut key: usize, map: &mut A) -> Result<(), A::Error> {
                $(
                    if key < $name::COUNT {
                        return self.$index.read(key, map);
                    }
                    key -= $name::COUNT;
                )*
                map.next_value::<IgnoredAny>().map(|_| ())
            }

            #[inline]
            #[allow(unused_mut, unused_variables, unused_assignments)]
            fn take(self) -> Result<Self::Values, usize> {
                let mut before = 0;
                Ok(($({
                    let value = match self.$index.take() {
                        Ok(value) => value,
                        Err(key) => return Err(before + key),
                    };
                    before += $name::COUNT;
                    value
                },)*))
            }
        }

        impl<$($name: Members),*> Members for ($($name,)*) {
            const COUNT: usize = 0 $(+ $name::COUNT)*;

            #[inline]
            #[allow(unused_mut, unused_variables, unused_assignments)]
            fn write<M: SerializeMap>(&self, mut keys: &[&'static str], map: &mut M) -> Result<(), M::Error> {
                $(
                    self.$index.write(keys, map)?;
                    keys = keys.get($name::COUNT..).unwrap_or_default();
                )*
                Ok(())
            }
        }
    };
}

/// An object without members.
impl<'de> Slots<'de> for () {
    type Values = ();
    const COUNT: usize = 0;

    fn empty() {}

    #[inline]
    fn read<A: MapAccess<'de>>(&mut self, _: usize, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(|_| ())
    }

    #[inline]
    fn take(self) -> Result<(), usize> {
        Ok(())
    }
}

impl Members for () {
    const COUNT: usize = 0;

    #[inline]
    fn write<M: SerializeMap>(&self, _: &[&'static str], _: &mut M) -> Result<(), M::Error> {
        Ok(())
    }
}

tuples!(T0 0);
tuples!(T0 0, T1 1);
tuples!(T0 0, T1 1, T2 2);
tuples!(T0 0, T1 1, T2 2, T3 3);
tuples!(T0 0, T1 1, T2 2, T3 3, T4 4);
tuples!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5);
tuples!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6);
tuples!(T0 0, T1 1, T2 2, T3 3, T4 4, T5 5, T6 6, T7 7);
