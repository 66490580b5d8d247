//! Connects to a browser that someone else runs: discovery over HTTP, then the websocket. Every step is inside one deadline.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::dial::{Deadline, dial};
use super::driver;
use super::endpoint::{Endpoint, EndpointKind, without_secrets};
use super::half::Stream;
use super::headers::{Credentials, Headers};
use super::http;
use super::outgoing::Outgoing;
use super::proxy::Proxy;
use super::shared::Shared;
#[cfg(feature = "tls")]
use super::tls::TlsStream;
#[cfg(feature = "tls")]
use super::trust::{self, Trust};
use super::upgrade::{Upgraded, upgrade};
use crate::envelope;
use crate::error::{ConnectError, ConnectStep};
use crate::settings::Settings;
use crate::shown::shown;
use crate::wire::{Decoder, Encoder, Masking};

/// What a user may say of the way to a browser.
#[derive(Clone)]
pub(crate) struct ConnectOptions {
    /// How long connecting may take in all.
    pub(crate) timeout: Duration,
    pub(crate) settings: Settings,
    /// Names and values, not checked yet.
    pub(crate) headers: Vec<(String, String)>,
    /// In place of those in the endpoint's URL.
    pub(crate) credentials: Option<Credentials>,
    /// The URL of a proxy, not checked yet.
    pub(crate) proxy: Option<String>,
    #[cfg(feature = "tls")]
    pub(crate) trust: Trust,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            settings: Settings::default(),
            headers: Vec::new(),
            credentials: None,
            proxy: None,
            #[cfg(feature = "tls")]
            trust: Trust::default(),
        }
    }
}

/// Connects to a websocket endpoint, or to the one that a debugging port names.
pub(crate) async fn connect(endpoint: &str, options: &ConnectOptions) -> Result<Arc<Shared>, ConnectError> {
    let mut endpoint = Endpoint::parse(endpoint)?;
    if options.credentials.is_some() {
        endpoint.credentials.clone_from(&options.credentials);
    }
    let proxy = options.proxy.as_deref().map(Proxy::parse).transpose()?;
    let way = Way { options, proxy, deadline: Deadline::new(options.timeout) };
    match endpoint.kind {
        EndpointKind::Websocket => way.websocket(&endpoint, Whose::Own).await,
        EndpointKind::Discovery => way.discover(&endpoint).await,
    }
}

/// Whether a host is the endpoint's own, which secrets may go to, or another one that a browser named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Foreign,
}

/// What to do about a host that has no `/json/version`.
const NO_DISCOVERY: &str = "if it has none, give the ws:// or wss:// URL of the websocket itself";

struct Way<'a> {
    options: &'a ConnectOptions,
    proxy: Option<Proxy>,
    deadline: Deadline,
}

