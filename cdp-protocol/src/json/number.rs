//! JSON numbers: whole ones exactly, others as the nearest `f64`.

use super::cursor::Cursor;
use super::error::Error;

/// A number as the text has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// Digits only, no sign.
    Unsigned(u64),
    /// Digits behind a minus.
    Negative(i64),
    /// With a fraction or an exponent, or too large for the others.
    Float(f64),
}

impl Number {
    /// The value as a whole number, if it is one: `1.0` and `1e3` are.
    pub(super) fn whole(self) -> Number {
        // From 2^53 on an `f64` no longer says which whole number was meant.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            Number::Float(value) if value.fract() == 0.0 && value.abs() < EXACT => {
                let magnitude = value.abs() as u64;
                if value < 0.0 { Number::Negative(-(magnitude as i64)) } else { Number::Unsigned(magnitude) }
            }
            other => other,
        }
    }
}

/// Powers of ten that an `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// What the text of a number looks like.
pub(super) struct Scanned {
    negative: bool,
    /// All digits in front of an exponent as one whole number, if it fits.
    digits: Option<u64>,
    /// How many of them stand behind the point.
    fraction: usize,
    exponent: bool,
}

impl Cursor<'_> {
    /// Takes a number, of which the first byte was seen to be a digit or a minus.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Number, Error> {
        let start = self.pos();
        let Scanned { negative, digits, fraction, exponent } = self.scan_number()?;
        if fraction == 0 && !exponent {
            match digits {
                Some(value) if !negative => return Ok(Number::Unsigned(value)),
                // Minus nought is a float: whole numbers have no such thing.
                Some(value) if value != 0 => {
                    if let Some(value) = 0i64.checked_sub_unsigned(value) {
                        return Ok(Number::Negative(value));
                    }
                }
                _ => {}
            }
        } else if !exponent
            && let (Some(value), Some(power)) =
                (digits.filter(|&value| value <= 1 << 53), POWERS.get(fraction))
        {
            // Both operands are exact, so one division rounds once, as it should.
            let value = value as f64 / power;
            return Ok(Number::Float(if negative { -value } else { value }));
        }
        match self.since(start).parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Number::Float(value)),
            _ => Err(Error::new(
                "expected a number within the range of a 64-bit float, found a larger one",
                start,
            )),
        }
    }

    /// Takes the text of a number, of which the first byte was seen to be a digit or a minus. Any size will do: whoever
    /// passes over a number has no use for its value.
    #[inline]
    pub(super) fn scan_number(&mut self) -> Result<Scanned, Error> {
        let negative = self.peek() == Some(b'-');
        if negative {
            self.advance(1);
        }
        let mut digits = Some(0u64);
        if self.peek() == Some(b'0') {
            self.advance(1);
        } else if self.digits(&mut digits) == 0 {
            return Err(self.error("a digit"));
        }
        let mut fraction = 0;
        if self.peek() == Some(b'.') {
            self.advance(1);
            fraction = self.digits(&mut digits);
            if fraction == 0 {
                return Err(self.error("a digit"));
            }
        }
        let exponent = matches!(self.peek(), Some(b'e' | b'E'));
        if exponent {
            self.advance(1);
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.advance(1);
            }
            if self.digits(&mut Some(0)) == 0 {
                return Err(self.error("a digit"));
            }
        }
        Ok(Scanned { negative, digits, fraction, exponent })
    }

    /// Takes digits, adding them to `value` until it overflows; says how many there were.
    #[inline]
    fn digits(&mut self, value: &mut Option<u64>) -> usize {
        let mut count = 0;
        for &byte in self.rest() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            *value = value.and_then(|v| v.checked_mul(10)?.checked_add(u64::from(digit)));
            count += 1;
        }
        self.advance(count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<Number> {
        let mut cursor = Cursor::new(text);
        cursor.number().ok().filter(|_| cursor.peek().is_none())
    }

    #[test]
    fn numbers_are_read_by_table() {
        use Number::{Float, Negative, Unsigned};
        let table = [
            ("0", Some(Unsigned(0))),
            ("-7", Some(Negative(-7))),
            ("18446744073709551615", Some(Unsigned(u64::MAX))),
            ("-9223372036854775808", Some(Negative(i64::MIN))),
            ("18446744073709551616", Some(Float(18446744073709551616.0))),
            ("1.0", Some(Float(1.0))),
            ("0.1", Some(Float(0.1))),
            ("-1.5e-3", Some(Float(-0.0015))),
            ("1698765432.123456", Some(Float(1698765432.123456))),
            ("123456789012345678.25", Some(Float(123456789012345678.25))),
            ("01", None),
            ("-", None),
            ("1.", None),
            ("1e", None),
            ("1e999", None),
            (".5", None),
        ];
        for (text, expected) in table {
            assert_eq!(number(text), expected, "{text}");
        }
        assert!(matches!(number("-0"), Some(Float(v)) if v == 0.0 && v.is_sign_negative()));
    }

    #[test]
    fn whole_floats_count_as_whole_numbers() {
        assert_eq!(Number::Float(1e3).whole(), Number::Unsigned(1000));
        assert_eq!(Number::Float(-2.0).whole(), Number::Negative(-2));
        assert_eq!(Number::Float(1.5).whole(), Number::Float(1.5));
        // 2^53 may have been written as 2^53 + 1.
        assert_eq!(Number::Float(9007199254740992.0).whole(), Number::Float(9007199254740992.0));
        assert_eq!(Number::Float(9007199254740991.0).whole(), Number::Unsigned(9007199254740991));
        assert_eq!(Number::Float(1e300).whole(), Number::Float(1e300));
    }
}
