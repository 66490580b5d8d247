//! The scripted browser: it takes calls one by one and answers what it is told to. It knows no domain.

use std::future::poll_fn;

use bytes::BytesMut;
use serde_json::{Value, json};

use super::faults::{Faults, Passed};
use super::framing::{self, Framing, Taken};
use super::memory::{Ends, Link};
use crate::carrier::{self, Outgoing};
use crate::client::Client;
use crate::settings::Settings;

/// The browser's end of an in-memory connection.
pub struct FakeBrowser {
    /// `None` after it hung up.
    ends: Option<Ends>,
    link: Link,
    framing: Framing,
    reader: framing::Reader,
    buffer: BytesMut,
}

/// How a fake browser is connected. The default is a pipe without faults, and a connection with default settings.
#[derive(Clone, Debug, Default)]
pub struct Wiring {
    framing: Framing,
    faults: Faults,
    settings: Settings,
}

impl Wiring {
    /// How messages are set apart from each other.
    pub fn framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// What goes wrong on the way.
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// How the client's connection behaves.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }
}

/// A call as the browser received it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FakeCall {
    /// The call's id.
    pub id: i64,
    /// The command's name.
    pub method: String,
    /// The parameters; `null` when there were none.
    pub params: Value,
    /// The session it was made on; `None` for the browser's own.
    pub session_id: Option<String>,
}

/// A connection and the scripted browser at its other end.
///
/// # Panics
///
/// Outside of a tokio runtime. The connection wants one with time enabled; it uses no I/O of it.
///
/// ```
/// # use cdp_protocol::domains::browser;
/// # use cdp_protocol::testing::fake_browser;
/// # use serde_json::json;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let (client, mut browser) = fake_browser();
/// let answer = client.browser().call(&browser::GetBrowserCommandLine::new());
/// let call = browser.next_call().await;
/// browser.reply(&call, json!({"arguments": ["chromium"]}));
/// assert_eq!(answer.await.unwrap().arguments, ["chromium"]);
/// # });
/// ```
pub fn fake_browser() -> (Client, FakeBrowser) {
    fake_browser_with(Wiring::default())
}

/// As [`fake_browser`], also in when it panics, and wired as told. Faults begin with the connection's first byte; of a websocket there is no upgrade to count.
///
/// ```
/// # use cdp_protocol::testing::{Faults, Flow, Framing, Wiring, fake_browser_with};
/// # use cdp_protocol::{CallError, Sent, domains::browser};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let faults = Faults::default().to_browser(Flow::default().cut_at(10));
/// let (client, mut browser) = fake_browser_with(Wiring::default().framing(Framing::Ws).faults(faults));
/// let failed = client.browser().call(&browser::GetBrowserCommandLine::new()).await;
/// assert!(matches!(failed, Err(CallError::Closed { sent: Sent::No, .. })));
/// assert!(browser.next_call_or_end().await.is_none());
/// assert_eq!(browser.passed().to_browser, 10);
/// # });
/// ```
pub fn fake_browser_with(wiring: Wiring) -> (Client, FakeBrowser) {
    let Wiring { framing, faults, settings } = wiring;
    let (link, (reads, writes), ends) = Link::new(faults);
    let (decoder, encoder) = framing.client(settings.limits.clone());
    let outgoing = Outgoing::new(encoder, Box::new(writes));
    let shared = carrier::start(Box::new(reads), decoder, BytesMut::new(), outgoing, settings);
    let reader = framing::Reader::new(framing);
    let browser = FakeBrowser { ends: Some(ends), link, framing, reader, buffer: BytesMut::new() };
    (Client::new(shared), browser)
}

impl FakeBrowser {
    /// The next call. With [`Settings::heartbeat`] the connection's own calls of `Browser.getVersion` are among them, with the id
    /// 2147483647.
    ///
    /// # Panics
    ///
    /// When the connection ended instead, or the call is not JSON.
    ///
    /// # Cancel safety
    ///
    /// No call is lost by dropping it.
    pub async fn next_call(&mut self) -> FakeCall {
        self.next_call_or_end().await.expect("the client made another call")
    }

    /// The next call that arrives whole, or `None` when the connection has ended. The client's pings are answered meanwhile, and
    /// so is its close frame.
    ///
    /// # Panics
    ///
    /// When the call is not JSON.
    ///
    /// # Cancel safety
    ///
    /// No call is lost by dropping it.
    pub async fn next_call_or_end(&mut self) -> Option<FakeCall> {
        loop {
            match self.reader.next(&mut self.buffer) {
                Some(Taken::Message(message)) => return Some(FakeCall::read(&message)),
                Some(Taken::Answer(frame)) => {
                    self.send_raw(frame);
                    continue;
                }
                Some(Taken::Farewell(frame)) => {
                    self.send_raw(frame);
                    self.hang_up();
                    return None;
                }
                None => {}
            }
            let (reader, _) = self.ends.as_ref()?;
            if poll_fn(|cx| reader.poll_take(cx, &mut self.buffer)).await == 0 {
                return None;
            }
        }
    }

    /// Answers a call, in Chromium's order of keys.
    pub fn reply(&mut self, call: &FakeCall, result: Value) {
        let session = tail(call.session_id.as_deref());
        self.send(&format!("{{\"id\":{},\"result\":{result}{session}}}", call.id));
    }

    /// Answers a call with an error.
    pub fn refuse(&mut self, call: &FakeCall, code: i64, message: &str) {
        let session = tail(call.session_id.as_deref());
        let error = json!({"code": code, "message": message});
        self.send(&format!("{{\"id\":{},\"error\":{error}{session}}}", call.id));
    }

    /// Sends an event, of a session or of the browser's own.
    pub fn event(&mut self, session: Option<&str>, method: &str, params: Value) {
        let session = tail(session);
        self.send(&format!("{{\"method\":\"{method}\",\"params\":{params}{session}}}"));
    }

    /// Sends one message of any text.
    pub fn send(&mut self, message: &str) {
        self.send_raw(self.framing.frame(message.as_bytes()));
    }

    /// Sends bytes as they are, without framing. As with all that it sends, nothing happens after it hung up.
    pub fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        if let Some((_, writer)) = &self.ends {
            writer.write(bytes.as_ref());
        }
    }

    /// Closes both directions, as a browser that dies. What was sent before still arrives.
    pub fn hang_up(&mut self) {
        self.ends = None;
    }

    /// How many bytes have passed each way.
    pub fn passed(&self) -> Passed {
        self.link.passed()
    }

    /// How often the client has written to the carrier.
    pub fn writes(&self) -> usize {
        self.ends.as_ref().map_or(0, |(reader, _)| reader.writes())
    }

    /// Lets at most this many bytes stand in the carrier unread, so that the client's writes become partial or wait; `None` lets
    /// any number.
    pub fn set_room(&mut self, bytes: Option<usize>) {
        if let Some((reader, _)) = &self.ends {
            reader.set_room(bytes);
        }
    }
}

impl FakeCall {
    fn read(message: &[u8]) -> Self {
        let call: Value = serde_json::from_slice(message).expect("a call is JSON");
        Self {
            id: call["id"].as_i64().expect("a call has an id"),
            method: call["method"].as_str().expect("a call has a method").to_owned(),
            params: call["params"].clone(),
            session_id: call["sessionId"].as_str().map(str::to_owned),
        }
    }
}

fn tail(session: Option<&str>) -> String {
    session.map(|id| format!(",\"sessionId\":{}", Value::from(id))).unwrap_or_default()
}
