//! A selector: steps that begin at the document and end at elements, built by calls and sent as JSON.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{RoleQuery, TextMatch};

/// The attribute that test ids stand in unless another is set.
const TEST_ID: &str = "data-testid";

/// A description of elements, apart from any page; it is resolved anew each time it is used.
///
/// Locators are made of one; on its own it serves as the inner part of a [`Filter`](crate::Filter). A `&str` converts to a CSS
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
    /// Where the locator that this was taken from looks; nothing for a selector made by itself.
    #[serde(skip)]
    scope: Option<Arc<str>>,
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
            self.scope = self.scope.or(inner.scope);
            self
        } else {
            self.with(Part::Chain { selector: inner })
        }
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

    /// Notes where the locator that this is taken from looks.
    pub(crate) fn scoped(mut self, scope: String) -> Selector {
        self.scope = Some(scope.into());
        self
    }

    /// The places that this and the selectors in it were made for.
    pub(crate) fn scopes(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        let inner = self.parts.iter().filter_map(Part::selector).flat_map(Selector::scopes);
        Box::new(self.scope.as_deref().into_iter().chain(inner))
    }

    fn from_part(part: Part) -> Selector {
        Selector { parts: vec![part], scope: None }
    }

    pub(super) fn with(mut self, part: Part) -> Selector {
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

/// One step of a selector, in the JSON form that the injected script reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "camelCase")]
pub(super) enum Part {
    Css {
        css: String,
    },
    #[serde(rename = "xpath")]
    XPath {
        xpath: String,
    },
    Text {
        text: TextMatch,
    },
    Role(RoleQuery),
    Label {
        text: TextMatch,
    },
    Placeholder {
        text: TextMatch,
    },
    Alt {
        text: TextMatch,
    },
    Title {
        text: TextMatch,
    },
    #[serde(rename = "testid")]
    TestId {
        attribute: String,
        text: TextMatch,
    },
    Chain {
        selector: Selector,
    },
    Has {
        selector: Selector,
    },
    HasNot {
        selector: Selector,
    },
    HasText {
        text: TextMatch,
    },
    HasNotText {
        text: TextMatch,
    },
    Visible {
        visible: bool,
    },
    And {
        selector: Selector,
    },
    Or {
        selector: Selector,
    },
    Nth {
        index: i64,
    },
}

impl Part {
    fn selector(&self) -> Option<&Selector> {
        match self {
            Part::Chain { selector }
            | Part::Has { selector }
            | Part::HasNot { selector }
            | Part::And { selector }
            | Part::Or { selector } => Some(selector),
            _ => None,
        }
    }
}

/// Written as the call that adds the part.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Css { css } => write!(f, "locator({css:?})"),
            Part::XPath { xpath } => write!(f, "locator(Selector::xpath({xpath:?}))"),
            Part::Text { text } => write!(f, "get_by_text({text})"),
            Part::Role(query) => write!(f, "get_by_role({query})"),
            Part::Label { text } => write!(f, "get_by_label({text})"),
            Part::Placeholder { text } => write!(f, "get_by_placeholder({text})"),
            Part::Alt { text } => write!(f, "get_by_alt_text({text})"),
            Part::Title { text } => write!(f, "get_by_title({text})"),
            Part::TestId { attribute, text } => {
                f.write_str("get_by_test_id(")?;
                text.fmt_where_exact(f)?;
                if attribute == TEST_ID { f.write_str(")") } else { write!(f, " /* {attribute} */)") }
            }
            Part::Chain { selector } => write!(f, "locator({selector})"),
            Part::Has { selector } => write!(f, "filter(Filter::has({selector}))"),
            Part::HasNot { selector } => write!(f, "filter(Filter::has_not({selector}))"),
            Part::HasText { text } => write!(f, "filter(Filter::has_text({text}))"),
            Part::HasNotText { text } => write!(f, "filter(Filter::has_not_text({text}))"),
            Part::Visible { visible } => write!(f, "filter(Filter::visible({visible}))"),
            Part::And { selector } => write!(f, "and({selector})"),
            Part::Or { selector } => write!(f, "or({selector})"),
            Part::Nth { index: 0 } => f.write_str("first()"),
            Part::Nth { index: -1 } => f.write_str("last()"),
            Part::Nth { index } => write!(f, "nth({index})"),
        }
    }
}
