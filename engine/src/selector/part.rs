//! One step of a selector, in the JSON form that the injected script reads.

use std::fmt;

use serde::Serialize;

use super::{RoleQuery, Selector, TextMatch};

/// The attribute that test ids stand in unless another is set.
pub(super) const TEST_ID: &str = "data-testid";

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
