//! JSON strings as the envelope needs them: found, and unescaped when they carry an id, a key or a name.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2;

use crate::json::special_bytes;

/// A name or an id in an envelope, as bytes: routing only compares them, and checking them to be UTF-8 once more would cost more
/// than the comparison.
#[derive(Clone, PartialEq, Eq)]
pub struct Text<'a>(Cow<'a, [u8]>);

impl<'a> Text<'a> {
    /// The text up to the quote that ends it, and what follows the quote. `None` for a text with escapes, control characters or
    /// anything beyond ASCII. Looks at whole words, so a quote among the last seven bytes may be missed; no envelope ends so soon
    /// behind a name.
    #[inline]
    pub(super) fn up_to_quote(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (words, _) = bytes.as_chunks();
        let mut before = words.iter().map(|word| unusual(*word)).enumerate();
        let (word, unusual) = before.find(|(_, unusual)| *unusual != 0)?;
        let end = word.checked_mul(8)?.checked_add(usize::try_from(unusual.trailing_zeros() / 8).ok()?)?;
        let (text, rest) = bytes.split_at_checked(end)?;
        Some((Self(Cow::Borrowed(text)), rest.strip_prefix(b"\"")?))
    }

    /// A text all of whose bytes are plain. `N` is a multiple of eight.
    #[inline]
    pub(super) fn plain<const N: usize>(bytes: &'a [u8; N]) -> Option<Self> {
        const { assert!(N.is_multiple_of(8), "a rest would not be looked at") };
        let (words, _) = bytes.as_chunks();
        let unusual = words.iter().fold(0, |all, word| all | unusual(*word));
        (unusual == 0).then_some(Self(Cow::Borrowed(bytes)))
    }

    /// A text that has no escapes.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        str::from_utf8(bytes).ok().map(|text| Self(Cow::Borrowed(text.as_bytes())))
    }

    /// The text's bytes, which are UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The part of the message that the text is; `None` when it was written with escapes.
    pub(crate) fn borrowed(&self) -> Option<&'a [u8]> {
        match self.0 {
            Cow::Borrowed(bytes) => Some(bytes),
            Cow::Owned(_) => None,
        }
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// Sets the highest bit of the first byte that is a quote, a backslash, a control character or beyond ASCII, and perhaps of later
/// ones.
#[inline]
fn unusual(bytes: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(bytes);
    special_bytes(word) | (word & u64::from_le_bytes([0x80; 8]))
}

/// Offset behind the string whose opening quote stands at `at`; `None` when it doesn't end.
pub(super) fn skip(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at.checked_add(1)?;
    loop {
        let found = at.checked_add(memchr2(b'"', b'\\', bytes.get(at..)?)?)?;
        match bytes.get(found)? {
            b'"' => return found.checked_add(1),
            _ => at = found.checked_add(2)?,
        }
    }
}

/// The text between two quotes. Lone surrogates become U+FFFD; `None` for invalid escapes or UTF-8.
pub(super) fn unescape(inner: &[u8]) -> Option<Cow<'_, str>> {
    let text = str::from_utf8(inner).ok()?;
    if text.bytes().any(|b| b < 0x20) {
        return None;
    }
    if !inner.contains(&b'\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = escaped.chars();
        let plain = match chars.next()? {
            'u' => {
                let (c, after) = unicode(chars.as_str())?;
                out.push(c);
                rest = after;
                continue;
            }
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            c @ ('"' | '\\' | '/') => c,
            _ => return None,
        };
        out.push(plain);
        rest = chars.as_str();
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// One `\u` escape, whose digits begin `text`, with its second half if it is a pair; and what follows it.
fn unicode(text: &str) -> Option<(char, &str)> {
    let (high, rest) = hex(text)?;
    if !(0xD800..0xDC00).contains(&high) {
        return Some((char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), rest));
    }
    let pair = rest.strip_prefix("\\u").and_then(hex).filter(|(low, _)| (0xDC00..0xE000).contains(low));
    match pair {
        Some((low, rest)) => {
            let code = 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF);
            Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), rest))
        }
        None => Some((char::REPLACEMENT_CHARACTER, rest)),
    }
}

fn hex(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, text.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_every_kind_are_resolved() {
        let table: &[(&str, Option<&str>)] = &[
            ("plain", Some("plain")),
            ("", Some("")),
            (r#"\"\\\/\b\f\n\r\t"#, Some("\"\\/\u{8}\u{c}\n\r\t")),
            (r"Page.\u0066oo", Some("Page.foo")),
            (r"\ud83d\ude00!", Some("😀!")),
            (r"\ud83d", Some("\u{FFFD}")),
            (r"\ud83d\u0041", Some("\u{FFFD}A")),
            (r"\ude00\ud83d", Some("\u{FFFD}\u{FFFD}")),
            (r"\u00", None),
            (r"\u00é0", None),
            (r"\x41", None),
            (r"\", None),
            ("a\nb", None),
        ];
        for (escaped, expected) in table {
            assert_eq!(unescape(escaped.as_bytes()).as_deref(), *expected, "{escaped}");
        }
        assert_eq!(unescape(b"\xFF"), None);
    }

    #[test]
    fn a_plain_text_has_no_byte_that_needs_a_second_look() {
        let plain = |b: u8| matches!(b, 0x20..=0x7F) && b != b'"' && b != b'\\';
        for at in 0..32 {
            for byte in 0..=255 {
                let mut id = *b"0123456789ABCDEF0123456789ABCDEF";
                id[at] = byte;
                assert_eq!(Text::plain(&id).is_some(), plain(byte), "{byte} at {at}");
                let name = [&id[..at], &[byte], b"end\",\"params\":{}}"].concat();
                let found = Text::up_to_quote(&name).map(|(text, rest)| (text.as_bytes().to_vec(), rest));
                let expected = match byte {
                    b'"' => Some((id[..at].to_vec(), &name[at + 1..])),
                    _ => plain(byte).then(|| (name[..at + 4].to_vec(), &name[at + 5..])),
                };
                assert_eq!(found, expected, "{byte} at {at}");
            }
        }
        assert_eq!(Text::up_to_quote(b"no quote in two words"), None);
    }

    #[test]
    fn a_string_ends_at_its_first_bare_quote() {
        assert_eq!(skip(br#""a\"b\\" "#, 0), Some(8));
        assert_eq!(skip(br#""a\"#, 0), None);
        assert_eq!(skip(br#""a"#, 0), None);
    }
}
