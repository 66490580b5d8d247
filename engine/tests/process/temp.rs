//! A temporary folder for one test, short enough for a browser's socket, in which nothing may remain.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use engine::process::{BrowserProcess, LaunchError, Launcher, spawn};

/// The folder; removed with everything in it when the test ends.
pub(crate) struct Temp(PathBuf);

impl Temp {
    pub(crate) fn new() -> Temp {
        let number = RandomState::new().hash_one(0) as u32;
        let path = Path::new("/tmp").canonicalize().unwrap().join(format!("t-{number:08x}"));
        fs::create_dir(&path).unwrap();
        Temp(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A launcher whose every trace is found by the path of this folder.
    pub(crate) fn launcher(&self) -> Launcher {
        Launcher::new().temp_dir(self.path())
    }

    pub(crate) async fn spawn(&self) -> BrowserProcess {
        spawn(self.launcher().options()).await.unwrap()
    }

    /// Launches a shell script in the place of a browser.
    pub(crate) async fn spawn_script(&self, body: &str) -> Result<BrowserProcess, LaunchError> {
        spawn(self.launcher().executable(self.script(body)).options()).await
    }

    /// A shell script to be used as a browser. It lies outside of the folder, whose emptiness is what is tested.
    pub(crate) fn script(&self, body: &str) -> PathBuf {
        let path = self.0.with_extension("sh");
        // Written by another process: were it open for writing here, then a child that another test forks at this
        // moment would hold it open, and the system refuses to execute it.
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat >\"$0\" && chmod +x \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let text = format!("#!/bin/sh\n{body}\n");
        writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        path
    }

    /// Names of what lies in the folder.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        let _ = fs::remove_file(self.0.with_extension("sh"));
        let _ = fs::remove_file(self.0.with_extension("notes"));
        let _ = fs::remove_dir_all(self.0.with_extension("profile"));
    }
}
