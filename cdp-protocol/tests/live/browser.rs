//! A real Chromium for one test: found where the engine finds it, with a profile of its own, and gone with it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, pipe};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cdp_protocol::domains::{page, runtime, target};
use cdp_protocol::{CallError, Client, Session, Settings};
use command_fds::{CommandFdExt, FdMapping};

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
pub(crate) struct Browser {
    pub(crate) process: Child,
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

    /// With more arguments than all have.
    pub(crate) fn over_pipe(arguments: &[&str]) -> (Self, Client) {
        let (mut command, profile) = Self::command();
        let (browser_reads, ours_writes) = pipe().unwrap();
        let (ours_reads, browser_writes) = pipe().unwrap();
        let mapping = |parent_fd: OwnedFd, child_fd| FdMapping { parent_fd, child_fd };
        command.arg("--remote-debugging-pipe").args(arguments);
        command
            .fd_mappings(vec![mapping(browser_reads.into(), 3), mapping(browser_writes.into(), 4)])
            .unwrap();
        let process = command.spawn().unwrap();
        // The browser's ends are open in the command as well; the pipe ends only when they are closed.
        drop(command);
        (
            Self { process, profile },
            Client::from_pipe(ours_reads.into(), ours_writes.into(), Settings::default()).unwrap(),
        )
    }

    /// A folder that goes with the browser.
    pub(crate) fn folder(&self) -> &str {
        self.profile.to_str().expect("the path is text")
    }

    /// The browser, and the websocket URL that it writes to its standard error.
    pub(crate) fn over_port() -> (Self, String) {
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
        // Its children may be at their last writes still, and would make the folder anew.
        let gone = (0..1000).any(|_| {
            let gone = !is_used(&self.profile)
                && (fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists());
            if !gone {
                std::thread::sleep(Duration::from_millis(10));
            }
            gone
        });
        assert!(gone || std::thread::panicking(), "{} could not be removed", self.profile.display());
    }
}

/// Whether a process lives whose `TMPDIR` is this folder, where there is a `/proc` that tells.
fn is_used(folder: &Path) -> bool {
    let folder = folder.as_os_str().as_encoded_bytes();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
    environments.any(|environment| {
        environment.split(|byte| *byte == 0).any(|pair| pair.strip_prefix(b"TMPDIR=") == Some(folder))
    })
}

/// A new page that begins to load, and a session on it.
pub(crate) async fn new_page(client: &Client, url: &str) -> Result<(Session, target::TargetId), CallError> {
    let root = client.browser();
    let target = root.call(&target::CreateTarget::new(url)).await?.target_id;
    let attached = root.call(&target::AttachToTarget::new(target.clone()).flatten(true)).await?;
    Ok((client.session(&attached.session_id), target))
}

/// A page that has loaded this document.
pub(crate) async fn open(client: &Client, url: &str) -> Result<Session, CallError> {
    let (page, _) = new_page(client, "about:blank").await?;
    let mut loaded = page.events::<page::LoadEventFired>();
    page.call(&page::Enable::new()).await?;
    page.call(&page::Navigate::new(url)).await?;
    loaded.next().await.expect("the page lives").expect("the event can be read");
    Ok(page)
}

pub(crate) async fn evaluate(session: &Session, expression: &str) -> String {
    let result = session
        .call(&runtime::Evaluate::new(expression).return_by_value(true).await_promise(true))
        .await
        .unwrap();
    serde_json::from_str(result.result.value.expect("a value").get()).unwrap()
}
