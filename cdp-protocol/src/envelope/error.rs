//! Why a message has no envelope. What is wrong inside of a payload is the decoder's error.

use thiserror::Error;

/// Why a message is no envelope.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// The text is not JSON.
    #[error("a message is not JSON at offset {offset}")]
    Broken {
        /// Bytes from the start of the message.
        offset: usize,
    },
    /// The text may be JSON, but is neither a reply nor an event.
    #[error("a message is neither a reply nor an event")]
    NotAnEnvelope,
}
