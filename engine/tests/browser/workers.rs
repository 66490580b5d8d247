//! Workers: dedicated, nested, shared, those that stand between pages and the network.

use engine::{ErrorKind, EvidenceKind, Worker, WorkerKind};

use crate::harness::{Env, Outcome, tests, until};

tests![
    workers_of_a_page_and_of_its_frames_are_there_and_can_be_asked,
    a_worker_of_a_worker_is_the_pages,
    a_worker_that_ends_says_so,
    errors_of_a_worker_are_evidence_of_its_page,
    shared_and_service_workers_are_those_of_the_context,
    workers_that_come_and_go_leave_nothing,
];

/// Puts up a script that counts what it is told.
fn script(env: &Env, path: &str, text: &str) {
    env.site.file(path, &[("content-type", "text/javascript")], text);
}

async fn workers_of_a_page_and_of_its_frames_are_there_and_can_be_asked(env: &Env) -> Outcome {
    script(env, "/worker.js", "n = 1; onmessage = event => n += event.data");
    let start = "<script>worker = new Worker('/worker.js')</script>";
    env.site.page("/inner", start);
    env.open(&format!("{start}<iframe src={}></iframe>", env.site.other_url("/inner"))).await?;
    let workers = until("the workers", || Some(env.page.workers()).filter(|it| it.len() == 2)).await;
    for worker in &workers {
        assert_eq!((worker.kind(), worker.is_closed()), (WorkerKind::Dedicated, false));
        assert!(worker.url().ends_with("/worker.js"), "{worker:?}");
    }
    let own = workers.iter().find(|it| it.url() == env.site.url("/worker.js")).ok_or("the page's own")?;
    env.page.evaluate::<()>("worker.postMessage(41)").await?;
    assert_eq!(own.evaluate::<u32>("new Promise(done => setTimeout(() => done(n), 50))").await?, 42);
    assert_eq!(own.evaluate_with::<String>("text => text + typeof importScripts", "a ").await?, "a function");
    let error = own.evaluate::<u8>("nothing.of.that").await.expect_err("it throws");
    assert!(
        error.kind() == ErrorKind::Script && error.to_string().contains("nothing is not defined"),
        "{error}"
    );
    Ok(())
}

async fn a_worker_of_a_worker_is_the_pages(env: &Env) -> Outcome {
    script(
        env,
        "/outer.js",
        "inner = new Worker('/inner.js'); inner.onmessage = event => postMessage(event.data)",
    );
    script(env, "/inner.js", "postMessage('from inside')");
    env.open("<script>told = new Promise(done => new Worker('/outer.js').onmessage = event => done(event.data))</script>")
        .await?;
    assert_eq!(env.page.evaluate::<String>("told").await?, "from inside");
    let workers = until("both", || Some(env.page.workers()).filter(|it| it.len() == 2)).await;
    assert!(workers.iter().any(|it| it.url().ends_with("/inner.js")), "{workers:?}");
    Ok(())
}

async fn a_worker_that_ends_says_so(env: &Env) -> Outcome {
    script(env, "/worker.js", "");
    env.open("<script>worker = new Worker('/worker.js')</script>").await?;
    let first = |workers: Vec<Worker>| workers.into_iter().next();
    let worker = until("the worker", || first(env.page.workers())).await;
    env.page.evaluate::<()>("worker.terminate()").await?;
    until("its end", || worker.is_closed().then_some(())).await;
    assert!(env.page.workers().is_empty());
    let error = worker.evaluate::<u8>("1").await.expect_err("it has ended");
    assert_eq!(error.kind(), ErrorKind::Closed, "{error}");
    // With its page it ends too.
    env.page.reload().await?;
    let worker = until("the worker", || first(env.page.workers())).await;
    env.page.goto("about:blank").await?;
    until("its end", || worker.is_closed().then_some(())).await;
    Ok(())
}

async fn errors_of_a_worker_are_evidence_of_its_page(env: &Env) -> Outcome {
    script(env, "/worker.js", "console.error('of the worker'); setTimeout(() => nothing.of.that)");
    env.open("<script>new Worker('/worker.js')</script>").await?;
    for (kind, text) in
        [(EvidenceKind::ConsoleError, "of the worker"), (EvidenceKind::PageError, "nothing is not defined")]
    {
        let is_it = |it: &engine::Evidence| it.kind == kind && it.text.contains(text);
        until(text, || env.page.evidence().into_iter().find(is_it)).await;
    }
    Ok(())
}

async fn shared_and_service_workers_are_those_of_the_context(env: &Env) -> Outcome {
    script(env, "/shared.js", "n = 0; onconnect = () => n++");
    script(
        env,
        "/service.js",
        "addEventListener('fetch', event => {
        if (event.request.url.endsWith('/made')) event.respondWith(new Response('made by the worker'));
    }); addEventListener('activate', event => event.waitUntil(clients.claim()))",
    );
    env.open("<script>new SharedWorker('/shared.js')</script>").await?;
    let claimed = "navigator.serviceWorker.register('/service.js')
        .then(() => navigator.serviceWorker.controller || new Promise(done => navigator.serviceWorker.oncontrollerchange = done))
        .then(() => fetch('/made')).then(answer => answer.text())";
    assert_eq!(env.page.evaluate::<String>(claimed).await?, "made by the worker");
    let workers = until("both", || Some(env.context.workers()).filter(|it| it.len() == 2)).await;
    let of = |kind| {
        workers.iter().find(|it| it.kind() == kind).ok_or_else(|| format!("no {kind:?} in {workers:?}"))
    };
    assert_eq!(of(WorkerKind::Shared)?.evaluate::<u32>("n").await?, 1);
    assert_eq!(of(WorkerKind::Service)?.evaluate::<String>("typeof clients").await?, "object");
    let other = env.browser.new_context().await?;
    assert!(other.workers().is_empty(), "another context has none");
    other.close().await?;
    Ok(())
}

async fn workers_that_come_and_go_leave_nothing(env: &Env) -> Outcome {
    script(env, "/worker.js", "postMessage(1)");
    env.open("").await?;
    let before = env.browser.client().stats().sessions;
    let sum: u32 = env
        .page
        .evaluate(
            "(async () => { let sum = 0; for (let n = 0; n < 30; n++) {
                const worker = new Worker('/worker.js');
                sum += await new Promise(done => worker.onmessage = event => done(event.data));
                worker.terminate();
            } return sum })()",
        )
        .await?;
    assert_eq!(sum, 30);
    until("the end of all", || env.page.workers().is_empty().then_some(())).await;
    until("the end of their sessions", || (env.browser.client().stats().sessions <= before).then_some(()))
        .await;
    Ok(())
}
