//! Any bytes as a server's ws frames: the same outcome wherever they are cut and whatever is passed over, no more memory than the limits say, and the outcome
//! that tungstenite comes to, which shares no code with ours.
//!
//! The first two bytes of an input are sizes of pieces, the rest is the stream.

use std::io::{self, Read, Write};

use bytes::BytesMut;
use cdp_protocol::wire::{Incoming, Limits, WireError, WsReader};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

const FRAME: usize = 1000;
const MESSAGE: usize = 2000;
const FRAGMENTS: usize = 5;

/// What tungstenite shows of a close frame whose code must not be sent.
const VIOLATION: (u16, &str) = (1002, "Protocol violation");

/// Something that a reader said, in an order that both share. A close is the last thing that anyone reads.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Message(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>, String),
}

/// Runs one input.
pub fn run(data: &[u8]) {
    let (sizes, stream) = data.split_at(data.len().min(2));
    let whole = read(limits(FRAGMENTS), stream, &[], |_| true);
    let wants: [fn(&[u8]) -> bool; 3] = [|_| true, |_| false, |message| message.len().is_multiple_of(2)];
    for wanted in wants {
        for sizes in [&[], sizes, &[0]] {
            let other = read(limits(FRAGMENTS), stream, sizes, wanted);
            assert_eq!((&other.seen, &other.error), (&whole.seen, &whole.error));
        }
    }
    // tungstenite has no limit of fragments.
    let ours = read(limits(usize::MAX), stream, sizes, |_| true);
    match &whole.error {
        Some(WireError::TooManyFragments { limit: FRAGMENTS }) => assert!(ours.seen.starts_with(&whole.seen)),
        error => assert_eq!((&ours.seen, &ours.error), (&whole.seen, error)),
    }
    compare(stream, ours);
}

fn limits(fragments: usize) -> Limits {
    Limits::default().frame(FRAME).message(MESSAGE).fragments(fragments)
}

/// What our reader made of a stream, and how it stands at its end.
struct Ours {
    seen: Vec<Seen>,
    error: Option<WireError>,
    reader: WsReader,
    buffer: BytesMut,
    wanted: fn(&[u8]) -> bool,
}

/// Reads a stream that arrives in pieces of these sizes, over and over, up to a close frame. Messages that are not wanted are seen
/// where they are passed over.
fn read(limits: Limits, stream: &[u8], sizes: &[u8], wanted: fn(&[u8]) -> bool) -> Ours {
    let (reader, buffer) = (WsReader::new(limits), BytesMut::new());
    let mut ours = Ours { seen: Vec::new(), error: None, reader, buffer, wanted };
    let mut sizes = sizes.iter().cycle();
    let mut rest = stream;
    while !rest.is_empty() && !ours.is_over() {
        let size = sizes.next().map_or(rest.len(), |size| usize::from(*size) + 1);
        let (piece, later) = rest.split_at(size.min(rest.len()));
        rest = later;
        ours.feed(piece);
    }
    ours
}

impl Ours {
    fn is_over(&self) -> bool {
        self.error.is_some() || matches!(self.seen.last(), Some(Seen::Close(..)))
    }

    fn feed(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
        while !self.is_over() {
            let next = self.reader.next_where(&mut self.buffer, |message| {
                let wanted = (self.wanted)(message);
                if !wanted {
                    self.seen.push(seen(Incoming::Message(message.to_vec().into())));
                }
                wanted
            });
            match next {
                Ok(Some(incoming)) => self.seen.push(seen(incoming)),
                Ok(None) => {
                    assert!(self.reader.missing(&self.buffer) <= FRAME);
                    return;
                }
                Err(error) => self.error = Some(error),
            }
        }
    }
}

fn seen(incoming: Incoming) -> Seen {
    match incoming {
        Incoming::Message(message) => {
            assert!(message.len() <= MESSAGE, "a message of {} bytes", message.len());
            Seen::Message(message.to_vec())
        }
        Incoming::Ping(payload) => Seen::Ping(payload.to_vec()),
        Incoming::Pong(payload) => Seen::Pong(payload.to_vec()),
        Incoming::Close(close) => Seen::Close(close.code, close.reason),
    }
}

