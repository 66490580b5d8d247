//! How a pool ends when its tasks, or its runtime, end in another order than it would like; and what it logs on the way.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Error, NotStarted, Pool, PoolError};
use tokio::runtime::{Builder, Runtime};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::harness::{Env, Outcome, tests, until};

tests![
    work_that_let_its_task_go_is_waited_for_and_cut_off,
    a_pool_whose_runtime_ended_is_closed_and_dropped_anywhere,
    every_number_of_the_snapshot_is_a_field_of_the_log,
];

async fn work_that_let_its_task_go_is_waited_for_and_cut_off(env: &Env) -> Outcome {
    let pool = Pool::builder(env.launcher()).browsers(1).start().await?;
    let endless = pool.clone();
    let endless = tokio::spawn(async move {
        let work = |task: engine::Task| async move {
            drop(task);
            std::future::pending::<Result<(), Error>>().await
        };
        endless.run(work).await
    });
    until("the end of its task", || (pool.snapshot().finished == 1).then_some(())).await;
    let draining = pool.clone();
    let drained = tokio::spawn(async move { draining.drain().await });
    let open = || pool.snapshot().browsers + pool.snapshot().draining;
    until("the end of the browser", || (open() == 0).then_some(())).await;
    // Whatever was ready to run has run.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!drained.is_finished(), "the work is not over");
    assert_eq!(pool.close(Duration::ZERO).await.tasks, 0);
    drained.await?;
    let error = endless.await?.expect_err("it was cut off");
    assert!(matches!(error, PoolError::Cut), "{error:?}");
    Ok(())
}

async fn a_pool_whose_runtime_ended_is_closed_and_dropped_anywhere(env: &Env) -> Outcome {
    let launcher = env.launcher();
    let begun = move || {
        let runtime = Runtime::new().expect("a runtime");
        let begun = runtime.block_on(async {
            let pool = Pool::builder(launcher).browsers(1).pages(1).start().await?;
            let task = pool.acquire().await?;
            Ok::<_, Error>((pool, task))
        })?;
        drop(runtime);
        Ok::<_, Error>(begun)
    };
    let (pool, task) = tokio::task::spawn_blocking(begun).await??;
    let process = PathBuf::from(format!("/proc/{}", task.browser_pid()));
    until("the end of the browser", || (!process.exists()).then_some(())).await;
    assert!(matches!(pool.acquire().await, Err(NotStarted::Closed)));
    let dropped = std::thread::spawn(move || drop((task, pool)));
    assert!(dropped.join().is_ok(), "no panic");
    Ok(())
}

async fn every_number_of_the_snapshot_is_a_field_of_the_log(env: &Env) -> Outcome {
    let launcher = env.launcher();
    let seen = Log::default();
    let log = seen.clone();
    let work = move || {
        // Its tasks stay on this thread, and so do their events.
        let _guard = tracing::subscriber::set_default(log);
        Builder::new_current_thread().enable_all().build()?.block_on(async {
            let pool = Pool::builder(launcher).browsers(1).pages(1).replace_after(1).start().await?;
            for _ in 0..2 {
                pool.run(|task| async move { task.page().evaluate::<()>("1").await }).await?;
            }
            pool.drain().await;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(pool.snapshot())
        })
    };
    let snapshot = tokio::task::spawn_blocking(work).await??;
    let events = seen.0.lock().map_err(|_| "poisoned")?.clone();
    let replaced = events.iter().find(|event| event["message"] == "a browser of the pool is replaced");
    assert_eq!(replaced.ok_or("nothing was logged")?["replaced_tasks"], "1", "{replaced:?}");
    let last = events.last().ok_or("nothing was logged")?;
    let replaced = snapshot.replaced;
    for (field, number) in [
        ("browsers", snapshot.browsers as u64),
        ("launching", snapshot.launching as u64),
        ("draining", snapshot.draining as u64),
        ("tasks", snapshot.tasks as u64),
        ("pages", snapshot.pages as u64),
        ("waiting", snapshot.waiting as u64),
        ("finished", snapshot.finished),
        ("replaced_tasks", replaced.tasks),
        ("replaced_memory", replaced.memory),
        ("replaced_age", replaced.age),
        ("replaced_crashed", replaced.crashed),
        ("replaced_unresponsive", replaced.unresponsive),
        ("launch_failed", replaced.launch_failed),
        ("memory", snapshot.memory),
    ] {
        assert_eq!(last.get(field), Some(&number.to_string()), "{field} in {last:?}");
    }
    assert_eq!(last["finished"], "2");
    Ok(())
}

/// Keeps the fields of the pool's own events.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Fields>>>);

type Fields = BTreeMap<&'static str, String>;

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        !metadata.is_span() && metadata.target().starts_with("engine::pool")
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Collect(Fields::new());
        event.record(&mut fields);
        if fields.0.contains_key("waiting") {
            self.0.lock().expect("no test panics while it logs").push(fields.0);
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Collect(Fields);

impl Visit for Collect {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
