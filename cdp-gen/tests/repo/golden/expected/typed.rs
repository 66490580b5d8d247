// Generated from the protocol description by cdp-gen; edits are lost.

//! Its events together would be called like a type of the runtime.
//!
//! Domain [`Typed`](https://chromedevtools.github.io/devtools-protocol/tot/Typed/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Event [`Typed.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Typed/#event-heard).
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
    const METHOD: &'static str = "Typed.heard";
}
