//! Texts of the peer in errors and logs.

/// How much of one is shown, in characters.
const SHOWN: usize = 200;

/// A text of the peer, fit to be shown: cut, and without control characters.
pub(super) fn shown(text: &str) -> String {
    let shown: String = text.trim().chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    shown.trim_end().to_owned()
}
