//! How a text must match: part of it, all of it, or a regular expression.

use std::fmt;

use serde::Serialize;

/// What a text, a name or an attribute must look like.
///
/// A string converts to a match of any part of the text, without regard to case. White space is collapsed on both
/// sides, except for attributes and regular expressions.
///
/// ```
/// use engine::TextMatch;
///
/// let loose: TextMatch = "sign in".into(); // also finds “Sign in with a passkey”
/// let exact = TextMatch::exact("Sign in");
/// let pattern = TextMatch::regex(r"order \d+", "i");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct TextMatch(Kind);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Kind {
    Text { text: String, exact: bool },
    Regex { regex: String, flags: String },
}

impl TextMatch {
    /// The whole text, case included.
    pub fn exact(text: impl Into<String>) -> TextMatch {
        TextMatch(Kind::Text { text: text.into(), exact: true })
    }

    /// Any part of the text, without regard to case; what a string converts to.
    pub fn contains(text: impl Into<String>) -> TextMatch {
        TextMatch(Kind::Text { text: text.into(), exact: false })
    }

    /// A JavaScript regular expression, which the browser compiles; `flags` are those of JavaScript, such as `"i"`.
    ///
    /// An expression that does not compile is an error of the first use, with the browser's reason.
    pub fn regex(source: impl Into<String>, flags: impl Into<String>) -> TextMatch {
        TextMatch(Kind::Regex { regex: source.into(), flags: flags.into() })
    }

    /// A plain text becomes an exact one; regular expressions stay as they are.
    #[must_use]
    pub fn into_exact(self) -> TextMatch {
        match self.0 {
            Kind::Text { text, .. } => TextMatch::exact(text),
            Kind::Regex { .. } => self,
        }
    }

    /// As `Display`, for a place where a plain string is taken as exact.
    pub(super) fn fmt_where_exact(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text { text, exact: true } => write!(f, "{text:?}"),
            _ => fmt::Display::fmt(self, f),
        }
    }
}

/// Written as the Rust expression that makes it.
impl fmt::Display for TextMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text { text, exact: false } => write!(f, "{text:?}"),
            Kind::Text { text, exact: true } => write!(f, "TextMatch::exact({text:?})"),
            Kind::Regex { regex, flags } => write!(f, "TextMatch::regex({regex:?}, {flags:?})"),
        }
    }
}

impl From<&str> for TextMatch {
    fn from(text: &str) -> TextMatch {
        TextMatch::contains(text)
    }
}

impl From<String> for TextMatch {
    fn from(text: String) -> TextMatch {
        TextMatch::contains(text)
    }
}

impl From<&String> for TextMatch {
    fn from(text: &String) -> TextMatch {
        TextMatch::contains(text)
    }
}

impl From<&TextMatch> for TextMatch {
    fn from(text: &TextMatch) -> TextMatch {
        text.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_matches_are_written_for_people_and_for_the_page() {
        let cases = [
            (TextMatch::from("a \"b\""), r#""a \"b\"""#, r#"{"text":"a \"b\"","exact":false}"#),
            (TextMatch::exact("a"), r#"TextMatch::exact("a")"#, r#"{"text":"a","exact":true}"#),
            (
                TextMatch::regex("^a$", "i"),
                r#"TextMatch::regex("^a$", "i")"#,
                r#"{"regex":"^a$","flags":"i"}"#,
            ),
            (TextMatch::from("a").into_exact(), r#"TextMatch::exact("a")"#, r#"{"text":"a","exact":true}"#),
        ];
        for (text, shown, json) in cases {
            assert_eq!(text.to_string(), shown);
            assert_eq!(serde_json::to_string(&text).expect("serialises"), json);
        }
    }
}
