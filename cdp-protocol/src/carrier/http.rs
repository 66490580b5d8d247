//! Answers of HTTP/1.1, as far as connecting wants them: heads, bodies, and what an error shows of them. Not an HTTP client: no
//! redirects, no cookies, no kept connections.

use std::io;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tungstenite::http::StatusCode;

use super::confided::Confided;
use super::endpoint::without_secrets;
use crate::shown::shown;

/// Longest head that is waited for, with the heads of interim answers before it.
const MAX_HEAD: usize = 64 * 1024;
const MAX_HEADERS: usize = 128;

/// Larger bodies than this are no browser's.
const MAX_BODY: usize = 1024 * 1024;

/// How much of a refusal's body is waited for, and how long: it only makes the error clearer.
const EXCERPT: usize = 8 * 1024;
const EXCERPT_TIME: Duration = Duration::from_secs(1);

/// An answer whose head was read; its body may be yet to come.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Whether it is of HTTP/1.1, and not older.
    pub(super) is_current: bool,
    headers: Vec<(String, String)>,
    /// What it may repeat and no error may show.
    confided: Confided,
    /// What was read behind the head.
    pub(super) behind: BytesMut,
}

/// Sends the head of a request and reads that of its answer.
///
/// # Errors
///
/// The carrier's, and of the kind `InvalidData` or `UnexpectedEof` with words on what is wrong with the answer.
pub(super) async fn ask<S>(stream: &mut S, request: &str) -> io::Result<Answer>
where
    S: AsyncRead + AsyncWrite + Unpin + ?Sized,
{
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut bytes = BytesMut::new();
    let mut passed = 0;
    loop {
        while let Some((answer, length)) = parse_head(&bytes)? {
            bytes.advance(length);
            passed += length;
            // Interim answers may come before the one that counts (RFC 9110, section 15.2); 101 is final.
            if answer.status == 101 || answer.status >= 200 {
                return Ok(Answer { behind: bytes, confided: Confided::to(request), ..answer });
            }
        }
        if passed + bytes.len() > MAX_HEAD {
            return Err(invalid("the answer's head is longer than 64 KiB"));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            let words = if passed + bytes.len() == 0 {
                "it hung up without an answer"
            } else {
                "it hung up in the middle of its answer's head"
            };
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, words));
        }
    }
}

impl Answer {
    /// The value of a header, if it is there and is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Whether one of the elements that a header lists, in all its lines, is this one.
    pub(super) fn lists(&self, name: &str, element: &str) -> bool {
        let mut lines = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        lines.any(|(_, value)| value.split(',').any(|it| it.trim().eq_ignore_ascii_case(element)))
    }

