//! Typed Chrome DevTools Protocol.
//!
//! [`domains`] holds every command, event and type of the protocol. A command is a struct of its parameters; it
//! says what it is called and what the browser answers. An event is a struct that says what it is called.
//!
//! ```
//! use cdp_protocol::domains::page;
//! use cdp_protocol::{Command, json};
//!
//! let navigate = page::Navigate::new("https://example.org/").referrer("https://example.com/");
//! assert_eq!(page::Navigate::METHOD, "Page.navigate");
//!
//! let mut text = bytes::BytesMut::new();
//! json::encode(&navigate, &mut text)?;
//! assert_eq!(&text[..], br#"{"url":"https://example.org/","referrer":"https://example.com/"}"#);
//!
//! let answer: page::NavigateResult = json::decode(br#"{"frameId":"1F","brandNew":true}"#)?;
//! assert_eq!(answer.frame_id.as_str(), "1F");
//! # Ok::<(), json::Error>(())
//! ```
//!
//! What a newer browser adds never fails a message: an unknown value of an enumeration is kept as text and sent
//! back as it came, an unknown member is passed over. A member that the protocol requires and the browser left out
//! is an error of that one message, with its path.
//!
//! [`Client`] connects to a browser, over its websocket or its pipe. A [`Session`] is a conversation with one target, or with the
//! browser itself; it makes calls and has streams of events. A call is queued when it is made, and its answer is awaited apart.
//! There is one order, that of the wire: an [`Observer`] has seen every event that the browser sent before an answer when that
//! answer arrives. A failed call says whether the browser can have seen it.
//!
//! ```no_run
//! use cdp_protocol::Client;
//! use cdp_protocol::domains::{page, target};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::connect("http://127.0.0.1:9222").await?;
//! let browser = client.browser();
//! let target = browser.call(&target::CreateTarget::new("about:blank")).await?.target_id;
//! let attached = browser.call(&target::AttachToTarget::new(target).flatten(true)).await?;
//!
//! let session = client.session(&attached.session_id);
//! let mut loaded = session.events::<page::LoadEventFired>();
//! session.call(&page::Enable::new()).await?;
//! session.call(&page::Navigate::new("https://example.org/")).await?;
//! loaded.next().await;
//! # Ok(())
//! # }
//! ```
//!
//! Names are the protocol's in Rust's spelling: the domain `DOMStorage` is the module `dom_storage`, the event
//! `Runtime.consoleAPICalled` is `runtime::ConsoleApiCalled`, the command `Page.navigate` is `page::Navigate` and its answer
//! `page::NavigateResult`.
//!
//! # Features
//!
//! All are off by default, and none changes what the others do.
//!
//! * `tls`: endpoints that are `wss://` or `https://`, with `Connect::ca_certificates` and `Connect::client_certificate`. Its
//!   cryptography is that of `ring`, which wants a C compiler where it is built.
//! * `testing`: the module `testing`, with a scripted browser and faults of connections, for the tests of what builds on this crate.
//!
//! [`wire`] and [`envelope`] are open for those who measure or fuzz them; unlike everything else here they may change with any
//! version.
//!
//! Layers, lowest first:
//!
//! ```text
//! method    the traits of commands and events
//! random    for tests: numbers that are the same in each run
//! shown     texts of the peer as errors and logs show them
//! json/     tolerant decoding over bytes, encoding, what generated items are made of
//! domains   generated: one module per domain
//! wire/     ws frames and pipe records: bytes in, messages out, without I/O
//! envelope/ what a message is and whom it is for, without reading its payload
//! settings  how a connection behaves, whatever carries it
//! error     the errors and reasons that users of a connection meet
//! mux/      call ids, pending calls, sessions, observers and subscriptions, without I/O
//! events    generated: the events of a domain as one enumeration
//! carrier/  websocket and pipe over tokio: connecting, writing, and the task that reads
//! client/   what users hold: Client, Session, Call, event streams
//! testing/  a scripted browser on an in-memory carrier, and faults of connections (feature `testing`)
//! ```

mod carrier;
mod client;
pub mod domains;
pub mod envelope;
mod error;
pub mod events;
pub mod json;
mod method;
mod mux;
#[cfg(test)]
mod random;
mod settings;
mod shown;
#[cfg(feature = "testing")]
pub mod testing;
pub mod wire;

pub use client::{Call, Client, Connect, Events, RawEvents, Session, Stats};
pub use error::{
    CallError, CloseReason, ConnectError, ConnectStep, DecodeError, EventError, Probe, Sent, SessionEnd,
};
pub use method::{Command, Event};
pub use mux::{Observer, RawEvent};
pub use settings::Settings;
pub use wire::Limits;
