//! The pool on real browsers: tasks that share nothing, bounds that hold, browsers that are replaced, also when they
//! are killed in the middle of a task, and nothing left of any of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine::{Error, ErrorKind, NotStarted, Outcome as Effect, Pool, PoolBuilder, PoolError};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::sync::{Barrier, oneshot};
use tokio::task::JoinSet;

use crate::harness::{Env, Outcome, tests, until};

tests![
    tasks_do_not_share_cookies,
    no_more_tasks_run_at_once_than_were_allowed,
    a_browser_is_replaced_after_so_many_tasks,
    a_browser_is_replaced_when_it_is_old,
    a_browser_is_replaced_when_it_is_large,
    a_browser_killed_in_mid_task_is_replaced_and_only_its_task_is_lost,
    a_browser_that_does_not_answer_is_replaced,
    waiting_tasks_that_are_dropped_lose_nothing,
    a_task_that_panics_frees_its_place,
    a_pool_is_not_started_without_a_browser,
    a_pool_is_not_started_with_what_only_one_browser_can_have,
    who_waits_is_told_when_no_browser_can_be_launched,
    draining_waits_for_tasks_and_refuses_new_ones,
    closing_ends_a_task_that_never_does,
    a_pool_that_is_dropped_leaves_nothing,
];

const MEBIBYTE: u64 = 1024 * 1024;

/// A pool of the test's own, of which the harness finds everything that is left.
fn pool(env: &Env) -> PoolBuilder {
    Pool::builder(env.launcher()).browsers(1)
}

fn kill_browser(pid: u32, signal: Signal) -> nix::Result<()> {
    kill(Pid::from_raw(pid.cast_signed()), signal)
}

async fn tasks_do_not_share_cookies(env: &Env) -> Outcome {
    env.site.page("/", "");
    let pool = pool(env).pages(1).start().await?;
    let url = env.site.url("/");
    for who in ["ada", "grace"] {
        let url = url.clone();
        let before = pool
            .run(|task| async move {
                let page = task.page();
                page.goto(url).await?;
                let before = page.evaluate::<String>("document.cookie").await?;
                page.evaluate::<()>(format!("void (document.cookie = 'who={who}')")).await?;
                assert_eq!(page.evaluate::<String>("document.cookie").await?, format!("who={who}"));
                Ok::<_, Error>(before)
            })
            .await?;
        assert_eq!(before, "");
    }
    assert_eq!(pool.snapshot().browsers, 1, "it was the same browser");
    until("the end of both contexts", || (pool.snapshot().pages == 0).then_some(())).await;
    pool.drain().await;
    Ok(())
}

async fn no_more_tasks_run_at_once_than_were_allowed(env: &Env) -> Outcome {
    let pool = pool(env).browsers(2).pages(3).start().await?;
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let three = Arc::new(Barrier::new(3));
    let mut tasks = JoinSet::new();
    for _ in 0..12 {
        let (pool, running, most) = (pool.clone(), running.clone(), most.clone());
        let three = three.clone();
        tasks.spawn(async move {
            let work = |task: engine::Task| async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Nobody goes on before three are here.
                three.wait().await;
                let sum = task.page().evaluate::<u32>("3 + 4").await;
                running.fetch_sub(1, Ordering::SeqCst);
                sum
            };
            pool.run(work).await
        });
    }
    while let Some(result) = tasks.join_next().await {
        assert_eq!(result??, 7);
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
    let seen = pool.close(Duration::MAX).await;
    assert_eq!((seen.finished, seen.tasks, seen.waiting), (12, 0, 0));
    Ok(())
}

/// The browser that the next task gets.
async fn next_browser(pool: &Pool) -> Result<u32, NotStarted> {
    let task = pool.acquire().await?;
    let pid = task.browser_pid();
    task.close().await;
    Ok(pid)
}

async fn a_browser_is_replaced_after_so_many_tasks(env: &Env) -> Outcome {
    let pool = pool(env).replace_after(2).start().await?;
    let mut browsers = Vec::new();
    for _ in 0..4 {
        browsers.push(next_browser(&pool).await?);
    }
    assert_eq!(browsers[0], browsers[1]);
    assert_eq!(browsers[2], browsers[3]);
    assert_ne!(browsers[1], browsers[2]);
    assert_eq!(pool.snapshot().replaced.tasks, 2);
    pool.drain().await;
    Ok(())
}

