//! Reads the Chrome DevTools Protocol and prints it as Rust.
//!
//! The protocol is described in PDL, a small indented text format. This crate parses PDL, resolves the
//! references in it, and prints one Rust file per domain. Without its default feature it has no
//! dependencies, so that it can serve as a build dependency: `cdp-protocol` runs it in its build script.
//!
//! The generated text is Rust source, not a token stream, and relies on the runtime in
//! `cdp_protocol::json`. It reads no network and prints nothing to the terminal; the tool in `main.rs`
//! (feature `cli`) does both.
//!
//! Layers, lowest first:
//!
//! ```text
//! error     where an item was read and what was wrong there
//! model     domains, types, commands and events as plain data
//! names     protocol names to Rust names
//! pdl/      PDL text to model and back, files with includes
//! resolve   references and double declarations
//! graph     directions of types, cycles that need a box
//! diff/     what changes between two protocols, and whom it breaks (feature `cli`)
//! rust/     the Rust printer
//! json      the browser's own description to model (feature `cli`)
//! comments  our own comments taken off and put back (feature `cli`)
//! import    a folder of PDL files out of a model (feature `cli`)
//! main      the tool (feature `cli`)
//! ```

#[cfg(feature = "cli")]
pub mod comments;
#[cfg(feature = "cli")]
pub mod diff;
mod error;
mod graph;
#[cfg(feature = "cli")]
pub mod import;
#[cfg(feature = "cli")]
pub mod json;
pub mod model;
pub mod names;
pub mod pdl;
mod resolve;
pub mod rust;

pub use error::{Error, Place};
pub use graph::Graph;
pub use resolve::{Index, TypeEntry, TypeId};
