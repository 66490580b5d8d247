//! Selectors as values: how an element is described, apart from any page. Resolving them is the injected script's work.

mod filter;
mod query;
mod role;
mod role_query;
mod text_match;

pub use filter::Filter;
pub use query::Selector;
pub use role::Role;
pub use role_query::{RoleQuery, Toggle};
pub use text_match::TextMatch;
