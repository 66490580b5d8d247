//! Drives a real Chromium.
//!
//! ```text
//! Layers, lowest first:
//! process/    the life of a browser process
//! ```

pub mod process;
