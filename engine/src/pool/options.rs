//! What a user may choose about a pool, and the builder for it. Starts nothing by itself.

use std::time::Duration;

use crate::process::Launcher;

/// Tasks that one browser runs at once unless the pool is told otherwise.
const PAGES_EACH: usize = 4;

/// How large a pool may be, and when its browsers are replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) browsers: usize,
    pub(crate) pages: usize,
    pub(crate) tasks: Option<u64>,
    pub(crate) memory: Option<u64>,
    pub(crate) age: Option<Duration>,
}

/// Says how a pool is to be; made by [`Pool::builder`](crate::Pool::builder).
///
/// A browser that is to be replaced gets no new tasks, ends with its last one, and another takes over meanwhile. So for
/// a while there can be twice as many browsers as [`browsers`](Self::browsers) says, but not more: a browser whose turn
/// comes when as many are on their way out as may be goes on until one of those is gone. Browsers that crashed or
/// stopped answering are replaced in any case.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until the pool is started"]
pub struct PoolBuilder {
    pub(crate) launcher: Launcher,
    browsers: usize,
    pages: Option<usize>,
    tasks: Option<u64>,
    memory: Option<u64>,
    age: Option<Duration>,
}

impl PoolBuilder {
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self { launcher, browsers: 1, pages: None, tasks: None, memory: None, age: None }
    }

    /// How many browsers take tasks at the same time, at most; a 0 counts as 1. Default: 1. All but the first are
    /// launched when there are tasks for them. [`Container::browsers`](crate::Container::browsers) says how many fit.
    pub fn browsers(mut self, browsers: usize) -> Self {
        self.browsers = browsers.max(1);
        self
    }

    /// How many tasks run at the same time, at most, over all browsers, those on their way out included; a 0 counts as
    /// 1. Default: 4 for each browser. A browser takes its share of them, rounded up.
    pub fn pages(mut self, pages: usize) -> Self {
        self.pages = Some(pages.max(1));
        self
    }

    /// Replaces a browser that has had this many tasks; a 0 counts as 1. Default: however many it had, it stays.
    pub fn replace_after(mut self, tasks: u64) -> Self {
        self.tasks = Some(tasks.max(1));
        self
    }

    /// Replaces a browser whose processes together take more than this many bytes
    /// ([`Usage::memory`](crate::process::Usage::memory)). Looked at every five seconds. Default: however large it is,
    /// it stays.
    pub fn replace_above(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Replaces a browser that has been there for longer than this. Default: however old it is, it stays.
    pub fn replace_older_than(mut self, age: Duration) -> Self {
        self.age = Some(age);
        self
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            browsers: self.browsers,
            pages: self.pages.unwrap_or(self.browsers.saturating_mul(PAGES_EACH)),
            tasks: self.tasks,
            memory: self.memory,
            age: self.age,
        }
    }
}
