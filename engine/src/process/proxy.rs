//! What may be named as a proxy. One that Chromium can't read it does without, silently, so that is found here. Pure.

use crate::process::LaunchError;

/// Refuses what is no address of a proxy, or one with a secret in it.
pub(crate) fn check(server: &str) -> Result<(), LaunchError> {
    let refused = |why| Err(LaunchError::ProxyRefused { why });
    if server.contains('@') {
        return refused(
            "the browser has no use for a user name and a password in it, and a command line is for all to read: name \
             the server without them",
        );
    }
    let (scheme, address) = server.split_once("://").unwrap_or(("http", server));
    if !["http", "https", "socks4", "socks5"].contains(&scheme) {
        return refused("its scheme is to be http, https, socks4 or socks5");
    }
    // The colons of an IPv6 address stand in brackets.
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (address, None),
    };
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_[]:".contains(c));
    if !is_host || port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return refused("it is to be scheme://host:port, or host:port for one of the scheme http");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Launcher;

    #[test]
    fn a_proxy_that_the_browser_would_do_without_is_refused() {
        for server in ["http://h:8080", "h:8080", "https://h.example", "[::1]", "socks4://10.0.0.1:1"] {
            assert!(check(server).is_ok(), "{server}");
        }
        for (server, words) in [
            ("http://ada:hunter2@h:8080", "without them"),
            ("ada:hunter2@h", "without them"),
            ("ftp://h:8080", "socks5"),
            ("h:eighty", "host:port"),
            ("h:65536", "host:port"),
            ("http://", "host:port"),
            ("http=h:1;https=h:2", "host:port"),
            ("http://h:1/path", "host:port"),
            ("", "host:port"),
        ] {
            let text = check(server).unwrap_err().to_string();
            assert!(text.contains(words) && !text.contains("hunter2"), "{server}: {text}");
            let launcher = Launcher::new().proxy(server);
            assert!(!format!("{launcher:?}").contains("hunter2"), "{launcher:?}");
        }
    }
}