impl Way<'_> {
    async fn discover(&self, endpoint: &Endpoint) -> Result<Arc<Shared>, ConnectError> {
        let headers = self.headers(endpoint, Whose::Own)?;
        let (mut stream, peer) = self.open(endpoint, Whose::Own).await?;
        let address = endpoint.address();
        let no_browser = |problem| ConnectError::NotABrowser { address: address.clone(), problem };
        // Chromium answers only if the Host header is an address or localhost, which the name of a container is not. A gateway
        // with a certificate for its name is one that chooses by the name.
        let host = match peer {
            Some(peer) if !endpoint.secure && !endpoint.host.eq_ignore_ascii_case("localhost") => {
                peer.to_string()
            }
            _ => endpoint.host_header(),
        };
        let ask = async {
            let mut headers = headers;
            headers.add("Connection", "close");
            let request = headers.request(&format!("GET {}", endpoint.discovery_target()), &host);
            let broken = |error| self.fault(&address, error);
            let mut answer = http::ask(&mut stream, &request).await.map_err(broken)?;
            if answer.status != 200 {
                let (status, mut problem) = (answer.status, answer.refusal(&mut stream).await);
                if status == 404 {
                    problem.extend(["; ", NO_DISCOVERY]);
                }
                let step = ConnectStep::Discover;
                return Err(ConnectError::Refused { address: address.clone(), step, status, problem });
            }
            let version = answer.body(&mut stream).await.map_err(broken)?;
            let url = envelope::text_field(&version, "webSocketDebuggerUrl").ok_or_else(|| {
                let answer = answer.summary();
                no_browser(format!(
                    "its /json/version names no webSocketDebuggerUrl ({answer}); {NO_DISCOVERY}"
                ))
            })?;
            let url = url.into_owned();
            Ok((version, url))
        };
        let (version, url) = self.deadline.hold(ConnectStep::Discover, &address, ask).await?;
        drop(stream);
        let named = Endpoint::parse(&url).map_err(|error| match error {
            // The endpoint that the user gave is not at fault.
            ConnectError::Endpoint { endpoint, problem } => {
                no_browser(format!("its /json/version names {:?}: {problem}", shown(&endpoint)))
            }
            other => other,
        })?;
        if named.kind != EndpointKind::Websocket {
            let url = shown(&without_secrets(&url));
            return Err(no_browser(format!("its /json/version names {url:?}, which is no websocket")));
        }
        let (meant, own) = endpoint.meant_by(named, peer.map(|peer| peer.ip()));
        let shared = self.websocket(&meant, if own { Whose::Own } else { Whose::Foreign }).await?;
        if let Some(product) = envelope::text_field(&version, "Browser") {
            shared.mux().set_browser(&product);
        }
        Ok(shared)
    }

    async fn websocket(&self, endpoint: &Endpoint, whose: Whose) -> Result<Arc<Shared>, ConnectError> {
        let headers = self.headers(endpoint, whose)?;
        let (mut stream, peer) = self.open(endpoint, whose).await?;
        let address = endpoint.address();
        let upgrade = async {
            let (target, host) = (endpoint.target(), endpoint.host_header());
            let answer = upgrade(&mut stream, &target, &host, &headers).await;
            match answer.map_err(|error| self.fault(&address, error))? {
                Upgraded::Yes(behind) => Ok(behind),
                Upgraded::Refused { status, problem } => {
                    let step = ConnectStep::Upgrade;
                    Err(ConnectError::Refused { address: address.clone(), step, status, problem })
                }
            }
        };
        let behind = self.deadline.hold(ConnectStep::Upgrade, &address, upgrade).await?;
        // Masks are there for proxies that mistake ws frames for HTTP. None can stand between on loopback or look into TLS.
        let unseen = endpoint.secure || peer.is_some_and(|peer| peer.ip().is_loopback());
        let masking = if unseen { Masking::Zero } else { Masking::Random };
        let (reads, writes) = stream.into_halves();
        let settings = self.options.settings.clone();
        let outgoing = Outgoing::new(Encoder::ws(masking), writes);
        Ok(driver::start(reads, Decoder::ws(settings.limits.clone()), behind, outgoing, settings))
    }

    fn headers(&self, endpoint: &Endpoint, whose: Whose) -> Result<Headers, ConnectError> {
        let given = if whose == Whose::Own { &self.options.headers[..] } else { &[] };
        Headers::checked(given, endpoint.credentials.as_ref())
    }

    /// A stream to the endpoint, through the proxy and with TLS where they are asked for; and the address at its other end if it is
    /// the endpoint's.
    async fn open(
        &self,
        endpoint: &Endpoint,
        whose: Whose,
    ) -> Result<(Box<dyn Stream>, Option<SocketAddr>), ConnectError> {
        let address = endpoint.address();
        let (stream, peer) = match &self.proxy {
            Some(proxy) => (proxy.tunnel(&address, self.deadline).await?, None),
            None => {
                let stream = dial(&endpoint.host, endpoint.port, &address, self.deadline).await?;
                let peer = stream.peer_addr();
                let unreachable = |source| ConnectError::Unreachable { address: address.clone(), source };
                (stream, Some(peer.map_err(unreachable)?))
            }
        };
        #[cfg(feature = "tls")]
        if endpoint.secure {
            let encrypt = async {
                // A host that a browser named is not told who this is.
                let config = self.options.trust.config(whose == Whose::Own).await?;
                let name = trust::server_name(&endpoint.host, &address)?;
                TlsStream::start(stream, config, name).await.map_err(|error| {
                    let problem = self.options.trust.problem(&error).unwrap_or_else(|| error.to_string());
                    ConnectError::Tls { address: address.clone(), problem }
                })
            };
            let stream = self.deadline.hold(ConnectStep::Encrypt, &address, encrypt).await?;
            return Ok((Box::new(stream), peer));
        }
        // Without the feature no endpoint asks for TLS: its URL is refused.
        let _ = whose;
        Ok((Box::new(stream), peer))
    }

    /// What went wrong while an HTTP answer was awaited. The peer may refuse a client's certificate only then.
    fn fault(&self, address: &str, error: io::Error) -> ConnectError {
        let address = address.to_owned();
        #[cfg(feature = "tls")]
        if let Some(problem) = self.options.trust.problem(&error) {
            return ConnectError::Tls { address, problem };
        }
        ConnectError::NotABrowser { address, problem: error.to_string() }
    }
}
