//! Prints what the demo does, a line a step, with the time each took.

use std::fmt::Display;
use std::future::Future;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Why the demo stops.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Where the times stand, in characters.
const COLUMN: usize = 96;

pub(crate) struct Steps {
    done: u32,
    began: Instant,
}

impl Steps {
    pub(crate) fn new() -> Steps {
        Steps { done: 0, began: Instant::now() }
    }

    /// Does one step. The line begins with `what`; what the step gives back is put behind it.
    pub(crate) async fn run<T: Detail>(
        &mut self,
        what: &str,
        step: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.done += 1;
        let head = format!("{:>3}  {what}", self.done);
        print!("{head}");
        // A step may take seconds: show what is being waited for.
        let _ = std::io::stdout().flush();
        let start = Instant::now();
        match step.await {
            Ok(found) => {
                let detail = found.detail();
                let width = COLUMN.saturating_sub(head.chars().count());
                println!("{detail:width$}  {}", seconds(start.elapsed()));
                Ok(found)
            }
            Err(problem) => {
                println!(": failed after {}", seconds(start.elapsed()).trim());
                Err(problem)
            }
        }
    }

    pub(crate) fn total(&self) -> String {
        format!("{} steps in {}", self.done, seconds(self.began.elapsed()).trim())
    }
}

/// What a step found, as the end of its line.
pub(crate) trait Detail {
    fn detail(&self) -> String;
}

impl Detail for () {
    fn detail(&self) -> String {
        String::new()
    }
}

impl Detail for String {
    fn detail(&self) -> String {
        format!(": {self}")
    }
}

/// A value for the next steps, with a line's end for the reader.
pub(crate) struct Found<T, D>(pub(crate) T, pub(crate) D);

impl<T, D: Display> Detail for Found<T, D> {
    fn detail(&self) -> String {
        format!(": {}", self.1)
    }
}

/// Compares what the site says with what should be; a difference is the reader's to see and the demo's to fail on.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), Failure> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: expected {wanted:?}, found {found:?}").into()) }
}

fn seconds(time: Duration) -> String {
    format!("{:>6.2} s", time.as_secs_f64())
}
