//! The errors and reasons that users of a connection meet, from connecting to its end. None of them carries a payload, which
//! may hold cookies or typed text.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::envelope::EnvelopeError;
use crate::json;
use crate::shown::one_line;
use crate::wire::WireError;

/// Whether the browser can have seen a call that got no answer. There is no third case, so the enum is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Its last byte never left, so the browser can't have run it: it may be made again elsewhere.
    No,
    /// It left, or may have: the browser may have run it, wholly or in part.
    Unknown,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::No => "the call was not sent",
            Self::Unknown => "the call was sent, its outcome is unknown",
        })
    }
}

/// Why a session is over.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEnd {
    /// The browser detached it: its target closed, or someone asked for it.
    #[error("the session was detached")]
    Detached,
    /// The process behind its target crashed. Chromium answers no call of such a session.
    #[error("the session's target crashed")]
    Crashed,
    /// The whole connection ended.
    #[error("{0}")]
    Closed(CloseReason),
}

/// Why a connection ended. The same reason reaches everyone who waits on it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloseReason {
    /// This side closed it, by [`Client::close`](crate::Client::close) or by dropping the last handle.
    #[error("the connection was closed by this side")]
    Requested,
    /// The browser closed the websocket.
    #[error("the browser closed the connection (code {}{}{reason})", CodeOrNone(*code), if reason.is_empty() { "" } else { ": " })]
    PeerClosed {
        /// The websocket's close code, if one was sent.
        code: Option<u16>,
        /// The browser's words without control characters, often empty.
        reason: Arc<str>,
    },
    /// The stream ended without a word: the browser, or what stands between, is gone.
    #[error("the browser hung up{}", if *mid_message { " in the middle of a message" } else { "" })]
    HungUp {
        /// Whether a message was cut.
        mid_message: bool,
    },
    /// The operating system reported an error.
    #[error("the connection failed: {message}")]
    Io {
        /// The kind of the error.
        kind: io::ErrorKind,
        /// The error's text.
        message: Arc<str>,
    },
    /// The peer broke the rules of its carrier, or sent more at once than [`Settings::limits`](crate::Settings::limits) allow.
    #[error("{}: {error}", blame(.0), error = .0)]
    Wire(#[from] WireError),
    /// The peer sent a message that isn't JSON.
    #[error("the peer sent a broken message: {0}")]
    Malformed(#[from] EnvelopeError),
    /// The browser complained without saying which call it means, so one that waits will get no answer.
    #[error("the browser refused a message without naming its call: {message} ({code})")]
    Complaint {
        /// The error's code; 0 when there was none.
        code: i64,
        /// The browser's words without control characters, 200 of them at most.
        message: Arc<str>,
    },
    /// The peer kept the connection open and gave no sign of life, for as long as
    /// [`Settings::ping`](crate::Settings::ping) or [`Settings::heartbeat`](crate::Settings::heartbeat) allow.
    #[error("the peer has been silent for {} ms and did not answer {probe}", silence.as_millis())]
    Unresponsive {
        /// What it was asked by.
        probe: Probe,
        /// How long nothing had come that counts as an answer to it.
        silence: Duration,
    },
    /// The driver's task was ended from outside: its runtime shut down, or an observer panicked.
    #[error("the task that drives the connection was ended")]
    DriverEnded,
}

impl From<io::Error> for CloseReason {
    fn from(error: io::Error) -> Self {
        Self::Io { kind: error.kind(), message: error.to_string().into() }
    }
}

/// How a silent peer is asked for a sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Probe {
    /// A ping of its websocket, see [`Settings::ping`](crate::Settings::ping).
    Ping,
    /// Calls of `Browser.getVersion`, see [`Settings::heartbeat`](crate::Settings::heartbeat).
    Heartbeat,
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ping => "a ping",
            Self::Heartbeat => "two calls of Browser.getVersion",
        })
    }
}

fn blame(error: &WireError) -> &'static str {
    match error {
        WireError::FrameTooLong { .. }
        | WireError::MessageTooLong { .. }
        | WireError::TooManyFragments { .. } => "the connection was ended by `Settings::limits`",
        _ => "the peer broke the protocol",
    }
}

struct CodeOrNone(Option<u16>);

