//! What differs between two protocols, and which differences break a caller. Reads and prints nothing itself.
//!
//! A *caller* is a program written against the first protocol that is built against the second, or talks to a browser
//! of the second. The table of what breaks one stands at [`Rule`].
//!
//! References are compared by the full name of the type they mean, enumerations and objects by name and content. The
//! order of items and the comments on them are no difference. An item that was renamed or moved is one removed and one
//! added.

mod compare;
mod kinds;
mod print;
mod rules;

pub use compare::{Change, ChangeKind, Diff, compare};
pub use rules::{Effect, Rule};
