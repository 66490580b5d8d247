//! One user call in progress: its deadline and its call log. Every wait of the call goes through here.

use std::fmt;
use std::future::Future;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, ErrorKind, Outcome, Result};
use crate::lock::lock;

/// Lines kept of a call log; older ones give way.
const LOG_LINES: usize = 24;

/// Waits before the attempts of a retried operation: the first at once, the last for all further ones.
const DELAYS: [u64; 6] = [0, 20, 50, 100, 100, 500];

/// A user call on its way.
pub(crate) struct Progress {
    what: String,
    limit: Duration,
    deadline: Instant,
    state: Mutex<State>,
}

struct State {
    log: Vec<Line>,
    outcome: Outcome,
}

struct Line {
    text: String,
    times: u32,
}

impl Progress {
    /// Begins a call. `what` is the user's call in his own words, such as `click on get_by_text("Pay")`.
    pub(crate) fn new(what: impl Into<String>, limit: Duration) -> Self {
        Self {
            what: what.into(),
            limit,
            deadline: later(limit),
            state: Mutex::new(State { log: Vec::new(), outcome: Outcome::ReadOnly }),
        }
    }

    /// Notes what the call sees. A line that repeats one of the last few is counted, not written again.
    pub(crate) fn log(&self, line: impl fmt::Display) {
        let text = line.to_string();
        let mut state = lock(&self.state);
        let recent = state.log.len().saturating_sub(3);
        if let Some(same) = state.log[recent..].iter_mut().find(|line| line.text == text) {
            same.times += 1;
            return;
        }
        if state.log.len() == LOG_LINES {
            state.log.remove(0);
        }
        state.log.push(Line { text, times: 1 });
    }

    /// From here on a failure means "started, outcome unknown".
    pub(crate) fn acted(&self) {
        lock(&self.state).outcome = Outcome::StartedUnknown;
    }

    /// What was sent is known to have had no effect: a failure is safe to repeat again.
    pub(crate) fn not_acted(&self) {
        lock(&self.state).outcome = Outcome::ReadOnly;
    }

    /// The time the call was given in all.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// The time left until the deadline.
    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits for `future`, but no longer than the deadline.
    pub(crate) async fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T> {
        tokio::time::timeout_at(self.deadline, future).await.map_err(|_| self.timed_out())
    }

    /// Waits as [`Progress::wait`] does for a fallible future.
    pub(crate) async fn run<T, E: Into<Error>>(
        &self,
        future: impl Future<Output = Result<T, E>>,
    ) -> Result<T> {
        self.wait(future).await?.map_err(Into::into)
    }

    /// The pause before attempt number `attempt`, counted from 0.
    pub(crate) async fn pause(&self, attempt: usize) -> Result<()> {
        let mut delays = &DELAYS[..];
        // A short deadline is not slept through: no pause is longer than a fifth of it.
        while let [rest @ .., last] = delays
            && !rest.is_empty()
            && Duration::from_millis(*last) > self.limit / 5
        {
            delays = rest;
        }
        let delay = delays.get(attempt).or(delays.last()).copied().unwrap_or_default();
        if delay > 0 {
            self.wait(tokio::time::sleep(Duration::from_millis(delay))).await?;
        }
        if Instant::now() >= self.deadline { Err(self.timed_out()) } else { Ok(()) }
    }

    /// Gives an error the call's words, its log and its outcome.
    pub(crate) fn fail(&self, error: Error) -> Error {
        let state = lock(&self.state);
        let error = if error.call_log().is_empty() { error.with_log(lines(&state.log)) } else { error };
        let error =
            if state.outcome == Outcome::StartedUnknown { error.with_outcome(state.outcome) } else { error };
        error.during(&self.what)
    }

    fn timed_out(&self) -> Error {
        Error::new(ErrorKind::Timeout, format!("not done within {:?}", self.limit))
    }
}

/// The moment `limit` from now; a limit too large to add, such as [`Duration::MAX`], is thirty years.
fn later(limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    Instant::now() + limit.min(FAR)
}

fn lines(log: &[Line]) -> Vec<String> {
    let counted = |line: &Line| match line.times {
        1 => line.text.clone(),
        times => format!("{} ({times} times)", line.text),
    };
    log.iter().map(counted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_timeout_names_the_call_and_what_was_seen() {
        let progress = Progress::new("click on locator(\"b\")", Duration::from_secs(1));
        progress.log("waiting");
        progress.log("covered");
        progress.log("waiting");
        let error = progress.wait(std::future::pending::<()>()).await.unwrap_err();
        let error = progress.fail(error);
        assert!(error.is_timeout());
        assert_eq!(
            error.to_string(),
            "click on locator(\"b\"): not done within 1s\ncall log:\n  - waiting (2 times)\n  - covered"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_is_too_large() {
        let progress = Progress::new("wait", Duration::MAX);
        assert!(progress.wait(tokio::time::sleep(Duration::from_secs(3_600))).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_follow_the_schedule_and_shrink_with_the_limit() {
        let pauses = async |limit: u64| {
            let progress = Progress::new("", Duration::from_millis(limit));
            let mut seen = Vec::new();
            for attempt in 0..7 {
                let before = Instant::now();
                if progress.pause(attempt).await.is_err() {
                    break;
                }
                seen.push(before.elapsed().as_millis());
            }
            seen
        };
        assert_eq!(pauses(30_000).await, [0, 20, 50, 100, 100, 500, 500]);
        assert_eq!(pauses(800).await, [0, 20, 50, 100, 100, 100, 100]);
    }
}
