// Generated from the protocol description by cdp-gen; edits are lost.

//! Domain [`Target`](https://chromedevtools.github.io/devtools-protocol/tot/Target/).

#![allow(missing_docs, unused_imports, deprecated, clippy::all)]

use cdp_protocol::json::items::*;

/// Type [`Target.TargetInfo`](https://chromedevtools.github.io/devtools-protocol/tot/Target/#type-TargetInfo).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TargetInfo {
    /// The description calls it a text; its values are known.
    pub r#type: TargetInfoType,
}

impl<'de> Deserialize<'de> for TargetInfo {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<TargetInfoType>,), _, _>(d, &["type"],
            |v| TargetInfo { r#type: v.0 })
    }
}

/// Values of `type` in [`TargetInfo`].
#[non_exhaustive]
pub enum TargetInfoType {
    Page,
    Iframe,
    Worker,
    SharedWorker,
    ServiceWorker,
    Worklet,
    SharedStorageWorklet,
    AuctionWorklet,
    AssistiveTechnology,
    Browser,
    BrowserUi,
    Tab,
    Webview,
    BackgroundPage,
    App,
    Other,
    /// A value that the protocol description does not list, kept as it came.
    Unknown(Box<str>),
}

text_enum! { TargetInfoType
    Page = "page",
    Iframe = "iframe",
    Worker = "worker",
    SharedWorker = "shared_worker",
    ServiceWorker = "service_worker",
    Worklet = "worklet",
    SharedStorageWorklet = "shared_storage_worklet",
    AuctionWorklet = "auction_worklet",
    AssistiveTechnology = "assistive_technology",
    Browser = "browser",
    BrowserUi = "browser_ui",
    Tab = "tab",
    Webview = "webview",
    BackgroundPage = "background_page",
    App = "app",
    Other = "other",
}

/// Event [`Target.targetCreated`](https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-targetCreated).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TargetCreated {
    pub target_info: TargetInfo,
}

impl<'de> Deserialize<'de> for TargetCreated {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        record::<(Need<TargetInfo>,), _, _>(d, &["targetInfo"],
            |v| TargetCreated { target_info: v.0 })
    }
}

impl Event for TargetCreated {
    const METHOD: &'static str = "Target.targetCreated";
}
