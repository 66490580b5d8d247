//! Starts a browser: guardian first, then the scratch folder, then the process, so that at no instant something
//! exists that nobody would remove.

use std::env;
use std::ffi::OsString;
use std::fs::create_dir_all;
use std::io::{self, PipeReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, faccessat, geteuid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};

use crate::process::browser::{BrowserProcess, Shared, Stderr};
use crate::process::deadline::after;
use crate::process::exec::{Place, Script};
use crate::process::flags::{Surroundings, command_line, turns_sandbox_off};
use crate::process::guardian::Guardian;
use crate::process::incident::Incidents;
use crate::process::keeper::{Charge, Keeper, Leader};
use crate::process::ready::Failure;
use crate::process::reaper::Reaper;
use crate::process::scratch::{self, Scratch};
use crate::process::tail::Tail;
use crate::process::{LaunchError, LaunchOptions, Sandbox, Transport, find, sweep};

const REGISTER: &str = include_str!("register.sh");
/// The line by which a browser names its port.
const LISTENING: &str = "DevTools listening on ";
/// Below this much free shared memory the browser uses files instead. A large page takes some hundred MiB.
const ENOUGH_SHARED_MEMORY: u64 = 1024 * 1024 * 1024;

/// Launches a browser process. With [`Transport::Pipe`] it may still be starting when this returns, see
/// [`BrowserProcess::until_ready`]; with a port its endpoint is known. Must be called on a tokio
/// runtime with I/O and time.
///
/// # Errors
///
/// Every [`LaunchError`] names cause and remedy; nothing of the failed browser is left.
///
/// # Cancel safety
///
/// A launch that is dropped leaves nothing behind; its guardian sees to that.
pub async fn spawn(options: &LaunchOptions) -> Result<BrowserProcess, LaunchError> {
    let started = Instant::now();
    let deadline = after(started, options.timeout);
    let executable = find::find(options.executable.as_deref(), options.headless)?;
    let base = scratch::base(options.temp_dir.as_deref())?;
    let path =
        scratch::fresh_path(&base).map_err(|source| LaunchError::System { what: "a random name", source })?;
    let around = Surroundings {
        profile: &match &options.user_data_dir {
            Some(kept) => absolute(kept)?,
            None => scratch::profile(&path),
        },
        without_sandbox: sandbox_is_off(options),
        small_shared_memory: shared_memory_is_small(),
    };
    let args = command_line(options, &around)?;
    let downloads = options.downloads.as_deref().map(absolute).transpose()?;
    if let Transport::FixedPort(port) = options.transport {
        check_port(port)?;
    }
    // Only now: what is refused leaves no folder.
    for kept in [&options.user_data_dir, &options.downloads].into_iter().flatten() {
        create_dir_all(kept).map_err(|source| LaunchError::Folder { path: kept.clone(), source })?;
        check_writable(kept)?;
    }
    // First of all: what dead owners left may be what fills the disk.
    let _ = timeout_at(deadline, spawn_blocking(move || sweep(&base))).await;

    let (guardian, guardian_pid) =
        Guardian::start(&path).map_err(|source| LaunchError::System { what: "the guardian", source })?;
    let guardian = Arc::new(guardian);
    let keeper = match Keeper::start(guardian_pid) {
        Ok(keeper) => keeper,
        Err(source) => {
            guardian.dismiss();
            // It reads one line and ends; there is no thread that could wait for it.
            let _ = nix::sys::wait::waitpid(guardian_pid, None);
            return Err(LaunchError::System { what: "the thread that waits for the browser", source });
        }
    };
    let made = Scratch::make(path.clone()).and_then(|scratch| {
        match Child::start(&executable, args, options, scratch.path()) {
            Ok(child) => Ok((scratch, child)),
            Err(source) => Err(LaunchError::System { what: "the browser's process", source }),
        }
    });
    let (scratch, child) = match made {
        Ok(made) => made,
        Err(error) => {
            // There is no process yet.
            let _ = scratch::remove(&path);
            guardian.dismiss();
            let _ = timeout(Duration::from_secs(2), keeper.guardian_ended()).await;
            return Err(error);
        }
    };

    let reaper = Reaper::start(child.leader.pid().as_raw(), path);
    let (exit, exits) = watch::channel(None);
    keeper.keep(Charge {
        leader: Arc::clone(&child.leader),
        guardian: Arc::downgrade(&guardian),
        profile_is_kept: options.user_data_dir.is_some(),
        exit,
        incidents: Arc::clone(&child.incidents),
        reaper: reaper.clone(),
    });
    tracing::info!(
        pid = child.leader.pid().as_raw(),
        executable = %executable.display(),
        scratch = %scratch.path().display(),
        "browser started"
    );
    let process = BrowserProcess {
        shared: Arc::new(Shared {
            guardian,
            keeper,
            leader: child.leader,
            exit: exits,
            stderr: child.stderr,
            incidents: child.incidents,
            reaper,
            downloads: downloads.unwrap_or_else(|| scratch::downloads(scratch.path())),
            scratch,
            executable,
            started,
            deadline,
            closing: Mutex::new(None),
        }),
        pipe: Mutex::new(child.pipe),
    };
    if options.transport != Transport::Pipe {
        until_listening(&process).await?;
    }
    Ok(process)
}

