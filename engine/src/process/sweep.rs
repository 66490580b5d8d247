//! Removes the scratch folders of owners that are gone, also those of other process namespaces that share the
//! temporary folder. Touches nothing that it can't prove to be one.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::unistd::geteuid;

use crate::process::{scratch, table};

/// A scratch folder without a lock belongs to a host that is just making it, unless it is older than this.
const CLEARLY_OLD: Duration = Duration::from_secs(60 * 60);
/// How long one folder may take: its processes die and its files go within milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);

/// Removes from `temp` the scratch folders whose owner is gone, after ending the processes that still use them,
/// and says which. Each launch does this first. Blocks; several hosts may sweep the same folder at once.
///
/// An owner holds a lock on the file `lock` for its whole life. The lock is the system's, so it goes with the
/// owner however that one ends, and unlike a process id it means the same in every container.
pub fn sweep(temp: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(temp) else { return Vec::new() };
    let names =
        entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(scratch::is_scratch_name));
    names.map(|entry| entry.path()).filter(|folder| sweep_one(folder)).collect()
}

/// `true` when the folder was a dead owner's and is gone now.
fn sweep_one(folder: &Path) -> bool {
    // `symlink_metadata`: a link planted under such a name must not lead us elsewhere.
    let Ok(metadata) = folder.symlink_metadata() else { return false };
    if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() {
        return false;
    }
    let lock = OpenOptions::new()
        .write(true)
        .custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits())
        .open(folder.join(scratch::LOCK));
    let _held = match lock {
        // Held until the folder is gone, so that of several sweeps one works and the others pass by.
        Ok(file) => match hold(file, folder) {
            Some(held) => Some(held),
            None => return false,
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && is_abandoned(folder, &metadata) => None,
        Err(_) => return false,
    };
    let until = Instant::now() + PATIENCE;
    loop {
        let users = table::carriers(folder);
        users.iter().for_each(table::Running::end);
        let removed = users.is_empty() && scratch::remove(folder).is_ok();
        if removed || Instant::now() > until {
            tracing::info!(folder = %folder.display(), removed, "scratch folder of a dead owner");
            return removed;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The lock of the folder, if nobody else holds it and it still is that folder's.
fn hold(file: File, folder: &Path) -> Option<Flock<File>> {
    let held = Flock::lock(file, FlockArg::LockExclusiveNonblock).ok()?;
    let ours = held.metadata().ok()?;
    let named = folder.join(scratch::LOCK).symlink_metadata().ok()?;
    (ours.is_file() && (ours.dev(), ours.ino()) == (named.dev(), named.ino())).then_some(held)
}

/// Whether a folder without a lock is what remains of a host that died while making it, or while removing it.
fn is_abandoned(folder: &Path, metadata: &fs::Metadata) -> bool {
    let old =
        metadata.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age > CLEARLY_OLD);
    old && fs::read_dir(folder).is_ok_and(|mut entries| {
        entries.all(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(scratch::is_own_entry))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::process::scratch::Scratch;

    #[test]
    fn at_no_instant_can_a_sweep_take_a_folder_in_the_making() {
        let base = std::env::temp_dir().join(format!("sweep-test-{}", std::process::id()));
        fs::create_dir(&base).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let sweeper = scope.spawn(|| {
                let mut swept = Vec::new();
                while !done.load(Ordering::Relaxed) {
                    swept.extend(sweep(&base));
                }
                swept
            });
            let made = (0..300).try_for_each(|_| {
                let scratch =
                    Scratch::make(scratch::fresh_path(&base).unwrap()).map_err(|error| error.to_string())?;
                scratch::remove(scratch.path()).map_err(|error| error.to_string())
            });
            done.store(true, Ordering::Relaxed);
            assert_eq!(made, Ok(()));
            assert_eq!(sweeper.join().unwrap(), [] as [PathBuf; 0]);
        });
        fs::remove_dir(&base).unwrap();
    }
}
