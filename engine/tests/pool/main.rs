//! Many tasks through a pool, with browsers, renderers and tasks killed among them: each task ends in a way that has a
//! name, and nothing of it is left. A process of its own, since descriptors and threads are counted.

// Figures for people.
#![allow(clippy::print_stdout)]

mod counts;

use std::sync::Arc;
use std::time::Duration;

use engine::{ErrorKind, Launcher, NotStarted, Outcome, Pool, PoolError, Task};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;

use crate::counts::{Counts, Temp, renderers};

/// Tasks unless `POOL_SOAK_TASKS` says how many.
const TASKS: usize = 60;

/// Tasks that are on their way at once: more than have a place, so that some wait.
const ON_THEIR_WAY: usize = 10;

/// How long one task may take from its first wait to its end.
const TASK_LIMIT: Duration = Duration::from_secs(60);

/// How long what the pool used may take to go away after it is drained.
const GONE_WITHIN: Duration = Duration::from_secs(10);

const PAGE: &str = "data:text/html,<title>soak</title><button onclick='this.textContent=1'>0</button>";

/// What is done to one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Nothing,
    /// All renderers of its browser are killed, that of its page among them.
    RendererKilled,
    BrowserKilled,
    Cancelled,
}

/// Numbers that are the same in each run (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn fate(&mut self) -> Fate {
        match self.below(3) {
            0 => Fate::RendererKilled,
            1 => Fate::BrowserKilled,
            _ => Fate::Cancelled,
        }
    }
}

#[test]
fn many_tasks_with_faults_among_them_end_with_a_name_and_leave_nothing() {
    let tasks = std::env::var("POOL_SOAK_TASKS").ok();
    let tasks = tasks.map_or(TASKS, |tasks| tasks.parse().expect("POOL_SOAK_TASKS: a number"));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let temp = Temp::new();
    runtime.block_on(async {
        // What is made once for good, such as the threads of the runtime, is made now.
        soak(&temp, 4, false).await;
        let before = Counts::settled(&temp, None).await;
        soak(&temp, tasks, true).await;
        let after = Counts::settled(&temp, Some(before)).await;
        println!("{tasks} tasks: {before:?} before, {after:?} after");
        assert!(after.is_within(&before), "{before:?} before, {after:?} after");
    });
}

/// Runs so many tasks, with a fault in every tenth, and drains the pool.
async fn soak(temp: &Temp, tasks: usize, faults: bool) {
    let launcher = Launcher::new().temp_dir(temp.path());
    let pool = Pool::builder(launcher).browsers(2).pages(6).replace_after(25).start().await;
    let pool = pool.expect("a browser");
    let on_their_way = Arc::new(Semaphore::new(ON_THEIR_WAY));
    let mut random = Random(14);
    let mut running = JoinSet::new();
    let mut begun = [0_u32; 4];
    for number in 1..=tasks {
        let fate = if faults && number.is_multiple_of(10) { random.fate() } else { Fate::Nothing };
        begun[fate as usize] += 1;
        let way = on_their_way.clone().acquire_owned().await.expect("it is never closed");
        let pool = pool.clone();
        running.spawn(async move {
            let ended = tokio::time::timeout(TASK_LIMIT, one(&pool, fate)).await;
            drop(way);
            (number, fate, ended.expect("each task ends"))
        });
    }
    let mut ends: Vec<(&str, u32)> = Vec::new();
    while let Some(ended) = running.join_next().await {
        let (number, fate, end) = ended.expect("no task panics");
        let name = named(number, fate, end);
        match ends.iter_mut().find(|(known, _)| *known == name) {
            Some((_, times)) => *times += 1,
            None => ends.push((name, 1)),
        }
    }
    let seen = pool.close(Duration::from_secs(30)).await;
    println!("begun, by fate: {begun:?}; ended: {ends:?}; {seen:?}");
    assert_eq!((seen.tasks, seen.waiting, seen.browsers, seen.draining), (0, 0, 0, 0));
    let killed = u64::from(begun[Fate::BrowserKilled as usize]);
    // Two tasks may kill the same browser, and one that drains is being replaced already.
    assert!(seen.replaced.crashed <= killed, "{seen:?}");
    let succeeded = ends.iter().find(|(name, _)| *name == "a result").map_or(0, |(_, times)| *times);
    assert!(succeeded as usize >= tasks / 2, "{ends:?}");
}

/// One task, and what is done to it. `None`: it was cancelled at work.
async fn one(pool: &Pool, fate: Fate) -> Option<Result<String, PoolError>> {
    let (begun, has_begun) = oneshot::channel();
    let work = |task: Task| async move {
        let page = task.page();
        page.goto(PAGE).await?;
        // Only a task that is to be cancelled is listened to.
        let _ = begun.send(());
        match fate {
            Fate::Nothing => {}
            Fate::RendererKilled => {
                let renderers = renderers(task.browser_pid());
                assert!(!renderers.is_empty(), "a page has one");
                for renderer in renderers {
                    // It may have ended by itself.
                    let _ = kill(Pid::from_raw(renderer), Signal::SIGKILL);
                }
            }
            Fate::BrowserKilled => {
                // Another task may have killed it already.
                let _ = kill(Pid::from_raw(task.browser_pid().cast_signed()), Signal::SIGKILL);
            }
            Fate::Cancelled => std::future::pending().await,
        }
        page.locator("button").click().await?;
        page.locator("button").inner_text().await
    };
    if fate == Fate::Cancelled {
        return tokio::select! {
            ended = pool.run(work) => Some(ended),
            _ = has_begun => None,
        };
    }
    Some(pool.run(work).await)
}

/// The name of an end. Fails when it is not one that this task may come to.
fn named(number: usize, fate: Fate, end: Option<Result<String, PoolError>>) -> &'static str {
    let error = match end {
        None => return "cancelled",
        Some(Ok(text)) => {
            assert_eq!((text.as_str(), fate), ("1", Fate::Nothing), "task {number}");
            return "a result";
        }
        Some(Err(error)) => error,
    };
    match &error {
        PoolError::NotStarted(NotStarted::Setup(_)) => {
            assert_eq!(error.outcome(), Outcome::NeverStarted);
            "never started"
        }
        PoolError::Lost(_) => {
            assert_eq!(error.outcome(), Outcome::StartedUnknown);
            "lost with its browser"
        }
        // Also those whose page was in the browser of a task that killed all renderers.
        PoolError::Failed(failed) if failed.kind() == ErrorKind::Crashed => "renderer crashed",
        // Its renderer was killed on the way to the page: the browser calls that an aborted navigation.
        PoolError::Failed(failed) if failed.kind() == ErrorKind::Navigation => "navigation aborted",
        other => panic!("task {number}, {fate:?}: {other:?}"),
    }
}
