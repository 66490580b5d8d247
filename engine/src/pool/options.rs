//! What a user may choose about a pool, and the builder for it. Starts nothing by itself.

use std::time::Duration;

use crate::error::{Error, ErrorKind, Outcome};
use crate::process::{Container, Launcher, Transport};

/// Tasks that one browser runs at once unless the pool is told otherwise.
const PAGES_EACH: usize = 4;

/// How large a pool may be, and when its browsers are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    browsers: Option<usize>,
    pages: Option<usize>,
    tasks: Option<u64>,
    memory: Option<u64>,
    age: Option<Duration>,
}

impl PoolBuilder {
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self { launcher, browsers: None, pages: None, tasks: None, memory: None, age: None }
    }

    /// How many browsers take tasks at the same time, at most; a 0 counts as 1. All but the first are launched when there
    /// are tasks for them.
    ///
    /// Default: as many as fit into the memory of the container or the machine, with [`Container::MEMORY_OF_A_BROWSER`]
    /// for each; but not more than this process has processors, nor than [`pages`](Self::pages) needs with 4 for each.
    /// At least 1.
    pub fn browsers(mut self, browsers: usize) -> Self {
        self.browsers = Some(browsers.max(1));
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

    /// Why the launcher can't serve a pool. Old browsers are still there when others take over, also in a pool of one, so
    /// nothing may be named that only one browser can have.
    pub(crate) fn refused(&self) -> Option<Error> {
        let options = self.launcher.options();
        let why = if options.user_data_dir.is_some() {
            "its browsers can't share the profile of Launcher::user_data_dir, and contexts of tasks would not use it"
        } else if matches!(options.transport, Transport::FixedPort(port) if port != 0) {
            "its browsers can't share the port of Transport::FixedPort; Transport::Port lets the system choose"
        } else {
            return None;
        };
        let error = Error::new(ErrorKind::Invalid, format!("the launcher does not suit a pool: {why}"));
        Some(error.with_outcome(Outcome::NeverStarted))
    }

    pub(crate) fn limits(&self) -> Limits {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.limits_on(Container::look(), processors)
    }

    fn limits_on(&self, container: Container, processors: usize) -> Limits {
        let browsers = self.browsers.unwrap_or_else(|| {
            let fit = container.browsers(Container::MEMORY_OF_A_BROWSER).min(processors);
            self.pages.map_or(fit, |pages| fit.min(pages.div_ceil(PAGES_EACH))).max(1)
        });
        Limits {
            browsers,
            pages: self.pages.unwrap_or(browsers.saturating_mul(PAGES_EACH)),
            tasks: self.tasks,
            memory: self.memory,
            age: self.age,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1024 * 1024 * 1024;

    fn builder() -> PoolBuilder {
        PoolBuilder::new(Launcher::new())
    }

    /// Browsers and pages with this memory limit and so many processors.
    fn size(builder: &PoolBuilder, memory: u64, processors: usize) -> (usize, usize) {
        let container = Container { memory_limit: Some(memory), machine_memory: Some(64 * GIB) };
        let limits = builder.limits_on(container, processors);
        (limits.browsers, limits.pages)
    }

    #[test]
    fn the_default_size_is_what_memory_processors_and_pages_allow() {
        for (memory, processors, expected) in
            [(8 * GIB, 16, (6, 24)), (8 * GIB, 2, (2, 8)), (GIB / 2, 16, (1, 4)), (0, 0, (1, 4))]
        {
            assert_eq!(size(&builder(), memory, processors), expected, "{memory} bytes, {processors}");
        }
        for (pages, expected) in [(0, (1, 1)), (1, (1, 1)), (5, (2, 5)), (100, (6, 100))] {
            assert_eq!(size(&builder().pages(pages), 8 * GIB, 16), expected, "{pages} pages");
        }
    }

    #[test]
    fn the_default_size_is_that_of_this_machine() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(builder().limits(), builder().limits_on(Container::look(), processors));
    }

    #[test]
    fn a_size_that_was_named_counts_whatever_the_machine() {
        assert_eq!(size(&builder().browsers(9), GIB, 1), (9, 36));
        assert_eq!(size(&builder().browsers(5).pages(2), GIB, 1), (5, 2));
        assert_eq!(size(&builder().browsers(0).pages(0), GIB, 1), (1, 1));
        assert_eq!(size(&builder().browsers(usize::MAX), GIB, 1), (usize::MAX, usize::MAX));
        assert_eq!(builder().replace_after(0).limits().tasks, Some(1));
    }

    #[test]
    fn a_launcher_that_serves_one_browser_only_is_refused() {
        for (launcher, named) in [
            (Launcher::new().user_data_dir("/profile"), "Launcher::user_data_dir"),
            (Launcher::new().transport(Transport::FixedPort(9222)), "Transport::FixedPort"),
        ] {
            let error = PoolBuilder::new(launcher).browsers(1).refused().expect("it is refused");
            assert_eq!((error.kind(), error.outcome()), (ErrorKind::Invalid, Outcome::NeverStarted));
            assert!(error.to_string().contains(named), "{error}");
        }
        for transport in [Transport::Pipe, Transport::Port, Transport::FixedPort(0)] {
            assert!(PoolBuilder::new(Launcher::new().transport(transport)).refused().is_none());
        }
    }
}
