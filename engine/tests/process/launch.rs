//! A browser starts, answers and closes, over a pipe and over a port. The first test also serves as the host that
//! others kill.

use std::net::Ipv4Addr;

use engine::process::{CloseTimings, ClosedBy, Exit, Headless, Transport, leftovers, spawn};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::killed_host;
use crate::temp::Temp;
use crate::traces::{assert_nothing_left, guardian, process, processes, until_written};
use crate::wire::ready;

#[tokio::test]
async fn a_browser_answers_on_its_pipe_and_closes_when_asked() {
    if let Some(folder) = killed_host::folder() {
        killed_host::play(&folder).await;
    }
    let temp = Temp::new();
    let browser = temp.spawn().await;
    let mut wire = ready(&browser).await;
    assert!(processes(temp.path()).len() > 1, "the browser and its guardian");
    assert_eq!(
        process(browser.pid() as i32).unwrap().group,
        browser.pid() as i32,
        "a process group of its own"
    );
    assert!(!leftovers(browser.scratch()).is_empty());
    let guardian = guardian(temp.path());

    let closed = browser
        .close(
            async move {
                let _ = wire.call("Browser.close").await;
            },
            CloseTimings::default(),
        )
        .await;
    assert_eq!((closed.by, closed.exit), (ClosedBy::Asked, Some(Exit::Code(0))), "{closed}");
    assert!(closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
    for pid in [browser.pid() as i32, guardian.pid] {
        assert!(process(pid).is_none(), "{pid} is reaped");
    }
    assert_eq!(browser.exited().await, Exit::Code(0));
}

#[tokio::test]
async fn everything_temporary_lies_in_the_scratch_folder() {
    let temp = Temp::new();
    let home = Temp::new();
    let launcher = temp.launcher().env("HOME", home.path());
    let browser = spawn(launcher.options()).await.unwrap();
    let mut wire = ready(&browser).await;
    let target = wire.call_with("Target.createTarget", r#"{"url":"about:blank"}"#).await.unwrap();
    assert!(target.contains("targetId"), "{target}");

    let profile = std::fs::read_dir(browser.scratch().join("profile")).unwrap();
    assert!(profile.count() > 0, "the profile is in use");
    assert_eq!(temp.entries().len(), 1, "{:?}", temp.entries());

    let closed =
        browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
    assert!(closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
    assert_eq!(home.entries(), [""; 0], "nothing is written into the user's home");
}

#[tokio::test]
async fn a_browser_listens_on_a_port_when_asked_to() {
    let temp = Temp::new();
    let launcher = temp.launcher().transport(Transport::Port);
    let browser = spawn(launcher.options()).await.unwrap();
    assert!(browser.take_pipe().is_none());
    let endpoint = browser.endpoint().unwrap();
    let address = endpoint.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();

    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer[..length]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    let closed = browser.close(async {}, CloseTimings::default().ask(std::time::Duration::ZERO)).await;
    assert_eq!(closed.by, ClosedBy::Terminated, "{closed}");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_later_line_that_names_an_endpoint_changes_nothing() {
    let temp = Temp::new();
    let lines = "echo 'DevTools listening on ws://127.0.0.1:1/own' >&2\necho 'DevTools listening on ws://127.0.0.1:2/page' >&2\n";
    let browser = temp.spawn_script(&format!("{lines}echo seen >&2\nexec sleep 1000")).await.unwrap();
    until_written(&browser, "seen").await;
    assert_eq!(browser.endpoint().as_deref(), Some("ws://127.0.0.1:1/own"));
    browser.close(async {}, CloseTimings::at_once()).await;
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_browser_listens_on_the_port_it_was_told() {
    let temp = Temp::new();
    // Free now, and given away by the system again only after all others.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap().port();
    let launcher = temp.launcher().transport(Transport::FixedPort(port));
    let browser = spawn(launcher.options()).await.unwrap();
    let endpoint = browser.endpoint().unwrap();
    assert!(endpoint.starts_with(&format!("ws://127.0.0.1:{port}/")), "{endpoint}");
    browser.close(async {}, CloseTimings::at_once()).await;
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn the_headless_shell_is_used_or_missed_with_the_package_that_has_it() {
    let temp = Temp::new();
    let launcher = temp.launcher().headless(Headless::Shell);
    match spawn(launcher.options()).await {
        Ok(browser) => {
            let mut wire = ready(&browser).await;
            let command = process(browser.pid() as i32).unwrap().command;
            assert!(command.contains("headless-shell") || command.contains("headless_shell"), "{command}");
            let closed =
                browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
            assert_eq!(closed.by, ClosedBy::Asked, "{closed}");
            assert!(closed.left.is_empty(), "{closed}");
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains("no headless shell of Chromium found"), "{text}");
            assert!(text.contains("apt-get install chromium-headless-shell"), "{text}");
        }
    }
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn downloads_go_to_the_users_folder_and_stay_there() {
    let temp = Temp::new();
    let kept = Temp::new();
    let launcher = temp.launcher().downloads(kept.path().join("new/files"));
    let browser = launcher.launch().await.unwrap();
    let page = browser.new_context().await.unwrap().new_page().await.unwrap();
    page.goto("data:text/html,<a download=bill.txt href='data:text/plain,forty-two'>Bill</a>").await.unwrap();
    let download = page.expect_download(|| page.get_by_text("Bill").click()).await.unwrap();
    let path = download.path().await.unwrap();
    assert!(path.starts_with(kept.path().join("new/files")), "{path:?}");
    let closed = browser.close().await;
    assert!(closed.left.is_empty(), "{closed}");
    assert_nothing_left(&temp);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "forty-two");
}

#[tokio::test]
async fn pages_are_loaded_through_the_proxy_but_for_the_hosts_that_do_without() {
    let temp = Temp::new();
    let proxy = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = proxy.local_addr().unwrap().to_string();
    let (asked, mut requests) = tokio::sync::mpsc::unbounded_channel();
    let served = tokio::spawn(async move {
        loop {
            let (mut stream, asked) = (BufReader::new(proxy.accept().await.unwrap().0), asked.clone());
            // The browser opens connections that it may never use.
            tokio::spawn(async move {
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap_or_default() > 0 {
                    _ = asked.send(line);
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
                    _ = stream.write_all(format!("{head}<title>hello</title>").as_bytes()).await;
                }
            });
        }
    });
    let browser = temp.launcher().proxy(address).proxy_bypass(["direct.invalid"]).launch().await.unwrap();
    let page = browser.new_context().await.unwrap().new_page().await.unwrap();
    page.goto("http://shop.invalid/orders").await.unwrap();
    assert_eq!(page.title().await.unwrap(), "hello");
    // The browser also has errands of its own.
    while requests.recv().await.unwrap().trim() != "GET http://shop.invalid/orders HTTP/1.1" {}
    let error = page.goto("http://direct.invalid/").await.unwrap_err().to_string();
    assert!(error.contains("ERR_NAME_NOT_RESOLVED"), "{error}");
    while let Ok(request) = requests.try_recv() {
        assert!(!request.contains("direct.invalid"), "{request}");
    }
    browser.close().await;
    assert_nothing_left(&temp);
    served.abort();
}

#[tokio::test]
async fn the_users_environment_and_switches_reach_the_browser() {
    let temp = Temp::new();
    let script = temp.script(
        "echo \"$MINE,$TMPDIR,${HOME-none}\" >&2; for arg; do echo \"arg $arg\" >&2; done; exec sleep 1000",
    );
    let launcher = temp
        .launcher()
        .executable(script)
        .env("MINE", "a value")
        .without_env("HOME")
        .arg("--disable-features=Mine")
        .arg("--lang=de")
        .without_args(["--mute-audio", "--no-first-run"]);
    let browser = spawn(launcher.options()).await.unwrap();
    // The last line of all: the profile.
    let line = format!("arg --user-data-dir={}", browser.scratch().join("profile").display());
    let lines = until_written(&browser, &line).await;
    let tmp = browser.scratch().join("tmp");
    assert_eq!(lines[0], format!("a value,{},none", tmp.display()));
    assert!(lines.iter().any(|line| line.starts_with("arg --disable-features=") && line.ends_with(",Mine")));
    assert!(lines.iter().any(|line| line == "arg --lang=de"));
    assert!(!lines.iter().any(|line| line == "arg --mute-audio" || line == "arg --no-first-run"));
    browser.close(async {}, CloseTimings::at_once()).await;
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_profile_of_the_users_own_is_kept() {
    let temp = Temp::new();
    let profile = Temp::new();
    let launcher = temp.launcher().user_data_dir(profile.path().join("mine"));
    let browser = spawn(launcher.options()).await.unwrap();
    let mut wire = ready(&browser).await;
    let closed =
        browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
    assert_eq!(closed.by, ClosedBy::Asked, "{closed}");
    assert_nothing_left(&temp);
    assert!(processes(profile.path()).is_empty());
    assert!(profile.path().join("mine/Default").exists());
}
