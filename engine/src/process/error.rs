//! Why a launch failed, in one message that names cause and remedy. Does not decide; it only words.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::Signal;

use crate::process::Exit;

/// Why a browser could not be launched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// No browser is installed where we look.
    #[error(
        "no {what} found; looked for {}. Install one (on Debian: apt-get install {package}), or name it with \
         Launcher::executable or the environment variable CDP_BROWSER",
        looked.join(", ")
    )]
    NotFound {
        /// What we looked for.
        what: &'static str,
        /// The package that holds one.
        package: &'static str,
        /// Where we looked, in order.
        looked: Vec<String>,
    },
    /// The browser that the user or `CDP_BROWSER` named can't be executed.
    #[error("the browser {} (named by {named_by}) can't be executed: {why}", path.display())]
    NotExecutable {
        /// The path as it was named.
        path: PathBuf,
        /// Who named it.
        named_by: &'static str,
        /// What stands in the way.
        why: String,
    },
    /// A switch that we do not pass on.
    #[error("the switch {switch} is refused: {why}")]
    SwitchRefused {
        /// The switch as it was given.
        switch: String,
        /// Why, and what to do instead.
        why: &'static str,
    },
    /// A proxy that the browser could not use. It is not shown, since a password may stand in it.
    #[error("the proxy is refused: {why}")]
    ProxyRefused {
        /// Why, and what to do instead.
        why: &'static str,
    },
    /// The port that the user named can't be listened on.
    #[error(
        "the browser can't listen on port {port} of 127.0.0.1: {source}. End what listens there, or choose another \
         port; Transport::Port lets the system choose"
    )]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The folder for temporary files can't be used.
    #[error(
        "the temporary folder {} is too deep: the browser's socket in it would exceed the system's {limit} \
         bytes. Choose one of at most {room} bytes with Launcher::temp_dir or TMPDIR",
        path.display()
    )]
    TempDirTooDeep {
        /// The folder.
        path: PathBuf,
        /// What the system allows for a socket's path.
        limit: usize,
        /// What that leaves for the folder's own path.
        room: usize,
    },
    /// The scratch folder, or a folder named by the user, can't be made.
    #[error("can't make {} for the browser: {source}; {}", path.display(), folder_remedy(source))]
    Folder {
        /// The folder or file that could not be made.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder named by the user is there, and the browser could not write in it.
    #[error("the browser could not write in {}: {source}; make it writable, or choose another one", path.display())]
    NotWritable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system refused a process, a thread or a pipe.
    #[error("can't start {what}: {source}{}", system_remedy(source))]
    System {
        /// What was to be started.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The browser ended before it was ready.
    #[error(
        "the browser {} ended before it was ready, with {exit}{}{}",
        path.display(), hint_text(hint), stderr_text(stderr)
    )]
    Exited {
        /// The browser's executable.
        path: PathBuf,
        /// How it ended.
        exit: Exit,
        /// The likely cause and its remedy, where we know one.
        hint: Option<String>,
        /// The last lines the browser wrote on its standard error.
        stderr: Vec<String>,
    },
    /// The browser runs but did not answer in time, or answered something that makes no sense.
    #[error(
        "the browser {} did not become ready within {after:?}: {waiting_for}{}{}",
        path.display(), hint_text(hint), stderr_text(stderr)
    )]
    NotReady {
        /// The browser's executable.
        path: PathBuf,
        /// The time it was given or took.
        after: Duration,
        /// What we waited for, or what went wrong with it.
        waiting_for: String,
        /// The likely cause and its remedy, where we know one.
        hint: Option<String>,
        /// The last lines the browser wrote on its standard error.
        stderr: Vec<String>,
    },
}

fn system_remedy(source: &io::Error) -> &'static str {
    match source.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EMFILE) => {
            "; raise the limit (ulimit -n): a browser takes a dozen of its host, and needs some hundred itself"
        }
        Some(Errno::ENFILE) => {
            "; the whole system has no descriptors left: close files, or raise fs.file-max"
        }
        Some(Errno::EAGAIN) => {
            "; processes and threads are limited: raise the limit (ulimit -u, pids.max of the container)"
        }
        Some(Errno::ENOMEM) => "; there is no memory left",
        _ => "",
    }
}

fn folder_remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room, or choose another folder",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the folder it lies in writable, or choose another one"
        }
        _ => "is the folder it lies in there and writable?",
    }
}

/// Lines shown in a message; the rest is in the error's field.
const SHOWN: usize = 12;

fn hint_text(hint: &Option<String>) -> String {
    hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default()
}

fn stderr_text(lines: &[String]) -> String {
    // A machine without D-Bus makes Chromium write a dozen harmless lines at each start.
    let telling: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.contains(":dbus/") && !line.trim().is_empty())
        .collect();
    if telling.is_empty() {
        return "; it wrote nothing on its standard error".to_owned();
    }
    let skipped = telling.len().saturating_sub(SHOWN);
    let shown: Vec<&str> = telling.into_iter().skip(skipped).collect();
    format!("; its last words:\n    {}", shown.join("\n    "))
}

