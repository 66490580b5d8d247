//! Who waits for what: call ids, pending calls, sessions, observers and subscriptions of one connection. No I/O, no clock, no
//! runtime; a message goes in, and out comes whom to tell.

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

mod calls;
mod event;
mod hash;
mod key;
mod names;
mod queue;
mod router;
mod sessions;
#[cfg(test)]
mod tests;

pub(crate) use calls::{Answer, CallId, PROBE};
pub use event::{Observer, RawEvent};
pub(crate) use key::SessionKey;
pub(crate) use queue::{Interest, Missed, Subscription};
pub(crate) use router::{Delivery, Ending, Mux, Route, Routed};
