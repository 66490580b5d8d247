//! What a request tells its receiver in confidence. An error must not show it, though the receiver may repeat it: many a gateway
//! names the key that it refuses.

use std::cmp::Reverse;

use super::headers::percent_decoded;

/// Shorter ones can't be told from words that happen to be the same.
const SHORTEST: usize = 4;

/// Headers of ours, whose values everyone may know.
const OURS: &[&str] = &["host", "connection", "upgrade", "sec-websocket-version", "sec-websocket-key"];

/// The query of a request, the values of its headers, and what they consist of; longest first. No `Debug`, on purpose.
pub(super) struct Confided(Vec<String>);

impl Confided {
    /// Takes the head of a request apart.
    pub(super) fn to(request: &str) -> Self {
        let mut lines = request.lines();
        let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let mut found = Vec::new();
        if let Some((_, query)) = target.split_once('?') {
            found.push(query.to_owned());
            query.split('&').for_each(|part| add_value(&mut found, part));
        }
        let headers = lines.filter_map(|line| line.split_once(": "));
        for (name, value) in headers.filter(|(name, _)| !OURS.contains(&name.to_ascii_lowercase().as_str())) {
            found.push(value.to_owned());
            // The scheme of an authorization is no secret.
            let parts = if name.to_ascii_lowercase().ends_with("authorization") {
                value.split_once(' ').map_or(value, |(_, behind)| behind)
            } else {
                value
            };
            parts.split([' ', ';', ',']).for_each(|part| add_value(&mut found, part));
        }
        found.retain(|text| text.len() >= SHORTEST);
        // One may be a part of another.
        found.sort_by_key(|text| Reverse(text.len()));
        Self(found)
    }

    /// The text with `…` in the place of what was told in confidence.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "…"))
    }
}

/// What `name=value` or a value alone holds, as it stands and decoded.
fn add_value(found: &mut Vec<String>, part: &str) {
    let value = part.split_once('=').map_or(part, |(_, value)| value);
    found.extend([part, value].into_iter().filter_map(percent_decoded));
    found.extend([part, value].map(str::to_owned));
    // A user name and a password.
    let decoded = base64_simd::STANDARD.decode_to_vec(part).ok();
    if let Some((user, password)) =
        decoded.and_then(|text| String::from_utf8(text).ok()).as_deref().and_then(|text| text.split_once(':'))
    {
        found.extend([user, password].map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_request_confides_is_hidden_wherever_it_is_repeated() {
        // base64 of `ada1:p ss`
        let request = "GET /open?token=SE%43RET&key=other1 HTTP/1.1\r\nHost: host.example\r\nX-Key: keykey\r\n\
            Cookie: sid=cookie; b=1\r\nAuthorization: Basic YWRhMTpwIHNz\r\nConnection: Upgrade\r\n\r\n";
        let confided = Confided::to(request);
        let table = [
            ("no: token=SE%43RET&key=other1", "no: …"),
            ("bad SE%43RET, bad SECRET, bad other1", "bad …, bad …, bad …"),
            ("{\"keykey\"}, sid cookie.", "{\"…\"}, sid …."),
            ("YWRhMTpwIHNz is ada1 with p ss", "… is … with …"),
            ("Basic or Upgrade at host.example/open, 1", "Basic or Upgrade at host.example/open, 1"),
        ];
        for (text, hidden) in table {
            assert_eq!(confided.hidden_in(text), hidden);
        }
    }
}
