//! libFuzzer's way into `fuzz::envelope`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::envelope::run(data));
