//! libFuzzer's way into `fuzz::json_decode`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::json_decode::run(data));