async fn a_browser_is_replaced_when_it_is_old(env: &Env) -> Outcome {
    let pool = pool(env).replace_older_than(Duration::from_millis(300)).start().await?;
    let task = pool.acquire().await?;
    let old = task.browser_pid();
    task.page().evaluate::<()>("new Promise(done => setTimeout(done, 400))").await?;
    // The old one drains: its task goes on, and the next one is elsewhere.
    let next = next_browser(&pool).await?;
    assert_ne!(next, old);
    assert_eq!(task.page().evaluate::<u32>("3 + 4").await?, 7);
    drop(task);
    assert!(pool.snapshot().replaced.age >= 1);
    pool.drain().await;
    Ok(())
}

async fn a_browser_is_replaced_when_it_is_large(env: &Env) -> Outcome {
    let pool = pool(env).replace_above(MEBIBYTE).start().await?;
    let task = pool.acquire().await?;
    let large = task.browser_pid();
    until("a replacement", || (pool.snapshot().replaced.memory == 1).then_some(())).await;
    let seen = pool.snapshot();
    assert!(seen.memory > 50 * MEBIBYTE, "{seen:?}");
    assert_eq!((seen.tasks, seen.pages, seen.draining), (1, 1, 1));
    assert_ne!(next_browser(&pool).await?, large);
    drop(task);
    pool.drain().await;
    Ok(())
}

async fn a_browser_killed_in_mid_task_is_replaced_and_only_its_task_is_lost(env: &Env) -> Outcome {
    let pool = pool(env).pages(1).start().await?;
    let (begun, has_begun) = oneshot::channel();
    let mut tasks = JoinSet::new();
    let victim = pool.clone();
    tasks.spawn(async move {
        let work = |task: engine::Task| async move {
            // The test waits for it.
            let _ = begun.send(task.browser_pid());
            task.page().evaluate::<u32>("new Promise(() => {})").await
        };
        victim.run(work).await
    });
    let killed = has_begun.await?;
    let waiting = pool.clone();
    let next = tokio::spawn(async move { next_browser(&waiting).await });
    until("a second task", || (pool.snapshot().waiting == 1).then_some(())).await;
    kill_browser(killed, Signal::SIGKILL)?;

    let error = tasks.join_next().await.expect("a task")?.expect_err("its browser was killed");
    assert!(matches!(&error, PoolError::Lost(lost) if lost.kind() == ErrorKind::Closed), "{error:?}");
    assert_eq!(error.outcome(), Effect::StartedUnknown);
    assert_ne!(next.await??, killed);
    assert_eq!(pool.snapshot().replaced.crashed, 1);
    pool.drain().await;
    Ok(())
}

async fn a_browser_that_does_not_answer_is_replaced(env: &Env) -> Outcome {
    let pool = pool(env).start().await?;
    let stopped = next_browser(&pool).await?;
    kill_browser(stopped, Signal::SIGSTOP)?;
    // The task is given to the stopped browser, and then to another one.
    assert_ne!(next_browser(&pool).await?, stopped);
    assert_eq!(pool.snapshot().replaced.unresponsive, 1);
    pool.drain().await;
    Ok(())
}

async fn waiting_tasks_that_are_dropped_lose_nothing(env: &Env) -> Outcome {
    let pool = pool(env).pages(1).start().await?;
    let first = pool.acquire().await?;
    let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(pool.acquire())).collect();
    for turn in &mut waiting {
        assert!(is_pending(turn.as_mut()).await, "the place is taken");
    }
    assert_eq!(pool.snapshot().waiting, 4);
    let last = waiting.pop().expect("four wait");
    let given = waiting.remove(0);
    drop(waiting);
    assert_eq!(pool.snapshot().waiting, 2);
    first.close().await;
    // Its turn has come, and it goes without having looked.
    assert_eq!(pool.snapshot().tasks, 1);
    drop(given);
    last.await?.close().await;
    assert_eq!(pool.snapshot().finished, 2);
    // Dropped while its context is being made.
    let mut begun = Box::pin(pool.acquire());
    assert!(is_pending(begun.as_mut()).await);
    drop(begun);
    next_browser(&pool).await?;
    assert_eq!((pool.snapshot().tasks, pool.snapshot().waiting), (0, 0));
    pool.drain().await;
    Ok(())
}

/// Polls once; whether it is still pending.
async fn is_pending<F: Future + Unpin>(future: F) -> bool {
    tokio::select! {
        biased;
        _ = future => false,
        () = std::future::ready(()) => true,
    }
}

async fn a_task_that_panics_frees_its_place(env: &Env) -> Outcome {
    let pool = pool(env).pages(1).start().await?;
    let panicking = pool.clone();
    let panicked = tokio::spawn(async move {
        let work = |task: engine::Task| async move {
            assert_eq!(task.page().url(), "about:elsewhere");
            Ok::<_, Error>(())
        };
        panicking.run(work).await
    });
    assert!(panicked.await.expect_err("it panics").is_panic());
    next_browser(&pool).await?;
    pool.drain().await;
    Ok(())
}

