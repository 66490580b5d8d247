//! What a message is and whom it is for, without reading what it says: call or event, session, and where the payload stands.
//! Payloads stay bytes here; decoding them is the receiver's part.

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

mod error;
mod fast;
mod members;
mod scan;
#[cfg(test)]
mod tests;
mod text;

pub use error::EnvelopeError;
pub(crate) use fast::fast;
pub use fast::parse;
pub(crate) use members::{field, text_field};
pub use scan::{Envelope, Kind, scan};
pub use text::Text;
