//! Writes values as JSON straight into an outgoing buffer.

use bytes::{BufMut, BytesMut};
use serde::Serialize;
use serde::ser::Error as _;

use super::error::Error;

/// Appends `value` as JSON to `out`. After an error `out` is as it was.
///
/// # Errors
///
/// A value whose own `Serialize` fails, or a map with keys that are no text.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut BytesMut) -> Result<(), Error> {
    let before = out.len();
    serde_json::to_writer(out.writer(), value).map_err(|error| {
        out.truncate(before);
        Error::custom(error)
    })
}
