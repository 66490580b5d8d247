//! The way through an HTTP proxy: CONNECT, for every endpoint. Which proxy, the user says; no environment variable is read.

use tokio::net::TcpStream;

use super::dial::{Deadline, dial};
use super::endpoint::{Endpoint, without_secrets};
use super::headers::Headers;
use super::http;
use crate::error::{ConnectError, ConnectStep};

/// A proxy that stands between.
pub(super) struct Proxy {
    host: String,
    port: u16,
    /// Both, as errors show them.
    address: String,
    /// Its own credentials and nothing else.
    headers: Headers,
}

impl Proxy {
    pub(super) fn parse(text: &str) -> Result<Self, ConnectError> {
        let refuse = |problem: String| ConnectError::Setting {
            setting: format!("proxy {:?}", without_secrets(text)),
            problem,
        };
        let scheme = text.trim_start().get(..7).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("http://") {
            let problem =
                "it must be of the form http://host:port; proxies by TLS or SOCKS are not supported";
            return Err(refuse(problem.into()));
        }
        let parsed = Endpoint::parse(text).map_err(|error| match error {
            ConnectError::Endpoint { problem, .. } => refuse(problem),
            other => other,
        })?;
        let mut headers = Headers::default();
        if let Some(credentials) = &parsed.credentials {
            headers.add("Proxy-Authorization", &credentials.basic().map_err(refuse)?);
        }
        Ok(Self { address: parsed.address(), host: parsed.host, port: parsed.port, headers })
    }

    /// A stream to `target`, which is host and port.
    pub(super) async fn tunnel(&self, target: &str, deadline: Deadline) -> Result<TcpStream, ConnectError> {
        let proxy = self.address.as_str();
        let refused = |status, problem: String| ConnectError::Proxy {
            proxy: proxy.to_owned(),
            address: target.to_owned(),
            status,
            problem,
        };
        let refuse = |problem| refused(None, problem);
        let reached = dial(&self.host, self.port, proxy, deadline).await;
        let mut stream = reached.map_err(|error| match error {
            ConnectError::Unreachable { source, .. } => refuse(format!("can't connect to it: {source}")),
            other => other,
        })?;
        let ask = async {
            let request = self.headers.request(&format!("CONNECT {target}"), target);
            let answer = http::ask(&mut stream, &request).await.map_err(|error| refuse(error.to_string()))?;
            if !(200..300).contains(&answer.status) {
                return Err(refused(Some(answer.status), answer.refusal(&mut stream).await));
            }
            if !answer.behind.is_empty() {
                // Neither HTTP nor TLS lets a server speak first, so these bytes are the proxy's.
                return Err(refuse("it sent more than the head of its answer".into()));
            }
            Ok(())
        };
        deadline.hold(ConnectStep::Tunnel, proxy, ask).await?;
        Ok(stream)
    }
}