/// How tungstenite's reading ended.
#[derive(Debug)]
enum End {
    /// The stream ran out.
    Open,
    Closed,
    /// Text that is no UTF-8, perhaps in a fragment of a message that is not complete yet.
    NotUtf8,
    Refused,
}

/// Holds our outcome against tungstenite's. Where they may differ stands beside each case, with the reason.
fn compare(stream: &[u8], mut ours: Ours) {
    let (mut theirs, mut end) = tungstenite(stream);
    if matches!((&ours.error, &end), (Some(_), End::Open)) {
        // We refuse a frame as soon as its first bytes show what is wrong; tungstenite waits for all of it. Zeros complete it.
        (theirs, end) = tungstenite(&[stream, &[0; FRAME + 16]].concat());
    }
    if let (None, End::NotUtf8) = (&ours.error, &end) {
        // A fragment of text may be refused at once or when its message is complete. So it is completed.
        while !ours.is_over() && (ours.reader.missing(&ours.buffer) > 0 || !ours.buffer.is_empty()) {
            ours.feed(&[0]);
        }
        if !ours.is_over() {
            ours.feed(&[0x80, 0]);
            let code = ours.error.as_ref().map(WireError::close_code);
            assert_eq!(code, Some(1007), "text that is no UTF-8 was taken");
        }
    }
    match (&ours.error, end) {
        // RFC 6455 wants the shortest form of a length (section 5.2); tungstenite takes any.
        (Some(WireError::BadLength { .. }), _) => assert!(theirs.starts_with(&ours.seen)),
        // tungstenite refuses the code of a close frame by showing another frame in its place.
        (Some(WireError::CloseCode { .. }), End::Closed) => {
            let shown = theirs.pop();
            assert_eq!(shown, Some(Seen::Close(Some(VIOLATION.0), VIOLATION.1.into())));
            assert_eq!(ours.seen, theirs);
        }
        // 1014 was registered after the RFC; tungstenite doesn't know it and treats it as above.
        (None, End::Closed) if matches!(ours.seen.last(), Some(Seen::Close(Some(1014), _))) => {
            assert_eq!(theirs.pop(), Some(Seen::Close(Some(VIOLATION.0), VIOLATION.1.into())));
            ours.seen.pop();
            assert_eq!(ours.seen, theirs);
        }
        // Between the fragment that is no UTF-8 and the end of its message, control frames may still have been read.
        (_, End::NotUtf8) => {
            let behind = ours.seen.strip_prefix(&*theirs).expect("the same up to the text");
            assert!(!behind.iter().any(|seen| matches!(seen, Seen::Message(_))), "{behind:?}");
        }
        (Some(_), End::Refused) | (None, End::Open | End::Closed) => assert_eq!(ours.seen, theirs),
        (error, end) => panic!("we say {error:?}, tungstenite says {end:?}"),
    }
}

fn tungstenite(stream: &[u8]) -> (Vec<Seen>, End) {
    let config = WebSocketConfig::default()
        .read_buffer_size(1024)
        .max_frame_size(Some(FRAME))
        .max_message_size(Some(MESSAGE));
    let mut socket = WebSocket::from_raw_socket(Stream(stream), Role::Client, Some(config));
    let mut all = Vec::new();
    loop {
        all.push(match socket.read() {
            Ok(Message::Text(text)) => Seen::Message(text.as_bytes().to_vec()),
            Ok(Message::Binary(bytes)) => Seen::Message(bytes.to_vec()),
            Ok(Message::Ping(payload)) => Seen::Ping(payload.to_vec()),
            Ok(Message::Pong(payload)) => Seen::Pong(payload.to_vec()),
            Ok(Message::Close(close)) => {
                let (code, reason) = close.map_or((None, String::new()), |close| {
                    (Some(close.code.into()), close.reason.to_string())
                });
                all.push(Seen::Close(code, reason));
                return (all, End::Closed);
            }
            Ok(Message::Frame(frame)) => panic!("a raw frame {frame}"),
            Err(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
                return (all, End::Open);
            }
            Err(Error::Utf8(_)) => return (all, End::NotUtf8),
            Err(_) => return (all, End::Refused),
        });
    }
}

/// A peer that says what it says and takes whatever it is sent.
struct Stream<'a>(&'a [u8]);

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
