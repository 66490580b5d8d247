//! What a pool is doing at one moment, in numbers. Plain data.

/// A pool at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Browsers that run and take tasks.
    pub browsers: usize,
    /// Browsers that are being launched, or will be after a pause.
    pub launching: usize,
    /// Browsers that take no tasks any more: they end with their last one, or are being closed.
    pub draining: usize,
    /// Tasks that hold a place, from before their context is made until it is closed.
    pub tasks: usize,
    /// Pages that are open in all of them, pop-ups included.
    pub pages: usize,
    /// Tasks that wait for a place.
    pub waiting: usize,
    /// Tasks that have begun and ended, however they ended.
    pub finished: u64,
    /// Browsers that were replaced, by reason.
    pub replaced: Replaced,
    /// Bytes that the browsers' processes took when they were last looked at, some seconds ago at most. 0: they have
    /// not been looked at yet.
    pub memory: u64,
}

/// How many browsers were replaced, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replaced {
    /// They had had as many tasks as [`PoolBuilder::replace_after`](crate::PoolBuilder::replace_after) says.
    pub tasks: u64,
    /// They took more memory than [`PoolBuilder::replace_above`](crate::PoolBuilder::replace_above) allows.
    pub memory: u64,
    /// They were older than [`PoolBuilder::replace_older_than`](crate::PoolBuilder::replace_older_than) allows.
    pub age: u64,
    /// They ended by themselves, or their connection did.
    pub crashed: u64,
    /// They did not make or close a context in time.
    pub unresponsive: u64,
    /// They could not be launched.
    pub launch_failed: u64,
}

/// Why a browser is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Tasks,
    Memory,
    Age,
    Crashed,
    Unresponsive,
    LaunchFailed,
}

impl Replaced {
    pub(crate) fn count(&mut self, reason: Reason) {
        *match reason {
            Reason::Tasks => &mut self.tasks,
            Reason::Memory => &mut self.memory,
            Reason::Age => &mut self.age,
            Reason::Crashed => &mut self.crashed,
            Reason::Unresponsive => &mut self.unresponsive,
            Reason::LaunchFailed => &mut self.launch_failed,
        } += 1;
    }
}
