//! A real Chromium over both carriers. Each test has its own browser and profile, and leaves neither behind.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, pipe};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cdp_protocol::domains::{browser, inspector, page, runtime, target};
use cdp_protocol::{CallError, Client, CloseReason, Session, SessionEnd};
use command_fds::{CommandFdExt, FdMapping};

use crate::{bounded, raw};

/// Names looked up on `PATH` where `CDP_BROWSER` is not set, in the engine's order.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-headless-shell",
    "chrome-headless-shell",
];

/// The browser that the engine would launch, but for those it finds outside of `PATH`; `./x test` names these.
fn find_browser() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &OsStr| {
        let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(name)).find(|program| program.is_file())
    };
    let given = env::var_os("CDP_BROWSER").filter(|given| !given.is_empty());
    let found = match &given {
        Some(name) if Path::new(name).components().count() == 1 => on_path(name),
        Some(given) => Some(PathBuf::from(given)).filter(|program| program.is_file()),
        None => NAMES.iter().find_map(|name| on_path(OsStr::new(name))),
    };
    found.unwrap_or_else(|| {
        panic!(
            "no Chromium found ({given:?}): run `./x test`, which gets one, or set CDP_BROWSER to its path"
        )
    })
}

/// A running browser, ended by its process id when the test is over, however it ends.
struct Browser {
    process: Child,
    profile: PathBuf,
}

impl Browser {
    fn command() -> (Command, PathBuf) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let program = find_browser();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile = env::temp_dir().join(format!("cdp-protocol-test-{}-{count}", id()));
        fs::create_dir(&profile).unwrap();
        let mut command = Command::new(program);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--no-first-run",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display())).env("TMPDIR", &profile);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        (command, profile)
    }

    fn over_pipe() -> (Self, Client) {
        let (mut command, profile) = Self::command();
        let (browser_reads, ours_writes) = pipe().unwrap();
        let (ours_reads, browser_writes) = pipe().unwrap();
        let mapping = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
        command.arg("--remote-debugging-pipe");
        command
            .fd_mappings(vec![mapping(browser_reads.into(), 3), mapping(browser_writes.into(), 4)])
            .unwrap();
        let process = command.spawn().unwrap();
        // The browser's ends are open in the command as well; the pipe ends only when they are closed.
        drop(command);
        (Self { process, profile }, Client::from_pipe(ours_reads.into(), ours_writes.into()).unwrap())
    }

    /// The browser, and the websocket URL that it writes to its standard error.
    fn over_port() -> (Self, String) {
        let (mut command, profile) = Self::command();
        let mut process = command.arg("--remote-debugging-port=0").stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(process.stderr.take().unwrap());
        let browser = Self { process, profile };
        let mut lines = stderr.lines().map_while(Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned));
        // Someone must go on reading, or the browser would wait for room in the pipe. Ends with the browser.
        std::thread::spawn(move || lines.for_each(drop));
        (browser, url.expect("the browser tells its endpoint before it ends"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Its children may be at their last writes still; the folder goes with the last of them.
        let gone = (0..1000).any(|_| {
            let gone = fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists();
            if !gone {
                std::thread::sleep(Duration::from_millis(10));
            }
            gone
        });
        assert!(gone || std::thread::panicking(), "{} could not be removed", self.profile.display());
    }
}

async fn new_page(client: &Client, url: &str) -> (Session, target::TargetId) {
    let root = client.browser();
    let target = root.call(&target::CreateTarget::new(url)).await.unwrap().target_id;
    let attached = root.call(&target::AttachToTarget::new(target.clone()).flatten(true)).await.unwrap();
    (client.session(&attached.session_id), target)
}

async fn evaluate(session: &Session, expression: &str) -> String {
    let result = session.call(&runtime::Evaluate::new(expression).return_by_value(true)).await.unwrap();
    serde_json::from_str(result.result.value.expect("a value").get()).unwrap()
}

/// The same for both carriers.
async fn exercise(client: &Client) {
    let root = client.browser();
    let version = root.call(&browser::GetVersion::new()).await.unwrap();
    assert!(version.product.contains("Chrome/"), "{}", version.product);

    let refused = root.call_raw("Foo.bar", &raw("{}")).await;
    assert!(matches!(refused, Err(CallError::Refused { code: -32601, .. })), "{refused:?}");

    let (session, target) = new_page(client, "about:blank").await;
    assert_eq!(evaluate(&session, "'six' + 'ty'").await, "sixty");
    assert_eq!(evaluate(&session, "String.fromCharCode(0xD83D) + 'x'").await, "\u{FFFD}x");

    // Large both ways.
    assert_eq!(evaluate(&session, "'ab'.repeat(10_000_000)").await.len(), 20_000_000);
    let text = format!("'{}'.length.toString()", "x".repeat(5_000_000));
    assert_eq!(evaluate(&session, &text).await, "5000000");

    // Many at once.
    let calls = (0..200).map(|n| session.call(&runtime::Evaluate::new(format!("{n} * 2"))));
    for (n, answer) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(answer.unwrap().result.value.unwrap().get(), (n * 2).to_string());
    }

    // The event was sent before the answer, so it is there when the answer is.
    let mut events = session.events::<runtime::ConsoleApiCalled>();
    session.call(&runtime::Enable::new()).await.unwrap();
    evaluate(&session, "for (let n = 0; n < 100; n++) console.log(n); 'done'").await;
    for _ in 0..100 {
        let next = futures_util::poll!(Box::pin(events.next()));
        assert!(matches!(next, std::task::Poll::Ready(Some(Ok(_)))), "{next:?}");
    }

    // A closed target answers nothing more; its session says so.
    let stuck = session.call(&runtime::Evaluate::new("new Promise(() => {})").await_promise(true));
    root.call(&target::CloseTarget::new(target)).await.unwrap();
    let error = stuck.await.unwrap_err();
    assert!(matches!(error, CallError::SessionEnded { end: SessionEnd::Detached, .. }), "{error}");
    assert!(session.is_ended());

    let (session, _) = new_page(client, "about:blank").await;
    session.call(&inspector::Enable::new()).await.unwrap();
    let error = session.call(&page::Crash::new()).await.unwrap_err();
    assert!(matches!(error, CallError::SessionEnded { end: SessionEnd::Crashed, .. }), "{error}");
    assert_eq!(client.stats().pending_calls, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chromium_over_a_pipe() {
    bounded(async {
        let (mut browser, client) = Browser::over_pipe();
        exercise(&client).await;
        client.browser().call(&browser::Close::new()).await.unwrap();
        assert_eq!(client.closed().await, CloseReason::HungUp { mid_message: false });
        assert!(browser.process.wait().unwrap().success());
    })
    .await;
}

#[tokio::test]
async fn chromium_over_a_websocket() {
    bounded(async {
        let (_browser, url) = Browser::over_port();
        let client = Client::connect(&url).await.unwrap();
        exercise(&client).await;
        client.close();
        assert_eq!(client.closed().await, CloseReason::Requested);
        // The browser lives on, and discovery by name finds it.
        let port = url.split(['/', ':']).nth(4).unwrap();
        let client = Client::connect(&format!("http://localhost:{port}")).await.unwrap();
        client.browser().call(&browser::GetVersion::new()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_browser_exits_when_the_last_handle_of_its_pipe_goes() {
    bounded(async {
        let (mut browser, client) = Browser::over_pipe();
        client.browser().call(&browser::GetVersion::new()).await.unwrap();
        drop(client);
        let ended = tokio::task::spawn_blocking(move || {
            let status = browser.process.wait();
            drop(browser);
            status
        });
        ended.await.unwrap().unwrap();
    })
    .await;
}
