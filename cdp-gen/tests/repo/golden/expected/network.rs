// Generated from the protocol description by cdp-gen; edits are lost.

//! What the generator knows of some items beyond their description.
//!
//! Domain [`Network`](https://chromedevtools.github.io/devtools-protocol/tot/Network/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Gets methods that know its unit.
///
/// Type [`Network.TimeSinceEpoch`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-TimeSinceEpoch).
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct TimeSinceEpoch(f64);
number_newtype!(TimeSinceEpoch, f64);
seconds_since_epoch!(TimeSinceEpoch);

/// Shows nothing when it is printed.
///
/// Type [`Network.Headers`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Headers).
///
/// Its content is not shown by `Debug`.
#[derive(Clone)]
pub struct Headers(pub Box<RawValue>);
wrapper!(Headers, Box<RawValue>);
wrapper_sent!(Headers);
hidden!(Headers);

/// Does not show its value when it is printed.
///
/// Type [`Network.Cookie`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Cookie).
#[derive(Clone)]
#[non_exhaustive]
pub struct Cookie {
    pub name: String,
    /// Not shown by `Debug`.
    pub value: String,
    pub expires: TimeSinceEpoch,
}

impl Debug for Cookie {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        show(f, "Cookie", &[("name", &self.name), ("value", &Hidden), ("expires", &self.expires)])
    }
}

impl<'de> Deserialize<'de> for Cookie {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<String>, Need<String>, Need<TimeSinceEpoch>), _, _>(d, &["name", "value", "expires"],
            |v| Cookie { name: v.0, value: v.1, expires: v.2 })
    }
}

/// Command [`Network.setHeaders`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-setHeaders).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SetHeaders {
    pub headers: Headers,
}

impl SetHeaders {
    /// With all that is required.
    pub fn new(headers: impl Into<Headers>) -> Self {
        SetHeaders { headers: headers.into() }
    }
}

impl Serialize for SetHeaders {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        object(s, &["headers"], (Put(&self.headers),))
    }
}

impl Command for SetHeaders {
    const METHOD: &'static str = "Network.setHeaders";
    type Result = ();
}

/// Event [`Network.cookieChanged`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-cookieChanged).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CookieChanged {
    pub cookie: Cookie,
}

impl<'de> Deserialize<'de> for CookieChanged {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<Cookie>,), _, _>(d, &["cookie"],
            |v| CookieChanged { cookie: v.0 })
    }
}

impl Event for CookieChanged {
    const METHOD: &'static str = "Network.cookieChanged";
}
