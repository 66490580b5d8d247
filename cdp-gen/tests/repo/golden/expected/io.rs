// Generated from the protocol description by cdp-gen; edits are lost.

//! Domains may stand in the root file, too.
//!
//! Domain [`IO`](https://chromedevtools.github.io/devtools-protocol/tot/IO/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Type [`IO.StreamHandle`](https://chromedevtools.github.io/devtools-protocol/tot/IO/#type-StreamHandle).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamHandle(Arc<str>);
text_newtype!(StreamHandle);
