//! The protocol itself: one module per domain, generated at build time from the PDL text.
//!
//! Every command is a struct of its parameters that implements [`Command`](crate::Command), every event a struct
//! that implements [`Event`](crate::Event). A type is a struct, an open enumeration or a newtype.

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
