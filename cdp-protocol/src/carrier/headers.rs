//! The request headers that a user adds for a hosted endpoint, and basic authentication: checked here, sent by others.

use crate::error::ConnectError;

/// Headers that carry the handshake or the message itself, and those that are a proxy's.
const OURS: &[&str] = &[
    "connection",
    "upgrade",
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "expect",
    "keep-alive",
];

/// A user name and a password. No `Debug`, on purpose.
#[derive(Clone)]
pub(crate) struct Credentials {
    user: String,
    password: String,
}

impl Credentials {
    pub(crate) fn new(user: String, password: String) -> Self {
        Self { user, password }
    }

    /// Decodes what stands before the `@` of a URL.
    pub(super) fn from_url(text: &str) -> Result<Self, String> {
        let (user, password) = text.split_once(':').unwrap_or((text, ""));
        let decoded = percent_decoded(user).zip(percent_decoded(password));
        let (user, password) = decoded
            .ok_or("its user name or password has a percent sign that is not followed by two hexadecimal digits of UTF-8")?;
        Ok(Self { user, password })
    }

    /// The value of an `Authorization` header (RFC 7617).
    pub(super) fn basic(&self) -> Result<String, String> {
        if self.user.contains(':') {
            return Err("the user name has a colon, which basic authentication can't carry".into());
        }
        if self.user.chars().chain(self.password.chars()).any(char::is_control) {
            return Err("the user name or the password has a control character".into());
        }
        let both = format!("{}:{}", self.user, self.password);
        Ok(format!("Basic {}", base64_simd::STANDARD.encode_to_string(both)))
    }
}

/// Headers that may be sent to the endpoint's own host, and nowhere else.
#[derive(Clone, Default)]
pub(super) struct Headers {
    /// In place of the host that would be sent.
    pub(super) host: Option<String>,
    /// All others, each with its line break.
    lines: String,
}

impl Headers {
    /// Checks what a user gave.
    pub(super) fn checked(
        given: &[(String, String)],
        credentials: Option<&Credentials>,
    ) -> Result<Self, ConnectError> {
        let mut headers = Self::default();
        let mut authorized = false;
        for (name, value) in given {
            let refuse = |problem: &str| {
                let setting = format!("header {name:?}");
                Err(ConnectError::Setting { setting, problem: problem.into() })
            };
            if name.is_empty() || !name.bytes().all(is_token) {
                return refuse("it is not the name of a header");
            }
            if value.chars().any(|c| c.is_control() && c != '\t') {
                return refuse("its value has a line break or another control character");
            }
            let lower = name.to_ascii_lowercase();
            if OURS.contains(&lower.as_str()) || lower.starts_with("sec-websocket-") {
                return refuse("it is a part of the handshake, which is not the user's");
            }
            if lower.starts_with("proxy-") {
                return refuse("headers never go to a proxy; its user name and password belong into its URL");
            }
            authorized |= lower == "authorization";
            if lower == "host" {
                if headers.host.replace(value.clone()).is_some() {
                    return refuse("it is given twice");
                }
            } else {
                headers.add(name, value);
            }
        }
        if let Some(credentials) = credentials {
            let refuse =
                |problem| ConnectError::Setting { setting: "user name and password".into(), problem };
            if authorized {
                return Err(refuse("an Authorization header is given as well".into()));
            }
            headers.add("Authorization", &credentials.basic().map_err(refuse)?);
        }
        Ok(headers)
    }

    pub(super) fn add(&mut self, name: &str, value: &str) {
        self.lines.extend([name, ": ", value, "\r\n"]);
    }

    /// The head of a request: `line` is method and target, `host` is sent unless the user gave one.
    pub(super) fn request(&self, line: &str, host: &str) -> String {
        let host = self.host.as_deref().unwrap_or(host);
        format!("{line} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", self.lines)
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        let mut digit = || -> Option<u8> { char::from(bytes.next()?).to_digit(16)?.try_into().ok() };
        decoded.push(if byte == b'%' { digit()? * 16 + digit()? } else { byte });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(given: &[(&str, &str)], credentials: Option<&str>) -> Result<Headers, ConnectError> {
        let given: Vec<_> =
            given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let credentials = credentials.map(|text| Credentials::from_url(text).unwrap());
        Headers::checked(&given, credentials.as_ref())
    }

    #[test]
    fn headers_and_credentials_stand_in_the_request_and_a_host_replaces_ours() {
        let headers =
            checked(&[("X-Key", "a b"), ("Origin", "https://o")], Some("ada:p%40ss%3a%C3%BC")).unwrap();
        // base64 of `ada:p@ss:ü`
        let expected = "GET / HTTP/1.1\r\nHost: h:1\r\nX-Key: a b\r\nOrigin: https://o\r\nAuthorization: Basic YWRhOnBAc3M6w7w=\r\n\r\n";
        assert_eq!(headers.request("GET /", "h:1"), expected);
        let headers = checked(&[("host", "other")], None).unwrap();
        assert_eq!(headers.request("GET /", "h:1"), "GET / HTTP/1.1\r\nHost: other\r\n\r\n");
    }

    #[test]
    fn what_would_break_the_handshake_is_refused_by_name_and_without_its_value() {
        type Given = &'static [(&'static str, &'static str)];
        let table: &[(Given, Option<&str>, &str)] = &[
            (&[("Connection", "SECRET")], None, "Connection"),
            (&[("UPGRADE", "SECRET")], None, "UPGRADE"),
            (&[("Sec-WebSocket-Protocol", "SECRET")], None, "Sec-WebSocket-Protocol"),
            (&[("Proxy-Authorization", "SECRET")], None, "never go to a proxy"),
            (&[("X", "SECRET\r\nY: z")], None, "line break"),
            (&[("X", "SECRET\0")], None, "control character"),
            (&[("X:", "SECRET")], None, "not the name"),
            (&[("", "SECRET")], None, "not the name"),
            (&[("a\r\nb", "SECRET")], None, "not the name"),
            (&[("Host", "SECRET"), ("host", "SECRET")], None, "twice"),
            (&[("authorization", "SECRET")], Some("ada:SECRET"), "as well"),
            (&[], Some("a%3ab:SECRET"), "colon"),
            (&[], Some("ada:SECRET%0a"), "control character"),
        ];
        for (given, credentials, words) in table {
            let error = checked(given, *credentials).err().unwrap();
            assert!(error.to_string().contains(words), "{error}");
            assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
        }
    }
}
