//! libFuzzer's way into `fuzz::selector`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::selector::run(data));
