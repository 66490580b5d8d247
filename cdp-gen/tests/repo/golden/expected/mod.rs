// Generated from the protocol description by cdp-gen; edits are lost.

#[deprecated = "by the protocol. Domains may stand in the root file, too."]
#[path = "io.rs"]
pub mod io;
#[path = "zoo.rs"]
pub mod zoo;
#[path = "dom_storage.rs"]
pub mod dom_storage;
#[path = "network.rs"]
pub mod network;
#[path = "target.rs"]
pub mod target;
#[path = "unknown.rs"]
pub mod unknown;
#[path = "v8.rs"]
pub mod v8;
#[path = "v_8.rs"]
pub mod v_8;
#[path = "typed.rs"]
pub mod typed;
#[path = "raw.rs"]
pub mod raw;
#[path = "any.rs"]
pub mod any;
#[path = "self.rs"]
pub mod self_;

/// Version of the protocol this was generated from.
pub const PROTOCOL_VERSION: &str = "7.2";

/// Product and version of the browser that the protocol was imported from, such as
/// `Chrome/156.0.8078.114`; `None` where unknown.
pub const BROWSER: Option<&str> = Some("Menagerie/7.2");

/// Revision of that browser's own source, such as `@0123abcd`; `None` where unknown.
pub const REVISION: Option<&str> = Some("@0123");

/// What was generated, by the protocol's own names and in its order.
#[allow(deprecated)]
pub const INVENTORY: &[cdp_protocol::domains::DomainInventory] = &[
    cdp_protocol::domains::DomainInventory {
        name: "IO",
        commands: &[],
        events: &[],
        types: &["IO.StreamHandle"],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Zoo",
        commands: &[<zoo::FeedCommand as cdp_protocol::Command>::METHOD, <zoo::List as cdp_protocol::Command>::METHOD, <zoo::Enable as cdp_protocol::Command>::METHOD, <zoo::Release as cdp_protocol::Command>::METHOD],
        events: &[<zoo::FeedEvent as cdp_protocol::Event>::METHOD, <zoo::Closed as cdp_protocol::Event>::METHOD],
        types: &["Zoo.AnimalId", "Zoo.Count", "Zoo.Weight", "Zoo.IsTame", "Zoo.Photo", "Zoo.Anything", "Zoo.Properties", "Zoo.Names", "Zoo.Herd", "Zoo.OldId", "Zoo.Mood", "Zoo.Animal", "Zoo.Cage", "Zoo.Food", "Zoo.String", "Zoo.Result", "Zoo.Feed"],
    },
    cdp_protocol::domains::DomainInventory {
        name: "DOMStorage",
        commands: &[<dom_storage::Send as cdp_protocol::Command>::METHOD],
        events: &[],
        types: &["DOMStorage.SerializedStorageKey", "DOMStorage.SentAlone", "DOMStorage.Orphan"],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Network",
        commands: &[<network::SetHeaders as cdp_protocol::Command>::METHOD],
        events: &[<network::CookieChanged as cdp_protocol::Event>::METHOD],
        types: &["Network.TimeSinceEpoch", "Network.Headers", "Network.Cookie"],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Target",
        commands: &[],
        events: &[<target::TargetCreated as cdp_protocol::Event>::METHOD],
        types: &["Target.TargetInfo"],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Unknown",
        commands: &[],
        events: &[<unknown::SelfEvent as cdp_protocol::Event>::METHOD, <unknown::Unknown as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "V8",
        commands: &[],
        events: &[<v8::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "V_8",
        commands: &[],
        events: &[<v_8::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Typed",
        commands: &[],
        events: &[<typed::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Raw",
        commands: &[],
        events: &[<raw::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Any",
        commands: &[],
        events: &[<any::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
    cdp_protocol::domains::DomainInventory {
        name: "Self",
        commands: &[],
        events: &[<self_::Heard as cdp_protocol::Event>::METHOD],
        types: &[],
    },
];