impl fmt::Display for CodeOrNone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(code) => code.fmt(f),
            None => f.write_str("none"),
        }
    }
}

/// A payload that doesn't have the shape its type asks for. Only this one answer or event is affected.
#[derive(Clone, Debug, Error)]
#[error("{method}: can't read {}{problem}{}", PathOrNone(path), BrowserOrNone(browser.as_deref()))]
pub struct DecodeError {
    method: Cow<'static, str>,
    path: String,
    problem: String,
    browser: Option<Arc<str>>,
}

impl DecodeError {
    pub(crate) fn new(method: Cow<'static, str>, error: &json::Error, browser: Option<Arc<str>>) -> Self {
        Self { method, path: error.path().to_string(), problem: error.message().to_string(), browser }
    }

    /// The command or event.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The field that was wrong, such as `frame.url` or `targets[3].type`; empty for the payload itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was wrong with it.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The browser's product and version, if it passed by on this connection.
    pub fn browser(&self) -> Option<&str> {
        self.browser.as_deref()
    }
}

struct PathOrNone<'a>(&'a str);

impl fmt::Display for PathOrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "`{}`: ", self.0) }
    }
}

struct BrowserOrNone<'a>(Option<&'a str>);

impl fmt::Display for BrowserOrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |browser| write!(f, " (browser: {browser})"))
    }
}

/// Why a call has no result.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The browser answered with an error of its own.
    #[error("{method}: {} ({code}){}", one_line(message), DataOrNone(data.as_deref()))]
    Refused {
        /// The command.
        method: Cow<'static, str>,
        /// JSON-RPC's code, such as -32601 for an unknown method; 0 when it wasn't a number.
        code: i64,
        /// The browser's words.
        message: String,
        /// More words; for wrong parameters they name the field.
        data: Option<String>,
    },
    /// The session ended before the answer came.
    #[error("{method}: {end}; {sent}")]
    SessionEnded {
        /// The command.
        method: Cow<'static, str>,
        /// Why the session ended.
        end: SessionEnd,
        /// Whether the browser can have seen the call. A call that was queued counts as seen.
        sent: Sent,
    },
    /// The connection ended before the answer came.
    #[error("{method}: {reason}; {sent}")]
    Closed {
        /// The command.
        method: Cow<'static, str>,
        /// Why the connection ended.
        reason: CloseReason,
        /// Whether the browser can have seen the call.
        sent: Sent,
    },
    /// The answer came, but doesn't have the shape it should.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The call is larger than Chromium takes, 100 MiB (less 1 KiB, to be on the safe side); it would cut the connection. Nothing was
    /// sent. The remedy is to say it in several calls, or to have the browser fetch what is large.
    #[error("{method}: the call takes {size} bytes, the browser takes {limit}")]
    TooLarge {
        /// The command.
        method: Cow<'static, str>,
        /// Bytes of the whole message.
        size: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// Calls are made faster than the browser reads them: more than 256 MiB of earlier ones wait to be written. Nothing was sent. The
    /// remedy is to await earlier calls before more are made.
    #[error("{method}: {queued} bytes of earlier calls still wait for the browser, more than {limit}")]
    Congested {
        /// The command.
        method: Cow<'static, str>,
        /// Bytes that wait.
        queued: usize,
        /// Bytes above which no call is taken.
        limit: usize,
    },
    /// The parameters could not be written as JSON. Nothing was sent.
    #[error("{method}: can't write the parameters: {problem}")]
    Encode {
        /// The command.
        method: Cow<'static, str>,
        /// What the serialiser said.
        problem: String,
    },
}

impl CallError {
    /// The command that failed.
    pub fn method(&self) -> &str {
        match self {
            Self::Refused { method, .. }
            | Self::SessionEnded { method, .. }
            | Self::Closed { method, .. }
            | Self::TooLarge { method, .. }
            | Self::Congested { method, .. }
            | Self::Encode { method, .. } => method,
            Self::Decode(error) => error.method(),
        }
    }

    /// Whether it is certain that the browser never saw the call.
    pub fn is_not_sent(&self) -> bool {
        match self {
            Self::SessionEnded { sent, .. } | Self::Closed { sent, .. } => *sent == Sent::No,
            Self::TooLarge { .. } | Self::Congested { .. } | Self::Encode { .. } => true,
            Self::Refused { .. } | Self::Decode(_) => false,
        }
    }
}

