//! Takes an endpoint's URL apart, and says which websocket is meant by the one that a browser names. Connects to nothing.

use std::net::IpAddr;

use tungstenite::http::Uri;

use super::headers::Credentials;
use crate::error::ConnectError;

/// Where to connect, and how.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) kind: EndpointKind,
    /// Whether TLS is asked for: `wss`, `https`.
    pub(super) secure: bool,
    /// Name or address, without the brackets of IPv6.
    pub(super) host: String,
    pub(super) port: u16,
    /// At least `/`.
    pub(super) path: String,
    /// Behind the `?`.
    pub(super) query: Option<String>,
    /// `user:password@`, decoded.
    pub(super) credentials: Option<Credentials>,
}

/// Longest name of a host (RFC 1035, section 2.3.4).
const LONGEST_HOST: usize = 255;

const NO_HOST: &str =
    "it names no host; it must be like ws://127.0.0.1:9222/devtools/browser/… or http://127.0.0.1:9222";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointKind {
    /// `ws://`, `wss://`: the browser's websocket itself.
    Websocket,
    /// `http://`, `https://`: the browser's debugging port, which tells the websocket's URL.
    Discovery,
}

impl Endpoint {
    pub(super) fn parse(text: &str) -> Result<Self, ConnectError> {
        Self::read(text.trim())
            .map_err(|problem| ConnectError::Endpoint { endpoint: without_secrets(text), problem })
    }

