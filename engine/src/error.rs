//! The one error of this crate: who is at fault, what was tried, what was seen, and whether anything was done.

use std::fmt;

use cdp_protocol::{CallError, Sent, SessionEnd};

/// The result of this crate's operations.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed.
///
/// The message holds the caller's own words (locator, URL) and, for operations that waited, the last lines of
/// what they saw. It never holds typed text, cookies or storage.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    log: Vec<String>,
    outcome: Outcome,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Who or what is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The browser could not be found or started.
    Launch,
    /// A running browser could not be connected to.
    Attach,
    /// The deadline passed; the call log says what was waited for last.
    Timeout,
    /// The page, the browser or the connection was closed.
    Closed,
    /// The renderer of the page crashed, or that of the frame that was meant; the message names the frame.
    Crashed,
    /// The page could not be reached or another navigation took over.
    Navigation,
    /// The page's own script threw.
    Script,
    /// A locator that must match one element matched several.
    Strict,
    /// The input was sent and did not reach the element: something else got it, or the document went away.
    Missed,
    /// The element can't do what was asked of it, however long one waits.
    Unfit,
    /// What the caller passed is not valid: a selector, a pattern, an argument.
    Invalid,
    /// The browser refused a command, or its answer could not be read.
    Protocol,
    /// A download failed or was cancelled.
    Download,
    /// A file of the caller's could not be read or written.
    Io,
}

/// What is known of the effect of an operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing reached the page: trying again is safe.
    NeverStarted,
    /// Only reads were sent: trying again is safe.
    ReadOnly,
    /// Input or a navigation was sent and what became of it is unknown: look before trying again.
    StartedUnknown,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            log: Vec::new(),
            outcome: Outcome::ReadOnly,
            source: None,
        }))
    }

    pub(crate) fn with_log(mut self, log: Vec<String>) -> Self {
        self.0.log = log;
        self
    }

    pub(crate) fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.0.outcome = outcome;
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Puts the user's own call in front of the message, once.
    pub(crate) fn during(mut self, what: &str) -> Self {
        if !self.0.message.starts_with(what) {
            self.0.message = format!("{what}: {}", self.0.message);
        }
        self
    }

    /// Who or what is at fault.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What is known of the effect of the failed operation.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// Whether the deadline passed.
    pub fn is_timeout(&self) -> bool {
        self.0.kind == ErrorKind::Timeout
    }

    /// Whether the page, the browser or the connection is gone, or what the frame that was meant showed.
    pub fn is_closed(&self) -> bool {
        matches!(self.0.kind, ErrorKind::Closed | ErrorKind::Crashed)
    }

    /// What the operation saw while it waited, oldest first; empty for operations that do not wait.
    pub fn call_log(&self) -> &[String] {
        &self.0.log
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if !self.0.log.is_empty() {
            f.write_str("\ncall log:")?;
            for line in &self.0.log {
                write!(f, "\n  - {line}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        let (kind, outcome) = match &error {
            CallError::SessionEnded { sent, end: SessionEnd::Crashed, .. } => {
                (ErrorKind::Crashed, outcome_of(*sent))
            }
            CallError::SessionEnded { sent, .. } | CallError::Closed { sent, .. } => {
                (ErrorKind::Closed, outcome_of(*sent))
            }
            CallError::TooLarge { .. } => (ErrorKind::Invalid, Outcome::NeverStarted),
            _ => (ErrorKind::Protocol, Outcome::ReadOnly),
        };
        Self::new(kind, error.to_string()).with_outcome(outcome).with_source(error)
    }
}

fn outcome_of(sent: Sent) -> Outcome {
    match sent {
        Sent::No => Outcome::NeverStarted,
        Sent::Unknown => Outcome::StartedUnknown,
    }
}

/// A URL as it may stand in errors and logs: without the name and password in it, and no longer than 200 characters.
pub(crate) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return cut(url) };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((_, host)) => cut(&format!("{scheme}://{host}{}", &rest[authority.len()..])),
        None => cut(url),
    }
}

fn cut(url: &str) -> String {
    if url.chars().count() > 200 { url.chars().take(200).chain(['…']).collect() } else { url.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_url_is_shown_without_its_password() {
        for (url, text) in [
            ("http://user:s3cret@host:80/a?b=c@d", "http://host:80/a?b=c@d"),
            ("http://host/a@b", "http://host/a@b"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(shown(url), text);
        }
    }
}
