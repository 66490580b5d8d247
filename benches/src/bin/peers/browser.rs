//! A fresh Chromium for one client, over a websocket or a pipe, ended with its profile when it is dropped.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, pipe};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use command_fds::{CommandFdExt, FdMapping};
use nix::fcntl::{FcntlArg, fcntl};

use crate::process::Group;
use crate::scenarios::Program;

/// What every browser is told that is not launched by a whole client, which has switches of its own.
pub const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Room in each pipe, the most that Linux gives without being asked by root.
const PIPE: i32 = 1 << 20;

pub struct Browser {
    pub process: Group,
    pub way: Way,
}

/// How a client gets to the browser.
pub enum Way {
    Websocket(String),
    /// The ends of two pipes: the browser reads what is written to the first.
    Pipe {
        writes: OwnedFd,
        reads: OwnedFd,
    },
}

impl Browser {
    pub fn over_websocket() -> io::Result<Browser> {
        let (mut command, folder) = command()?;
        command.arg("--remote-debugging-port=0").stderr(Stdio::piped());
        let mut process = Group::start(&mut command, Some(folder.as_ref()))?;
        let mut lines =
            BufReader::new(process.child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let url = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned));
        // Someone must go on reading, or the browser would wait for room in the pipe.
        thread::spawn(move || lines.for_each(drop));
        let url = url.ok_or_else(|| io::Error::other("the browser ended without telling its endpoint"))?;
        Ok(Browser { process, way: Way::Websocket(url) })
    }

    pub fn over_pipe() -> io::Result<Browser> {
        let (mut command, folder) = command()?;
        let (browser_reads, writes) = pipe()?;
        let (reads, browser_writes) = pipe()?;
        fcntl(&writes, FcntlArg::F_SETPIPE_SZ(PIPE))?;
        fcntl(&reads, FcntlArg::F_SETPIPE_SZ(PIPE))?;
        command.arg("--remote-debugging-pipe").stderr(Stdio::null());
        map(&mut command, browser_reads.into(), browser_writes.into())?;
        let process = Group::start(&mut command, Some(folder.as_ref()))?;
        Ok(Browser { process, way: Way::Pipe { writes: writes.into(), reads: reads.into() } })
    }
}

/// Gives the two descriptors to a program as its 3 and 4.
pub fn map(command: &mut Command, third: OwnedFd, fourth: OwnedFd) -> io::Result<()> {
    let mapping = |parent_fd, child_fd| FdMapping { parent_fd, child_fd };
    let mapped = command.fd_mappings(vec![mapping(third, 3), mapping(fourth, 4)]);
    mapped.map(drop).map_err(io::Error::other)
}

/// The path of a browser, unless there is none.
pub fn program(program: Program) -> Option<PathBuf> {
    let (named, name) = match program {
        Program::Chromium => ("CDP_BROWSER", "chromium"),
        Program::HeadlessShell => ("CDP_HEADLESS_SHELL", "chromium-headless-shell"),
    };
    let in_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
    };
    env::var_os(named).map(PathBuf::from).or_else(in_path)
}

pub const NO_SHELL: &str = "there is no chromium-headless-shell on PATH, and CDP_HEADLESS_SHELL names none (on Debian: \
                            apt-get install chromium-headless-shell)";

/// A folder for all that is temporary.
pub fn folder() -> io::Result<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let folder = env::temp_dir().join(format!("bench-{}-{}", id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::create_dir(&folder)?;
    Ok(folder.to_string_lossy().into_owned())
}

/// The command and its folder, which holds the profile and all that is temporary.
fn command() -> io::Result<(Command, String)> {
    let program = program(Program::Chromium).unwrap_or_else(|| "chromium".into());
    let folder = folder()?;
    let mut command = Command::new(program);
    command.args(FLAGS).arg(format!("--user-data-dir={folder}")).env("TMPDIR", &folder);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok((command, folder))
}
