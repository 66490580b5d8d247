//! Which URLs are meant: a glob, a part, or a function that decides. Pure.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::url::checked;

/// Which URLs are meant. A string is a glob for the whole URL:
///
/// | in a glob | stands for |
/// |---|---|
/// | `*` | any characters but `/` |
/// | `**` | any characters |
/// | `/**/` | any folders, or none |
/// | `{a,b}` | `a` or `b` |
/// | `\` | the character after it, as it is |
///
/// Everything else stands for itself, `?` too. A glob that does not begin with a scheme or with `*` is relative to the
/// context's [`base_url`](crate::NewContext::base_url).
///
/// ```
/// use engine::UrlPattern;
///
/// let done = UrlPattern::from("https://example.org/**/done");
/// let paid = UrlPattern::contains("paid=yes");
/// let long = UrlPattern::matching(|url| url.len() > 100);
/// ```
#[derive(Clone)]
pub struct UrlPattern(Kind);

#[derive(Clone)]
enum Kind {
    Glob(String),
    Part(String),
    Function(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl UrlPattern {
    /// URLs that contain this text.
    pub fn contains(part: impl Into<String>) -> Self {
        Self(Kind::Part(part.into()))
    }

    /// URLs of which the function says so.
    pub fn matching(function: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Kind::Function(Arc::new(function)))
    }

    /// Makes it ready to be used in a context with this base.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] for a glob that can't be read, or that no URL could match.
    pub(crate) fn prepare(&self, base: Option<&str>) -> Result<Matcher> {
        Ok(Matcher(match &self.0 {
            Kind::Glob(glob) => Prepared::Globs(parse(&whole(glob, base)?)?),
            Kind::Part(part) => Prepared::Part(part.clone()),
            Kind::Function(function) => Prepared::Function(function.clone()),
        }))
    }
}

impl From<&str> for UrlPattern {
    fn from(glob: &str) -> Self {
        Self(Kind::Glob(glob.to_owned()))
    }
}

impl From<String> for UrlPattern {
    fn from(glob: String) -> Self {
        Self(Kind::Glob(glob))
    }
}

impl From<&String> for UrlPattern {
    fn from(glob: &String) -> Self {
        Self(Kind::Glob(glob.clone()))
    }
}

impl fmt::Debug for UrlPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Glob(glob) => write!(f, "{glob:?}"),
            Kind::Part(part) => write!(f, "UrlPattern::contains({part:?})"),
            Kind::Function(_) => f.write_str("UrlPattern::matching(…)"),
        }
    }
}

/// A pattern that URLs can be held against.
pub(crate) struct Matcher(Prepared);

enum Prepared {
    Globs(Vec<Vec<Token>>),
    Part(String),
    Function(Arc<dyn Fn(&str) -> bool + Send + Sync>),
}

impl Matcher {
    pub(crate) fn matches(&self, url: &str) -> bool {
        match &self.0 {
            Prepared::Globs(globs) => {
                let url: Vec<char> = url.chars().collect();
                globs.iter().any(|glob| fits(glob, &url))
            }
            Prepared::Part(part) => url.contains(part),
            Prepared::Function(function) => function(url),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Char(char),
    /// Any characters but `/`.
    Name,
    /// Any characters.
    Any,
    /// Nothing, or any characters up to a `/`.
    Folders,
}

/// Alternatives are written out; so many at most.
const ALTERNATIVES: usize = 1_000;

/// A glob for whole URLs.
fn whole(glob: &str, base: Option<&str>) -> Result<String> {
    if glob.starts_with(['*', '{', '\\']) {
        return Ok(glob.to_owned());
    }
    let glob = checked(glob, base)?;
    // A URL of a server has a path, and the browser writes its scheme and host in small letters.
    match glob.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest)) {
        Some((scheme, rest)) if scheme == "http" || scheme == "https" => {
            let (host, path) =
                rest.split_at(rest.find(['/', '?', '#', '*', '{', '\\']).unwrap_or(rest.len()));
            let slash = if path.is_empty() || path.starts_with(['?', '#']) { "/" } else { "" };
            Ok(format!("{scheme}://{}{slash}{path}", host.to_ascii_lowercase()))
        }
        _ => Ok(glob),
    }
}

fn parse(glob: &str) -> Result<Vec<Vec<Token>>> {
    let invalid = |why: &str| Err(Error::new(ErrorKind::Invalid, format!("the glob {glob:?} {why}")));
    // Those that are complete so far, and inside of braces those of the alternatives that are.
    let mut done: Vec<Vec<Token>> = vec![Vec::new()];
    let mut group: Option<(Vec<Vec<Token>>, Vec<Token>)> = None;
    let mut chars = glob.chars().peekable();
    while let Some(char) = chars.next() {
        let is_inside = group.is_some();
        let mut push = |token| match &mut group {
            Some((_, present)) => present.push(token),
            None => done.iter_mut().for_each(|tokens| tokens.push(token)),
        };
        match char {
            '\\' => match chars.next() {
                Some(char) => push(Token::Char(char)),
                None => return invalid("ends with a backslash that escapes nothing"),
            },
            '*' => {
                let mut stars = 1;
                while chars.next_if_eq(&'*').is_some() {
                    stars += 1;
                }
                push(if stars == 1 { Token::Name } else { Token::Any });
            }
            '{' if is_inside => return invalid("has braces in braces"),
            '{' => group = Some((Vec::new(), Vec::new())),
            ',' if is_inside => {
                let (alternatives, present) = group.get_or_insert_default();
                alternatives.push(std::mem::take(present));
            }
            '}' => match group.take() {
                Some((mut alternatives, present)) => {
                    alternatives.push(present);
                    if done.len() * alternatives.len() > ALTERNATIVES {
                        return invalid("has too many alternatives");
                    }
                    let with = |tokens: &Vec<Token>| {
                        alternatives.iter().map(|more| [&tokens[..], more].concat()).collect::<Vec<_>>()
                    };
                    done = done.iter().flat_map(with).collect();
                }
                None => return invalid("has a closing brace without an opening one"),
            },
            char => push(Token::Char(char)),
        }
    }
    if group.is_some() {
        return invalid("has an opening brace without a closing one");
    }
    Ok(done.into_iter().map(folders).collect())
}

