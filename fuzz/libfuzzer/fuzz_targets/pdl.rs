//! libFuzzer's way into `fuzz::pdl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::pdl::run(data));
