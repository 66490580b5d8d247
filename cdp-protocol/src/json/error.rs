//! The error of decoding and encoding: what was wrong and at which path, never what the message held.

use std::fmt::{self, Display};

use serde::{de, ser};

/// Text that can't be decoded into the type asked for, or a value that can't be encoded.
///
/// A message may hold cookies or typed text, so neither [`Error::message`] nor `Debug` repeats any value of it.
/// Names of fields do appear, in the path.
pub struct Error {
    // Boxed: a `Result` of a small value should stay small on the way that succeeds.
    inner: Box<Inner>,
}

struct Inner {
    message: String,
    path: String,
    /// A member that its object, which the offset points at, does not have.
    missing: Option<&'static str>,
    offset: Option<usize>,
}

impl Error {
    /// Where in the decoded value the fault lies, for example `frame.url` or `targets[3].type`. Empty when the
    /// value as a whole is meant.
    pub fn path(&self) -> &str {
        &self.inner.path
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    #[cold]
    pub(super) fn new(message: impl Into<String>, offset: usize) -> Error {
        let inner =
            Inner { message: message.into(), path: String::new(), missing: None, offset: Some(offset) };
        Error { inner: Box::new(inner) }
    }

    #[cold]
    fn unplaced(message: String, missing: Option<&'static str>) -> Error {
        Error { inner: Box::new(Inner { message, path: String::new(), missing, offset: None }) }
    }

    /// Sets the offset of an error that visitors raised, who know none.
    #[cold]
    pub(super) fn or_at(mut self, offset: usize) -> Error {
        self.inner.offset.get_or_insert(offset);
        self
    }

    /// Where in the text the fault lies.
    pub(super) fn offset(&self) -> Option<usize> {
        self.inner.offset
    }

    /// The member that the object at the offset lacks.
    pub(super) fn missing(&self) -> Option<&'static str> {
        self.inner.missing
    }

    /// Says where in the decoded value the fault lies.
    #[cold]
    pub(super) fn with_path(mut self, path: String) -> Error {
        self.inner.path = path;
        self
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path(), self.message()) {
            ("", message) => f.write_str(message),
            (path, message) => write!(f, "{path}: {message}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("path", &self.path()).field("message", &self.message()).finish()
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Error::unplaced(message.to_string(), None)
    }

    // The default texts of serde quote the value; these name its kind.
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Error {
        Error::unplaced(format!("expected {expected}, found {}", kind(found)), None)
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Error {
        Error::unplaced(format!("expected {expected}, found another {}", kind(found)), None)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Error {
        Error::unplaced(format!("expected {expected}, found a length of {length}"), None)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Error {
        Error::unplaced(format!("expected one of {expected:?}, found another text"), None)
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Error {
        Error::unplaced(format!("expected one of the members {expected:?}, found another"), None)
    }

    fn missing_field(name: &'static str) -> Error {
        Error::unplaced("required, but missing".to_owned(), Some(name))
    }
}

impl ser::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Error::unplaced(message.to_string(), None)
    }
}

fn kind(found: de::Unexpected<'_>) -> &'static str {
    use de::Unexpected as U;
    match found {
        U::Bool(_) => "boolean",
        U::Unsigned(_) | U::Signed(_) => "whole number",
        U::Float(_) => "number",
        U::Char(_) | U::Str(_) => "text",
        U::Bytes(_) => "bytes",
        U::Unit => "null",
        U::Option => "optional value",
        U::Seq => "list",
        U::Map => "object",
        _ => "value",
    }
}
