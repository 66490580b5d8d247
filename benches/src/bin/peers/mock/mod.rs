//! A server that speaks just enough of the protocol to drown a client in events.

mod messages;
mod server;

pub use server::start;
