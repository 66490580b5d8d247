//! Ends a browser in three steps, each with its own time, and says which one did it. Can't hang.

use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

use crate::process::browser::{BrowserProcess, Shared};
use crate::process::closed::Closing;
use crate::process::deadline::after;
use crate::process::table::{self, Running, leftovers};
use crate::process::{CloseTimings, Closed, ClosedBy, Exit, scratch};

type Ask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How often a close is begun for one caller. The first one may die of its question, the next has none; one that dies
/// then will do so again.
const TRIES: usize = 3;

impl BrowserProcess {
    /// Ends the browser: `ask` asks it to close, then its process group is told to terminate, then killed; each
    /// step ends as soon as the browser has ended. Then what has left the group is ended and the scratch folder
    /// removed. Takes at most the sum of the timings, the last one twice, and two seconds. Must be called on a
    /// tokio runtime.
    ///
    /// May be called again and by several tasks at once: the first call's `ask` and timings count, and all get the
    /// same result. Where a close can't be carried out, because the runtime is shutting down, the browser is killed and
    /// the rest left to its guardian; the result then tells what was there at that moment.
    ///
    /// # Cancel safety
    ///
    /// The close goes on when this future is dropped. When its runtime ends, the guardian finishes the work.
    pub async fn close<A>(&self, ask: A, timings: CloseTimings) -> Closed
    where
        A: Future + Send + 'static,
    {
        let mut ask: Option<Ask> = Some(Box::pin(async {
            ask.await;
        }));
        for _ in 0..TRIES {
            let mut closing = self.start_close(&mut ask, timings);
            // An error: the task that closed went away with its runtime, or `ask` panicked. Close anew.
            if let Ok(closed) = closing.wait_for(Option::is_some).await.map(|closed| closed.clone())
                && let Some(closed) = closed
            {
                return closed;
            }
        }
        give_up(&self.shared)
    }

    fn start_close(&self, ask: &mut Option<Ask>, timings: CloseTimings) -> Closing {
        let mut closing = self.shared.closing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(closing) = &*closing
            && (closing.borrow().is_some() || closing.has_changed().is_ok())
        {
            return closing.clone();
        }
        let (done, result) = watch::channel(None);
        let shared = Arc::clone(&self.shared);
        let ask = ask.take();
        // A task of its own: callers may be dropped, and one that is not polled must not hold up the others.
        tokio::spawn(async move {
            let closed = close(&shared, ask, timings).await;
            tracing::info!(pid = shared.leader.pid().as_raw(), by = %closed.by, took = ?closed.took, "browser closed");
            done.send_replace(Some(closed));
        });
        *closing = Some(result.clone());
        result
    }
}

/// Kills the browser, leaves the rest to the guardian and waits for nothing: without a runtime there is no clock.
fn give_up(shared: &Shared) -> Closed {
    let began = Instant::now();
    let exit = *shared.exit.borrow();
    let by = exit.map_or(ClosedBy::Killed, ended_by_itself);
    tracing::warn!(
        pid = shared.leader.pid().as_raw(),
        "a close could not be carried out, the browser is killed"
    );
    shared.leader.signal_group(Signal::SIGKILL);
    shared.guardian.let_go();
    Closed { by, exit, took: began.elapsed(), left: leftovers(shared.scratch.path()) }
}

fn ended_by_itself(exit: Exit) -> ClosedBy {
    if exit.is_success() { ClosedBy::Itself } else { ClosedBy::Crashed }
}

async fn close(shared: &Arc<Shared>, ask: Option<Ask>, timings: CloseTimings) -> Closed {
    let began = Instant::now();
    let adopts = table::host_adopts_orphans();
    let helpers = if adopts { helpers(shared).await } else { Vec::new() };
    let (by, exit) = end_leader(shared, ask, timings).await;
    clean_up(shared, adopts && exit.is_some(), helpers, timings.kill).await;

    let folder = shared.scratch.path().to_owned();
    let left = spawn_blocking(move || leftovers(&folder)).await.unwrap_or_default();
    Closed { by, exit, took: began.elapsed(), left }
}

/// The helpers that have left the browser's group. A host that adopts orphans has to reap them; once they have ended
/// nothing tells them from strangers, so they are noted while they live.
async fn helpers(shared: &Shared) -> Vec<Running> {
    let folder = shared.scratch.path().to_owned();
    let group = shared.leader.pid().as_raw();
    let look = move || {
        let mut helpers = table::carriers(&folder);
        helpers.retain(|process| !process.is_in_group(group));
        helpers
    };
    spawn_blocking(look).await.unwrap_or_default()
}

async fn end_leader(shared: &Shared, ask: Option<Ask>, timings: CloseTimings) -> (ClosedBy, Option<Exit>) {
    if let Some(exit) = *shared.exit.borrow() {
        return (ended_by_itself(exit), Some(exit));
    }
    if let Some(ask) = ask
        && !timings.ask.is_zero()
    {
        let mut exited = pin!(shared.exited());
        let asked_and_ended = async {
            tokio::select! {
                exit = &mut exited => exit,
                // An answer is no end, and a failure is none either: the connection goes before the process.
                () = ask => exited.await,
            }
        };
        if let Ok(exit) = timeout(timings.ask, asked_and_ended).await {
            return (ClosedBy::Asked, Some(exit));
        }
    }
    if !timings.terminate.is_zero() {
        shared.leader.signal_group(Signal::SIGTERM);
        // A stopped process sees the first signal only when it goes on.
        shared.leader.signal_group(Signal::SIGCONT);
        if let Ok(exit) = timeout(timings.terminate, shared.exited()).await {
            return (ClosedBy::Terminated, Some(exit));
        }
    }
    shared.leader.signal_group(Signal::SIGKILL);
    (ClosedBy::Killed, timeout(timings.kill, shared.exited()).await.ok())
}

/// Ends what has left the group, removes the scratch folder and dismisses the guardian. What resists until `time`
/// is over is left to the guardian. With `reap`, the host adopts orphans and takes their exit statuses.
async fn clean_up(shared: &Shared, reap: bool, mut helpers: Vec<Running>, time: Duration) {
    let until = after(Instant::now(), time);
    let mut pause = Duration::from_millis(2);
    let group = shared.leader.pid().as_raw();
    let clean = loop {
        let folder = shared.scratch.path().to_owned();
        let pass = spawn_blocking(move || {
            let users = table::carriers(&folder);
            users.iter().for_each(Running::end);
            helpers.retain(|process| !process.reap());
            let reaped = !reap || (table::reap_group(group) && helpers.is_empty());
            let clean = users.is_empty() && scratch::remove(&folder).is_ok() && reaped;
            (helpers, clean)
        });
        // An error means that the runtime is ending; the guardian remains.
        let Ok((unreaped, clean)) = pass.await else { break false };
        helpers = unreaped;
        if clean || Instant::now() >= until {
            break clean;
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    if clean {
        shared.guardian.dismiss();
        let _ = timeout(Duration::from_secs(2), shared.keeper.guardian_ended()).await;
    } else {
        shared.guardian.let_go();
    }
}
