// Generated from the protocol description by cdp-gen; edits are lost.

//! Domain [`DOMStorage`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/). Experimental.

#![allow(missing_docs, unused_imports, rustdoc::all, clippy::all)]

use cdp_protocol::json::items::*;

/// Type [`DOMStorage.SerializedStorageKey`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#type-SerializedStorageKey).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SerializedStorageKey(Arc<str>);
text_newtype!(SerializedStorageKey);

/// Nobody mentions this type.
///
/// Type [`DOMStorage.Orphan`](https://chromedevtools.github.io/devtools-protocol/tot/DOMStorage/#type-Orphan).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Orphan {
    pub set: bool,
}

impl<'de> Deserialize<'de> for Orphan {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record(d)
    }
}

impl<'de> Record<'de> for Orphan {
    const KEYS: &'static [&'static str] = &["set"];
    type Slots = (Need<bool>,);
    #[inline]
    fn build(v: Values<'de, Self>) -> Self {
        Orphan { set: v.0 }
    }
}
