//! The Rust printer: one file per domain and one that joins them.

mod context;
mod docs;
mod domain;
mod events;
mod generate;
mod known;
mod listing;
mod naming;
mod probe;
mod record;
mod small;

pub use generate::{File, Options, generate};
pub use known::refined;
pub use listing::listing;
pub use probe::probe;
