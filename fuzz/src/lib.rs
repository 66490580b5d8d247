//! The bodies of all fuzz targets: each takes any bytes and panics when the code under test breaks a promise.
//!
//! They know nothing of a fuzzer, so that an ordinary test runs them over the committed corpus (`tests/corpus.rs`) as well as
//! libFuzzer does (`libfuzzer/`). No target needs a browser, a file or the network, and the same bytes have the same outcome in
//! each run. What they share is `input`, bytes taken as choices; no target knows another.

pub mod envelope;
mod input;
pub mod json_decode;
pub mod mux;
pub mod pdl;
pub mod pipe_reader;
pub mod selector;
pub mod ws_reader;

/// A fuzz target: its name, which is that of its folder in `corpus/`, and its body.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As in `./x fuzz <name>`.
    pub name: &'static str,
    /// Runs one input; panics when a promise is broken.
    pub run: fn(&[u8]),
}

/// Every target, by name.
pub const TARGETS: &[Target] = &[
    Target { name: "envelope", run: envelope::run },
    Target { name: "json_decode", run: json_decode::run },
    Target { name: "mux", run: mux::run },
    Target { name: "pdl", run: pdl::run },
    Target { name: "pipe_reader", run: pipe_reader::run },
    Target { name: "selector", run: selector::run },
    Target { name: "ws_reader", run: ws_reader::run },
];
