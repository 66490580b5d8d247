//! The Rust printer: one file per domain and one that joins them.

mod context;
mod docs;
mod domain;
mod generate;
mod listing;
mod naming;
mod record;
mod small;

pub use generate::{File, Options, generate};
pub use listing::listing;
