//! Typed Chrome DevTools Protocol with a zero-copy transport.

pub mod envelope;
pub mod wire;
