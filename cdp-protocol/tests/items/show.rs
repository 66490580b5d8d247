//! Takes values apart into JSON by their public fields and accessors alone, past the code that encodes them.

use base64_simd::STANDARD;
use cdp_protocol::json::Binary;
use serde_json::Value;
use serde_json::value::RawValue;

/// A value that says what it holds.
pub(crate) trait Show {
    /// What it holds, or nothing where it is an absent member.
    fn show(&self) -> Option<Value>;
}

/// An object of the members that are there.
pub(crate) fn object(members: &[(&str, &dyn Show)]) -> Option<Value> {
    let there = members.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.show()?)));
    Some(Value::Object(there.collect()))
}

/// The answer of a command without return values.
impl Show for () {
    fn show(&self) -> Option<Value> {
        object(&[])
    }
}

impl Show for bool {
    fn show(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Show for i64 {
    fn show(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Show for f64 {
    fn show(&self) -> Option<Value> {
        Some(Value::from(*self))
    }
}

impl Show for String {
    fn show(&self) -> Option<Value> {
        Some(Value::from(self.as_str()))
    }
}

impl Show for Binary {
    fn show(&self) -> Option<Value> {
        Some(Value::from(STANDARD.encode_to_string(self)))
    }
}

impl Show for RawValue {
    fn show(&self) -> Option<Value> {
        Some(serde_json::from_str(self.get()).unwrap_or_else(|e| panic!("{e} in the raw {}", self.get())))
    }
}

impl<T: Show + ?Sized> Show for Box<T> {
    fn show(&self) -> Option<Value> {
        (**self).show()
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Option<Value> {
        self.as_ref()?.show()
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> Option<Value> {
        Some(Value::Array(self.iter().filter_map(Show::show).collect()))
    }
}
