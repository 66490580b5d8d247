//! Values of a page that JSON can't say, and how they go to it and come from it.

mod argument;
mod codec;
mod js_value;

pub(crate) use argument::{Argument, Held, serialize_held};
pub use js_value::JsValue;
