//! Conditions that narrow what a selector found.

use std::fmt;

use super::query::Part;
use super::{Selector, TextMatch};

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

impl Selector {
    /// Only those for which the condition holds.
    #[must_use]
    pub fn filter(self, filter: Filter) -> Selector {
        self.with(filter.0)
    }
}

/// Written as the call that applies it: `filter(Filter::has_text("1042"))`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::Role;

    #[test]
    fn selectors_are_written_for_people_and_for_the_page() {
        let cases = [
            (Selector::from("a.b"), r#"locator("a.b")"#, r#"[{"by":"css","css":"a.b"}]"#),
            (
                Selector::from("(//a)[1]"),
                r#"locator(Selector::xpath("(//a)[1]"))"#,
                r#"[{"by":"xpath","xpath":"(//a)[1]"}]"#,
            ),
            (
                Selector::role(Role::Button.named("Pay")).first(),
                r#"get_by_role(Role::Button.named("Pay")).first()"#,
                r#"[{"by":"role","role":"button","name":{"text":"Pay","exact":false}},{"by":"nth","index":0}]"#,
            ),
            (
                Selector::css("tr").filter(Filter::has_text("1042")).then(Selector::role(Role::Link)).last(),
                r#"locator("tr").filter(Filter::has_text("1042")).get_by_role(Role::Link).last()"#,
                r#"[{"by":"css","css":"tr"},{"by":"hasText","text":{"text":"1042","exact":false}},{"by":"role","role":"link"},{"by":"nth","index":-1}]"#,
            ),
            (
                Selector::css("li")
                    .filter(Filter::has_not(Selector::text("x")))
                    .filter(Filter::visible(true))
                    .nth(2),
                r#"locator("li").filter(Filter::has_not(get_by_text("x"))).filter(Filter::visible(true)).nth(2)"#,
                r#"[{"by":"css","css":"li"},{"by":"hasNot","selector":[{"by":"text","text":{"text":"x","exact":false}}]},{"by":"visible","visible":true},{"by":"nth","index":2}]"#,
            ),
            (
                Selector::test_id("a").or(Selector::test_id_in("data-qa", TextMatch::regex("b", ""))),
                r#"get_by_test_id("a").or(get_by_test_id(TextMatch::regex("b", "") /* data-qa */))"#,
                r#"[{"by":"testid","attribute":"data-testid","text":{"text":"a","exact":true}},{"by":"or","selector":[{"by":"testid","attribute":"data-qa","text":{"regex":"b","flags":""}}]}]"#,
            ),
            (
                Selector::label("a").and(Selector::placeholder("b")),
                r#"get_by_label("a").and(get_by_placeholder("b"))"#,
                r#"[{"by":"label","text":{"text":"a","exact":false}},{"by":"and","selector":[{"by":"placeholder","text":{"text":"b","exact":false}}]}]"#,
            ),
            (
                Selector::css("a").then(Selector::alt_text("b").first()).then(Selector::title("c")),
                r#"locator("a").locator(get_by_alt_text("b").first()).get_by_title("c")"#,
                r#"[{"by":"css","css":"a"},{"by":"chain","selector":[{"by":"alt","text":{"text":"b","exact":false}},{"by":"nth","index":0}]},{"by":"title","text":{"text":"c","exact":false}}]"#,
            ),
        ];
        for (selector, shown, json) in cases {
            assert_eq!(selector.to_string(), shown);
            assert_eq!(serde_json::to_string(&selector).expect("serialises"), json);
        }
    }
}
