//! What stands inside a JSON string: escapes, surrogates, control characters. Half a surrogate pair becomes
//! U+FFFD: Chromium sends them, and one of them must not lose a message.

/// How many words are looked at one by one before the vector search takes over: its set-up costs more than most keys and values,
/// which are short.
const SHORT: usize = 8;

/// Bytes of a long text that are looked at together.
const BLOCK: usize = 8 * 1024;

/// How many bytes at the start of `bytes` are neither a quote nor a backslash nor a control character.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    let mut length = 0;
    for word in words.iter().take(SHORT) {
        let found = special_bytes(u64::from_le_bytes(*word));
        if found != 0 {
            return length + (found.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    let rest = if words.len() > SHORT { bytes.get(length..).unwrap_or_default() } else { rest };
    length + plain_len_of_rest(rest)
}

fn plain_len_of_rest(bytes: &[u8]) -> usize {
    let mut length = 0;
    // In blocks, so that the second look at a long text finds it in the processor's cache.
    for block in bytes.chunks(BLOCK) {
        let end = memchr::memchr2(b'"', b'\\', block).unwrap_or(block.len());
        let run = block.get(..end).unwrap_or_default();
        // Without an early exit the compiler makes vector code of this.
        if run.iter().fold(false, |any, &b| any | (b < 0x20)) {
            return length + run.iter().position(|&b| b < 0x20).unwrap_or(end);
        }
        length += end;
        if end < block.len() {
            break;
        }
    }
    length
}

/// Sets the highest bit of the first byte that is a quote, a backslash or a control character, and perhaps of later ones.
#[inline]
pub(crate) fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    // A byte that is less than what is taken from it borrows into its highest bit, which it had not set before.
    let quote = (word ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | backslash | control) & !word & (ONES * 0x80)
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

/// Appends what the escape at the start of `bytes` means; gives its length, or nothing if it is not one.
#[inline]
pub(super) fn push_escape(bytes: &[u8], out: &mut String) -> Option<usize> {
    let meant = match bytes.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => {
            let (meant, length) = character(bytes)?;
            out.push(meant);
            return Some(length);
        }
        &byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        _ => return None,
    };
    out.push(meant);
    Some(2)
}

/// Raw JSON text in which every escaped half of a surrogate pair is replaced by the escape of U+FFFD, so that
/// strict readers take it.
pub(super) fn mend_raw(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // In valid JSON a backslash stands only inside a string, at the start of an escape.
    while let Some((plain, escape)) = rest.find('\\').and_then(|n| rest.split_at_checked(n)) {
        out.push_str(plain);
        let length = match character(escape.as_bytes()) {
            Some((char::REPLACEMENT_CHARACTER, _)) => {
                out.push_str("\\ufffd");
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            Some((_, length)) => length,
            None => 2,
        };
        let (whole, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(whole);
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters_and_half_pairs_the_replacement() {
        let table = [
            (r#"\n\t\r\b\f\/\\\""#, "\n\t\r\u{8}\u{c}/\\\""),
            (r"\u00e9", "é"),
            (r"\ud83d\ude00", "😀"),
            (r"\ud83d", "\u{FFFD}"),
            (r"\ude00", "\u{FFFD}"),
            (r"\ud83d\ud83d\ude00", "\u{FFFD}😀"),
            (r"\ud83d\n", "\u{FFFD}\n"),
        ];
        for (escapes, value) in table {
            let (mut rest, mut out) = (escapes.as_bytes(), String::new());
            while let Some(n) = push_escape(rest, &mut out) {
                assert!(escape_len(rest).is_some());
                rest = &rest[n..];
            }
            assert_eq!((rest.len(), out.as_str()), (0, value), "{escapes}");
        }
        for wrong in [r"\", r"\x", r"\u12", r"\u12g4", r"\u+123"] {
            assert_eq!(push_escape(wrong.as_bytes(), &mut String::new()), None, "{wrong}");
            assert_eq!(escape_len(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn the_first_byte_that_ends_a_plain_piece_is_found_at_every_place() {
        for length in 0..80 {
            let plain = "aä\u{7f}\u{80}!#[]\u{ff}~".bytes().cycle().take(length).collect::<Vec<u8>>();
            assert_eq!(plain_len(&plain), length);
            for special in (0..0x20).chain(*b"\"\\") {
                let mut text = plain.clone();
                text.push(special);
                text.extend_from_slice(b"\"\\ after it");
                assert_eq!(plain_len(&text), length, "{special} behind {length} bytes");
            }
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
            assert_eq!(mend_raw(text), mended, "{text}");
        }
    }
}
