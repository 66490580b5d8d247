//! A blocking connection over a websocket or a pipe: one buffer that is used again, messages as ranges of it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Range;

/// Smallest read, and the buffer's first size.
const READ: usize = 128 << 10;

pub enum Carrier {
    Websocket(TcpStream),
    Pipe { reads: File, writes: File },
}

pub struct Connection {
    carrier: Carrier,
    pub buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes behind `start` in which there is no end of a record.
    scanned: usize,
    last_id: u64,
}

impl Connection {
    /// Connects to a `ws://` endpoint, or takes over descriptors 3 and 4 when it is `pipe`.
    pub fn open(endpoint: &str) -> Connection {
        if endpoint != "pipe" {
            return Connection::over(Carrier::Websocket(upgraded(endpoint)));
        }
        let open = |options: &mut OpenOptions, path: &str| options.open(path).expect("a pipe as descriptor");
        Connection::over(Carrier::Pipe {
            reads: open(OpenOptions::new().read(true), "/proc/self/fd/4"),
            writes: open(OpenOptions::new().write(true), "/proc/self/fd/3"),
        })
    }

    pub fn over(carrier: Carrier) -> Connection {
        Connection { carrier, buffer: vec![0; READ], start: 0, end: 0, scanned: 0, last_id: 0 }
    }

    /// Appends one command to `out` as it goes over the wire.
    pub fn frame(&self, json: &[u8], out: &mut Vec<u8>) {
        const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
        if let Carrier::Pipe { .. } = self.carrier {
            out.extend_from_slice(json);
            out.push(0);
            return;
        }
        out.push(0x81);
        match json.len() {
            length @ ..126 => out.push(0x80 | length as u8),
            length @ ..65536 => {
                out.push(0x80 | 126);
                out.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                out.push(0x80 | 127);
                out.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        out.extend_from_slice(&MASK);
        out.extend(json.iter().enumerate().map(|(at, byte)| byte ^ MASK[at & 3]));
    }

    pub fn send(&mut self, bytes: &[u8]) {
        match &mut self.carrier {
            Carrier::Websocket(socket) => socket.write_all(bytes),
            Carrier::Pipe { writes, .. } => writes.write_all(bytes),
        }
        .expect("the peer takes what is sent");
    }

    /// The next message, a range of `buffer` until the next call.
    pub fn next(&mut self) -> Range<usize> {
        loop {
            match self.complete() {
                Ok((message, end)) => {
                    self.scanned = 0;
                    self.start = end;
                    return message;
                }
                Err(needed) => self.fill(needed),
            }
        }
    }

    /// Whether another whole message is in the buffer.
    pub fn has_next(&mut self) -> bool {
        self.complete().is_ok()
    }

    /// A whole message and where the next one begins, or how many bytes it needs at least.
    fn complete(&mut self) -> Result<(Range<usize>, usize), usize> {
        let bytes = &self.buffer[self.start..self.end];
        if let Carrier::Pipe { .. } = self.carrier {
            let Some(at) = memchr::memchr(0, &bytes[self.scanned..]) else {
                self.scanned = bytes.len();
                return Err(bytes.len() + 1);
            };
            let end = self.start + self.scanned + at;
            return Ok((self.start..end, end + 1));
        }
        let [first, second, rest @ ..] = bytes else { return Err(2) };
        assert!(*first == 0x81, "expected a whole text message, not a ws frame that starts with {first:#x}");
        let (head, length) = match second {
            126 => (4, usize::from(u16::from_be_bytes(*rest.first_chunk().ok_or(4_usize)?))),
            127 => (10, u64::from_be_bytes(*rest.first_chunk().ok_or(10_usize)?) as usize),
            length => (2, usize::from(*length)),
        };
        if bytes.len() < head + length {
            return Err(head + length);
        }
        let (start, end) = (self.start + head, self.start + head + length);
        Ok((start..end, end))
    }

    fn fill(&mut self, needed: usize) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.start + needed > self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if needed > self.buffer.len() {
                // The length of a record is not known beforehand.
                let size =
                    if let Carrier::Pipe { .. } = self.carrier { needed.next_power_of_two() } else { needed };
                self.buffer.reserve_exact(size - self.buffer.len());
                self.buffer.resize(size, 0);
            }
        }
        let room = &mut self.buffer[self.end..];
        let read = match &mut self.carrier {
            Carrier::Websocket(socket) => socket.read(room),
            Carrier::Pipe { reads, .. } => reads.read(room),
        }
        .expect("the peer can be read from");
        assert!(read > 0, "the peer closed the connection");
        self.end += read;
    }

    /// Sends a command and gives its id.
    pub fn post(&mut self, method: &str, params: &str, session: Option<&str>) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let session = session.map(|id| format!(",\"sessionId\":\"{id}\"")).unwrap_or_default();
        let json = format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{params}{session}}}");
        let mut out = Vec::new();
        self.frame(json.as_bytes(), &mut out);
        self.send(&out);
        id
    }

    /// The answer to a command, with the number of events that came before it.
    pub fn answer(&mut self, id: u64) -> (Range<usize>, usize) {
        let mut events = 0;
        loop {
            let message = self.next();
            match reply_id(&self.buffer[message.clone()]) {
                Some(found) if found == id => return (message, events),
                Some(_) => {}
                None => events += 1,
            }
        }
    }

    /// Sends a command and gives the text of its answer.
    pub fn call(&mut self, method: &str, params: &str, session: Option<&str>) -> String {
        let id = self.post(method, params, session);
        let (answer, _) = self.answer(id);
        let answer = String::from_utf8_lossy(&self.buffer[answer]).into_owned();
        assert!(!answer.contains("\"error\":{"), "{method}: {answer}");
        answer
    }
}

/// The id of a reply; `None` for an event.
pub fn reply_id(message: &[u8]) -> Option<u64> {
    let digits = message.strip_prefix(b"{\"id\":")?.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |value, digit| value * 10 + u64::from(digit - b'0')))
}

fn upgraded(url: &str) -> TcpStream {
    let (host, path) =
        url.strip_prefix("ws://").and_then(|rest| rest.split_once('/')).expect("a ws:// endpoint");
    let mut socket = TcpStream::connect(host).expect("the endpoint listens");
    socket.set_nodelay(true).expect("a socket takes options");
    let request = format!(
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    );
    socket.write_all(request.as_bytes()).expect("the endpoint takes a request");
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).expect("the endpoint answers");
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
    socket
}
