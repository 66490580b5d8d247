//! A browser whose handle goes away without a close is ended by its guardian, and its processes are reaped.

use std::time::Duration;

use engine::process::spawn;
use tokio::runtime::{Builder, Runtime};

use crate::temp::Temp;
use crate::traces::{LONG, assert_nothing_left, guardian, until_gone, until_nothing_left};
use crate::wire::ready;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// `lose` gets a running browser's owner and must lose it.
fn check(lose: impl FnOnce(Runtime, &Temp)) {
    let temp = Temp::new();
    lose(runtime(), &temp);
    until_nothing_left(&temp, LONG);
}

#[test]
fn after_a_drop_nothing_is_left() {
    check(|runtime, temp| {
        let browser = runtime.block_on(async {
            let browser = temp.spawn().await;
            ready(&browser).await;
            browser
        });
        let pids = [browser.pid() as i32, guardian(temp.path()).pid];
        drop(browser);
        // Reaped, not just dead, while nobody polls the runtime.
        pids.into_iter().for_each(until_gone);
    });
}

#[test]
fn after_a_drop_without_a_runtime_nothing_is_left() {
    check(|runtime, temp| {
        let browser = runtime.block_on(async {
            let browser = temp.spawn().await;
            ready(&browser).await;
            browser
        });
        drop(runtime);
        let pids = [browser.pid() as i32, guardian(temp.path()).pid];
        drop(browser);
        pids.into_iter().for_each(until_gone);
    });
}

#[test]
fn after_a_panic_nothing_is_left() {
    check(|runtime, temp| {
        let launcher = temp.launcher();
        let task = runtime.spawn(async move {
            let browser = spawn(launcher.options()).await.unwrap();
            ready(&browser).await;
            panic!("on purpose, with browser {}", browser.pid());
        });
        let error = runtime.block_on(task).unwrap_err();
        assert!(error.is_panic());
    });
}

#[test]
fn a_runtime_that_ends_in_the_middle_of_a_close_leaves_nothing() {
    check(|runtime, temp| {
        runtime.block_on(async {
            let browser = temp.spawn().await;
            ready(&browser).await;
            let close = browser.close(std::future::pending::<()>(), Default::default());
            assert!(tokio::time::timeout(Duration::from_millis(20), close).await.is_err());
        });
        drop(runtime);
    });
}

#[test]
fn a_launch_that_is_dropped_leaves_nothing() {
    for millis in [0, 1, 2, 4, 8, 16, 64] {
        check(|runtime, temp| {
            runtime.block_on(async {
                let launcher = temp.launcher().transport(engine::process::Transport::Port);
                let launch = spawn(launcher.options());
                let _ = tokio::time::timeout(Duration::from_millis(millis), launch).await;
            });
            // The sweep at its beginning may still be looking at the folder.
            drop(runtime);
            let temp: &Temp = temp;
            until_nothing_left(temp, LONG);
            assert_nothing_left(temp);
        });
    }
}
