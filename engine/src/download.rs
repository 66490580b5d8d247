//! A file that a page hands out, as the user holds it.

use std::path::{Path, PathBuf};
use std::{fmt, io, sync::Arc};

use cdp_protocol::domains::browser::CancelDownload;

use crate::core::browser::BrowserCore;
use crate::core::download::{DownloadEnd, DownloadState};
use crate::error::{Error, ErrorKind, Result};
use crate::operation::Operation;
use crate::progress::Progress;

/// A download that a page began. The file lies in the browser's scratch folder and goes with it, unless saved, or in the
/// folder that [`Launcher::downloads`](crate::Launcher::downloads) named, where it stays.
#[derive(Clone)]
pub struct Download {
    state: Arc<DownloadState>,
    browser: Arc<BrowserCore>,
}

impl Download {
    pub(crate) fn new(state: Arc<DownloadState>, browser: Arc<BrowserCore>) -> Self {
        Self { state, browser }
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
        self.state.received()
    }

    /// Waits for the end and gives the path of the file in the browser's folder for downloads. A large file may want more
    /// than the 30 seconds that an operation has unless told otherwise.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Download`] when it was cancelled or failed.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost: the download goes on.
    pub fn path(&self) -> Operation<PathBuf> {
        let this = self.clone();
        self.operation("path", move |progress| async move { this.complete(&progress).await })
    }

    /// Waits for the end and copies the file to `path`, making its folder if need be. The copy appears whole or not
    /// at all. A large file may want more than the 30 seconds that an operation has unless told otherwise.
    ///
    /// # Errors
    ///
    /// As [`Download::path`], and [`ErrorKind::Io`] when the file can't be written.
    ///
    /// # Cancel safety
    ///
    /// The download goes on; a partial copy may be left beside `path` under a name that ends in `.part`.
    pub fn save_as(&self, path: impl AsRef<Path>) -> Operation<()> {
        let (this, to) = (self.clone(), path.as_ref().to_owned());
        self.operation("save_as", move |progress| async move {
            let from = this.complete(&progress).await?;
            progress.wait(copy_whole(&from, &to)).await?.map_err(|error| {
                Error::new(ErrorKind::Io, format!("it can't be saved to {}: {error}", to.display()))
                    .with_source(error)
            })
        })
    }

    /// Stops the download and removes what came.
    ///
    /// # Errors
    ///
    /// When the browser is gone.
    pub fn cancel(&self) -> Operation<()> {
        let this = self.clone();
        self.operation("cancel", move |progress| async move {
            let cancel =
                CancelDownload::new(this.state.guid.as_str()).browser_context_id(this.state.context.clone());
            progress.run(this.browser.root.call(&cancel)).await
        })
    }

    async fn complete(&self, progress: &Progress) -> Result<PathBuf> {
        match progress.wait(self.state.end()).await? {
            DownloadEnd::Completed => Ok(self.state.file.clone()),
            DownloadEnd::Canceled => Err(Error::new(ErrorKind::Download, "cancelled before it was complete")),
        }
    }

    fn operation<T: 'static, F>(
        &self,
        name: &str,
        run: impl FnOnce(Arc<Progress>) -> F + Send + 'static,
    ) -> Operation<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let what = format!("download of {:?}: {name}()", self.suggested_filename());
        Operation::new(what, move |progress, _| run(progress))
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
