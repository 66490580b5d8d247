//! Each cause of a failed launch has one message that names it and says what to do.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::time::Duration;

use engine::process::{CloseTimings, LaunchError, Launcher, Sandbox, Transport, spawn};
use nix::unistd::geteuid;

use crate::temp::Temp;
use crate::traces::assert_nothing_left;
use crate::wire::{Wire, ready};

/// The launch fails, with all these words in its one message, and leaves nothing.
async fn check(temp: &Temp, launcher: &Launcher, words: &[&str]) {
    let result = match spawn(launcher.options()).await {
        Ok(browser) => match launcher_uses_pipe(&browser.take_pipe()) {
            true => browser.until_ready(std::future::pending::<Result<(), String>>()).await,
            false => Ok(()),
        },
        Err(error) => Err(error),
    };
    let error: LaunchError = result.expect_err("the launch fails");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
    assert_nothing_left(temp);
}

fn launcher_uses_pipe<T>(pipe: &Option<T>) -> bool {
    pipe.is_some()
}

#[tokio::test]
async fn a_browser_that_can_not_be_executed() {
    let temp = Temp::new();
    let plain = temp.path().with_extension("sh");
    fs::write(&plain, "").unwrap();
    for (path, why) in [
        (std::path::Path::new("/nowhere/chromium"), "there is no such file"),
        (temp.path(), "it is a folder"),
        (&plain, "chmod +x"),
        (std::path::Path::new("no-browser-has-this-name"), "PATH"),
    ] {
        let path_text = path.to_str().unwrap();
        check(&temp, &temp.launcher().executable(path), &[path_text, "Launcher::executable", why]).await;
    }
}

#[tokio::test]
async fn a_browser_that_ends_at_once() {
    for transport in [Transport::Pipe, Transport::Port] {
        for (body, words) in [
            ("echo 'out of cheese' >&2; exit 7", &["exit code 7", "out of cheese"][..]),
            ("exit 1", &["exit code 1", "nothing on its standard error"]),
            ("kill -s SEGV $$", &["signal SIGSEGV"]),
            ("kill -s KILL $$", &["signal SIGKILL", "memory limit"]),
            (
                "echo 'ERROR:process_singleton: Failed to create a ProcessSingleton' >&2; exit 21",
                &["profile is in use"],
            ),
            ("exec /nowhere/loader", &["exit code 127", "can't run it"]),
        ] {
            let temp = Temp::new();
            let launcher = temp.launcher().executable(temp.script(body)).transport(transport);
            check(&temp, &launcher, words).await;
        }
    }
}

#[tokio::test]
async fn a_file_that_is_no_program_of_this_machine() {
    let temp = Temp::new();
    let path = temp.script("");
    // The head of a program for s390x, then what a shell would do with it.
    let ran = path.with_extension("ran");
    let foreign = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x16";
    let windows = b"MZ\x90\0";
    for (head, words) in [
        (&foreign[..], &["built for s390x", "install one built for it"][..]),
        (windows, &["neither a program of this system nor a script"]),
    ] {
        fs::write(&path, [head, format!("\n: >{}\n", ran.display()).as_bytes()].concat()).unwrap();
        check(&temp, &temp.launcher().executable(&path), &[words, &["Launcher::executable"]].concat()).await;
        assert!(!ran.exists(), "its bytes are no commands");
    }
}

#[tokio::test]
async fn a_port_that_is_taken() {
    let temp = Temp::new();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let launcher = temp.launcher().transport(Transport::FixedPort(port));
    check(&temp, &launcher, &[&format!("port {port} of 127.0.0.1"), "in use", "Transport::Port"]).await;
}

#[tokio::test]
async fn a_browser_that_does_not_answer() {
    for (transport, words) in [(Transport::Pipe, "does not answer"), (Transport::Port, "names no port")] {
        let temp = Temp::new();
        let launcher = temp
            .launcher()
            .executable(temp.script("echo 'still thinking' >&2; exec sleep 1000"))
            .transport(transport)
            .timeout(Duration::from_millis(700));
        check(&temp, &launcher, &["did not become ready", words, "still thinking"]).await;
    }
}

