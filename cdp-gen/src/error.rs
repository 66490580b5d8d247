//! Where an item was read and what was wrong there. Knows nothing of the formats themselves.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A position in a source text. Two places always compare equal: where an item was read is not part
/// of what it says, so two protocols compare by content.
#[derive(Clone)]
pub struct Place {
    file: Arc<Path>,
    /// Line, from 1; 0 where the source has no lines of interest (JSON).
    pub line: usize,
    /// Column in characters, from 1; 0 when only the line is known.
    pub column: usize,
}

impl Place {
    /// The place at `line` and `column` of `file`.
    pub fn new(file: &Arc<Path>, line: usize, column: usize) -> Place {
        Place { file: file.clone(), line, column }
    }

    /// The file as it was named by whoever opened it.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        match (self.line, self.column) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, ":{line}"),
            (line, column) => write!(f, ":{line}:{column}"),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A protocol that can't be read or makes no sense.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The text breaks a rule; the message says what was expected.
    Invalid {
        /// Where.
        place: Place,
        /// What was expected, and what stood there instead.
        message: String,
    },
    /// A file could not be read or written.
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
        /// The `include` that asked for it, if one did.
        included_at: Option<Place>,
    },
    /// A fault of the source as a whole: an endpoint that does not answer, a folder without PDL.
    Source(String),
}

impl Error {
    /// A rule broken at `place`.
    pub fn at(place: &Place, message: impl Into<String>) -> Error {
        Error::Invalid { place: place.clone(), message: message.into() }
    }

    /// A failed read or write of `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), source, included_at: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid { place, message } => write!(f, "{place}: {message}"),
            Error::Io { path, source, included_at: Some(place) } => {
                write!(f, "{place}: cannot read the included file {}: {source}", path.display())
            }
            Error::Io { path, source, included_at: None } => write!(f, "{}: {source}", path.display()),
            Error::Source(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
