//! The generator's list of all items as tables of functions. Knows how to reach an item, not what is right of it.

use bytes::BytesMut;
use cdp_protocol::json;
use serde_json::Value;

use crate::make::{Make, Maker};
use crate::show::Show;

/// A command.
pub(crate) struct Command {
    /// Its name on the wire.
    pub(crate) method: &'static str,
    /// Makes parameters and encodes them; returns what they hold as well.
    pub(crate) encode: fn(&mut Maker<'_, '_>) -> (BytesMut, Option<Value>),
    /// Decodes an answer.
    pub(crate) decode: Decode,
}

/// An event, or a declared type that stands in no message.
pub(crate) struct Received {
    /// Its name on the wire.
    pub(crate) name: &'static str,
    /// Decodes one.
    pub(crate) decode: Decode,
}

/// Decodes a text and returns what the value holds.
pub(crate) type Decode = fn(&[u8]) -> Result<Option<Value>, json::Error>;

impl Command {
    const fn of<C: cdp_protocol::Command<Result: Show> + Make + Show>() -> Command {
        Command { method: C::METHOD, encode: encode::<C>, decode: decode::<C::Result> }
    }
}

impl Received {
    const fn event<E: cdp_protocol::Event + Show>() -> Received {
        Received { name: E::METHOD, decode: decode::<E> }
    }
}

fn encode<C: cdp_protocol::Command + Make + Show>(maker: &mut Maker<'_, '_>) -> (BytesMut, Option<Value>) {
    let command = C::make(maker);
    let mut out = BytesMut::new();
    json::encode(&command, &mut out).unwrap_or_else(|error| panic!("{}: {error}", C::METHOD));
    (out, command.show())
}

fn decode<T: serde::de::DeserializeOwned + Send + Show>(text: &[u8]) -> Result<Option<Value>, json::Error> {
    json::decode::<T>(text).map(|value| value.show())
}

/// An enumeration and its declared values.
pub(crate) trait Enumeration: Sized + 'static {
    /// The values, each beside its text.
    const VALUES: &'static [(&'static str, Self)];
}

/// The texts of an enumeration, each of which must be one variant both ways.
fn texts<T: Enumeration + AsRef<str> + for<'t> From<&'t str>>() -> Vec<&'static str> {
    let name = std::any::type_name::<T>();
    let check = |(text, value): &'static (&'static str, T)| {
        assert_eq!(value.as_ref(), *text, "in {name}");
        let read = std::mem::discriminant(&T::from(text));
        assert!(read == std::mem::discriminant(value), "{name} reads {text:?} as another variant");
        *text
    };
    T::VALUES.iter().map(check).collect()
}

macro_rules! shown {
    ($name:ident $($key:literal $field:ident)*) => {
        impl crate::show::Show for $name {
            fn show(&self) -> Option<serde_json::Value> {
                crate::show::object(&[$(($key, &self.$field)),*])
            }
        }
    };
}

macro_rules! made {
    ($name:ident ($($required:ty),*) $($setter:ident $optional:ty,)*) => {
        impl crate::make::Make for $name {
            fn make(_maker: &mut crate::make::Maker<'_, '_>) -> Self {
                let value = $name::new($(_maker.make::<$required>()),*);
                $(let value = if _maker.there() { value.$setter(_maker.make::<$optional>()) } else { value };)*
                value
            }
        }
    };
}

macro_rules! values {
    ($name:ident $($text:literal $variant:ident)*) => {
        impl crate::probe::Enumeration for $name {
            const VALUES: &'static [(&'static str, Self)] = &[$(($text, $name::$variant)),*];
        }
        impl crate::make::Make for $name {
            fn make(maker: &mut crate::make::Maker<'_, '_>) -> Self {
                maker.value(<Self as crate::probe::Enumeration>::VALUES)
            }
        }
        text! { @shown $name }
    };
}

macro_rules! text {
    (@shown $name:ident) => {
        impl crate::show::Show for $name {
            fn show(&self) -> Option<serde_json::Value> {
                Some(serde_json::Value::from(self.as_str()))
            }
        }
    };
    ($name:ident) => {
        text! { @shown $name }
        impl crate::make::Make for $name {
            fn make(maker: &mut crate::make::Maker<'_, '_>) -> Self {
                $name::from(maker.make::<std::string::String>())
            }
        }
    };
}

macro_rules! number {
    ($name:ident) => {
        impl crate::show::Show for $name {
            fn show(&self) -> Option<serde_json::Value> {
                self.get().show()
            }
        }
        impl crate::make::Make for $name {
            fn make(maker: &mut crate::make::Maker<'_, '_>) -> Self {
                crate::probe::number(maker, $name::from, $name::get)
            }
        }
    };
}

/// A number with a name; its accessor tells the compiler which kind of number it takes.
fn number<N: Make, T>(maker: &mut Maker<'_, '_>, from: fn(N) -> T, _: fn(T) -> N) -> T {
    from(maker.make())
}

macro_rules! wrapper {
    ($name:ident) => {
        impl crate::show::Show for $name {
            fn show(&self) -> Option<serde_json::Value> {
                self.0.show()
            }
        }
    };
}

macro_rules! wrapper_made {
    ($name:ident) => {
        impl crate::make::Make for $name {
            fn make(maker: &mut crate::make::Maker<'_, '_>) -> Self {
                $name(maker.make())
            }
        }
    };
}

macro_rules! commands {
    ($($command:path;)*) => {
        pub(crate) const COMMANDS: &[Command] = &[$(Command::of::<$command>()),*];
    };
}

macro_rules! events {
    ($($event:path;)*) => {
        pub(crate) const EVENTS: &[Received] = &[$(Received::event::<$event>()),*];
    };
}

macro_rules! types {
    ($($name:literal $ty:path,)*) => {
        /// Declared types that nothing mentions.
        pub(crate) const TYPES: &[Received] = &[$(Received { name: $name, decode: decode::<$ty> }),*];
    };
}

macro_rules! enumerations {
    ($($name:path,)*) => {
        /// Functions that check an enumeration and give its values' texts.
        pub(crate) const ENUMERATIONS: &[fn() -> Vec<&'static str>] = &[$(texts::<$name>),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/probe.rs"));
include!(concat!(env!("OUT_DIR"), "/listing.rs"));

every_command! { commands }
every_event! { events }
