//! The protocol itself: one module per domain, generated at build time from the PDL text.
//!
//! Every command is a struct of its parameters that implements [`Command`](crate::Command), every event a struct
//! that implements [`Event`](crate::Event). A type is a struct, an open enumeration or a newtype.
//!
//! | in the protocol | in Rust |
//! |---|---|
//! | domain `DOMSnapshot` | module `dom_snapshot` |
//! | command `Page.navigate` | struct [`page::Navigate`]: `new` takes what is required, a method each sets what is optional; one without parameters has no size |
//! | its return values | struct [`page::NavigateResult`]; `()` where there are none, which takes any answer |
//! | event `Page.frameNavigated` | struct [`page::FrameNavigated`]; also a variant of [`PageEvent`](crate::events::PageEvent) |
//! | type that is an object | struct; `new` and setters if commands take it |
//! | type that renames text or a number | newtype: [`page::FrameId`] shows and compares as its text (`as_str`), [`dom::NodeId`] gives its number (`get`) |
//! | point in time, span of time | newtype: [`network::TimeSinceEpoch::to_system_time`], [`runtime::TimeDelta::to_duration`], and from `SystemTime` and `Duration`; of two [`network::MonotonicTime`]s the distance (`since`) |
//! | type that renames a list or another type | newtype with a public member, such as [`dom::Quad`] |
//! | enumeration, in a type or in place | enum with a variant a value, and `Unknown` for what the description does not list; shows and compares as its text, and is made from any text |
//! | object declared in place | struct named after its owner and member, as are enumerations in place: [`page::CaptureScreenshotFormat`] |
//! | optional | `Option`; left out when sent, absent or `null` when received; for `any`, `null` is a value |
//! | `integer`, `number` | `i64`, which may come as `1.0`; `f64`, which in a message is NaN where it is required and the browser wrote `null` |
//! | `binary` | [`Binary`](crate::json::Binary), base64 on the wire |
//! | `any`, `object` | raw JSON, `serde_json`'s `RawValue`: [`json::decode`](crate::json::decode)`(value.get().as_bytes())` reads it |
//! | a member that leads back to its own type | `Box` |
//! | deprecated | `#[deprecated]`; and `Option` where it is only received, as it may soon be missing |
//! | a name that is a keyword | raw: `r#type` |
//!
//! `Debug` shows `…` in the place of passwords, cookies, bodies and their like; their documentation says so.

include!(concat!(env!("OUT_DIR"), "/domains/mod.rs"));

/// What was generated for one domain, by the protocol's own names and in its order.
#[derive(Clone, Copy, Debug)]
pub struct DomainInventory {
    /// For example `Page`.
    pub name: &'static str,
    /// Full method names of the commands, for example `Page.navigate`.
    pub commands: &'static [&'static str],
    /// Full method names of the events, for example `Page.frameNavigated`.
    pub events: &'static [&'static str],
    /// Full names of the declared types, for example `Page.FrameId`.
    pub types: &'static [&'static str],
}
