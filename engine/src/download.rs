//! Files that a page hands out: where they are, how they are named, whether they came whole.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use std::{fmt, io, sync::Arc};

use cdp_protocol::Session;
use cdp_protocol::domains::browser::{
    CancelDownload, DownloadProgress, DownloadProgressState, DownloadWillBegin,
};
use tokio::sync::Notify;

use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;

/// How long [`Download::path`] and [`Download::save_as`] wait for the file.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// A download that a page began. The file lies in the browser's scratch folder and goes with it, unless saved.
#[derive(Clone)]
pub struct Download {
    state: Arc<DownloadState>,
}

/// What the browser reported of one download.
pub(crate) struct DownloadState {
    browser: Session,
    guid: String,
    url: String,
    suggested_filename: String,
    file: PathBuf,
    progress: Mutex<Received>,
    changed: Notify,
}

#[derive(Clone, Copy)]
struct Received {
    bytes: u64,
    end: Option<DownloadEnd>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DownloadEnd {
    Completed,
    Canceled,
}

impl DownloadState {
    pub(crate) fn begin(browser: Session, folder: &Path, event: &DownloadWillBegin) -> Arc<Self> {
        Arc::new(Self {
            browser,
            // The browser names the file by its own id; a name from the network never becomes a path here.
            file: folder.join(safe_filename(&event.guid)),
            guid: event.guid.clone(),
            url: event.url.clone(),
            suggested_filename: safe_filename(&event.suggested_filename),
            progress: Mutex::new(Received { bytes: 0, end: None }),
            changed: Notify::new(),
        })
    }

    pub(crate) fn guid(&self) -> &str {
        &self.guid
    }

    pub(crate) fn progressed(&self, event: &DownloadProgress) {
        let mut progress = self.progress.lock().unwrap();
        progress.bytes = event.received_bytes as u64;
        progress.end = match event.state {
            DownloadProgressState::Completed => Some(DownloadEnd::Completed),
            DownloadProgressState::Canceled => Some(DownloadEnd::Canceled),
            _ => None,
        };
        drop(progress);
        self.changed.notify_waiters();
    }

    /// The browser is gone; a download that has not ended never will.
    pub(crate) fn abandon(&self) {
        self.progress.lock().unwrap().end.get_or_insert(DownloadEnd::Canceled);
        self.changed.notify_waiters();
    }
}

impl Download {
    pub(crate) fn new(state: Arc<DownloadState>) -> Self {
        Self { state }
    }

    /// Where it comes from.
    pub fn url(&self) -> &str {
        &self.state.url
    }

    /// The name the server or the page suggests, made safe: one path component, no control characters, no
    /// leading dots, at most 200 bytes; `download` when nothing is left.
    pub fn suggested_filename(&self) -> &str {
        &self.state.suggested_filename
    }

    /// Bytes received so far.
    pub fn received_bytes(&self) -> u64 {
        self.state.progress.lock().unwrap().bytes
    }

    /// Waits for the end and gives the path of the file in the browser's scratch folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Download`] when it was cancelled or failed.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost: the download goes on.
    pub async fn path(&self) -> Result<PathBuf> {
        let progress = Progress::new(format!("download of {:?}", self.suggested_filename()), LIMIT);
        let result = progress.wait(self.end()).await.and_then(|end| match end {
            DownloadEnd::Completed => Ok(self.state.file.clone()),
            DownloadEnd::Canceled => Err(Error::new(ErrorKind::Download, "cancelled before it was complete")),
        });
        result.map_err(|error| progress.fail(error))
    }

    /// Waits for the end and copies the file to `path`, making its folder if need be. The copy appears whole or not
    /// at all.
    ///
    /// # Errors
    ///
    /// As [`Download::path`], and [`ErrorKind::Io`] when the file can't be written.
    ///
    /// # Cancel safety
    ///
    /// The download goes on; a partial copy may be left beside `path` under a name that ends in `.part`.
    pub async fn save_as(&self, path: impl AsRef<Path>) -> Result<()> {
        let (from, to) = (self.path().await?, path.as_ref());
        copy_whole(&from, to).await.map_err(|error| {
            Error::new(ErrorKind::Io, format!("saving the download to {}: {error}", to.display()))
                .with_source(error)
        })
    }

    /// Stops the download and removes what came.
    ///
    /// # Errors
    ///
    /// When the browser is gone.
    ///
    /// # Cancel safety
    ///
    /// The order is sent when this is first polled.
    pub async fn cancel(&self) -> Result<()> {
        self.state.browser.call(&CancelDownload::new(self.state.guid.as_str())).await?;
        Ok(())
    }

    async fn end(&self) -> DownloadEnd {
        loop {
            let changed = self.state.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(end) = self.state.progress.lock().unwrap().end {
                return end;
            }
            changed.await;
        }
    }
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("suggested_filename", &self.state.suggested_filename)
            .finish_non_exhaustive()
    }
}

async fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    let mut part = to.as_os_str().to_owned();
    part.push(".part");
    tokio::fs::copy(from, &part).await?;
    tokio::fs::rename(&part, to).await
}

/// Makes one harmless path component of a name from outside.
fn safe_filename(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = |c: &char| !c.is_control() && !matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*');
    let name: String = last.chars().filter(kept).collect();
    let mut name = name.trim_matches([' ', '.']).to_owned();
    while name.len() > 200 {
        name.pop();
    }
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let device = ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
        || (stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")));
    match (name.is_empty(), device) {
        (true, _) => "download".into(),
        (_, true) => format!("_{name}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::safe_filename;

    #[test]
    fn a_name_from_the_network_becomes_one_harmless_component() {
        let cases = [
            ("invoice 7.pdf", "invoice 7.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("..", "download"),
            ("", "download"),
            (".bashrc", "bashrc"),
            ("a\u{0}b\nc.txt", "abc.txt"),
            ("con.txt", "_con.txt"),
            ("LPT1", "_LPT1"),
            ("Ünïcode.csv", "Ünïcode.csv"),
        ];
        for (name, safe) in cases {
            assert_eq!(safe_filename(name), safe, "{name:?}");
        }
        assert!(safe_filename(&"ü".repeat(300)).len() <= 200);
    }
}
