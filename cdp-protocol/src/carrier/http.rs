//! One HTTP/1.1 GET: all that a browser's debugging port is asked for before the websocket. Not an HTTP client: no redirects, no
//! cookies, no kept connections.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Larger answers than this are no browser's.
const MAX_ANSWER: usize = 1024 * 1024;

/// What a server answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The status and the body's first line, for an error.
    pub(super) fn summary(&self) -> String {
        let body = String::from_utf8_lossy(&self.body);
        let line: String = body.lines().next().unwrap_or_default().trim().chars().take(200).collect();
        if line.is_empty() {
            format!("HTTP status {}", self.status)
        } else {
            format!("HTTP status {}: {line}", self.status)
        }
    }
}

/// Asks for `path` with `host` as the Host header and reads the answer whole.
pub(super) async fn get<S>(stream: &mut S, host: &str, path: &str) -> io::Result<Answer>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    loop {
        if let Some(answer) = parse(&bytes, false)? {
            return Ok(answer);
        }
        if bytes.len() > MAX_ANSWER {
            return Err(invalid("the answer is larger than 1 MiB"));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return parse(&bytes, true)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Reads an answer; `None` when more must come. `ended` says that nothing more comes.
fn parse(bytes: &[u8], ended: bool) -> io::Result<Option<Answer>> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let (head, rest) = bytes.split_at(end);
    let body = rest.get(4..).unwrap_or_default();
    let head = str::from_utf8(head).map_err(|_| invalid("the answer's head is not text"))?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.")).and_then(|line| line.get(2..5));
    let status =
        status.and_then(|status| status.parse().ok()).ok_or_else(|| invalid("the answer is not HTTP/1.1"))?;
    let header = |name: &str| {
        let mut headers = lines.clone().filter_map(|line| line.split_once(':'));
        headers.find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let body = if header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        unchunk(body)?
    } else if let Some(length) = header("content-length") {
        let length: usize = length.parse().map_err(|_| invalid("the answer's length is no number"))?;
        body.get(..length).map(<[u8]>::to_vec)
    } else {
        ended.then(|| body.to_vec())
    };
    Ok(body.map(|body| Answer { status, body }))
}

fn unchunk(mut rest: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    loop {
        let Some(end) = memchr::memmem::find(rest, b"\r\n") else { return Ok(None) };
        let (size, after) = rest.split_at(end);
        let size = str::from_utf8(size).ok().and_then(|size| size.split(';').next());
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
        let size =
            size.filter(|size| *size <= MAX_ANSWER).ok_or_else(|| invalid("a chunk has no valid size"))?;
        if size == 0 {
            return Ok(Some(body));
        }
        let Some(chunk) = after.get(2..size + 2) else { return Ok(None) };
        body.extend_from_slice(chunk);
        match after.get(size + 2..).and_then(|rest| rest.get(2..)) {
            Some(next) => rest = next,
            None => return Ok(None),
        }
    }
}

fn invalid(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_whole_in_each_of_their_three_forms() {
        let table: &[(&str, bool)] = &[
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", false),
            (
                "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n",
                false,
            ),
            ("HTTP/1.0 200 OK\r\n\r\n{}", true),
        ];
        for (text, ended) in table {
            let expected = Answer { status: 200, body: b"{}".to_vec() };
            assert_eq!(parse(text.as_bytes(), *ended).unwrap(), Some(expected), "{text}");
            if !ended {
                let last = text.len() - if text.contains("chunked") { 4 } else { 1 };
                for cut in 0..last {
                    assert_eq!(parse(&text.as_bytes()[..cut], false).unwrap(), None, "{text} cut at {cut}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_http_is_an_error() {
        for text in ["SSH-2.0\r\n\r\n", "HTTP/1.1 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"]
        {
            assert!(parse(text.as_bytes(), true).is_err(), "{text}");
        }
    }

    #[test]
    fn a_summary_shows_the_first_line_only() {
        let answer = Answer { status: 500, body: b"Host header is wrong\nmore".to_vec() };
        assert_eq!(answer.summary(), "HTTP status 500: Host header is wrong");
    }
}
