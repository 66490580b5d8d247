//! libFuzzer's way into `fuzz::pipe_reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::pipe_reader::run(data));
