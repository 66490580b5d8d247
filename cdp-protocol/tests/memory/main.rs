//! What a connection costs in memory: allocations a message, and the most bytes that a large message takes. Peers are plain threads
//! that stream prebuilt bytes; only the thread of the connection is counted.

mod counting;
mod large;
mod peer;
mod slow_reader;
mod small;

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Runs a test on a runtime of this one thread, and no other test meanwhile: some of them take a good part of a gigabyte.
fn alone<T>(test: impl Future<Output = T>) -> T {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // No test depends on how long this is; it keeps one that hangs from hanging the run.
    let limit = Duration::from_secs(120);
    runtime.block_on(async { tokio::time::timeout(limit, test).await.expect("the test ends in time") })
}
