//! Drives a real Chromium.

mod js;
mod selector;

pub use selector::{Filter, Role, RoleQuery, Selector, TextMatch, Toggle};
