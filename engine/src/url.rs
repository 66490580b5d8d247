//! What people write for a URL, made into one that the browser can be asked for.

use crate::error::{Error, ErrorKind, Result, shown};

/// Schemes that a document can have.
const SCHEMES: [&str; 9] =
    ["http", "https", "about", "data", "blob", "file", "filesystem", "chrome", "view-source"];

/// A URL that the browser can be asked for. `localhost:8080` is what people type; what else has no scheme is relative to
/// `base`, if there is one.
pub(crate) fn checked(url: &str, base: Option<&str>) -> Result<String> {
    let host = url.split(['/', ':', '?', '#']).next().unwrap_or_default();
    if host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return Ok(format!("http://{url}"));
    }
    let scheme = url.trim_start().split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let what = match scheme.as_deref() {
        Some(scheme) if SCHEMES.contains(&scheme) => return Ok(url.to_owned()),
        Some(scheme) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            format!("no document has the scheme {scheme:?}")
        }
        _ if base.is_some() => return Ok(joined(base.unwrap_or_default(), url)),
        _ => "a URL needs a scheme, such as https://example.org/".to_owned(),
    };
    Err(Error::new(ErrorKind::Invalid, format!("{what}: {:?}", shown(url))))
}

/// Whether it is a whole URL of a server.
pub(crate) fn is_of_a_server(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, rest)| {
        ["http", "https"].contains(&scheme) && !rest.is_empty() && !rest.starts_with(['/', '?', '#'])
    })
}

/// Whether it is the origin of a server, with or without a slash at its end.
pub(crate) fn is_origin(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    is_of_a_server(url) && !rest.trim_end_matches('/').contains(['/', '?', '#', '@'])
}

/// A URL relative to another. What is above the root, and what has to be escaped, is left to the browser.
fn joined(base: &str, url: &str) -> String {
    let front = |end: &[char]| base.split(end).next().unwrap_or_default();
    let authority = base.find("://").map_or(0, |at| at + 3);
    let origin = base[authority..].find(['/', '?', '#']).map_or(base, |at| &base[..authority + at]);
    if url.starts_with("//") {
        return format!("{}{url}", &base[..authority.saturating_sub(2)]);
    }
    match url.chars().next() {
        None | Some('#') => format!("{}{url}", front(&['#'])),
        Some('?') => format!("{}{url}", front(&['?', '#'])),
        Some('/') => format!("{origin}{url}"),
        Some(_) => match front(&['?', '#'])[origin.len()..].rfind('/') {
            Some(slash) => format!("{}{url}", &base[..=origin.len() + slash]),
            None => format!("{origin}/{url}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_a_scheme_is_refused_with_advice() {
        for (url, text) in [
            ("example.org", "needs a scheme"),
            ("example.org:80/x", "needs a scheme"),
            ("/index.html", "needs a scheme"),
            ("", "needs a scheme"),
            ("foo://bar", "no document has the scheme \"foo\""),
            ("javascript:1", "no document has the scheme \"javascript\""),
        ] {
            let error = checked(url, None).unwrap_err();
            assert!(error.to_string().contains(text), "{url}: {error}");
        }
    }

    #[test]
    fn hosts_of_this_machine_need_no_scheme() {
        for (given, used) in [
            ("localhost:8080/a", "http://localhost:8080/a"),
            ("127.0.0.1", "http://127.0.0.1"),
            ("https://example.org", "https://example.org"),
            ("about:blank", "about:blank"),
            ("data:text/html,x", "data:text/html,x"),
        ] {
            assert_eq!(checked(given, None).unwrap(), used);
        }
    }

    #[test]
    fn an_origin_is_a_server_and_nothing_more() {
        for origin in ["http://h", "https://h:8443", "http://h/"] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in ["h", "ftp://h", "http://", "http:///a", "http://h/a", "http://h?a", "http://ada@h"] {
            assert!(!is_origin(other), "{other}");
        }
    }

    #[test]
    fn a_relative_url_is_one_below_the_base() {
        for (base, url, used) in [
            ("http://h/a/b?c#d", "e", "http://h/a/e"),
            ("http://h/a/b?c#d", "../e", "http://h/a/../e"),
            ("http://h/a/b?c#d", "/e?f", "http://h/e?f"),
            ("http://h/a/b?c#d", "?e", "http://h/a/b?e"),
            ("http://h/a/b?c#d", "#e", "http://h/a/b?c#e"),
            ("http://h/a/b?c#d", "", "http://h/a/b?c"),
            ("http://h/a/b?c#d", "//i/e", "http://i/e"),
            ("http://h:80", "e", "http://h:80/e"),
            ("http://h:80?x/y", "e", "http://h:80/e"),
            ("http://h/a", "https://i/e", "https://i/e"),
            ("http://h/a", "localhost:1/e", "http://localhost:1/e"),
        ] {
            assert_eq!(checked(url, Some(base)).unwrap(), used, "{url:?} below {base}");
        }
    }
}
