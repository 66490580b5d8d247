//! The browser's side of a connection: a plain thread on a socket or a pipe, so that nothing it does is counted.

use std::io::{self, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};

use cdp_protocol::{Client, Settings};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    Ws,
    Pipe,
}

pub(crate) const CARRIERS: [Carrier; 2] = [Carrier::Ws, Carrier::Pipe];

/// The peer of a client.
pub(crate) struct Peer {
    carrier: Carrier,
    reads: Box<dyn Read + Send>,
    writes: Box<dyn Write + Send>,
}

/// A connection to a peer that does `play` in a thread of its own. The peer hangs up behind it.
pub(crate) async fn connect(carrier: Carrier, play: impl FnOnce(Peer) + Send + 'static) -> Client {
    match carrier {
        Carrier::Ws => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let url = format!("ws://{}/", listener.local_addr().unwrap());
            std::thread::spawn(move || {
                let (mut socket, _) = listener.accept().unwrap();
                socket.set_nodelay(true).unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    socket.read_exact(&mut byte).unwrap();
                    head.extend(byte);
                }
                let head = String::from_utf8(head).unwrap();
                let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
                let accept = derive_accept_key(key.as_bytes());
                let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade";
                write!(socket, "{upgrade}\r\nSec-WebSocket-Accept: {accept}\r\n\r\n").unwrap();
                let reads = Box::new(BufReader::new(socket.try_clone().unwrap()));
                play(Peer { carrier, reads, writes: Box::new(socket) });
            });
            Client::connect(url).await.unwrap()
        }
        Carrier::Pipe => {
            let (from_client, to_peer) = io::pipe().unwrap();
            let (from_peer, to_client) = io::pipe().unwrap();
            std::thread::spawn(move || {
                let reads = Box::new(BufReader::new(from_client));
                play(Peer { carrier, reads, writes: Box::new(to_client) });
            });
            Client::from_pipe(from_peer.into(), to_peer.into(), Settings::default()).unwrap()
        }
    }
}

impl Peer {
    /// Waits for a call and takes its id; `None` at the end.
    pub(crate) fn next_call(&mut self) -> Option<i64> {
        let mut call = Vec::new();
        match self.carrier {
            Carrier::Pipe => loop {
                let mut byte = [0];
                self.reads.read_exact(&mut byte).ok()?;
                match byte {
                    [0] => break,
                    byte => call.extend(byte),
                }
            },
            Carrier::Ws => {
                let mut head = [0; 2];
                self.reads.read_exact(&mut head).ok()?;
                let length = match head[1] & 0x7F {
                    126 => {
                        let mut length = [0; 2];
                        self.reads.read_exact(&mut length).ok()?;
                        usize::from(u16::from_be_bytes(length))
                    }
                    short => usize::from(short),
                };
                // The key is zero on loopback.
                call.resize(4 + length, 0);
                self.reads.read_exact(&mut call).ok()?;
                call.drain(..4);
            }
        }
        let text = String::from_utf8(call).unwrap();
        let id = text.strip_prefix("{\"id\":").unwrap_or_else(|| panic!("no call: {text}"));
        Some(id.split(',').next().unwrap().parse().unwrap())
    }

    /// A message in its frame.
    pub(crate) fn framed(&self, message: &str) -> Vec<u8> {
        let mut bytes = self.header(message.len());
        bytes.extend(message.as_bytes());
        bytes.extend(self.trailer());
        bytes
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.writes.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &str) {
        let bytes = self.framed(message);
        self.write(&bytes);
    }

    /// Sends `head`, then `count` times the letter A, then `tail`, as one message.
    pub(crate) fn send_long(&mut self, head: &str, count: usize, tail: &str) {
        let header = self.header(head.len() + count + tail.len());
        self.write(&[&header, head.as_bytes()].concat());
        let chunk = [b'A'; 64 * 1024];
        let mut left = count;
        while left > 0 {
            let part = left.min(chunk.len());
            self.write(&chunk[..part]);
            left -= part;
        }
        self.write(&[tail.as_bytes(), self.trailer()].concat());
    }

    fn header(&self, length: usize) -> Vec<u8> {
        match (self.carrier, length) {
            (Carrier::Pipe, _) => Vec::new(),
            (Carrier::Ws, 0..=125) => vec![0x81, length as u8],
            (Carrier::Ws, 126..=0xFFFF) => [&[0x81, 126][..], &(length as u16).to_be_bytes()].concat(),
            (Carrier::Ws, _) => [&[0x81, 127][..], &(length as u64).to_be_bytes()].concat(),
        }
    }

    fn trailer(&self) -> &'static [u8] {
        match self.carrier {
            Carrier::Pipe => b"\0",
            Carrier::Ws => b"",
        }
    }
}
