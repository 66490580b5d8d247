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
        let refuse = |problem: &str| ConnectError::Endpoint {
            endpoint: without_secrets(text),
            problem: problem.into(),
        };
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
        let has_port = uri.authority().is_some_and(|it| it.as_str().trim_end_matches(':') != it.host());
        if has_port && uri.port_u16().is_none() {
            return Err(refuse("its port is no number up to 65535"));
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

/// The text of a URL that may be shown: `…` stands for user name and password, and for query and fragment, which may hold
/// a token. Works on text that is no URL as well, and then rather takes away too much.
pub(super) fn without_secrets(text: &str) -> String {
    let (scheme, rest) = match text.find("://") {
        Some(at) => text.split_at(at + 3),
        None => ("", text),
    };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(authority);
    if behind.contains('@') {
        // A password with a slash in it, or an address further on: nobody can tell.
        return format!("{scheme}…");
    }
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => authority.to_owned(),
    };
    match behind.find(['?', '#']) {
        Some(at) => format!("{scheme}{authority}{}{}…", &behind[..at], &behind[at..=at]),
        None => format!("{scheme}{authority}{behind}"),
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
            ("ws://h:x/", "port"),
            ("ws://h:65536/", "port"),
            ("ws:// h", "no URL"),
            ("", "no URL"),
        ];
        for (text, words) in table {
            let error = Endpoint::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn what_may_be_secret_is_not_repeated() {
        let table = [
            ("ws://ada:SECRET@h:9/x", "ws://…@h:9/x"),
            ("wss://h/devtools?token=SECRET", "wss://h/devtools?…"),
            ("wss://SECRET@h/x?SECRET", "wss://…@h/x?…"),
            ("https://h?token=SECRET#SECRET", "https://h?…"),
            ("https://h/#SECRET", "https://h/#…"),
            ("ada:SECRET@h:9222", "…@h:9222"),
            ("ws://ada:SECRET/SECRET@h/", "ws://…"),
            ("wss://ada:SECRET?SECRET@h/", "wss://…"),
            ("ws:// h?token=SECRET", "ws:// h?…"),
            ("ftp://h/x", "ftp://h/x"),
        ];
        for (text, shown) in table {
            let error = Endpoint::parse(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("SECRET"), "{text}: {error}");
            assert!(error.to_string().contains(&format!("{shown:?}")), "{text}: {error}");
        }
    }
}
