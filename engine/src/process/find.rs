//! Finds the browser's executable. Runs nothing.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::process::{Headless, LaunchError};

/// Names looked up in `PATH`, the likeliest to be a plain Chromium first.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-headless-shell",
    "chrome-headless-shell",
];

/// Where packages put a browser without putting it on `PATH`.
#[cfg(not(target_os = "macos"))]
const PLACES: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/chromium.org/chromium/chrome",
    "/snap/bin/chromium",
];
#[cfg(target_os = "macos")]
const PLACES: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "/opt/homebrew/bin/chromium",
];

/// The executable to launch: the one that is named, else `$CDP_BROWSER`, else the first one found.
pub(crate) fn find(named: Option<&Path>, headless: Headless) -> Result<PathBuf, LaunchError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let from_env = env::var_os("CDP_BROWSER").filter(|value| !value.is_empty()).map(PathBuf::from);
    Search { path, names: NAMES, places: PLACES, headless }.find(named, from_env)
}

/// Whether an executable's name is that of a headless shell.
fn is_shell(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.ends_with("headless-shell") || name.ends_with("headless_shell")
}

struct Search<'a> {
    path: OsString,
    names: &'a [&'a str],
    places: &'a [&'a str],
    headless: Headless,
}

impl Search<'_> {
    fn find(&self, named: Option<&Path>, from_env: Option<PathBuf>) -> Result<PathBuf, LaunchError> {
        // The variable names a browser for every launch; one that wants the shell wants more than that.
        let from_env = from_env.filter(|path| self.headless != Headless::Shell || is_shell(path));
        match (named, from_env) {
            (Some(path), _) => self.named(path, "Launcher::executable"),
            (None, Some(path)) => self.named(&path, "CDP_BROWSER"),
            (None, None) => self.any(),
        }
    }

    /// Those of the names or places that can be what is asked for.
    fn fitting<'a>(&self, all: &[&'a str]) -> Vec<&'a str> {
        let fits = |name: &&&str| match self.headless {
            Headless::Yes => true,
            Headless::Shell => is_shell(Path::new(name)),
            Headless::No => !is_shell(Path::new(name)),
        };
        all.iter().filter(fits).copied().collect()
    }

    /// What is named must be right: falling back to another browser would hide the mistake.
    fn named(&self, path: &Path, named_by: &'static str) -> Result<PathBuf, LaunchError> {
        let failed = |why: String| LaunchError::NotExecutable { path: path.to_owned(), named_by, why };
        if path.components().count() == 1 && path.is_relative() && !path.starts_with(".") {
            return self
                .in_path(path.as_os_str())
                .ok_or_else(|| failed("no folder of PATH holds an executable of this name".to_owned()));
        }
        let path = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
        check(&path).map_err(failed)?;
        Ok(path)
    }

    fn any(&self) -> Result<PathBuf, LaunchError> {
        let (names, places) = (self.fitting(self.names), self.fitting(self.places));
        names
            .iter()
            .find_map(|name| self.in_path(OsStr::new(name)))
            .or_else(|| places.iter().map(PathBuf::from).find(|place| check(place).is_ok()))
            .ok_or_else(|| {
                let names = names.iter().map(|name| format!("{name} in PATH"));
                let (what, package) = match self.headless {
                    Headless::Shell => ("headless shell of Chromium", "chromium-headless-shell"),
                    Headless::Yes | Headless::No => ("Chromium", "chromium"),
                };
                let looked = names.chain(places.iter().map(|place| (*place).to_owned())).collect();
                LaunchError::NotFound { what, package, looked }
            })
    }

    /// Relative and empty entries are passed over: they would run whatever lies in the current folder.
    fn in_path(&self, name: &OsStr) -> Option<PathBuf> {
        env::split_paths(&self.path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| check(path).is_ok())
    }
}

/// What stands in the way of executing `path`, in words.
fn check(path: &Path) -> Result<(), String> {
    let metadata = path.metadata().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    if metadata.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    access(path, AccessFlags::X_OK)
        .map_err(|_| "it has no permission to be executed (chmod +x)".to_owned())?;
    match cfg!(target_os = "linux") && !others_are_emulated() {
        true => check_format(path),
        false => Ok(()),
    }
}

/// What the system can't execute, a shell takes for a script: it would run a foreign program's bytes as commands.
fn check_format(path: &Path) -> Result<(), String> {
    let mut head = [0; 20];
    // A program may be executable and not readable.
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let length = file.read(&mut head).unwrap_or_default();
    match head.get(..length).unwrap_or_default() {
        [b'#', b'!', ..] => Ok(()),
        [0x7f, b'E', b'L', b'F', _, order, .., low, high] => {
            let machine = match order {
                2 => u16::from_be_bytes([*low, *high]),
                _ => u16::from_le_bytes([*low, *high]),
            };
            foreign(machine).map_or(Ok(()), Err)
        }
        _ => Err("it is neither a program of this system nor a script with a line #! that names its \
                  interpreter"
            .to_owned()),
    }
}

