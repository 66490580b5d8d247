//! libFuzzer's way into `fuzz::mux`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::mux::run(data));
