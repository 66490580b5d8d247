//! libFuzzer's way into `fuzz::ws_reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::ws_reader::run(data));