    fn read(text: &str) -> Result<Self, String> {
        let behind_scheme = text.split_once("://").map(|(_, rest)| rest);
        if behind_scheme.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#'])) {
            return Err(NO_HOST.into());
        }
        let uri: Uri = text.parse().map_err(|error| format!("it is no URL: {error}"))?;
        let (kind, secure) = match uri.scheme_str() {
            Some("ws") => (EndpointKind::Websocket, false),
            Some("wss") => (EndpointKind::Websocket, true),
            Some("http") => (EndpointKind::Discovery, false),
            Some("https") => (EndpointKind::Discovery, true),
            Some(_) => return Err("its scheme is none of ws, wss, http and https".into()),
            None => return Err("it has no scheme, such as ws:// or http://".into()),
        };
        if secure && !cfg!(feature = "tls") {
            return Err("wss and https want TLS: build cdp-protocol with the feature `tls`".into());
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        if place.trim_end_matches(':') != uri.host().unwrap_or_default() && uri.port_u16().is_none() {
            return Err("its port is no number up to 65535".into());
        }
        let host = uri.host().unwrap_or_default();
        if !place.strip_prefix(host).is_some_and(|behind| behind.is_empty() || behind.starts_with(':')) {
            return Err("something stands between its host and its port".into());
        }
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(NO_HOST.into());
        }
        if host.len() > LONGEST_HOST {
            return Err("its host is longer than a name can be".into());
        }
        let credentials = user.map(Credentials::from_url).transpose()?;
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let path = if uri.path().is_empty() { "/" } else { uri.path() }.to_owned();
        let query = uri.query().map(str::to_owned);
        Ok(Self { kind, secure, host, port, path, query, credentials })
    }

    /// What stands behind the method in a request.
    pub(super) fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// What is asked for the websocket's URL: `/json/version` below the path, with the query, which may hold a token.
    pub(super) fn discovery_target(&self) -> String {
        let below = self.path.trim_end_matches('/').trim_end_matches("/json/version");
        let version = Self { path: format!("{below}/json/version"), ..self.clone() };
        version.target()
    }

    /// The value of a Host header: without a port that the scheme implies.
    pub(super) fn host_header(&self) -> String {
        let implied = if self.secure { 443 } else { 80 };
        let address = self.address();
        if self.port == implied {
            address.trim_end_matches(&format!(":{implied}")).to_owned()
        } else {
            address
        }
    }

    /// The websocket that is meant by `named`, which a browser names that was reached by this endpoint and has the address `peer`;
    /// also whether that is at the endpoint's own place, where its secrets may go.
    ///
    /// A browser names the address that it was asked by, or one that it believes to have. Behind the mapped port of a container
    /// that is often a loopback address; behind a gateway that does TLS it is one without TLS. In both cases path and query are
    /// taken and the rest is the endpoint's. Otherwise it is believed.
    pub(super) fn meant_by(&self, named: Self, peer: Option<IpAddr>) -> (Self, bool) {
        let unreachable = is_local(&named.host) && !is_local(&self.host);
        let mut meant = if unreachable || (self.secure && !named.secure) {
            Self { secure: self.secure, host: self.host.clone(), port: self.port, ..named }
        } else {
            named
        };
        let same_host = meant.host.eq_ignore_ascii_case(&self.host)
            || peer.is_some_and(|peer| meant.host.parse() == Ok(peer));
        let own = same_host && (meant.secure, meant.port) == (self.secure, self.port);
        if own {
            meant.query = meant.query.or_else(|| self.query.clone());
            meant.credentials = meant.credentials.or_else(|| self.credentials.clone());
        }
        (meant, own)
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
    // Further on it may be that of another URL, inside of a query.
    let is_scheme =
        |before: &str| before.trim_start().bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let (scheme, rest) = match text.find("://") {
        Some(at) if is_scheme(&text[..at]) => text.split_at(at + 3),
        _ => ("", text),
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
    // What stands where a port should be may be a password whose host was forgotten.
    let bracket = authority.rfind(']').unwrap_or(0);
    let authority = match authority[bracket..].split_once(':') {
        Some((before, port)) if port.bytes().any(|b| !b.is_ascii_digit()) => {
            format!("{}{before}:…", &authority[..bracket])
        }
        _ => authority,
    };
    match behind.find(['?', '#']) {
        Some(at) => format!("{scheme}{authority}{}{}…", &behind[..at], &behind[at..=at]),
        None => format!("{scheme}{authority}{behind}"),
    }
}

/// Whether a host stands for the machine itself, so that it means another machine to whoever reads it elsewhere.
fn is_local(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address.is_unspecified(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn urls_are_taken_apart() {
        use EndpointKind::{Discovery, Websocket};
        let table = [
            (
                "ws://127.0.0.1:9222/devtools/browser/1-2",
                Websocket,
                "127.0.0.1:9222",
                "/devtools/browser/1-2",
            ),
            ("http://localhost:9222", Discovery, "localhost:9222", "/"),
            ("http://localhost:9222?a=b", Discovery, "localhost:9222", "/?a=b"),
            ("ws://[::1]:9/x?token=a", Websocket, "[::1]:9", "/x?token=a"),
            ("http://browser", Discovery, "browser:80", "/"),
            (" ws://ada:x@h:1/ ", Websocket, "h:1", "/"),
            ("ws://ada:x@h", Websocket, "h:80", "/"),
        ];
        for (text, kind, address, target) in table {
            let endpoint = parse(text);
            assert_eq!((endpoint.kind, endpoint.secure), (kind, false), "{text}");
            assert_eq!(
                (endpoint.address().as_str(), endpoint.target().as_str()),
                (address, target),
                "{text}"
            );
        }
    }

    #[test]
    #[cfg(feature = "tls")]
    fn encrypted_endpoints_have_a_port_of_their_own() {
        let table = [
            ("wss://h/x", EndpointKind::Websocket, "h:443", "h"),
            ("https://h:444", EndpointKind::Discovery, "h:444", "h:444"),
            ("https://[::1]/", EndpointKind::Discovery, "[::1]:443", "[::1]"),
        ];
        for (text, kind, address, host) in table {
            let endpoint = parse(text);
            assert_eq!((endpoint.kind, endpoint.secure), (kind, true), "{text}");
            assert_eq!(
                (endpoint.address().as_str(), endpoint.host_header().as_str()),
                (address, host),
                "{text}"
            );
        }
    }

    #[test]
    #[cfg(not(feature = "tls"))]
    fn encrypted_endpoints_without_the_feature_say_what_to_do() {
        for text in ["wss://h/x", "https://h"] {
            let error = Endpoint::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("feature `tls`"), "{text}: {error}");
        }
    }

    #[test]
    fn discovery_asks_below_the_path_and_with_the_query() {
        let table = [
            ("http://h", "/json/version"),
            ("http://h/", "/json/version"),
            ("http://h/session/7/?token=a", "/session/7/json/version?token=a"),
            ("http://h/json/version", "/json/version"),
        ];
        for (text, target) in table {
            assert_eq!(parse(text).discovery_target(), target, "{text}");
        }
    }

    #[test]
    fn a_named_websocket_that_is_out_of_reach_is_looked_for_at_the_endpoint() {
        let table = [
            // Mapped ports and other loopback addresses, with the query of the endpoint unless there is one.
            ("http://browser:9222", "ws://127.0.0.1:1/d/1", "browser:9222/d/1", true),
            ("http://browser:9222", "ws://0.0.0.0/d/1?a", "browser:9222/d/1?a", true),
            ("http://10.0.0.9:9?t=1", "ws://localhost/d/1", "10.0.0.9:9/d/1?t=1", true),
            ("http://10.0.0.9:9?t=1", "ws://[::1]:9/d/1?u=2", "10.0.0.9:9/d/1?u=2", true),
            // On this machine a loopback address is as good as any.
            ("http://localhost:9222", "ws://127.0.0.1:1/d/1", "127.0.0.1:1/d/1", false),
            ("http://127.0.0.1:9?t=1", "ws://127.0.0.1:9/d/1", "127.0.0.1:9/d/1?t=1", true),
            // What was asked by its address, and another host, which gets no secret.
            ("http://browser:9222?t=1", "ws://10.1.1.1:9222/d/1", "10.1.1.1:9222/d/1?t=1", true),
            ("http://browser:9222?t=1", "ws://10.1.1.1:9223/d/1", "10.1.1.1:9223/d/1", false),
            ("http://ada:x@browser:9222?t=1", "ws://other:9222/d/1", "other:9222/d/1", false),
        ];
        for (endpoint, named, expected, own) in table {
            let peer = Some([10, 1, 1, 1].into());
            let (meant, is_own) = parse(endpoint).meant_by(parse(named), peer);
            assert_eq!(format!("{}{}", meant.address(), meant.target()), expected, "{endpoint} {named}");
            assert_eq!((is_own, meant.credentials.is_some()), (own, false), "{endpoint} {named}");
        }
    }

    #[test]
    #[cfg(feature = "tls")]
    fn a_named_websocket_is_never_less_secure_than_the_endpoint() {
        let table = [
            ("https://gate?t=1", "ws://inside:9222/d/1", "gate:443/d/1?t=1", true, true),
            ("https://gate?t=1", "wss://other/d/1", "other:443/d/1", true, false),
            ("https://gate", "wss://GATE/d/1", "GATE:443/d/1", true, true),
            ("http://gate:80", "wss://gate/d/1", "gate:443/d/1", true, false),
        ];
        for (endpoint, named, expected, secure, own) in table {
            let (meant, is_own) = parse(endpoint).meant_by(parse(named), None);
            assert_eq!(format!("{}{}", meant.address(), meant.target()), expected, "{endpoint} {named}");
            assert_eq!((meant.secure, is_own), (secure, own), "{endpoint} {named}");
        }
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let table = [
            ("ftp://h/x", "none of ws, wss, http and https"),
            ("127.0.0.1:9222", "no scheme"),
            ("ws://u:%zz@h/x", "percent"),
            ("ws://h:x/", "port"),
            ("ws://h:65536/", "port"),
            ("ws://u:p@h:65536/", "port"),
            ("ws://[::1]x:9/", "between its host and its port"),
            ("ws:// h", "no URL"),
            ("ws://", "no host; it must be like ws://"),
            ("http:///x", "no host"),
            ("http://?token=a", "no host"),
            ("http://:9222", "no host"),
            ("", "no URL"),
        ];
        for (text, words) in table {
            let error = Endpoint::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(words), "{text}: {error}");
        }
        let long = Endpoint::parse(&format!("ws://{}/", "h".repeat(256))).err().unwrap();
        assert!(long.to_string().contains("longer than a name"), "{long}");
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
            ("/login?next=SECRET", "/login?…"),
            ("/login?next=SECRET&to=https://h/", "/login?…"),
            ("ada:SECRET@h:9222/?to=https://h/", "…@h:9222/?…"),
            ("ws://ada:SECRET", "ws://ada:…"),
            ("ws://ada:SECRET:9/x", "ws://ada:…/x"),
            ("ws://[::1]/x", "ws://[::1]/x"),
            ("ws://[::1]:9/x", "ws://[::1]:9/x"),
            ("ftp://h/x", "ftp://h/x"),
        ];
        for (text, shown) in table {
            assert_eq!(without_secrets(text), shown, "{text}");
        }
        for text in ["ftp://ada:SECRET@h?SECRET", "ws://ada:SECRET%zz@h/", "ws://ada:SECRET@h:x/"] {
            let error = Endpoint::parse(text).err().unwrap();
            assert!(!format!("{error} {error:?}").contains("SECRET"), "{text}: {error}");
        }
    }
}
