//! Conditions that narrow what a selector found.

use std::fmt;

use super::{Selector, TextMatch, part::Part};

/// A condition on elements that were found already.
///
/// ```
/// use engine::{Filter, Role, Selector};
///
/// let order = Selector::role(Role::Row).filter(Filter::has_text("1042"));
/// let open = Selector::role(Role::Row).filter(Filter::has(Selector::role(Role::Button.named("Cancel"))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(pub(super) Part);

impl Filter {
    /// Some element inside matches the selector.
    pub fn has(selector: impl Into<Selector>) -> Filter {
        Filter(Part::Has { selector: selector.into() })
    }

    /// No element inside matches the selector.
    pub fn has_not(selector: impl Into<Selector>) -> Filter {
        Filter(Part::HasNot { selector: selector.into() })
    }

    /// The text of the element and all it contains matches.
    pub fn has_text(text: impl Into<TextMatch>) -> Filter {
        Filter(Part::HasText { text: text.into() })
    }

    /// The text of the element and all it contains does not match.
    pub fn has_not_text(text: impl Into<TextMatch>) -> Filter {
        Filter(Part::HasNotText { text: text.into() })
    }

    /// Visible or not.
    pub fn visible(visible: bool) -> Filter {
        Filter(Part::Visible { visible })
    }
}

/// Written as the call that applies it: `filter(Filter::has_text("1042"))`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
