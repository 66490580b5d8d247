//! Connecting to a browser that is somebody else's.

use std::future::IntoFuture;
use std::path::PathBuf;
use std::time::Duration;

use cdp_protocol::domains::browser::{GetVersion, SetDownloadBehavior, SetDownloadBehaviorBehavior};
use cdp_protocol::{Client, Connect, ConnectError};
use tokio::task::JoinSet;

use crate::browser::Browser;
use crate::core::browser::BrowserCore;
use crate::error::{Error, ErrorKind, Result};
use crate::incidents;
use crate::operation::{BoxFuture, DEFAULT_TIMEOUT, Operation};

/// How long attaching waits for each tab.
const TAB: Duration = Duration::from_secs(5);

/// A running browser to be attached to, which is done when this is awaited. Closing or dropping what it gives closes the
/// connection and never the browser.
///
/// ```no_run
/// # async fn example() -> engine::Result<()> {
/// use engine::Attach;
///
/// let browser = Attach::new("http://localhost:9222").await?;
/// if let Some(context) = browser.default_context() {
///     for page in context.pages() {
///         println!("{}", page.url());
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`ErrorKind::Attach`] when nothing answers there, or what answers is no browser.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
#[must_use = "a browser is attached to when this is awaited"]
pub struct Attach {
    endpoint: String,
    connection: Option<Box<dyn FnOnce(Connect) -> Connect + Send>>,
    timeout: Duration,
    tab_timeout: Duration,
    downloads: Option<PathBuf>,
}

impl Attach {
    /// A browser by its endpoint: `ws://…` or `wss://…`, or `http://host:port` or `https://host`, which name one. See
    /// [`Client::connect`].
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            connection: None,
            timeout: DEFAULT_TIMEOUT,
            tab_timeout: TAB,
            downloads: None,
        }
    }

    /// What else the connection needs: headers, certificates, a proxy.
    pub fn connection(mut self, set_up: impl FnOnce(Connect) -> Connect + Send + 'static) -> Self {
        self.connection = Some(Box::new(set_up));
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long is waited for each tab that is open; 5 seconds unless set, for all at once. One that does not answer until
    /// then holds nobody up; see [`Page::is_unresponsive`](crate::Page::is_unresponsive).
    pub fn tab_timeout(mut self, timeout: Duration) -> Self {
        self.tab_timeout = timeout;
        self
    }

    /// The folder for files that pages hand out, on the browser's machine and this one alike. Without one, downloads of
    /// contexts made here are refused, and those of others are left as they are.
    pub fn downloads(mut self, folder: impl Into<PathBuf>) -> Self {
        self.downloads = Some(folder.into());
        self
    }
}

impl IntoFuture for Attach {
    type Output = Result<Browser>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { endpoint, connection, timeout, tab_timeout, downloads } = self;
        // Its query may be a secret.
        let shown = endpoint.split(['?', '#']).next().unwrap_or_default().to_owned();
        let what = format!("attach to {:?}", crate::error::shown(&shown));
        let attach = Operation::new(what, move |progress, _| async move {
            let connect = Client::connect(endpoint).timeout(progress.remaining());
            let connect = connection.into_iter().fold(connect, |connect, set_up| set_up(connect));
            let client = connect.await.map_err(failed)?;
            let version = progress.run(client.browser().call(&GetVersion)).await?;
            let core = BrowserCore::attached_to(client, downloads, version);
            // First: it sees the same targets.
            incidents::watch(&core);
            progress.run(core.learn_contexts()).await?;
            // All tabs that are open are told of before the answer.
            progress.run(core.watch_targets()).await?;
            if let (Some(folder), Some(context)) = (&core.downloads, core.default_context()) {
                let behavior = SetDownloadBehavior::new(SetDownloadBehaviorBehavior::AllowAndName)
                    .browser_context_id(context.id.clone())
                    .download_path(folder.to_string_lossy())
                    .events_enabled(true);
                progress.run(core.root.call(&behavior)).await?;
            }
            let tabs = core.pages().into_iter();
            let mut ready: JoinSet<_> = tabs
                .map(|page| async move {
                    // One that is gone, or can't be set up, says so when it is used.
                    let _ = tokio::time::timeout(tab_timeout, page.explored()).await;
                })
                .collect();
            while progress.wait(ready.join_next()).await?.is_some() {}
            Ok(Browser::of(core))
        });
        attach.timeout(timeout).into_future()
    }
}

fn failed(error: ConnectError) -> Error {
    Error::new(ErrorKind::Attach, error.to_string()).with_source(error)
}
