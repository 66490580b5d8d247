//! What stands inside a JSON string: escapes, surrogates, control characters. Anything that is no Unicode
//! becomes U+FFFD: Chromium sends lone surrogates, and one of them must not lose a message.

/// Where the first control character stands, which JSON allows only as an escape.
#[inline]
pub(super) fn first_control(bytes: &[u8]) -> Option<usize> {
    // Without an early exit the compiler makes vector code of this.
    let any = bytes.iter().fold(false, |any, &b| any | (b < 0x20));
    if any { bytes.iter().position(|&b| b < 0x20) } else { None }
}

/// Length of the escape at the start of `bytes`, or nothing if it is not one.
#[inline]
pub(super) fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => unit(bytes).map(|_| 6),
        _ => None,
    }
}

/// The UTF-16 unit of a `\uXXXX` at the start of `bytes`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0u16, |value, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(value << 4 | u16::try_from(digit).ok()?)
    })
}

/// The character of the `\uXXXX` at the start of `bytes`, joined with a second one if both are a pair, and
/// the length read. Half a pair counts as U+FFFD.
fn character(bytes: &[u8]) -> Option<(char, usize)> {
    let first = unit(bytes)?;
    let second = || unit(bytes.get(6..)?);
    if (0xD800..0xDC00).contains(&first)
        && let Some(second) = second().filter(|unit| (0xDC00..0xE000).contains(unit))
    {
        let code = 0x10000 + ((u32::from(first) - 0xD800) << 10 | (u32::from(second) - 0xDC00));
        return Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12));
    }
    Some((char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

/// The value of a string with escapes that were found valid.
pub(super) fn unescape(bytes: &[u8]) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(n) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(n).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let mut utf8 = [0; 4];
        let (value, n): (&[u8], usize) = match escape.get(1) {
            Some(b'n') => (b"\n", 2),
            Some(b't') => (b"\t", 2),
            Some(b'r') => (b"\r", 2),
            Some(b'b') => (b"\x08", 2),
            Some(b'f') => (b"\x0c", 2),
            Some(b'u') => match character(escape) {
                Some((c, n)) => (c.encode_utf8(&mut utf8).as_bytes(), n),
                None => ("\u{FFFD}".as_bytes(), 2),
            },
            _ => (escape.get(1..2).unwrap_or_default(), 2),
        };
        out.extend_from_slice(value);
        rest = escape.get(n..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Raw JSON text in which every escaped half of a surrogate pair is replaced by the escape of U+FFFD, so that
/// strict readers take it.
pub(super) fn mend_raw(bytes: &[u8]) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    // In valid JSON a backslash stands only inside a string, at the start of an escape.
    while let Some(n) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(n).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let length = match character(escape) {
            Some((char::REPLACEMENT_CHARACTER, _)) => {
                out.extend_from_slice(b"\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            Some((_, length)) => length,
            None => 2,
        };
        let (whole, after) = escape.split_at_checked(length).unwrap_or((escape, &[]));
        out.extend_from_slice(whole);
        rest = after;
    }
    out.extend_from_slice(rest);
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters_and_half_pairs_the_replacement() {
        let table = [
            (r#"a\n\t\r\b\f\/\\\"z"#, "a\n\t\r\u{8}\u{c}/\\\"z"),
            (r"\u00e9", "é"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83d", "\u{FFFD}"),
            (r"\ude00", "\u{FFFD}"),
            (r"\ud83dx", "\u{FFFD}x"),
            (r"\ud83d\ud83d\ude00", "\u{FFFD}😀"),
            (r"\ud83d\n", "\u{FFFD}\n"),
        ];
        for (text, value) in table {
            assert_eq!(unescape(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn raw_text_keeps_everything_but_half_pairs() {
        let table = [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#""\ud83d\ude00\n\\ud83d""#, r#""\ud83d\ude00\n\\ud83d""#),
            (r#""\udc00\ud83d\ud83d\ude00""#, r#""\ufffd\ufffd\ud83d\ude00""#),
        ];
        for (text, mended) in table {
            assert_eq!(mend_raw(text.as_bytes()), mended, "{text}");
        }
    }
}