/// Machines by their number in a program's head (`e_machine` of elf(5)), as Rust calls them.
const MACHINES: &[(u16, &str)] = &[
    (3, "x86"),
    (21, "powerpc64"),
    (22, "s390x"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
    (243, "riscv64"),
    (258, "loongarch64"),
];

/// Why a program for this machine can't be executed here, if so.
fn foreign(machine: u16) -> Option<String> {
    let own = env::consts::ARCH;
    let name = |number| MACHINES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    // The larger ones run programs of the smaller ones, where the system has their libraries.
    let runs = match (own, name(machine)) {
        ("x86_64", Some("x86")) | ("aarch64", Some("arm")) => true,
        (own, Some(name)) => name == own,
        // Where we don't know our own number, we have nothing to say.
        (own, None) => MACHINES.iter().all(|(_, name)| *name != own),
    };
    let other = name(machine).unwrap_or("another kind of processor");
    (!runs).then(|| format!("it was built for {other}, and this machine is {own}: install one built for it"))
}

/// Whether the system hands programs of other machines to an emulator.
fn others_are_emulated() -> bool {
    let Ok(entries) = fs::read_dir("/proc/sys/fs/binfmt_misc") else { return false };
    entries.flatten().any(|entry| entry.file_name() != "register" && entry.file_name() != "status")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with an executable `browser`, a plain file `text` and a folder `folder`.
    fn folder() -> PathBuf {
        let folder = env::temp_dir().join(format!("find-test-{}-{}", std::process::id(), fastrand()));
        fs::create_dir_all(folder.join("folder")).unwrap();
        fs::write(folder.join("text"), "").unwrap();
        fs::write(folder.join("browser"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(folder.join("browser"), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn fastrand() -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(0)
    }

    #[test]
    fn what_is_named_is_taken_or_refused_with_the_reason() {
        let folder = folder();
        let search = search(&folder, &["text"], Headless::Yes);
        for (name, expected) in
            [("text", "chmod"), ("folder", "folder"), ("missing", "no such file"), ("browser", "")]
        {
            match search.named(&folder.join(name), "the test") {
                Ok(path) => assert_eq!((name, path), ("browser", folder.join("browser"))),
                Err(error) => {
                    let text = error.to_string();
                    assert!(!expected.is_empty() && text.contains(expected), "{name}: {text}");
                    assert!(text.contains("the test"), "{text}");
                }
            }
        }
        assert_eq!(search.named(Path::new("browser"), "").unwrap(), folder.join("browser"));
        assert!(search.named(Path::new("text"), "").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    fn search<'a>(folder: &Path, names: &'a [&'a str], headless: Headless) -> Search<'a> {
        Search { path: folder.to_owned().into(), names, places: &[], headless }
    }

    #[test]
    fn the_shell_is_taken_when_it_is_asked_for_and_never_for_windows() {
        let folder = folder();
        let browser = folder.join("browser");
        let find = |headless, from_env: &str| {
            let from_env = Some(PathBuf::from(from_env)).filter(|path| *path != Path::new(""));
            search(&folder, &["a-headless-shell", "browser"], headless).find(None, from_env)
        };
        for from_env in ["", "browser"] {
            let text = find(Headless::Shell, from_env).unwrap_err().to_string();
            assert!(text.contains("a-headless-shell in PATH. "), "{text}");
            assert!(text.contains("apt-get install chromium-headless-shell"), "{text}");
        }
        let shell = folder.join("a-headless-shell");
        fs::copy(&browser, &shell).unwrap();
        for (headless, from_env, expected) in [
            (Headless::Yes, "", &shell),
            (Headless::No, "", &browser),
            (Headless::Shell, "", &shell),
            (Headless::Shell, "browser", &shell),
            (Headless::Shell, "a-headless-shell", &shell),
            (Headless::Yes, "browser", &browser),
        ] {
            assert_eq!(find(headless, from_env).unwrap(), *expected, "{headless:?}, {from_env:?}");
        }
        // Who names one knows what it is.
        let named = search(&folder, &[], Headless::Shell).find(Some(Path::new("browser")), None);
        assert_eq!(named.unwrap(), browser);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_program_of_another_machine_is_told_from_one_of_this() {
        let own = fs::read(env::current_exe().unwrap()).unwrap();
        let number = u16::from_le_bytes([own[18], own[19]]);
        assert_eq!(foreign(number), None);
        // Old Sun workstations.
        let text = foreign(2).unwrap();
        assert!(text.contains("another kind") && text.contains(env::consts::ARCH), "{text}");
        let other = if env::consts::ARCH == "riscv64" { (22, "s390x") } else { (243, "riscv64") };
        assert!(foreign(other.0).unwrap().contains(other.1));
    }

    #[test]
    fn path_comes_before_the_usual_places_and_a_failure_lists_both() {
        let folder = folder();
        let browser = folder.join("browser");
        let place = browser.to_str().unwrap();
        let mut search = search(&folder, &["text", "browser"], Headless::Yes);
        assert_eq!(search.any().unwrap(), browser);
        let places = ["/nowhere/b", place];
        search.path = "relative::/nowhere".into();
        (search.names, search.places) = (&["browser"], &places);
        assert_eq!(search.any().unwrap(), browser);
        // A relative entry that does lead to a browser from the current folder.
        let up = "../".repeat(env::current_dir().unwrap().components().count());
        search.path = format!("{up}{}", folder.strip_prefix("/").unwrap().display()).into();
        assert!(Path::new(&search.path).join("browser").exists());
        search.places = &["/nowhere/b"];
        let text = search.any().unwrap_err().to_string();
        assert!(text.contains("browser in PATH, /nowhere/b") && text.contains("apt-get install"), "{text}");
        fs::remove_dir_all(folder).unwrap();
    }
}
