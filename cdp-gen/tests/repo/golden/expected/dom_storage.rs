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
    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {
        let mut v0 = None;
        while let Some(key) = f.next_key() {
            match key {
                0 => f.required(&mut v0),
                _ => f.skip(),
            }
        }
        f.done()?;
        *out = Some(Orphan {
            set: f.take(v0, 0)?,
        });
        Ok(())
    }
}
