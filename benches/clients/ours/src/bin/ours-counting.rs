//! The measured client with an allocator that counts, so that the others' figures are free of it.

use std::alloc::System;

use bench_common::{INSTRUMENTED_SYSTEM, StatsAlloc, allocations};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    bench_ours::run(Some(allocations));
}
