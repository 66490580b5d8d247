//! The measured client.

fn main() {
    bench_ours::run(None);
}