    /// Reads the body whole.
    pub(super) async fn body<S>(&mut self, stream: &mut S) -> io::Result<Vec<u8>>
    where
        S: AsyncRead + Unpin + ?Sized,
    {
        loop {
            if let Body { bytes, whole: true } = self.decoded()? {
                return Ok(bytes);
            }
            if self.behind.len() > MAX_BODY {
                return Err(invalid("the answer is larger than 1 MiB"));
            }
            if stream.read_buf(&mut self.behind).await? == 0 {
                if self.framing()? == Framing::UntilEnd {
                    return Ok(self.behind.to_vec());
                }
                let words = "it hung up in the middle of its answer's body";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, words));
            }
        }
    }

    /// What an error shows of an answer that is not the one hoped for: status, where it redirects to, and the first line of as
    /// much of its body as comes soon.
    pub(super) async fn refusal<S>(mut self, stream: &mut S) -> String
    where
        S: AsyncRead + Unpin + ?Sized,
    {
        let read = async {
            while self.behind.len() < EXCERPT && !self.decoded().is_ok_and(|body| body.whole) {
                if !matches!(stream.read_buf(&mut self.behind).await, Ok(1..)) {
                    return;
                }
            }
        };
        // In time or not, what has come is shown.
        let _ = timeout(EXCERPT_TIME, read).await;
        self.summary()
    }

    /// What an error shows of an answer, as far as it was read.
    pub(super) fn summary(&self) -> String {
        let known = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        let mut summary = format!("HTTP status {}", self.status);
        if let Some(known) = known {
            summary.extend([" ", known]);
        }
        if let (300..=399, Some(target)) = (self.status, self.header("location")) {
            summary.extend([", a redirect to ", &self.shown(&without_secrets(target))]);
        }
        let body = self.decoded().map(|body| body.bytes).unwrap_or_default();
        let body = String::from_utf8_lossy(&body);
        let line = self.shown(body.trim_start().lines().next().unwrap_or_default());
        if !line.is_empty() {
            summary.extend([": ", &line]);
        }
        summary
    }

    /// A part of this that is fit to be shown: without what the request said in confidence.
    fn shown(&self, text: &str) -> String {
        // Hidden before it is cut, since a part of a secret is one as well.
        shown(&self.confided.hidden_in(text))
    }

    fn framing(&self) -> io::Result<Framing> {
        if matches!(self.status, 100..=199 | 204 | 304) {
            return Ok(Framing::Length(0));
        }
        if self.lists("transfer-encoding", "chunked") {
            return Ok(Framing::Chunked);
        }
        match self.header("content-length").map(|length| length.trim().parse()) {
            Some(Ok(length)) => Ok(Framing::Length(length)),
            Some(Err(_)) => Err(invalid("the answer's length is no number")),
            None => Ok(Framing::UntilEnd),
        }
    }

    /// As much of the body as has come.
    fn decoded(&self) -> io::Result<Body> {
        let raw = &self.behind[..];
        match self.framing()? {
            Framing::Length(length) => {
                let bytes = raw.get(..length).unwrap_or(raw).to_vec();
                Ok(Body { whole: bytes.len() == length, bytes })
            }
            Framing::Chunked => unchunked(raw),
            Framing::UntilEnd => Ok(Body { bytes: raw.to_vec(), whole: false }),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
    /// The body ends with the stream.
    UntilEnd,
}

struct Body {
    bytes: Vec<u8>,
    whole: bool,
}

/// Reads a head; returns it with its length, or `None` when more must come.
fn parse_head(bytes: &[u8]) -> io::Result<Option<(Answer, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(invalid("the answer has more than 128 headers")),
        // An alert (RFC 8446, section 5.1), which a server of TLS sends to whoever speaks something else.
        Err(_) if matches!(bytes, [0x15] | [0x15, 3, ..]) => {
            return Err(invalid("it answers in TLS, which wss:// and https:// ask for"));
        }
        Err(_) => return Err(invalid("the answer is not HTTP/1")),
    };
    let text = |header: &httparse::Header<'_>| {
        (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
    };
    let answer = Answer {
        status: head.code.unwrap_or_default(),
        is_current: head.version == Some(1),
        headers: head.headers.iter().map(text).collect(),
        confided: Confided::to(""),
        behind: BytesMut::new(),
    };
    Ok(Some((answer, length)))
}

fn unchunked(mut rest: &[u8]) -> io::Result<Body> {
    let mut bytes = Vec::new();
    loop {
        let size = httparse::parse_chunk_size(rest).map_err(|_| invalid("a chunk has no valid size"))?;
        let httparse::Status::Complete((start, size)) = size else {
            return Ok(Body { bytes, whole: false });
        };
        if size == 0 {
            return Ok(Body { bytes, whole: true });
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BODY);
        let size = size.ok_or_else(|| invalid("a chunk is larger than 1 MiB"))?;
        let chunk = &rest[start..];
        bytes.extend_from_slice(&chunk[..size.min(chunk.len())]);
        // Behind a chunk stands a line break.
        match chunk.get(size..) {
            Some([b'\r', b'\n', next @ ..]) => rest = next,
            Some([] | [b'\r']) | None => return Ok(Body { bytes, whole: false }),
            Some(_) => return Err(invalid("a chunk does not end where it should")),
        }
    }
}

