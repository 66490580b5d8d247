// Generated from the protocol description by cdp-gen; edits are lost.

//! Can't be the name of a variant.
//!
//! Domain [`Self`](https://chromedevtools.github.io/devtools-protocol/tot/Self/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Event [`Self.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Self/#event-heard).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Heard {
}

impl<'de> Deserialize<'de> for Heard {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(), _, _>(d, &[],
            |()| Heard {  })
    }
}

impl Event for Heard {
    const METHOD: &'static str = "Self.heard";
}
