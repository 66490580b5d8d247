// Generated from the protocol description by cdp-gen; edits are lost.

//! Its events together would be called like those of all domains.
//!
//! Domain [`Any`](https://chromedevtools.github.io/devtools-protocol/tot/Any/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Event [`Any.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Any/#event-heard).
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
    const METHOD: &'static str = "Any.heard";
}
