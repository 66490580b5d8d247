// Generated from the protocol description by cdp-gen; edits are lost.

//! Domain [`DOMStorage`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/). Experimental.

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Type [`DOMStorage.SerializedStorageKey`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#type-SerializedStorageKey).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SerializedStorageKey(Arc<str>);
text_newtype!(SerializedStorageKey);

/// Sent, and received only within a type that nobody mentions.
///
/// Type [`DOMStorage.SentAlone`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#type-SentAlone).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SentAlone {
    pub x: Option<i64>,
}

impl SentAlone {
    /// With all that is required: nothing.
    #[inline]
    pub fn new() -> Self {
        SentAlone { x: None }
    }
    /// Sets `x`.
    pub fn x(mut self, value: impl Into<i64>) -> Self {
        self.x = Some(value.into());
        self
    }
}

impl Serialize for SentAlone {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["x"], (PutSome(&self.x),))
    }
}

impl<'de> Deserialize<'de> for SentAlone {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(May<i64>,), _, _>(d, &["x"],
            |v| SentAlone { x: v.0 })
    }
}

/// Nobody mentions this type.
///
/// Type [`DOMStorage.Orphan`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#type-Orphan).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Orphan {
    pub set: bool,
    pub sent: Option<SentAlone>,
}

impl<'de> Deserialize<'de> for Orphan {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<bool>, May<SentAlone>), _, _>(d, &["set", "sent"],
            |v| Orphan { set: v.0, sent: v.1 })
    }
}

/// Command [`DOMStorage.send`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#method-send).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Send {
    pub value: SentAlone,
}

impl Send {
    /// With all that is required.
    pub fn new(value: impl Into<SentAlone>) -> Self {
        Send { value: value.into() }
    }
}

impl Serialize for Send {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["value"], (Put(&self.value),))
    }
}

impl Command for Send {
    const METHOD: &'static str = "DOMStorage.send";
    type Result = ();
}
