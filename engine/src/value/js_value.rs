//! A JavaScript value with all that JSON leaves out.

use std::time::{Duration, SystemTime};

/// A JavaScript value, with all that JSON leaves out.
///
/// As an argument it may stand anywhere in what is serialized: `(1, JsValue::Undefined)`, a field of a struct.
///
/// Arrays, objects, maps and sets count from 0 in the order in which they are met, outer ones before inner ones and a
/// map's keys before their values. [`Reference`](Self::Reference) stands for one of them met again, so cycles and shared
/// parts keep what they are.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum JsValue {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// Any number: `NaN`, the infinities and −0 too.
    Number(f64),
    /// A `BigInt` by its decimal digits.
    BigInt(String),
    /// A string. A half of a surrogate pair that stands alone comes as the replacement character.
    String(String),
    /// A `Date` in milliseconds since 1970; `NaN` for an invalid one.
    Date(f64),
    /// A `URL`.
    Url(String),
    /// A `RegExp`.
    RegExp {
        /// The pattern.
        source: String,
        /// The flags.
        flags: String,
    },
    /// An `Error` of any kind.
    Error {
        /// Such as `TypeError`.
        name: String,
        /// What it says.
        message: String,
        /// Where it was made; its first line repeats the message.
        stack: String,
    },
    /// An array.
    Array(Vec<JsValue>),
    /// An object with its own enumerable properties, in their order.
    Object(Vec<(String, JsValue)>),
    /// A `Map`.
    Map(Vec<(JsValue, JsValue)>),
    /// A `Set`.
    Set(Vec<JsValue>),
    /// An `ArrayBuffer`, a typed array or a `DataView`.
    Bytes {
        /// Its kind, such as `Uint8Array`; what is none of the platform's is an `ArrayBuffer`.
        kind: String,
        /// Its bytes, in the order of the machine.
        bytes: Vec<u8>,
    },
    /// The container of this number, met again.
    Reference(usize),
}

impl JsValue {
    /// A `Date`.
    pub fn date(time: SystemTime) -> Self {
        let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
        Self::Date(match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => millis(since).floor(),
            Err(before) => -millis(before.duration()).ceil(),
        })
    }

    /// A `Uint8Array`.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Bytes { kind: "Uint8Array".to_owned(), bytes: bytes.into() }
    }

    /// The property of an object, if it is one and has it.
    pub fn get(&self, name: &str) -> Option<&JsValue> {
        let Self::Object(properties) = self else { return None };
        properties.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }
}

impl From<bool> for JsValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for JsValue {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<i32> for JsValue {
    fn from(value: i32) -> Self {
        Self::Number(value.into())
    }
}

impl From<&str> for JsValue {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for JsValue {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl<T: Into<JsValue>> From<Vec<T>> for JsValue {
    fn from(values: Vec<T>) -> Self {
        Self::Array(values.into_iter().map(Into::into).collect())
    }
}
