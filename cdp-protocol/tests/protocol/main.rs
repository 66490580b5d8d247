//! Tests of the generated protocol and of decoding and encoding. No browser, no runtime.

mod decoding;
