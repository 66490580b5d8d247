//! Takes an endpoint's URL apart. Connects to nothing.

use tokio_tungstenite::tungstenite::http::Uri;

use crate::error::ConnectError;

/// Where to connect, and how.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) kind: EndpointKind,
    /// Name or address, without the brackets of IPv6.
    pub(super) host: String,
    pub(super) port: u16,
    /// Path and query, at least `/`.
    pub(super) path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointKind {
    /// `ws://`: the browser's websocket itself.
    Websocket,
    /// `http://`: the browser's debugging port, which tells the websocket's URL.
    Discovery,
}

impl Endpoint {
    pub(super) fn parse(text: &str) -> Result<Self, ConnectError> {
        let refuse =
            |problem: &str| ConnectError::Endpoint { endpoint: text.into(), problem: problem.into() };
        let uri: Uri = text.trim().parse().map_err(|error| refuse(&format!("it is no URL: {error}")))?;
        let kind = match uri.scheme_str() {
            Some("ws") => EndpointKind::Websocket,
            Some("http") => EndpointKind::Discovery,
            Some("wss" | "https") => {
                return Err(refuse("encrypted endpoints (wss, https) are not supported yet"));
            }
            Some(_) => return Err(refuse("its scheme is neither ws nor http")),
            None => return Err(refuse("it has no scheme, such as ws:// or http://")),
        };
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(refuse("a user name or password in it is not supported yet"));
        }
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(refuse("it names no host"));
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { kind, host, port: uri.port_u16().unwrap_or(80), path })
    }

    /// Host and port as a person reads them.
    pub(super) fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let table = [
            (
                "ws://127.0.0.1:9222/devtools/browser/1-2",
                EndpointKind::Websocket,
                "127.0.0.1",
                9222,
                "/devtools/browser/1-2",
            ),
            ("http://localhost:9222", EndpointKind::Discovery, "localhost", 9222, "/"),
            ("ws://[::1]:9/x?token=a", EndpointKind::Websocket, "::1", 9, "/x?token=a"),
            ("http://browser", EndpointKind::Discovery, "browser", 80, "/"),
        ];
        for (text, kind, host, port, path) in table {
            let expected = Endpoint { kind, host: host.into(), port, path: path.into() };
            assert_eq!(Endpoint::parse(text).unwrap(), expected, "{text}");
        }
        assert_eq!(Endpoint::parse("ws://[::1]:9/").unwrap().address(), "[::1]:9");
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let table = [
            ("wss://h/x", "not supported yet"),
            ("https://h/x", "not supported yet"),
            ("ftp://h/x", "neither ws nor http"),
            ("127.0.0.1:9222", "no scheme"),
            ("ws://u:secret@h/x", "password"),
            ("ws:// h", "no URL"),
            ("", "no URL"),
        ];
        for (text, words) in table {
            let error = Endpoint::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
