//! What a browser takes of the machine: the memory and the number of its processes.

use tokio::task::spawn_blocking;

use crate::process::browser::BrowserProcess;
use crate::process::tree;

/// What all processes of a browser take together: its first process, what descends from it, and helpers that left
/// its group, such as crash handlers. The guardian, some 250 KiB, is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Memory in bytes: the sum of the proportional set sizes (PSS), in which a page that several processes share
    /// is divided among them. Swapped-out memory is not counted. Where the system does not give that figure, the
    /// resident set size (RSS) of the process stands in its place.
    pub memory: u64,
    /// Whether `memory` is made of proportional sizes alone. If not, it counts what processes share several times and
    /// may be 2 to 5 times too high: the system is not Linux 4.14 or newer, or may not be asked about a process.
    pub is_proportional: bool,
    /// How many processes there are. 0 once the browser has ended.
    pub processes: usize,
}

impl BrowserProcess {
    /// What the browser takes of the machine now. A process that ends meanwhile is left out, which is no error; with a
    /// browser that has ended, everything is 0.
    ///
    /// The look takes one pass over the system's process table and one file for each process of the browser, on a
    /// thread for blocking work. With eleven processes and 300 MiB that took 25 to 50 ms here, four fifths of it the
    /// kernel's, which goes through all page tables to add up the proportional size. So once in some seconds is cheap,
    /// and often is not. Must be called on a tokio runtime.
    ///
    /// # Cancel safety
    ///
    /// Looking changes nothing. The look goes on to its end when the future is dropped.
    pub async fn usage(&self) -> Usage {
        let leader = self.shared.leader.pid().as_raw();
        let exit = self.shared.exit.clone();
        let scratch = self.shared.scratch.path().to_owned();
        let look = move || {
            let lives = || exit.borrow().is_none();
            let mut entries = tree::of(lives().then_some(leader), &scratch);
            if !lives() {
                // The leader was reaped while we looked, and its number may have been another's.
                entries = tree::of(None, &scratch);
            }
            let (memory, is_proportional, processes) = tree::memory(&entries);
            Usage { memory, is_proportional, processes }
        };
        // An error means that the runtime is ending, and the browser with it.
        spawn_blocking(look).await.unwrap_or_default()
    }
}
