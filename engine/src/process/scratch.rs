//! The one folder that holds every temporary thing of a browser, and the lock in it that says its owner lives.

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use crate::process::LaunchError;

const PREFIX: &str = "engine-";
/// 12 characters of 32 kinds: 60 bits.
const RANDOM: usize = 12;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// What stands in a scratch folder beside the lock.
const FOLDERS: [&str; 4] = ["profile", "tmp", "downloads", "crashes"];
pub(crate) const LOCK: &str = "lock";
/// Where the browser's first process leaves its number for the guardian.
const BROWSER: &str = "browser";
/// The lock's name until it is held.
const FRESH_LOCK: &str = "lock.new";

/// What Chromium appends to TMPDIR for the socket by which a second browser finds the first.
const SOCKET: &str = "/org.chromium.Chromium.XXXXXX/SingletonSocket";
/// Room for a socket's path without its closing NUL.
const SOCKET_PATH: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// A scratch folder that is ours. Dropping it gives up the lock and removes nothing: that is the work of
/// [`remove`], of the guardian, or of the next sweep.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    _lock: Flock<File>,
}

impl Scratch {
    /// Makes the folder at a path from [`fresh_path`].
    ///
    /// The lock file appears under its name only when the lock is held. A sweep therefore sees either a young
    /// folder without a lock, which it leaves alone, or one whose lock is taken; there is nothing in between.
    pub(crate) fn make(path: PathBuf) -> Result<Scratch, LaunchError> {
        let failed = |path: &Path, source| LaunchError::Folder { path: path.to_owned(), source };
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        builder.create(&path).map_err(|error| failed(&path, error))?;
        let fresh = path.join(FRESH_LOCK);
        let lock = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&fresh)
            .and_then(|file| {
                Flock::lock(file, FlockArg::LockExclusiveNonblock)
                    .map_err(|(_, error)| io::Error::from(error))
            })
            .and_then(|lock| fs::rename(&fresh, path.join(LOCK)).map(|()| lock))
            .map_err(|error| failed(&fresh, error))?;
        for folder in FOLDERS {
            let folder = path.join(folder);
            builder.create(&folder).map_err(|error| failed(&folder, error))?;
        }
        Ok(Scratch { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Paths inside the scratch folder at `scratch`.
pub(crate) fn profile(scratch: &Path) -> PathBuf {
    scratch.join("profile")
}

pub(crate) fn browser(scratch: &Path) -> PathBuf {
    scratch.join(BROWSER)
}

pub(crate) fn tmp(scratch: &Path) -> PathBuf {
    scratch.join("tmp")
}

pub(crate) fn downloads(scratch: &Path) -> PathBuf {
    scratch.join("downloads")
}

pub(crate) fn crashes(scratch: &Path) -> PathBuf {
    scratch.join("crashes")
}

/// Removes a scratch folder, the lock last: should we be killed half-way, then what remains is still recognised
/// as a folder whose owner is gone.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        tolerate_absence(removed)?;
    }
    tolerate_absence(fs::remove_file(path.join(LOCK)))?;
    tolerate_absence(fs::remove_dir(path))
}

fn tolerate_absence(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The folder in which scratch folders are made: the one that is asked for, else the system's, else `/tmp` if the
/// system's is too deep.
pub(crate) fn base(asked: Option<&Path>) -> Result<PathBuf, LaunchError> {
    let folder = asked.map_or_else(env::temp_dir, Path::to_owned);
    // The browser changes its working folder, and a link would let one scratch folder have two names.
    let folder =
        folder.canonicalize().map_err(|source| LaunchError::Folder { path: folder.clone(), source })?;
    let room = room();
    if folder.as_os_str().len() <= room {
        return Ok(folder);
    }
    if asked.is_none()
        && let Ok(fallback) = Path::new("/tmp").canonicalize()
        && fallback.as_os_str().len() <= room
    {
        tracing::debug!(folder = %folder.display(), "temporary folder too deep for a socket, using /tmp");
        return Ok(fallback);
    }
    Err(LaunchError::TempDirTooDeep { path: folder, limit: SOCKET_PATH, room })
}

/// The longest path of a base folder.
fn room() -> usize {
    SOCKET_PATH - ("/".len() + PREFIX.len() + RANDOM + "/tmp".len() + SOCKET.len())
}

/// A path for a new scratch folder in `base`. Nothing is made yet: the guardian has to know the name first.
pub(crate) fn fresh_path(base: &Path) -> io::Result<PathBuf> {
    let mut random = [0_u8; RANDOM];
    getrandom::fill(&mut random).map_err(io::Error::from)?;
    let name: String = random
        .iter()
        .filter_map(|byte| ALPHABET.get(usize::from(*byte) % ALPHABET.len()))
        .map(|c| char::from(*c))
        .collect();
    Ok(base.join(format!("{PREFIX}{name}")))
}

/// Whether a file name is one that [`fresh_path`] makes.
pub(crate) fn is_scratch_name(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| ALPHABET.contains(&byte)))
}

/// Whether an entry is one that a scratch folder may hold.
pub(crate) fn is_own_entry(name: &str) -> bool {
    [LOCK, FRESH_LOCK, BROWSER].contains(&name) || FOLDERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_name_is_recognised_and_others_are_not() {
        let path = fresh_path(Path::new("/tmp")).unwrap();
        assert!(is_scratch_name(path.file_name().unwrap().to_str().unwrap()));
        for other in
            ["engine-", "engine-cache", "engine-abcdefghijk1", "engine-abcdefghijklm", "xengine-abcdefghijkl"]
        {
            assert!(!is_scratch_name(other), "{other}");
        }
    }

    #[test]
    fn the_folder_is_private_and_goes_whole() {
        let scratch = Scratch::make(fresh_path(&base(None).unwrap()).unwrap()).unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(path.join(LOCK).exists() && !path.join(FRESH_LOCK).exists());
        fs::write(profile(&path).join("x"), "").unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
        remove(&path).unwrap();
    }

    #[test]
    fn a_base_that_is_too_deep_is_refused_when_it_was_asked_for() {
        let deep = env::temp_dir().join("d".repeat(room()));
        fs::create_dir_all(&deep).unwrap();
        let error = base(Some(&deep)).unwrap_err().to_string();
        fs::remove_dir(&deep).unwrap();
        assert!(error.contains("too deep") && error.contains("Launcher::temp_dir"), "{error}");
    }
}
