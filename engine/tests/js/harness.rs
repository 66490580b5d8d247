//! Serves the cases to a browser once and keeps what it posted; each test then judges its own part.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    routing::{get, post},
};
use engine::Launcher;
use engine::process::{CloseTimings, spawn};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc, time::timeout};

use crate::cases::{Case, all};
use crate::js;

const LIMIT: Duration = Duration::from_secs(90);

static RESULTS: LazyLock<Result<Vec<(Case, Value)>, String>> = LazyLock::new(|| {
    let cases = all();
    let json: Vec<Value> = cases.iter().map(Case::to_json).collect();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let values = runtime.block_on(serve(Value::Array(json).to_string()))?;
    if values.len() != cases.len() {
        return Err(format!("{} results for {} cases", values.len(), cases.len()));
    }
    Ok(cases.into_iter().zip(values).collect())
});

/// Fails with every case of the group whose result is not the expected one.
pub(crate) fn check(group: &str, least: usize) {
    let results = match &*RESULTS {
        Ok(results) => results,
        Err(why) => panic!("{why}"),
    };
    let mut count = 0;
    let mut failures = String::new();
    for (case, got) in results.iter().filter(|(case, _)| case.group == group) {
        count += 1;
        if !agrees(&case.expected, got) {
            failures.push_str(&format!(
                "\n{}\n  {}\n  expected {}\n  got      {got}\n",
                case.html, case.call, case.expected
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count >= least, "only {count} cases in {group}");
}

/// Objects may hold more than is expected of them; a string that begins with `~` is looked for inside.
fn agrees(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            expected.iter().all(|(key, value)| got.get(key).is_some_and(|other| agrees(value, other)))
        }
        (Value::Array(expected), Value::Array(got)) => {
            expected.len() == got.len() && expected.iter().zip(got).all(|(a, b)| agrees(a, b))
        }
        (Value::String(expected), Value::String(got)) => match expected.strip_prefix('~') {
            Some(part) => got.contains(part),
            None => expected == got,
        },
        (expected, got) => expected == got,
    }
}

async fn serve(cases: String) -> Result<Vec<Value>, String> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|e| e.to_string())?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let (sender, mut receiver) = mpsc::channel::<Bytes>(1);
    let cases: Arc<str> = cases.into();
    let javascript = [("content-type", "text/javascript; charset=utf-8")];
    // The second call must change nothing.
    let source = format!("const install = {};\ninstall();\ninstall();\n", js::source());
    let router = Router::new()
        .route("/", get(|| async { ([("content-type", "text/html")], include_str!("page.html")) }))
        .route("/page.js", get(move || async move { (javascript, include_str!("page.js")) }))
        .route("/source.js", get(move || async move { (javascript, source) }))
        .route("/cases.json", get(move || async move { cases.to_string() }))
        .route(
            "/results",
            post(move |body: Bytes| async move {
                // A second post has nobody to read it.
                let _ = sender.try_send(body);
            }),
        );
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    // The page is opened by the command line: these scripts are tested without the protocol.
    let launcher = Launcher::new()
        .without_arg("--no-startup-window")
        .arg("--window-size=1000,800")
        .arg(format!("http://{address}/"));
    let browser = spawn(launcher.options()).await.map_err(|e| e.to_string())?;
    let body = timeout(LIMIT, receiver.recv()).await;
    server.abort();
    let closed = browser.close(async {}, CloseTimings::default().ask(Duration::ZERO)).await;
    let body = body.map_err(|_| format!("no results after {LIMIT:?}"))?.ok_or("the server ended")?;
    if !closed.left.is_empty() {
        return Err(closed.to_string());
    }
    serde_json::from_slice(&body).map_err(|e| format!("results are not JSON: {e}"))
}
