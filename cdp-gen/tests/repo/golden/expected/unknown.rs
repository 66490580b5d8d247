// Generated from the protocol description by cdp-gen; edits are lost.

//! Named like the variant that keeps what is not declared.
//!
//! Domain [`Unknown`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// An event whose name can't be that of a variant. Only the first sentence is told where events are listed.
///
/// Event [`Unknown.self`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/#event-self).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SelfEvent {
}

impl<'de> Deserialize<'de> for SelfEvent {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(), _, _>(d, &[],
            |()| SelfEvent {  })
    }
}

impl Event for SelfEvent {
    const METHOD: &'static str = "Unknown.self";
}

/// Event [`Unknown.unknown`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/#event-unknown).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unknown {
}

impl<'de> Deserialize<'de> for Unknown {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(), _, _>(d, &[],
            |()| Unknown {  })
    }
}

impl Event for Unknown {
    const METHOD: &'static str = "Unknown.unknown";
}
