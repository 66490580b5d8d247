//! Connecting as its user asks for it: an endpoint and what is to be observed on the way there.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use super::connection::Client;
use crate::Settings;
use crate::carrier::{self, ConnectOptions};
use crate::error::ConnectError;

/// A connection that begins when this is awaited; made by [`Client::connect`].
#[must_use = "nothing happens until this is awaited"]
pub struct Connect {
    endpoint: String,
    options: ConnectOptions,
}

impl Client {
    /// Connects to a running browser: to its websocket (`ws://…/devtools/browser/…`), or to its debugging port
    /// (`http://host:port`), whose `/json/version` names the websocket. The browser is not closed when the connection ends.
    ///
    /// # Errors
    ///
    /// A [`ConnectError`] that says whether the endpoint, the network or the other side is at fault. `wss://` and `https://`
    /// are not supported yet.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the socket; nothing is left behind.
    pub fn connect(endpoint: impl Into<String>) -> Connect {
        Connect { endpoint: endpoint.into(), options: ConnectOptions::default() }
    }
}

impl Connect {
    /// How long connecting may take in all. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// How the connection behaves once it is there.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.options.settings = settings;
        self
    }
}

impl IntoFuture for Connect {
    type Output = Result<Client, ConnectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let shared = carrier::connect(&self.endpoint, &self.options).await?;
            tracing::info!("connected");
            Ok(Client::new(shared))
        })
    }
}

impl fmt::Debug for Connect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the endpoint nor the options: both may hold secrets.
        f.debug_struct("Connect").finish_non_exhaustive()
    }
}
