//! Connects to a browser that someone else runs: discovery over HTTP, then the websocket. Every step is inside one deadline.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::driver;
use super::endpoint::{Endpoint, EndpointKind, without_secrets};
use super::http;
use super::outgoing::Outgoing;
use super::shared::Shared;
use super::upgrade::upgrade;
use crate::envelope;
use crate::error::ConnectError;
use crate::settings::Settings;
use crate::wire::{Decoder, Encoder, Masking};

/// What a user may say of the way to a browser.
#[derive(Clone, Debug)]
pub(crate) struct ConnectOptions {
    /// How long connecting may take in all.
    pub(crate) timeout: Duration,
    pub(crate) settings: Settings,
}

impl Default for ConnectOptions {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), settings: Settings::default() }
    }
}

/// Connects to a `ws://` endpoint, or to the one that an `http://` endpoint names.
pub(crate) async fn connect(endpoint: &str, options: &ConnectOptions) -> Result<Arc<Shared>, ConnectError> {
    let parsed = Endpoint::parse(endpoint)?;
    let address = parsed.address();
    let connected = timeout(options.timeout, async {
        match parsed.kind {
            EndpointKind::Websocket => websocket(&parsed, options).await,
            EndpointKind::Discovery => discover(&parsed, options).await,
        }
    });
    connected.await.unwrap_or(Err(ConnectError::TimedOut { address, seconds: options.timeout.as_secs() }))
}

async fn discover(endpoint: &Endpoint, options: &ConnectOptions) -> Result<Arc<Shared>, ConnectError> {
    let (mut stream, peer) = dial(endpoint).await?;
    // Chromium answers only if the Host header is an address or localhost, which the name of a container is not.
    let host = if endpoint.host == "localhost" { endpoint.address() } else { peer.to_string() };
    let path = format!("{}/json/version", endpoint.path.trim_end_matches('/'));
    let refuse = |problem| ConnectError::NotABrowser { address: endpoint.address(), problem };
    let answer = http::get(&mut stream, &host, &path).await.map_err(|error| refuse(error.to_string()))?;
    if answer.status != 200 {
        return Err(refuse(answer.summary()));
    }
    let url = envelope::text_field(&answer.body, "webSocketDebuggerUrl")
        .ok_or_else(|| refuse("its /json/version names no webSocketDebuggerUrl".into()))?;
    let found = Endpoint::parse(&url)?;
    if found.kind != EndpointKind::Websocket {
        let url = without_secrets(&url);
        return Err(refuse(format!("its /json/version names {url:?}, which is no websocket")));
    }
    let shared = websocket(&found, options).await?;
    if let Some(product) = envelope::text_field(&answer.body, "Browser") {
        shared.mux().set_browser(&product);
    }
    Ok(shared)
}

async fn websocket(endpoint: &Endpoint, options: &ConnectOptions) -> Result<Arc<Shared>, ConnectError> {
    let (stream, peer) = dial(endpoint).await?;
    let url = format!("ws://{}{}", endpoint.address(), endpoint.path);
    let (stream, behind) = upgrade(stream, &url)
        .await
        .map_err(|problem| ConnectError::NotABrowser { address: endpoint.address(), problem })?;
    // Nothing can stand between on loopback, so there is nobody to mask for.
    let masking = if peer.ip().is_loopback() { Masking::Zero } else { Masking::Random };
    let (reads, writes) = stream.into_split();
    let outgoing = Outgoing::new(Encoder::ws(masking), Box::new(writes));
    let settings = options.settings.clone();
    Ok(driver::start(Box::new(reads), Decoder::ws(settings.limits.clone()), behind, outgoing, settings))
}

async fn dial(endpoint: &Endpoint) -> Result<(TcpStream, SocketAddr), ConnectError> {
    let unreachable = |source| ConnectError::Unreachable { address: endpoint.address(), source };
    let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await.map_err(unreachable)?;
    // A call is one small write; waiting to fill a packet would cost a round trip.
    stream.set_nodelay(true).map_err(unreachable)?;
    let peer = stream.peer_addr().map_err(unreachable)?;
    Ok((stream, peer))
}
