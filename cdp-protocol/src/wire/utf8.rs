//! Holds text messages to UTF-8 (RFC 6455 section 8.1): a whole one by [`check`], one that arrives in parts by [`Utf8`], where a read
//! or the border of a fragment may cut a character. Keeps no text.

use super::error::WireError;

/// Longest character, in bytes.
const LONGEST: usize = 4;

/// Bytes that are looked at together in a short message, and how long one is at most.
const CHUNK: usize = 16;
const SHORT: usize = 511;

/// Checks a message that is there whole.
///
/// # Errors
///
/// As [`Utf8::feed`] and [`Utf8::end`].
#[inline]
pub(super) fn check(message: &[u8]) -> Result<(), WireError> {
    if is_short_ascii(message) {
        return Ok(());
    }
    let mut text = Utf8::default();
    text.feed(message)?;
    text.end()
}

/// Whether a message of [`CHUNK`] bytes to [`SHORT`] is ASCII: for so short a one the choice of instructions within `simdutf8` takes
/// longer than this. Says no to all others.
#[inline]
fn is_short_ascii(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<CHUNK>().filter(|_| bytes.len() <= SHORT) else { return false };
    let (chunks, _) = bytes.as_chunks::<CHUNK>();
    // The last chunk takes the rest, and perhaps some bytes twice.
    let all = chunks.iter().chain([last]).fold(0, |all, chunk| all | u128::from_le_bytes(*chunk));
    all & u128::from_le_bytes([0x80; CHUNK]) == 0
}

/// The check of one message so far.
#[derive(Debug, Default)]
pub(super) struct Utf8 {
    /// Whole characters that were checked, in bytes.
    checked: u64,
    /// The bytes behind them: the start of a character whose rest has not come, valid as far as it goes.
    cut: [u8; LONGEST],
    cut_length: usize,
}

impl Utf8 {
    /// Checks the next bytes of the message.
    ///
    /// # Errors
    ///
    /// [`WireError::NotUtf8`] at the first byte that can't be a part of any text.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let rest = if self.cut_length == 0 { bytes } else { self.complete(bytes)? };
        match simdutf8::compat::from_utf8(rest) {
            Ok(_) => self.advance(rest.len()),
            Err(error) => {
                self.advance(error.valid_up_to());
                if error.error_len().is_some() {
                    return Err(self.error());
                }
                let cut = rest.get(error.valid_up_to()..).unwrap_or_default();
                self.keep(cut);
            }
        }
        Ok(())
    }

    /// Checks that no character is cut by the end of the message.
    ///
    /// # Errors
    ///
    /// [`WireError::NotUtf8`] when one is.
    pub(super) fn end(&self) -> Result<(), WireError> {
        if self.cut_length == 0 { Ok(()) } else { Err(self.error()) }
    }

    /// Joins the cut character with the bytes it lacks; returns what comes behind it.
    fn complete<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], WireError> {
        let mut rest = bytes;
        while let Some((byte, behind)) = rest.split_first() {
            let Some(place) = self.cut.get_mut(self.cut_length) else { return Err(self.error()) };
            *place = *byte;
            let length = self.cut_length.saturating_add(1);
            rest = behind;
            match str::from_utf8(self.cut.get(..length).unwrap_or_default()) {
                Ok(_) => {
                    self.advance(length);
                    self.cut_length = 0;
                    break;
                }
                Err(error) if error.error_len().is_some() => return Err(self.error()),
                Err(_) => self.cut_length = length,
            }
        }
        Ok(rest)
    }

    fn keep(&mut self, cut: &[u8]) {
        self.cut_length = cut.len();
        for (place, byte) in self.cut.iter_mut().zip(cut) {
            *place = *byte;
        }
    }

    fn advance(&mut self, count: usize) {
        self.checked = self.checked.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    }

    fn error(&self) -> WireError {
        WireError::NotUtf8 { offset: self.checked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What std says of the whole: nothing, or where the first character that is none begins.
    fn expected(bytes: &[u8]) -> Result<(), WireError> {
        str::from_utf8(bytes)
            .map(drop)
            .map_err(|error| WireError::NotUtf8 { offset: error.valid_up_to() as u64 })
    }

    fn fed(pieces: &[&[u8]]) -> Result<(), WireError> {
        let mut check = Utf8::default();
        pieces.iter().try_for_each(|piece| check.feed(piece))?;
        check.end()
    }

    #[test]
    fn the_answer_is_that_of_std_wherever_the_bytes_are_cut() {
        let table: &[&[u8]] = &[
            b"",
            b"plain",
            "ü€😀 \u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}".as_bytes(),
            b"\xFF",
            b"\x80",
            b"a\xC3",
            b"a\xE2\x82",
            b"a\xF0\x9F\x98",
            b"\xC0\x80",             // an overlong NUL
            b"\xE0\x9F\xBF",         // overlong in three bytes
            b"\xED\xA0\x80",         // half a surrogate pair
            b"\xF0\x8F\xBF\xBF",     // overlong in four bytes
            b"\xF4\x90\x80\x80",     // above U+10FFFF
            b"ok \xE2\x82\xAC\xE2x", // cut by a plain character
            b"\xF0\x9F\x98\x80\x80",
        ];
        for bytes in table {
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(fed(&pieces), expected(bytes), "{bytes:x?} cut at {first} and {second}");
                }
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(fed(&single), expected(bytes), "{bytes:x?} byte by byte");
            assert_eq!(check(bytes), expected(bytes), "{bytes:x?} whole");
        }
    }

    #[test]
    fn long_texts_in_random_pieces_are_judged_as_by_std() {
        let mut random = Random::new(5);
        let mut wrong = 0;
        for _ in 0..2_000 {
            let length = random.below(400);
            let text: String = (0..length).map(|_| ['a', 'ß', '€', '😀'][random.below(4)]).collect();
            let mut bytes = text.into_bytes();
            if random.below(2) == 0 && !bytes.is_empty() {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            let mut pieces = Vec::new();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (piece, behind) = rest.split_at(random.below(rest.len().min(200)) + 1);
                pieces.push(piece);
                rest = behind;
            }
            wrong += usize::from(expected(&bytes).is_err());
            assert_eq!(fed(&pieces), expected(&bytes), "{bytes:x?}");
            assert_eq!(check(&bytes), expected(&bytes), "{bytes:x?}");
        }
        assert!((500..1_500).contains(&wrong), "{wrong} of 2000 texts are none");
    }

    #[test]
    fn one_wrong_byte_is_found_at_every_place_of_a_message_of_any_length() {
        for length in (1..70).chain([511, 512, 513]) {
            let mut bytes = vec![b'a'; length];
            assert_eq!(check(&bytes), Ok(()));
            for at in 0..length {
                bytes[at] = 0x80;
                assert_eq!(check(&bytes), Err(WireError::NotUtf8 { offset: at as u64 }), "of {length}");
                bytes[at] = b'a';
            }
        }
    }

    #[test]
    fn a_violation_is_told_with_its_first_byte() {
        let mut text = Utf8::default();
        assert_eq!(text.feed(b"abc\xF0"), Ok(()));
        // No character begins with these two bytes.
        assert_eq!(text.feed(b"\x8F"), Err(WireError::NotUtf8 { offset: 3 }));
    }
}