/// A started process before anyone waits for it.
struct Child {
    leader: Arc<Leader>,
    stderr: Stderr,
    incidents: Arc<Incidents>,
    pipe: Option<(OwnedFd, OwnedFd)>,
}

impl Child {
    fn start(
        executable: &Path,
        args: Vec<OsString>,
        options: &LaunchOptions,
        scratch: &Path,
    ) -> io::Result<Child> {
        let (errors, stderr) = io::pipe()?;
        let mut fds = vec![(OwnedFd::from(stderr), 2)];
        let mut ours = None;
        if options.transport == Transport::Pipe {
            let (from_host, to_browser) = io::pipe()?;
            let (from_browser, to_host) = io::pipe()?;
            fds.push((from_host.into(), 3));
            fds.push((to_host.into(), 4));
            ours = Some((from_browser.into(), to_browser.into()));
        }
        // Everything that can fail comes before the process exists: a child without an owner would stay.
        let incidents = Arc::new(Incidents::default());
        let stderr = read_stderr(errors, Arc::clone(&incidents))?;
        let mut script_args =
            vec![OsString::from("sh"), scratch::browser(scratch).into(), executable.as_os_str().to_owned()];
        script_args.extend(args);
        let pid = Script {
            text: REGISTER,
            args: script_args,
            env: environment(options, scratch),
            fds,
            place: Place::Group,
        }
        .start()?;
        incidents.believe(pid.as_raw());
        Ok(Child { leader: Arc::new(Leader::new(pid)), stderr, incidents, pipe: ours })
    }
}

/// The host's environment, with every place for temporary files moved into the scratch folder.
fn environment(options: &LaunchOptions, scratch: &Path) -> Vec<(OsString, OsString)> {
    // GSettings would make a database in the user's home.
    let mut changes: Vec<(OsString, Option<OsString>)> =
        vec![("GSETTINGS_BACKEND".into(), Some("memory".into()))];
    changes.extend(options.env.iter().cloned());
    // These two stay ours: by them the browser's processes are recognised wherever they go.
    changes.push(("TMPDIR".into(), Some(scratch::tmp(scratch).into())));
    // The crash handler would write into the user's home.
    changes.push(("BREAKPAD_DUMP_LOCATION".into(), Some(scratch::crashes(scratch).into())));
    let mut env: Vec<(OsString, OsString)> = env::vars_os().collect();
    for (name, value) in changes {
        env.retain(|(known, _)| *known != name);
        env.extend(value.map(|value| (name, value)));
    }
    env
}

