//! JSON as a browser sends it: a tolerant decoder, an encoder, and what generated
//! protocol items are built from.

mod access;
mod binary;
mod cursor;
mod de;
mod encode;
mod error;
#[doc(hidden)]
pub mod items;
mod macros;
mod number;
mod path;
mod reader;
mod skip;
mod slots;
mod text;
mod units;

pub use binary::Binary;
pub use de::decode;
pub(crate) use de::decode_payload;
pub use encode::encode;
pub use error::Error;
pub(crate) use text::special_bytes;
