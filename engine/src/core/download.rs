//! What the browser reports of the files that pages hand out, and the names that are made safe of theirs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use cdp_protocol::domains::browser::{
    BrowserContextId, DownloadProgress, DownloadProgressState, DownloadWillBegin,
};
use tokio::sync::Notify;

use crate::lock::lock;

/// Downloads that a page remembers for those who expect one.
const REMEMBERED: usize = 64;

/// One download.
pub(crate) struct DownloadState {
    pub guid: String,
    pub context: BrowserContextId,
    pub url: String,
    pub suggested_filename: String,
    pub file: PathBuf,
    progress: Mutex<Received>,
    changed: Notify,
    claimed: AtomicBool,
}

#[derive(Clone, Copy)]
struct Received {
    bytes: u64,
    end: Option<DownloadEnd>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DownloadEnd {
    Completed,
    Canceled,
}

impl DownloadState {
    pub(crate) fn begin(folder: &Path, context: BrowserContextId, event: &DownloadWillBegin) -> Arc<Self> {
        Arc::new(Self {
            // The browser names the file by its own id; a name from the network never becomes a path here.
            file: folder.join(safe_filename(&event.guid)),
            guid: event.guid.clone(),
            context,
            url: event.url.clone(),
            suggested_filename: safe_filename(&event.suggested_filename),
            progress: Mutex::new(Received { bytes: 0, end: None }),
            changed: Notify::new(),
            claimed: AtomicBool::new(false),
        })
    }

    /// Takes in a report; says whether it was the last.
    pub(crate) fn progressed(&self, event: &DownloadProgress) -> bool {
        let mut progress = lock(&self.progress);
        progress.bytes = event.received_bytes as u64;
        progress.end = match event.state {
            DownloadProgressState::Completed => Some(DownloadEnd::Completed),
            DownloadProgressState::Canceled => Some(DownloadEnd::Canceled),
            _ => None,
        };
        let ended = progress.end.is_some();
        drop(progress);
        self.changed.notify_waiters();
        ended
    }

    /// Its context or the browser is gone: if it has not ended, it never will.
    pub(crate) fn abandon(&self) {
        lock(&self.progress).end.get_or_insert(DownloadEnd::Canceled);
        self.changed.notify_waiters();
    }

    pub(crate) fn received(&self) -> u64 {
        lock(&self.progress).bytes
    }

    pub(crate) async fn end(&self) -> DownloadEnd {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(end) = lock(&self.progress).end {
                return end;
            }
            changed.await;
        }
    }
}

/// The downloads of one page, the newest last.
#[derive(Default)]
pub(crate) struct Downloads {
    recent: VecDeque<Arc<DownloadState>>,
    count: usize,
}

impl Downloads {
    pub(crate) fn push(&mut self, download: Arc<DownloadState>) {
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(download);
        self.count += 1;
    }

    /// How many there have been.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The first that came when there had been `count` and that was not given out before.
    pub(crate) fn claim(&self, count: usize) -> Option<Arc<DownloadState>> {
        let forgotten = self.count - self.recent.len();
        let newer = self.recent.iter().skip(count.saturating_sub(forgotten));
        newer.into_iter().find(|download| !download.claimed.swap(true, Ordering::Relaxed)).cloned()
    }
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
