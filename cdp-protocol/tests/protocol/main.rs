//! Tests of the generated protocol and of decoding and encoding. No browser, no runtime.

mod decoding;
mod encoding;
mod errors;
mod golden;
mod inventory;
mod known;
mod property;
mod random;
