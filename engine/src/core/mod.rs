//! The live objects behind the public handles: what a browser and its pages are, kept true by their observers.

pub(crate) mod browser;
pub(crate) mod context;
pub(crate) mod credentials;
pub(crate) mod download;
pub(crate) mod emulate;
pub(crate) mod exposed;
pub(crate) mod install;
pub(crate) mod page;
pub(crate) mod page_events;
pub(crate) mod scripts;
pub(crate) mod setup;
pub(crate) mod workers;