async fn a_pool_is_not_started_without_a_browser(env: &Env) -> Outcome {
    let error = Pool::builder(env.launcher().executable("/nowhere/chromium")).start().await;
    assert_eq!(error.expect_err("there is none").kind(), ErrorKind::Launch);
    Ok(())
}

async fn a_pool_is_not_started_with_what_only_one_browser_can_have(env: &Env) -> Outcome {
    let profile = env.browser.process().expect("it was launched").scratch().join("shared-profile");
    let error =
        Pool::builder(env.launcher().user_data_dir(&profile)).start().await.expect_err("it is refused");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Invalid, Effect::NeverStarted));
    assert!(!profile.exists(), "nothing was launched");
    Ok(())
}

async fn who_waits_is_told_when_no_browser_can_be_launched(env: &Env) -> Outcome {
    // The browser is found by a link, which is then taken away.
    let link = env.browser.process().expect("it was launched").scratch().join("linked-browser");
    let chromium =
        std::fs::read_link(format!("/proc/{}/exe", env.browser.process().expect("it was launched").pid()))?;
    std::os::unix::fs::symlink(chromium, &link)?;
    let pool = Pool::builder(env.launcher().executable(&link)).start().await?;
    let pid = next_browser(&pool).await?;
    std::fs::remove_file(&link)?;
    kill_browser(pid, Signal::SIGKILL)?;
    let error = pool.run(|_task| async { Ok::<_, Error>(()) }).await.expect_err("no browser");
    assert!(matches!(&error, PoolError::NotStarted(NotStarted::Launch(_))), "{error:?}");
    assert!(error.to_string().contains(&*link.to_string_lossy()), "{error}");
    assert_eq!(error.outcome(), Effect::NeverStarted);
    assert_eq!(pool.snapshot().replaced.launch_failed, 3);
    pool.drain().await;
    Ok(())
}

async fn draining_waits_for_tasks_and_refuses_new_ones(env: &Env) -> Outcome {
    let pool = pool(env).pages(1).start().await?;
    let running = pool.acquire().await?;
    let mut waiting = Box::pin(pool.acquire());
    assert!(is_pending(waiting.as_mut()).await);
    let mut drained = Box::pin(pool.drain());
    assert!(is_pending(drained.as_mut()).await);
    assert!(matches!(waiting.await, Err(NotStarted::Closed)));
    assert!(matches!(pool.acquire().await, Err(NotStarted::Closed)));
    assert_eq!(running.page().evaluate::<u32>("3 + 4").await?, 7);
    assert!(is_pending(drained.as_mut()).await);
    drop(running);
    drained.await;
    let seen = pool.snapshot();
    assert_eq!((seen.browsers, seen.draining, seen.tasks, seen.finished), (0, 0, 0, 1));
    Ok(())
}

async fn closing_ends_a_task_that_never_does(env: &Env) -> Outcome {
    let pool = pool(env).start().await?;
    let endless = pool.clone();
    let endless = tokio::spawn(async move {
        let work = |task: engine::Task| async move {
            let _kept = task;
            std::future::pending::<Result<(), Error>>().await
        };
        endless.run(work).await
    });
    until("the task", || (pool.snapshot().tasks == 1).then_some(())).await;
    let held = pool.acquire().await?;
    let patient = pool.clone();
    let patient = tokio::spawn(async move { patient.drain().await });
    let seen = pool.close(Duration::from_millis(200)).await;
    assert_eq!(seen.tasks, 2);
    patient.await?;
    let error = endless.await?.expect_err("it was cut off");
    assert!(matches!(error, PoolError::Cut), "{error:?}");
    assert_eq!(error.outcome(), Effect::StartedUnknown);
    let error = held.page().evaluate::<u32>("1").await.expect_err("its browser is closed");
    assert!(error.is_closed(), "{error}");
    Ok(())
}

async fn a_pool_that_is_dropped_leaves_nothing(env: &Env) -> Outcome {
    let pool = pool(env).start().await?;
    let task = pool.acquire().await?;
    let (page, pid) = (task.page().clone(), task.browser_pid());
    drop(pool);
    assert_eq!(page.evaluate::<u32>("3 + 4").await?, 7, "a task keeps the pool");
    drop(task);
    // Although a handle into it is kept.
    let process = PathBuf::from(format!("/proc/{pid}"));
    until("the end of the browser", || (!process.exists()).then_some(())).await;
    assert!(page.evaluate::<u32>("1").await.expect_err("it is gone").is_closed());
    Ok(())
}