#[tokio::test]
async fn an_error_instead_of_an_answer() {
    let temp = Temp::new();
    let browser = temp.spawn_script("exec sleep 1000").await.unwrap();
    let answer = browser.until_ready(async { Err::<(), _>("no such method") }).await;
    let text = answer.unwrap_err().to_string();
    assert!(text.contains("no such method"), "{text}");
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn switches_that_are_refused() {
    let temp = Temp::new();
    check(
        &temp,
        &temp.launcher().arg("--single-process"),
        &["--single-process", "contexts are not isolated"],
    )
    .await;
    let folders = Temp::new();
    let (profile, files) = (folders.path().join("profile"), folders.path().join("files"));
    let launcher = temp.launcher().user_data_dir(profile).downloads(files).arg("--user-data-dir=/x");
    check(&temp, &launcher, &["Launcher::user_data_dir"]).await;
    assert_eq!(folders.entries(), [""; 0], "what is refused makes no folders");
}

#[tokio::test]
async fn folders_that_can_not_be_used() {
    let temp = Temp::new();
    let file = temp.path().with_extension("sh");
    fs::write(&file, "").unwrap();
    for (folder, words) in [
        ("/nowhere", &["/nowhere", "No such file"][..]),
        ("/proc", &["/proc/engine-", "writable"]),
        (file.to_str().unwrap(), &["Not a directory"]),
    ] {
        check(&temp, &temp.launcher().temp_dir(folder), words).await;
    }
    check(&temp, &temp.launcher().user_data_dir(file.join("profile")), &["Not a directory"]).await;
    let deep = Temp::new();
    let path = deep.path().join("d".repeat(60));
    fs::create_dir(&path).unwrap();
    check(&temp, &temp.launcher().temp_dir(path), &["too deep", "Launcher::temp_dir"]).await;
}

#[tokio::test]
async fn a_profile_that_another_browser_uses() {
    let temp = Temp::new();
    let profile = Temp::new();
    let launcher = temp.launcher().user_data_dir(profile.path());
    let first = spawn(launcher.options()).await.unwrap();
    let mut wire = ready(&first).await;

    let other = Temp::new();
    check(&other, &launcher.clone().temp_dir(other.path()), &["profile is in use", "another user_data_dir"])
        .await;

    assert!(wire.call("Browser.getVersion").await.unwrap().contains("Chrom"), "the first one still answers");
    first.close(async {}, CloseTimings::at_once()).await;
    assert_nothing_left(&temp);
}

#[tokio::test]
async fn a_profile_that_a_browser_on_another_machine_uses() {
    let temp = Temp::new();
    let profile = Temp::new();
    // As it lies there, and whether that machine still runs nobody can tell from here.
    symlink("another-machine-4711", profile.path().join("SingletonLock")).unwrap();
    let launcher = temp.launcher().user_data_dir(profile.path());
    check(&temp, &launcher, &["profile is in use", "another-machine", "another user_data_dir"]).await;
}

#[tokio::test]
async fn a_proxy_with_a_password() {
    let temp = Temp::new();
    check(&temp, &temp.launcher().proxy("http://ada:hunter2@h:1"), &["proxy is refused", "without them"])
        .await;
}

#[tokio::test]
async fn a_sandbox_that_root_has_not() {
    let temp = Temp::new();
    let launcher = temp.launcher().sandbox(Sandbox::On);
    if geteuid().is_root() {
        check(&temp, &launcher, &["no sandbox for root", "Sandbox::Auto", "Running as root"]).await;
    } else {
        // Another user has one, or is told why not.
        let browser = spawn(launcher.options()).await.unwrap();
        let mut wire = Wire::of(&browser);
        if let Err(error) = browser.until_ready(wire.call("Browser.getVersion")).await {
            assert!(error.to_string().contains("Sandbox::Off"), "{error}");
        }
    }
}
