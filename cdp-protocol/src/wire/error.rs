//! What a peer can do wrong on the wire, and the limits it is held to. Says nothing of sockets: a lost connection is the
//! carrier's error.

use thiserror::Error;

const MIB: usize = 1024 * 1024;

/// How much a peer may send before the connection is ended with an error that names the limit.
///
/// The defaults leave room for what Chromium really sends: a reply of 120 MiB arrives as one frame.
#[derive(Clone, Debug)]
pub struct Limits {
    pub(super) frame: usize,
    pub(super) message: usize,
    pub(super) fragments: usize,
}

impl Limits {
    /// Payload bytes of one ws frame. Default: 256 MiB.
    pub fn frame(mut self, bytes: usize) -> Self {
        self.frame = bytes;
        self
    }

    /// Bytes of one message, after its fragments are joined, or of one pipe record. Default: 256 MiB.
    pub fn message(mut self, bytes: usize) -> Self {
        self.message = bytes;
        self
    }

    /// Frames that one message may be cut into. Default: 1,048,576.
    pub fn fragments(mut self, count: usize) -> Self {
        self.fragments = count;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { frame: 256 * MIB, message: 256 * MIB, fragments: 1 << 20 }
    }
}

/// A violation of RFC 6455 or of the [`Limits`] by the peer. The connection can't go on after it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireError {
    /// RSV1 to RSV3 were set although no extension was offered (section 5.2).
    #[error("a ws frame has reserved bits set ({bits:#05b}) although no extension was agreed")]
    ReservedBits {
        /// The three bits, RSV1 highest.
        bits: u8,
    },
    /// An opcode that RFC 6455 keeps for later (section 5.2).
    #[error("a ws frame has the reserved opcode {opcode:#x}")]
    ReservedOpCode {
        /// The four bits of the opcode.
        opcode: u8,
    },
    /// A server must not mask its frames (section 5.1).
    #[error("a ws frame from the server is masked")]
    MaskedFrame,
    /// The length field used more bytes than it needs, or its highest bit was set (section 5.2).
    #[error("a ws frame's length {length} is written in a form that RFC 6455 forbids")]
    BadLength {
        /// The value that was written.
        length: u64,
    },
    /// Control frames carry at most 125 bytes (section 5.5).
    #[error("a ws control frame carries {length} bytes, more than 125")]
    ControlTooLong {
        /// The payload's length.
        length: u64,
    },
    /// Control frames must not be fragmented (section 5.5).
    #[error("a ws control frame is fragmented")]
    ControlFragmented,
    /// A continuation frame without a message to continue (section 5.4).
    #[error("a ws continuation frame came without a message to continue")]
    LoneContinuation,
    /// A new message began before the fragmented one ended (section 5.4).
    #[error("a new ws message began inside a fragmented one")]
    MessageInsideMessage,
    /// A close frame's payload had one byte, so no whole code (section 5.5.1).
    #[error("a ws close frame carries one byte, which is no close code")]
    CloseCutShort,
    /// A close code that must not appear on the wire (section 7.4).
    #[error("a ws close frame carries the invalid code {code}")]
    CloseCode {
        /// The code as sent.
        code: u16,
    },
    /// The reason of a close frame was not UTF-8 (section 8.1).
    #[error("a ws close frame's reason is not UTF-8")]
    CloseReasonNotUtf8,
    /// A text message was not UTF-8 (section 8.1). Told as soon as the byte has come, wherever the message ends.
    #[error("a ws text message is not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// Where in the message, its fragments joined, the first character that is none begins.
        offset: u64,
    },
    /// One frame exceeds [`Limits::frame`].
    #[error("a ws frame of {size} bytes exceeds the limit `frame` of {limit} bytes")]
    FrameTooLong {
        /// Bytes announced.
        size: u64,
        /// Bytes allowed.
        limit: usize,
    },
    /// One message exceeds [`Limits::message`].
    #[error("a message of at least {size} bytes exceeds the limit `message` of {limit} bytes")]
    MessageTooLong {
        /// Bytes announced or received so far.
        size: u64,
        /// Bytes allowed.
        limit: usize,
    },
    /// One message has more frames than [`Limits::fragments`].
    #[error("a message in more than {limit} ws frames exceeds the limit `fragments`")]
    TooManyFragments {
        /// Frames allowed.
        limit: usize,
    },
}

impl WireError {
    /// The close code that tells the peer about this violation (RFC 6455 section 7.4.1).
    pub fn close_code(&self) -> u16 {
        match self {
            Self::CloseReasonNotUtf8 | Self::NotUtf8 { .. } => 1007,
            Self::FrameTooLong { .. } | Self::MessageTooLong { .. } | Self::TooManyFragments { .. } => 1009,
            _ => 1002,
        }
    }
}
