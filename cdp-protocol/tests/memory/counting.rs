//! An allocator that counts, for each thread by itself: allocations, and live bytes with their peak.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

#[derive(Clone, Copy)]
struct Counts {
    allocations: u64,
    /// Can be negative, since what one thread allocates another may free.
    live: i64,
    peak: i64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, live: 0, peak: 0 }) };
}

fn note(allocations: u64, bytes: i64) {
    // A thread that is about to end has nothing to count any more.
    let _ = COUNTS.try_with(|cell| {
        let mut counts = cell.get();
        counts.allocations += allocations;
        counts.live += bytes;
        counts.peak = counts.peak.max(counts.live);
        cell.set(counts);
    });
}

// SAFETY: every call goes on to the system's allocator unchanged; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Counted once: the system remaps large blocks in place of copying them. The resident size, measured beside it, shows
        // where it doesn't.
        note(1, size as i64 - layout.size() as i64);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What this thread has allocated since.
pub(crate) struct Measure {
    start: Counts,
}

impl Measure {
    pub(crate) fn start() -> Self {
        let mut counts = COUNTS.get();
        counts.peak = counts.live;
        COUNTS.set(counts);
        Self { start: counts }
    }

    pub(crate) fn allocations(&self) -> u64 {
        COUNTS.get().allocations - self.start.allocations
    }

    /// The most bytes that were live at once, above those at the start.
    pub(crate) fn peak(&self) -> usize {
        usize::try_from(COUNTS.get().peak - self.start.live).unwrap()
    }
}

#[test]
fn allocations_and_the_peak_of_live_bytes_are_counted() {
    let measure = Measure::start();
    let first = vec![0u8; 1000];
    drop(first);
    let second = vec![1u8; 700];
    assert_eq!((measure.allocations(), measure.peak()), (2, 1000));
    drop(second);
}