/// Reads the browser's standard error into a ring until it ends, and what it tells of incidents into their list.
fn read_stderr(errors: PipeReader, incidents: Arc<Incidents>) -> io::Result<Stderr> {
    let mut errors = pipe::Receiver::from_owned_fd(errors.into())?;
    let tail = Arc::new(Mutex::new(Tail::default()));
    let (endpoint_found, endpoint) = watch::channel(None);
    let (end_seen, ended) = watch::channel(false);
    let ring = Arc::clone(&tail);
    let task = tokio::spawn(async move {
        let each = |line: &str| {
            tracing::trace!(line, "browser's stderr");
            if let Some(endpoint) = line.strip_prefix(LISTENING) {
                // The first alone is the browser's: a page can have a later one written there by its console.
                endpoint_found.send_if_modified(|known| {
                    let is_first = known.is_none();
                    known.get_or_insert_with(|| endpoint.trim().to_owned());
                    is_first
                });
            }
            incidents.line(line);
        };
        let mut chunk = vec![0_u8; 4096];
        while let Ok(length @ 1..) = errors.read(&mut chunk).await {
            let read = chunk.get(..length).unwrap_or_default();
            ring.lock().unwrap_or_else(PoisonError::into_inner).push(read, each);
        }
        ring.lock().unwrap_or_else(PoisonError::into_inner).end(each);
        end_seen.send_replace(true);
    });
    Ok(Stderr { tail, endpoint, ended, task })
}

async fn until_listening(process: &BrowserProcess) -> Result<(), LaunchError> {
    let mut endpoint = process.shared.stderr.endpoint.clone();
    let seen = timeout_at(process.shared.deadline, async {
        tokio::select! {
            biased;
            found = async { endpoint.wait_for(Option::is_some).await.is_ok() } => match found {
                true => Ok(()),
                // Its standard error has ended; it will follow.
                false => Err(Failure::Exited(process.shared.exited().await)),
            },
            exit = process.shared.exited() => Err(Failure::Exited(exit)),
        }
    });
    match seen.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(why)) => Err(process.fail(why).await),
        Err(_) => {
            Err(process.fail(Failure::NotReady("it names no port on its standard error".to_owned())).await)
        }
    }
}

/// A folder of the user's own, as a path that holds in any working folder.
fn absolute(folder: &Path) -> Result<PathBuf, LaunchError> {
    std::path::absolute(folder).map_err(|source| LaunchError::Folder { path: folder.to_owned(), source })
}

/// Chromium calls a profile that it can't write in one that is in use, and the headless shell runs without it.
fn check_writable(folder: &Path) -> Result<(), LaunchError> {
    let wanted = AccessFlags::W_OK | AccessFlags::X_OK;
    faccessat(AT_FDCWD, folder, wanted, AtFlags::AT_EACCESS)
        .map_err(|errno| LaunchError::NotWritable { path: folder.to_owned(), source: errno.into() })
}

/// A browser whose port is taken listens on `[::1]`, or goes on without a port.
fn check_port(port: u16) -> Result<(), LaunchError> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    bound.map(drop).map_err(|source| LaunchError::Port { port, source })
}

fn sandbox_is_off(options: &LaunchOptions) -> bool {
    let root = geteuid().is_root();
    let (off, reason) = match options.sandbox {
        _ if turns_sandbox_off(&options.args) => (true, "the switch --no-sandbox was given"),
        Sandbox::Off => (true, "it was turned off"),
        Sandbox::Auto => (root, "the host runs as root"),
        Sandbox::On => (false, ""),
    };
    if off {
        tracing::warn!(reason, "the browser runs without its sandbox: open trusted pages only");
    }
    off
}

/// Whether /dev/shm is too small or missing. Systems other than Linux do without.
fn shared_memory_is_small() -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    let Ok(space) = statvfs("/dev/shm") else { return true };
    // Both are at most 64 bits wide, but not on every system.
    #[allow(clippy::useless_conversion)]
    let free = u64::from(space.blocks_available()).saturating_mul(u64::from(space.fragment_size()));
    free < ENOUGH_SHARED_MEMORY
}
