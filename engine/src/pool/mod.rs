//! A pool of browsers for many small tasks: a fresh context for each, a bound on how many run at once, and browsers
//! that are replaced before they grow old.

mod error;
mod handle;
mod options;
mod plan;
#[cfg(test)]
mod plan_tests;
mod shared;
mod snapshot;
mod task;

pub use error::{NotStarted, PoolError};
pub use handle::Pool;
pub use options::PoolBuilder;
pub use snapshot::{Replaced, Snapshot};
pub use task::Task;
