//! Bytes that travel as base64.

use std::fmt;

use base64_simd::STANDARD;
use bytes::Bytes;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a `binary` field: plain here, base64 on the wire.
///
/// Decoding goes from the message straight into the bytes, without a text in between.
///
/// ```
/// let binary: cdp_protocol::json::Binary = cdp_protocol::json::decode(br#""aGVsbG8=""#)?;
/// assert_eq!(binary.as_ref(), b"hello");
/// # Ok::<(), cdp_protocol::json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Binary(Bytes);

impl Binary {
    /// The bytes, without a copy.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl AsRef<[u8]> for Binary {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl std::ops::Deref for Binary {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Binary {
    fn from(bytes: Vec<u8>) -> Binary {
        Binary(bytes.into())
    }
}

impl From<Bytes> for Binary {
    fn from(bytes: Bytes) -> Binary {
        Binary(bytes)
    }
}

impl From<&[u8]> for Binary {
    fn from(bytes: &[u8]) -> Binary {
        Binary(Bytes::copy_from_slice(bytes))
    }
}

/// Says how many bytes there are, not which.
impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Binary({} bytes)", self.0.len())
    }
}

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode_to_string(&self.0))
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Binary, D::Error> {
        deserializer.deserialize_bytes(BinaryVisitor)
    }
}

struct BinaryVisitor;

impl Visitor<'_> for BinaryVisitor {
    type Value = Binary;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes in base64")
    }

    fn visit_bytes<E: de::Error>(self, text: &[u8]) -> Result<Binary, E> {
        // The lenient rules of the web: blanks and missing padding do no harm.
        match STANDARD.decode_to_vec(text).or_else(|_| base64_simd::forgiving_decode_to_vec(text)) {
            Ok(bytes) => Ok(Binary(bytes.into())),
            Err(_) => Err(E::invalid_value(de::Unexpected::Bytes(&[]), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Binary, E> {
        self.visit_bytes(text.as_bytes())
    }
}
