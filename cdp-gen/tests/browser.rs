//! The tool against the installed browser: what that says of itself, compared with `pdl/` and with a copy of it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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

/// A running browser with a profile of its own.
struct Browser {
    process: Child,
    url: String,
    profile: PathBuf,
}

impl Browser {
    fn launch(profile: PathBuf) -> Browser {
        // The protocol's pipe is there only to end: a browser exits with it, also when this process is killed.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>/dev/null"#, "sh"])
            .arg(find_browser())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--remote-debugging-port=0", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .env("TMPDIR", profile.parent().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(process.stderr.take().unwrap());
        let mut browser = Browser { process, url: String::new(), profile };
        let mut lines = stderr.lines().map_while(Result::ok);
        let endpoint = lines
            .find_map(|line| line.strip_prefix("DevTools listening on ws://").map(str::to_owned))
            .expect("the browser tells its endpoint before it ends");
        // Someone must go on reading, or the browser would wait for room in the pipe. Ends with the browser.
        std::thread::spawn(move || lines.for_each(drop));
        browser.url = format!("http://{}", endpoint.split('/').next().unwrap());
        browser
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

/// Runs the tool; gives its exit code, and what it printed.
fn tool(arguments: &[&OsStr]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cdp-gen")).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn the_tool_compares_with_the_installed_browser() {
    let temp = tempfile::tempdir().unwrap();
    let browser = Browser::launch(temp.path().join("profile"));
    let url = OsStr::new(&browser.url);
    let [diff, import, out] = ["diff", "import", "--out"].map(OsStr::new);

    let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl");
    let (code, text) = tool(&[diff, pinned.as_os_str(), url]);
    assert!(
        matches!(code, Some(0 | 3)),
        "{code:?}: programs built from pdl/ break on this browser; `cargo run -p cdp-gen -- import <source>` brings \
         pdl/ up to date\n{text}"
    );

    // What was imported from a browser is what that browser says, whatever its version is.
    let copy = temp.path().join("pdl");
    let (code, text) = tool(&[import, url, out, copy.as_os_str()]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(tool(&[diff, copy.as_os_str(), url]), (Some(0), "no difference\n".to_owned()));

    // A command less on one side is a line, and breaks callers of the side that has it.
    let page = copy.join("domains/Page.pdl");
    let text = fs::read_to_string(&page).unwrap();
    let less = text.replacen("  command bringToFront\n", "", 1);
    assert_ne!(less, text);
    fs::write(&page, less).unwrap();
    let (line, end) = ("command bringToFront", "1 domain, 1 change");
    assert_eq!(
        tool(&[diff, copy.as_os_str(), url]),
        (Some(3), format!("Page\n  + {line}\n{end}, 0 break callers\n"))
    );
    assert_eq!(
        tool(&[diff, url, copy.as_os_str()]),
        (Some(4), format!("Page\n  - {line}  [BREAKS: the browser refuses it]\n{end}, 1 breaks callers\n"))
    );
}
