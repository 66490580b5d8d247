//! A browser starts, answers and closes, over a pipe and over a port. The first test also serves as the host that
//! others kill.

use engine::process::{CloseTimings, ClosedBy, Exit, Transport, leftovers, spawn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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
        .without_arg("--mute-audio");
    let browser = spawn(launcher.options()).await.unwrap();
    // The last line of all: the profile.
    let line = format!("arg --user-data-dir={}", browser.scratch().join("profile").display());
    let lines = until_written(&browser, &line).await;
    let tmp = browser.scratch().join("tmp");
    assert_eq!(lines[0], format!("a value,{},none", tmp.display()));
    assert!(lines.iter().any(|line| line.starts_with("arg --disable-features=") && line.ends_with(",Mine")));
    assert!(lines.iter().any(|line| line == "arg --lang=de"));
    assert!(!lines.iter().any(|line| line == "arg --mute-audio"));
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