fn invalid(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str) -> io::Result<(u16, Vec<u8>)> {
        // The stream gives what it is told to, takes the request, and ends.
        let mut stream = tokio::io::join(text.as_bytes(), tokio::io::sink());
        let mut answer = ask(&mut stream, "").await?;
        Ok((answer.status, answer.body(&mut stream).await?))
    }

    async fn refusal(text: &str) -> String {
        let mut stream = tokio::io::join(text.as_bytes(), tokio::io::sink());
        ask(&mut stream, "").await.unwrap().refusal(&mut stream).await
    }

    #[tokio::test]
    async fn bodies_are_read_whole_in_each_of_their_forms_and_never_cut() {
        let table = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true),
            ("HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\n{}more", false),
            ("HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n0\r\n",
                true,
            ),
            ("HTTP/1.0 200 OK\r\n\r\n{}", false),
        ];
        for (text, ends_here) in table {
            assert_eq!(read(text).await.unwrap(), (200, b"{}".to_vec()), "{text}");
            for cut in (0..text.len()).filter(|_| ends_here) {
                let error = read(&text[..cut]).await.unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{text} cut at {cut}");
            }
        }
    }

    #[tokio::test]
    async fn what_is_no_http_or_too_much_of_it_is_an_error() {
        let table = [
            ("SSH-2.0\r\n\r\n".into(), "not HTTP/1"),
            ("HTTP/1.1 x\r\n\r\n".into(), "not HTTP/1"),
            ("\x15".into(), "answers in TLS, which wss://"),
            ("\x15\x03\x01\x00\x02\x02\x46".into(), "answers in TLS, which wss://"),
            ("\x15\x04".into(), "not HTTP/1"),
            ("HTTP/2 200\r\n\r\n".into(), "not HTTP/1"),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n".into(), "no number"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n".into(), "no valid size"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc".into(), "where it should"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n".into(), "larger than 1 MiB"),
            (format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(MAX_BODY + 1)), "larger than 1 MiB"),
            (format!("HTTP/1.1 200 OK\r\nA: {}", "x".repeat(MAX_HEAD + 1)), "longer than 64 KiB"),
            ("HTTP/1.1 103 Hints\r\n\r\n".repeat(4000), "longer than 64 KiB"),
            (format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(129)), "more than 128"),
        ];
        for (text, words) in table {
            let error = read(&text).await.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[tokio::test]
    async fn a_refusal_shows_status_target_and_first_line() {
        let long = format!("HTTP/1.1 502 No\r\n\r\n{}", "y".repeat(10_000));
        let cut = format!("HTTP status 502 Bad Gateway: {}", "y".repeat(200));
        let table = [
            (
                "HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nsay\nwhy\n\n",
                "HTTP status 500 Internal Server Error: say",
            ),
            (
                "HTTP/1.1 403 No\r\n\r\n\r\n \x1b[31mred\x07\u{85}\r\nmore",
                "HTTP status 403 Forbidden: [31mred",
            ),
            ("HTTP/1.1 403 No\r\nContent-Length: 90\r\n\r\nhung up", "HTTP status 403 Forbidden: hung up"),
            (
                "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhun",
                "HTTP status 404 Not Found: hun",
            ),
            (
                "HTTP/1.1 302 Found\r\nLocation: https://a:SECRET@h/x?SECRET\r\nContent-Length: 0\r\n\r\n",
                "HTTP status 302 Found, a redirect to https://…@h/x?…",
            ),
            ("HTTP/1.1 599 Own\r\n\r\n", "HTTP status 599"),
            (&long, &cut),
        ];
        for (text, expected) in table {
            assert_eq!(refusal(text).await, expected, "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_whose_body_never_comes_is_told_after_a_second() {
        let (mut stream, mut peer) = tokio::io::duplex(1024);
        peer.write_all(b"HTTP/1.1 403 No\r\nContent-Length: 90\r\n\r\nbeg").await.unwrap();
        let start = tokio::time::Instant::now();
        let answer = ask(&mut stream, "x").await.unwrap();
        assert_eq!(answer.refusal(&mut stream).await, "HTTP status 403 Forbidden: beg");
        assert_eq!(start.elapsed().as_secs(), 1);
    }
}
