//! What users hold: a connection, its sessions, calls under way and event streams. All wire knowledge lies below.

mod call;
mod connect;
mod connection;
mod events;
mod handle;
mod session;

pub use call::Call;
pub use connect::Connect;
pub use connection::{Client, Stats};
pub use events::{Events, RawEvents};
pub use session::Session;
