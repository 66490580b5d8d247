//! A browser that the engine launched, as the user holds it, and how it is launched and closed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::domains::browser::{Close, GetVersion, GetVersionResult};
use cdp_protocol::{Client, Settings};

use crate::context::Context;
use crate::core::browser::BrowserCore;
use crate::error::{Error, ErrorKind, Result};
use crate::incidents;
use crate::process::{
    self, BrowserProcess, CloseTimings, Closed, IncidentStream, LaunchError, Launcher, Usage,
};

/// A running browser.
///
/// Close it with [`Browser::close`]. If every handle to it is dropped instead, or the host ends in any way, its
/// guardian ends it and removes what it left.
#[derive(Clone)]
pub struct Browser {
    core: Arc<BrowserCore>,
}

/// What a browser takes of the machine, and what it has open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrowserUsage {
    /// Memory of all its processes in bytes, as in [`Usage::memory`].
    pub memory: u64,
    /// Whether `memory` counts once what processes share, as in [`Usage::is_proportional`].
    pub is_proportional: bool,
    /// How many processes it has.
    pub processes: usize,
    /// How many pages are open in all contexts, pop-ups included. A page whose renderer crashed is none.
    pub pages: usize,
}

impl Launcher {
    /// Launches a browser and connects to it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Launch`] when no browser is found or it does not come up in time; the message says where was
    /// looked, how it ended, and its own last words.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the browser and removes what it left.
    pub async fn launch(self) -> Result<Browser> {
        let process = process::spawn(self.options()).await.map_err(launch_error)?;
        let (client, version) = process.until_ready(connect(&process)).await.map_err(launch_error)?;
        tracing::info!(version = version.product, pid = process.pid(), "browser launched");
        let core = BrowserCore::launched(client, process, version);
        // First: it sees the same targets.
        incidents::watch(&core);
        if let Some(process) = &core.process {
            process.until_ready(core.watch_targets()).await.map_err(launch_error)?;
        }
        Ok(Browser { core })
    }
}

impl Browser {
    pub(crate) fn of(core: Arc<BrowserCore>) -> Self {
        Self { core }
    }
}

async fn connect(process: &BrowserProcess) -> Result<(Client, GetVersionResult)> {
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::new(ErrorKind::Launch, error.to_string()).with_source(error)
    };
    let client = match process.take_pipe() {
        Some((reads, writes)) => {
            Client::from_pipe(reads, writes, Settings::default()).map_err(|error| failed(error.into()))?
        }
        None => {
            let endpoint = process.endpoint().unwrap_or_default();
            Client::connect(&endpoint).await.map_err(|error| failed(error.into()))?
        }
    };
    let version = client.browser().call(&GetVersion).await?;
    Ok((client, version))
}

fn launch_error(error: LaunchError) -> Error {
    Error::new(ErrorKind::Launch, error.to_string()).with_source(error)
}

impl Browser {
    pub(crate) fn core(&self) -> &Arc<BrowserCore> {
        &self.core
    }

    /// The contexts that were made here and not closed, in no order; of a browser that was attached to all that are known.
    /// Closing a context takes it from this list at once.
    pub fn contexts(&self) -> Vec<Context> {
        let all = self.core.contexts().into_iter();
        let shown = all.filter(|context| context.is_ours || self.core.process.is_none());
        shown.map(|core| Context::of(core, self.core.clone())).collect()
    }

    /// The context that the browser has from the start: that of its user, if it was attached to. It is left as it is, with
    /// nothing emulated. `None` for one that was launched here, where nobody uses it.
    pub fn default_context(&self) -> Option<Context> {
        self.core.default_context().map(|core| Context::of(core, self.core.clone()))
    }

    /// The browser's product and version, such as `HeadlessChrome/156.0.8078.114`.
    pub fn version(&self) -> &str {
        &self.core.version
    }

    /// The connection, for raw protocol access.
    pub fn client(&self) -> &Client {
        &self.core.client
    }

    /// The process: its id, its scratch folder, its last words. `None` for a browser that was attached to.
    pub fn process(&self) -> Option<&BrowserProcess> {
        self.core.process.as_ref()
    }

    /// What the browser takes of the machine now, and how many pages it has open; see [`BrowserProcess::usage`]. Of a
    /// browser that was attached to nothing but its pages is known, and the rest is 0.
    ///
    /// # Cancel safety
    ///
    /// Looking changes nothing.
    pub async fn usage(&self) -> BrowserUsage {
        let Usage { memory, is_proportional, processes } = match self.process() {
            Some(process) => process.usage().await,
            None => Usage::default(),
        };
        BrowserUsage { memory, is_proportional, processes, pages: self.core.live_pages() }
    }

    /// What happens to the browser and its pages, from the launch on: crashed renderers, ended services, its own end.
    /// Any number may read, each gets all.
    pub fn incidents(&self) -> IncidentStream {
        self.core.incidents.stream()
    }

    /// How many pages it has open, as in [`BrowserUsage::pages`].
    pub(crate) fn live_pages(&self) -> usize {
        self.core.live_pages()
    }

    /// Closes the browser: asks it, then ends its process group, within seconds whatever its pages do. Says which
    /// step ended it and what is left. May be called several times and from several tasks.
    ///
    /// Of a browser that was attached to the connection is closed and nothing else: it lives on, without the contexts that
    /// were made here.
    ///
    /// # Cancel safety
    ///
    /// The browser is closed also if the future is dropped once polled.
    pub async fn close(&self) -> Closed {
        self.close_within(CloseTimings::default()).await
    }

    /// As [`Browser::close`], with the time that each step has.
    ///
    /// # Cancel safety
    ///
    /// As [`Browser::close`].
    pub async fn close_within(&self, timings: CloseTimings) -> Closed {
        let Some(process) = self.process() else {
            self.core.client.close();
            return Closed::detached();
        };
        let ask = self.core.root.call(&Close);
        let closed = process.close(async move { drop(ask.await) }, timings).await;
        self.core.client.close();
        closed
    }

    /// Waits until the browser's process has ended, for whatever reason, or `limit` has passed; says whether it has. Of a
    /// browser that was attached to it is the connection.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost.
    pub async fn wait_closed(&self, limit: Duration) -> bool {
        let ended = async {
            match self.process() {
                Some(process) => drop(process.exited().await),
                None => drop(self.core.client.closed().await),
            }
        };
        tokio::time::timeout(limit, ended).await.is_ok()
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("version", &self.core.version).finish_non_exhaustive()
    }
}