/// What the user can do about a browser that ended or hangs, guessed from how it ended and what it wrote.
pub(crate) fn hint(exit: Option<Exit>, stderr: &[String]) -> Option<String> {
    const KNOWN: &[(&str, &str)] = &[
        (
            "Running as root without --no-sandbox",
            "Chromium has no sandbox for root: run as another user, or use Sandbox::Auto or Sandbox::Off",
        ),
        (
            "No usable sandbox",
            "the kernel denies the sandbox its user namespaces: allow them, or use Sandbox::Off if all pages are \
             trusted",
        ),
        (
            "SUID sandbox helper",
            "the sandbox helper is not set up: allow user namespaces, or use Sandbox::Off if all pages are trusted",
        ),
        ("ProcessSingleton", IN_USE),
        ("Opening in existing browser session", IN_USE),
        ("profile appears to be in use", IN_USE),
        // All that the headless shell says; it starts and never answers.
        ("LOCK: Access denied", IN_USE),
        (
            "error while loading shared libraries",
            "a system library is missing: install the browser as a package, or the library named below",
        ),
        ("Missing X server", "there is no display: use Headless::Yes, or start a display such as Xvfb"),
        ("No space left on device", FULL),
        ("Too many open files", "open files are limited: raise the limit (ulimit -n), it needs some hundred"),
        // All that the shell says which starts the browser.
        ("echo: I/O error", FULL),
        (
            "Cannot start http server for devtools",
            "its port is taken: choose another one, or Transport::Port",
        ),
        ("/dev/shm", "shared memory is short: give the container a larger /dev/shm"),
    ];
    let known = KNOWN.iter().find(|(words, _)| stderr.iter().any(|line| line.contains(words)));
    if let Some((_, remedy)) = known {
        return Some((*remedy).to_owned());
    }
    let remedy = match exit? {
        Exit::Code(21) => IN_USE,
        Exit::Code(126 | 127) => {
            "the system can't run it: a script whose interpreter or a program whose loader is missing, or a wrapper \
             around one that is missing or built for another kind of processor"
        }
        Exit::Signal(number) if number == Signal::SIGXFSZ as i32 => {
            "the files it may write are limited in size: raise the limit (ulimit -f)"
        }
        Exit::Signal(9) => "something outside killed it; was the memory limit reached?",
        Exit::Code(0) => {
            "it ended on purpose: is this a Chromium, and does its profile belong to no other one?"
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}

const FULL: &str = "the disk is full: make room, or choose another folder with Launcher::temp_dir";
const IN_USE: &str = "the profile is in use by another browser: end that one, or use another user_data_dir";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_causes_get_their_remedy() {
        let cases: &[(Option<Exit>, &[&str], Option<&str>)] = &[
            (
                Some(Exit::Code(1)),
                &["x", "[1:1:ERROR] Running as root without --no-sandbox is not supported."],
                Some("Sandbox::Off"),
            ),
            (Some(Exit::Code(21)), &[], Some("in use")),
            (Some(Exit::Signal(6)), &["FATAL:epoll.cc: Too many open files (24)"], Some("ulimit -n")),
            (Some(Exit::Code(0)), &["Opening in existing browser session."], Some("in use")),
            (Some(Exit::Code(127)), &["sh: 1: exec: not found"], Some("can't run it")),
            (
                Some(Exit::Code(127)),
                &["chrome: error while loading shared libraries: libnss3.so"],
                Some("library"),
            ),
            (Some(Exit::Signal(9)), &[], Some("memory limit")),
            (Some(Exit::Signal(11)), &[], None),
            (None, &[], None),
        ];
        for (exit, stderr, expected) in cases {
            let stderr: Vec<String> = stderr.iter().map(|line| (*line).to_owned()).collect();
            let found = hint(*exit, &stderr);
            match expected {
                Some(words) => {
                    assert!(found.as_deref().is_some_and(|hint| hint.contains(words)), "{exit:?}: {found:?}")
                }
                None => assert_eq!(found, None, "{exit:?}"),
            }
        }
    }

    #[test]
    fn noise_does_not_hide_what_the_browser_said() {
        let mut stderr = vec!["the real reason".to_owned()];
        stderr.extend((0..30).map(|_| "[1:1:ERROR:dbus/bus.cc:405] Failed to connect".to_owned()));
        let error = LaunchError::Exited { path: "/x".into(), exit: Exit::Code(1), hint: None, stderr };
        assert_eq!(
            error.to_string(),
            "the browser /x ended before it was ready, with exit code 1; its last words:\n    the real reason"
        );
    }
}