struct DataOrNone<'a>(Option<&'a str>);

impl fmt::Display for DataOrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |data| write!(f, ": {}", one_line(data)))
    }
}

/// What an event stream yields in place of an event. The stream goes on after it, but for
/// [`Overflowed`](EventError::Overflowed).
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum EventError {
    /// The stream was read too slowly, and this many events before the next one were dropped.
    #[error("{0} events were dropped because they were not read in time")]
    Lagged(u64),
    /// Events that are never dropped filled this many bytes without being read. The stream has ended; what it is for has to be
    /// looked up anew, and subscribed to again.
    #[error("the event stream ended: {0} bytes of events that may not be dropped were not read")]
    Overflowed(usize),
    /// An event doesn't have the shape it should.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// Why no connection came about. None of them shows a user name, a password, a query or the value of a header, also where the other
/// side repeats them (unless they are shorter than four characters).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The endpoint is not a URL that can be connected to.
    #[error("the endpoint {endpoint:?} can't be used: {problem}")]
    Endpoint {
        /// As it was given, but `…` in the place of a user name, a password and a query: they may be secrets.
        endpoint: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Something else that was asked for can't be done: a header, a proxy, a certificate.
    #[error("the {setting} can't be used: {problem}")]
    Setting {
        /// What it is, such as `header "Connection"`.
        setting: String,
        /// What is wrong with it, and the remedy.
        problem: String,
    },
    /// The address could not be reached.
    #[error("can't connect to {address}: {source}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The proxy could not be reached, or does not lead to the address.
    #[error("the proxy {proxy} does not lead to {address}: {problem}")]
    Proxy {
        /// Host and port of the proxy.
        proxy: String,
        /// Host and port that it was asked for.
        address: String,
        /// The HTTP status that it refused with, such as 407; `None` when it gave none.
        status: Option<u16>,
        /// What went wrong; for a refusal the status in words and the first line of its body.
        problem: String,
    },
    /// No encrypted connection came about: a certificate that is not trusted, or for another name, or no TLS at all.
    #[error("can't speak TLS with {address}: {problem}")]
    Tls {
        /// Host and port.
        address: String,
        /// What is wrong, and the remedy where there is one.
        problem: String,
    },
    /// It answered with another HTTP status than hoped for: 401 and 403 where a key is wrong or missing, 404 where the path is,
    /// 429 and 503 where all browsers are in use, one of 300 to 399 for a redirect, which is not followed.
    #[error("{address} refused {step}: {problem}")]
    Refused {
        /// Host and port.
        address: String,
        /// What was refused: [`Discover`](ConnectStep::Discover) or [`Upgrade`](ConnectStep::Upgrade).
        step: ConnectStep,
        /// The status, such as 401.
        status: u16,
        /// The status in words, where it redirects to, and the first line of its body.
        problem: String,
    },
    /// Something answered, but not as a browser does.
    #[error("{address} does not answer like a browser: {problem}")]
    NotABrowser {
        /// Host and port.
        address: String,
        /// What it answered instead.
        problem: String,
    },
    /// There was no answer in time.
    #[error("{address} did not answer within {} s, {step}", limit.as_secs_f64())]
    TimedOut {
        /// Host and port of whoever was waited for: the endpoint, the websocket that it named, or the proxy.
        address: String,
        /// What was waited for.
        step: ConnectStep,
        /// The limit for connecting in all.
        limit: Duration,
    },
}

/// The steps of connecting, in their order. Not every connection takes all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectStep {
    /// A name was looked up.
    Resolve,
    /// A TCP connection was asked for.
    Reach,
    /// The proxy was asked for a tunnel.
    Tunnel,
    /// The TLS handshake.
    Encrypt,
    /// `/json/version` was asked for.
    Discover,
    /// The websocket handshake.
    Upgrade,
}

impl fmt::Display for ConnectStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolve => "while its name was looked up",
            Self::Reach => "while it was connected to",
            Self::Tunnel => "while it was asked for a tunnel",
            Self::Encrypt => "during the TLS handshake",
            Self::Discover => "while it was asked for /json/version",
            Self::Upgrade => "during the websocket handshake",
        })
    }
}
