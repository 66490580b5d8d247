//! The same with an allocator that counts.

use std::alloc::System;

use bench_common::{INSTRUMENTED_SYSTEM, StatsAlloc, allocations};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    bench_chromiumoxide::run(Some(allocations));
}
