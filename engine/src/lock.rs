//! Locking that a panic elsewhere does not poison: the reader of a connection must go on whatever a user's task did.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. What the mutex guards is plain data that is whole between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