/// `/**/` has one `/` where there are no folders.
fn folders(mut tokens: Vec<Token>) -> Vec<Token> {
    let slash = Token::Char('/');
    while let Some(at) = tokens.windows(3).position(|it| it == [slash, Token::Any, slash]) {
        tokens.splice(at + 1..at + 3, [Token::Folders]);
    }
    tokens
}

/// Which beginnings of the URL the tokens read so far can stand for decides what the next one can: no matter how many
/// stars there are, the work is that of one table.
fn fits(glob: &[Token], url: &[char]) -> bool {
    let mut ends = vec![false; url.len() + 1];
    ends[0] = true;
    for token in glob {
        let mut next = vec![false; url.len() + 1];
        // Whether some earlier end reaches to here.
        let mut open = false;
        for at in 0..=url.len() {
            match token {
                Token::Char(char) => next[at] = at > 0 && ends[at - 1] && url[at - 1] == *char,
                Token::Name => {
                    open = ends[at] || (open && at > 0 && url[at - 1] != '/');
                    next[at] = open;
                }
                Token::Any => {
                    open |= ends[at];
                    next[at] = open;
                }
                Token::Folders => {
                    next[at] = ends[at] || (open && at > 0 && url[at - 1] == '/');
                    open |= ends[at];
                }
            }
        }
        ends = next;
    }
    ends[url.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, url: &str) -> bool {
        UrlPattern::from(glob).prepare(Some("http://base.test/shop/")).unwrap().matches(url)
    }

    #[test]
    fn a_glob_stands_for_whole_urls() {
        for (glob, url, expected) in [
            ("http://h/a", "http://h/a", true),
            ("http://h/a", "http://h/a?b", false),
            ("http://h/a?b", "http://h/a?b", true),
            ("http://h/a?b", "http://h/axb", false),
            ("http://h/*", "http://h/a", true),
            ("http://h/*", "http://h/a/b", false),
            ("http://h/*/c", "http://h/a/c", true),
            ("http://h/**", "http://h/a/b?c#d", true),
            ("**/c", "http://h/a/c", true),
            ("**/c", "http://h/a/cc", false),
            ("http://h/**/c", "http://h/c", true),
            ("http://h/**/c", "http://h/a/b/c", true),
            ("http://h/**/c", "http://h/abc", false),
            ("http://h/a**c", "http://h/a/b/c", true),
            ("**/*.{png,jpg}", "http://h/a.jpg", true),
            ("**/*.{png,jpg}", "http://h/a.gif", false),
            ("{http,https}://h/", "https://h/", true),
            ("http://h/\\*", "http://h/*", true),
            ("http://h/\\*", "http://h/a", false),
            ("http://H", "http://h/", true),
            ("HTTP://h?a", "http://h/?a", true),
            ("cart", "http://base.test/shop/cart", true),
            ("/*", "http://base.test/cart", true),
            ("about:blank", "about:blank", true),
            ("**", "", true),
        ] {
            assert_eq!(matches(glob, url), expected, "{glob} {url}");
        }
    }

    #[test]
    fn a_glob_that_cannot_be_read_is_refused() {
        for (glob, told) in [
            ("**/{a,{b,c}}", "braces in braces"),
            ("**/{a", "without a closing one"),
            ("**/a}", "without an opening one"),
            ("**/a\\", "escapes nothing"),
            ("/cart", "needs a scheme"),
            ("", "needs a scheme"),
        ] {
            let error = UrlPattern::from(glob).prepare(None).err().expect(glob);
            assert!(
                error.kind() == ErrorKind::Invalid && error.to_string().contains(told),
                "{glob}: {error}"
            );
        }
        let many = "{a,b,c,d,e,f,g,h,i,j}".repeat(4);
        assert!(UrlPattern::from(format!("**/{many}")).prepare(None).is_err());
    }

    #[test]
    fn parts_and_functions_decide_too() {
        let is = |pattern: UrlPattern, url| pattern.prepare(None).unwrap().matches(url);
        assert!(is(UrlPattern::contains("b=*"), "http://h/?b=*"));
        assert!(!is(UrlPattern::contains("b=*"), "http://h/?b=c"));
        assert!(is(UrlPattern::matching(|url| url.ends_with('c')), "http://h/c"));
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = format!("http://h/{}b", "*a".repeat(200));
        assert!(!matches(&glob, &format!("http://h/{}", "a".repeat(2_000))));
    }
}
