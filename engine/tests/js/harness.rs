//! Serves the cases to a browser once and keeps what it posted; each test then judges its own part.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    routing::{get, post},
};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    process::{Child, Command},
    sync::mpsc,
    time::{sleep, timeout},
};

use crate::cases::{Case, all};
use crate::js;

const LIMIT: Duration = Duration::from_secs(90);
const END_LIMIT: Duration = Duration::from_secs(10);
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

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
    let program = find_browser()?;
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
    let browser = Browser::start(&program, &format!("http://{address}/"))?;
    let body = timeout(LIMIT, receiver.recv()).await;
    server.abort();
    let left = browser.end().await;
    let body = body.map_err(|_| format!("no results after {LIMIT:?}"))?.ok_or("the server ended")?;
    left?;
    serde_json::from_slice(&body).map_err(|e| format!("results are not JSON: {e}"))
}

fn find_browser() -> Result<PathBuf, String> {
    if let Some(program) = env::var_os("CDP_BROWSER") {
        return Ok(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut programs = env::split_paths(&path).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    programs
        .find(|program| program.is_file())
        .ok_or_else(|| "no Chromium found: run ./x test, which installs one, or set CDP_BROWSER".to_owned())
}

/// A browser with a folder of its own.
struct Browser {
    child: Child,
    folder: PathBuf,
}

impl Browser {
    fn start(program: &Path, url: &str) -> Result<Browser, String> {
        let folder = env::temp_dir().join(format!("engine-js-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        command
            .args(["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--disable-quic",
                "--window-size=1000,800",
            ])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg(url)
            .env("TMPDIR", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let child = command.spawn().map_err(|error| {
            // Nothing was written yet; what stays is an empty folder at worst.
            let _ = fs::remove_dir(&folder);
            format!("{} does not start ({error}): run ./x test or set CDP_BROWSER", program.display())
        })?;
        Ok(Browser { child, folder })
    }

    /// Asks the browser to end, kills it when it does not, and removes its folder.
    async fn end(mut self) -> Result<(), String> {
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()) {
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
        if timeout(END_LIMIT, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
        // Helper processes of the browser end a little after it and may still write.
        let removed = timeout(END_LIMIT, async {
            while fs::remove_dir_all(&self.folder).is_err() && self.folder.exists() {
                sleep(Duration::from_millis(20)).await;
            }
        });
        removed.await.map_err(|_| format!("{} stays behind", self.folder.display()))
    }
}
