//! The scripted browser: it takes calls one by one and answers what it is told to. It knows no domain.

use std::future::poll_fn;

use bytes::BytesMut;
use serde_json::{Value, json};

use super::memory::{Reader, Writer, channel};
use crate::carrier::{self, Outgoing};
use crate::client::Client;
use crate::settings::Settings;
use crate::wire::{Decoder, Encoder, Limits, PipeReader};

/// The browser's end of an in-memory connection.
pub struct FakeBrowser {
    /// `None` after it hung up.
    ends: Option<(Reader, Writer)>,
    reader: PipeReader,
    buffer: BytesMut,
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

/// A connection and the scripted browser at its other end. Must be called in a tokio runtime.
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
    let (to_browser, from_client) = channel();
    let (to_client, from_browser) = channel();
    let outgoing = Outgoing::new(Encoder::Pipe, Box::new(to_browser));
    let decoder = Decoder::pipe(Limits::default());
    let shared =
        carrier::start(Box::new(from_browser), decoder, BytesMut::new(), outgoing, Settings::default());
    let ends = Some((from_client, to_client));
    let browser = FakeBrowser { ends, reader: PipeReader::new(Limits::default()), buffer: BytesMut::new() };
    (Client::new(shared), browser)
}

impl FakeBrowser {
    /// The next call.
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

    /// The next call, or `None` when the client has ended the connection.
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
            let record = self.reader.next(&mut self.buffer).expect("a call is within the limits");
            if let Some(record) = record {
                let call: Value = serde_json::from_slice(&record).expect("a call is JSON");
                return Some(FakeCall {
                    id: call["id"].as_i64().expect("a call has an id"),
                    method: call["method"].as_str().expect("a call has a method").to_owned(),
                    params: call["params"].clone(),
                    session_id: call["sessionId"].as_str().map(str::to_owned),
                });
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
        self.send_raw([message.as_bytes(), b"\0"].concat());
    }

    /// Sends bytes as they are. Each message ends with a NUL; without one it is cut.
    pub fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        if let Some((_, writer)) = &self.ends {
            writer.write(bytes.as_ref());
        }
    }

    /// Closes both directions, as a browser that dies. What was sent before still arrives.
    pub fn hang_up(&mut self) {
        self.ends = None;
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

fn tail(session: Option<&str>) -> String {
    session.map(|id| format!(",\"sessionId\":{}", Value::from(id))).unwrap_or_default()
}
