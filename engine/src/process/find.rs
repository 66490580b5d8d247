//! Finds the browser's executable. Runs nothing.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::process::LaunchError;

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
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, LaunchError> {
    let search = Search { path: env::var_os("PATH").unwrap_or_default(), names: NAMES, places: PLACES };
    let from_env = env::var_os("CDP_BROWSER").filter(|value| !value.is_empty()).map(PathBuf::from);
    match (named, from_env) {
        (Some(path), _) => search.named(path, "Launcher::executable"),
        (None, Some(path)) => search.named(&path, "CDP_BROWSER"),
        (None, None) => search.any(),
    }
}

struct Search<'a> {
    path: OsString,
    names: &'a [&'a str],
    places: &'a [&'a str],
}

impl Search<'_> {
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
        self.names
            .iter()
            .find_map(|name| self.in_path(OsStr::new(name)))
            .or_else(|| self.places.iter().map(PathBuf::from).find(|place| check(place).is_ok()))
            .ok_or_else(|| {
                let names = self.names.iter().map(|name| format!("{name} in PATH"));
                LaunchError::NotFound {
                    looked: names.chain(self.places.iter().map(|p| (*p).to_owned())).collect(),
                }
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
    access(path, AccessFlags::X_OK).map_err(|_| "it has no permission to be executed (chmod +x)".to_owned())
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
        fs::write(folder.join("browser"), "").unwrap();
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
        let search = Search { path: folder.clone().into(), names: &["text"], places: &[] };
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

    #[test]
    fn path_comes_before_the_usual_places_and_a_failure_lists_both() {
        let folder = folder();
        let browser = folder.join("browser");
        let place = browser.to_str().unwrap();
        let mut search = Search { path: folder.clone().into(), names: &["text", "browser"], places: &[] };
        assert_eq!(search.any().unwrap(), browser);
        let places = ["/nowhere/b", place];
        search = Search { path: "relative::/nowhere".into(), names: &["browser"], places: &places };
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
