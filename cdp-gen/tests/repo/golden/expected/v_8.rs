// Generated from the protocol description by cdp-gen; edits are lost.

//! Domain [`V_8`](https://chromedevtools.github.io/devtools-protocol/tot/V_8/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Event [`V_8.heard`](https://chromedevtools.github.io/devtools-protocol/tot/V_8/#event-heard).
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
    const METHOD: &'static str = "V_8.heard";
}
