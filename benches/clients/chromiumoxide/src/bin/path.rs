//! chromiumoxide's way of reading messages, against the mock server.

fn main() {
    bench_chromiumoxide::run(None);
}
