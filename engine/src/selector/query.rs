//! A selector: steps that begin at the document and end at elements, built by calls and sent as JSON.

use std::fmt;

use serde::Serialize;

use super::{
    Filter, RoleQuery, TextMatch,
    part::{Part, TEST_ID},
};

/// A description of elements, apart from any page; it is resolved anew each time it is used.
///
/// Locators are made of one; on its own it serves as the inner part of a [`Filter`]. A `&str` converts to a CSS
/// selector, or to an XPath when it begins with `//`, `(//` or `..`.
///
/// Its `Display` is the call that makes it:
///
/// ```
/// use engine::{Role, Selector};
///
/// let pay = Selector::role(Role::Button.named("Pay")).first();
/// assert_eq!(pay.to_string(), r#"get_by_role(Role::Button.named("Pay")).first()"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Selector {
    parts: Vec<Part>,
}

impl Selector {
    /// Elements that match a CSS selector, in open shadow roots too.
    pub fn css(css: impl Into<String>) -> Selector {
        Selector::from_part(Part::Css { css: css.into() })
    }

    /// Elements that an XPath finds; it does not look into shadow roots.
    pub fn xpath(xpath: impl Into<String>) -> Selector {
        Selector::from_part(Part::XPath { xpath: xpath.into() })
    }

    /// Elements with a role, and with the name and states asked for.
    pub fn role(query: impl Into<RoleQuery>) -> Selector {
        Selector::from_part(Part::Role(query.into()))
    }

    /// The smallest elements whose text matches.
    pub fn text(text: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::Text { text: text.into() })
    }

    /// Controls whose label matches.
    pub fn label(text: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::Label { text: text.into() })
    }

    /// Controls whose placeholder matches.
    pub fn placeholder(text: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::Placeholder { text: text.into() })
    }

    /// Images whose alternative text matches.
    pub fn alt_text(text: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::Alt { text: text.into() })
    }

    /// Elements whose `title` matches.
    pub fn title(text: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::Title { text: text.into() })
    }

    /// Elements with this test id in `data-testid`; a string must match whole and in case.
    pub fn test_id(id: impl Into<TextMatch>) -> Selector {
        Selector::test_id_in(TEST_ID, id)
    }

    /// As [`Selector::test_id`] with the name of another attribute, or several with commas between them.
    pub fn test_id_in(attribute: impl Into<String>, id: impl Into<TextMatch>) -> Selector {
        Selector::from_part(Part::TestId { attribute: attribute.into(), text: id.into().into_exact() })
    }

    /// What `inner` finds inside of what this finds.
    #[must_use]
    pub fn then(mut self, inner: impl Into<Selector>) -> Selector {
        let inner = inner.into();
        // A step that speaks of all that was found so far must not see what was found elsewhere.
        if inner
            .parts
            .iter()
            .skip(1)
            .all(|part| !matches!(part, Part::Nth { .. } | Part::And { .. } | Part::Or { .. }))
        {
            self.parts.extend(inner.parts);
            self
        } else {
            self.with(Part::Chain { selector: inner })
        }
    }

    /// Only those for which the condition holds.
    #[must_use]
    pub fn filter(self, filter: Filter) -> Selector {
        self.with(filter.0)
    }

    /// Only those that `other` finds as well.
    #[must_use]
    pub fn and(self, other: impl Into<Selector>) -> Selector {
        let selector = other.into();
        self.with(Part::And { selector })
    }

    /// These and what `other` finds, in the order of the document.
    #[must_use]
    pub fn or(self, other: impl Into<Selector>) -> Selector {
        let selector = other.into();
        self.with(Part::Or { selector })
    }

    /// The first one.
    #[must_use]
    pub fn first(self) -> Selector {
        self.nth(0)
    }

    /// The last one.
    #[must_use]
    pub fn last(self) -> Selector {
        self.nth(-1)
    }

    /// The one at this place, counted from 0; negative numbers count from the end, -1 is the last.
    #[must_use]
    pub fn nth(self, index: i64) -> Selector {
        self.with(Part::Nth { index })
    }

    fn from_part(part: Part) -> Selector {
        Selector { parts: vec![part] }
    }

    fn with(mut self, part: Part) -> Selector {
        self.parts.push(part);
        self
    }
}

impl From<&str> for Selector {
    fn from(text: &str) -> Selector {
        let path = text.trim_start_matches('(');
        if path.starts_with("//") || path.starts_with("..") {
            Selector::xpath(text)
        } else {
            Selector::css(text)
        }
    }
}

impl From<String> for Selector {
    fn from(text: String) -> Selector {
        Selector::from(text.as_str())
    }
}

impl From<&Selector> for Selector {
    fn from(selector: &Selector) -> Selector {
        selector.clone()
    }
}

/// Written as the calls that make it, without the page they begin at.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

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
