//! Bytes of a carrier in, messages out, and the way back: websocket frames (RFC 6455, client side) and pipe records.
//! No I/O and no JSON here: whoever owns the socket feeds the buffer, and what a message says is the envelope's concern.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::as_conversions,
        clippy::panic
    )
)]

mod codec;
mod error;
mod frame;
mod mask;
mod pipe;
mod reader;
mod utf8;
mod writer;

pub use codec::{Decoder, Encoder};
pub use error::{Limits, WireError};
pub use mask::Masking;
pub use pipe::PipeReader;
pub use reader::{Close, Incoming, WsReader};
pub use writer::WsWriter;
