//! Processes that end with this one: each has a process group of its own, and all are ended when the run is done, fails or is
//! interrupted. Only a run that is killed outright leaves something behind.

use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, exit};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::machine;

/// Groups that live, with the folders that go with them.
static LIVE: Mutex<Vec<(i32, Option<PathBuf>)>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<(i32, Option<PathBuf>)>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, an interrupt or a request to end also ends what was started.
pub fn end_with_this_process() -> io::Result<()> {
    // Handlers, since a mask would be inherited by what is started.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        // The lock is kept, so that nothing more is started.
        let mut live = live();
        eprintln!("peers: interrupted, ending {} processes", live.len());
        live.drain(..).for_each(|(group, folder)| end(group, folder.as_deref()));
        exit(130);
    });
    Ok(())
}

fn end(group: i32, folder: Option<&Path>) {
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    let Some(folder) = folder else { return };
    // Its last writes may be under way, and would make the folder anew.
    for _ in 0..500 {
        if machine::group(group).0 == 0 && (fs::remove_dir_all(folder).is_ok() || !folder.exists()) {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    eprintln!("peers: {} could not be removed", folder.display());
}

/// A process with a group of its own, which is ended when this is dropped.
pub struct Group {
    pub child: Child,
}

impl Group {
    /// Starts it. The folder is removed at the end.
    pub fn start(command: &mut Command, folder: Option<&Path>) -> io::Result<Group> {
        let mut live = live();
        let child = command.process_group(0).spawn()?;
        live.push((child.id().cast_signed(), folder.map(Path::to_owned)));
        Ok(Group { child })
    }

    pub fn id(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Waits until it ends by itself, at most so long; gives what it printed and its last words. Both of its outputs have to
    /// be piped.
    pub fn finish(mut self, limit: Duration) -> io::Result<(ExitStatus, String, String)> {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let words = thread::spawn(move || text(stderr));
        let (done, is_done) = channel::<()>();
        let group = self.id();
        let watch = thread::spawn(move || {
            if is_done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
            }
        });
        let printed = text(stdout);
        let status = self.child.wait();
        drop(done);
        let _ = watch.join();
        Ok((status?, printed, words.join().unwrap_or_default()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut live = live();
        let Some(at) = live.iter().position(|(group, _)| *group == self.id()) else { return };
        let (group, folder) = live.swap_remove(at);
        end(group, folder.as_deref());
        let _ = self.child.wait();
    }
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
