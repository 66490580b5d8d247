//! Drives a real Chromium.
//!
//! Layers, lowest first:
//!
//! ```text
//! process/    the life of a browser process
//! js          the injected script
//! selector/   what a locator asks for
//! ```

mod js;
pub mod process;
mod selector;

pub use selector::{Filter, Role, RoleQuery, Selector, TextMatch, Toggle};
