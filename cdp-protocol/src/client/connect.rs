//! Connecting as its user asks for it: an endpoint, and what is to be observed on the way there. How it is done lies below.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use super::connection::Client;
use crate::Settings;
use crate::carrier::{self, ConnectOptions, Credentials};
use crate::error::ConnectError;

/// A connection that begins when this is awaited; made by [`Client::connect`].
#[must_use = "nothing happens until this is awaited"]
pub struct Connect {
    endpoint: String,
    options: ConnectOptions,
}

impl Client {
    /// Connects to a running browser: to its websocket (`ws://…/devtools/browser/…`, `wss://…`), or to its debugging port or a
    /// gateway (`http://host:port`, `https://host`), whose `/json/version` names the websocket. The browser is not closed when the
    /// connection ends. `wss://` and `https://` want the cargo feature `tls`, and that a C compiler where it is built.
    ///
    /// A user name and a password in the URL (`user:password@`, percent-encoded) are sent by basic authentication. Its query,
    /// which may hold a token, is sent to `/json/version`, and to the websocket when that has no query of its own.
    ///
    /// Of the websocket that `/json/version` names, only path and query are taken, and scheme, host and port are the endpoint's,
    /// if it names a host like `127.0.0.1`, `localhost` or `0.0.0.0` and the endpoint's is another, or if it has no TLS and the
    /// endpoint has: a browser in a container or behind a gateway doesn't know where it is reached. Otherwise it is believed.
    /// Headers, user name, password, query and the client's certificate go to it only if it is at the endpoint's own host (by its
    /// name or by the address that was reached), at the same port, and with TLS exactly if the endpoint has it.
    ///
    /// Chromium answers `/json/version` only if the `Host` header is an address or `localhost`. So over `http` the header is the
    /// address that the host's name led to; over `https` and through a proxy it is the name. [`header`](Connect::header) can
    /// replace it.
    ///
    /// # Examples
    ///
    /// A hosted browser behind a gateway, with a token and an authority of its own:
    ///
    /// ```no_run
    /// # #[cfg(feature = "tls")]
    /// # mod example {
    /// use std::time::Duration;
    ///
    /// use cdp_protocol::{Client, ConnectError, Settings};
    ///
    /// async fn hosted(token: &str, authority: Vec<u8>) -> Result<Client, ConnectError> {
    ///     Client::connect("wss://browsers.example/session")
    ///         .header("Authorization", format!("Bearer {token}"))
    ///         .ca_certificates(authority) // The text of a PEM file, only where no authority of the system signed.
    ///         .settings(Settings::default().heartbeat(Duration::from_secs(20)))
    ///         .await
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ConnectError`] that says whether the endpoint, a setting, the network or the other side is at fault. Redirects are not
    /// followed but told.
    ///
    /// # Panics
    ///
    /// When it is awaited outside of a tokio runtime, or in one without I/O or time (`enable_all` has both).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the socket, and no task is left behind. A look-up of a name, or the reading of the system's
    /// certificates, may finish on a thread of the runtime.
    pub fn connect(endpoint: impl Into<String>) -> Connect {
        Connect { endpoint: endpoint.into(), options: ConnectOptions::default() }
    }
}

impl Connect {
    /// How long connecting may take in all: looking up the name, the proxy, TLS, discovery and the websocket. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// Sends a header with discovery and with the websocket's handshake, such as a key for a hosted browser. It goes to the
    /// endpoint's own host and to no other, and never to a proxy. May be used several times.
    ///
    /// `Host` replaces the one that would be sent. `Origin` is possible, but Chromium refuses those that it was not told to allow.
    /// What belongs to the handshake itself (`Connection`, `Upgrade`, `Sec-WebSocket-…` and the like) is refused when this is
    /// awaited, as is a name or value with characters that a header can't have.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.headers.push((name.into(), value.into()));
        self
    }

    /// Sends a user name and a password by basic authentication, with discovery and with the websocket's handshake. Goes where
    /// [`header`](Self::header) does, and replaces what the endpoint's URL holds.
    pub fn basic_auth(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.options.credentials = Some(Credentials::new(user.into(), password.into()));
        self
    }

    /// Connects through an HTTP proxy, `http://host:port` or `http://user:password@host:port`, which is asked for a tunnel
    /// (CONNECT) for every scheme of endpoint. Default: none; environment variables such as `HTTPS_PROXY` are not read.
    pub fn proxy(mut self, proxy: impl Into<String>) -> Self {
        self.options.proxy = Some(proxy.into());
        self
    }

    /// Trusts these authorities beside those of the system: one or more certificates in PEM. May be used several times.
    ///
    /// Those of the system are where it keeps them, or where the variables `SSL_CERT_FILE` and `SSL_CERT_DIR` say. It is the text
    /// of a file that is wanted, as by `std::fs::read`, not its path.
    ///
    /// Only with the feature `tls`.
    #[cfg(feature = "tls")]
    pub fn ca_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.options.trust.authorities.push(pem.into());
        self
    }

    /// Shows a certificate when the endpoint's host asks for one. `chain` is PEM with the client's own certificate first, then
    /// those that lead to an authority; `key` is PEM with the private key (PKCS #8, PKCS #1 or SEC 1), not encrypted.
    ///
    /// Only with the feature `tls`.
    #[cfg(feature = "tls")]
    pub fn client_certificate(mut self, chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.options.trust.identity = Some((chain.into(), key.into()));
        self
    }

    /// How the connection behaves once it is there. Default: [`Settings::default`].
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
