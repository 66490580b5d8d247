//! Lengths on paper, and the sizes that paper comes in.

/// CSS pixels of an inch.
const PIXELS: f64 = 96.0;

/// Centimetres of an inch.
const CENTIMETRES: f64 = 2.54;

/// A length on paper.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Length {
    inches: f64,
}

impl Length {
    /// Nothing.
    pub const ZERO: Self = Self::inches(0.0);

    /// A length in inches.
    pub const fn inches(inches: f64) -> Self {
        Self { inches }
    }

    /// A length in CSS pixels, of which an inch has 96.
    pub const fn px(pixels: f64) -> Self {
        Self::inches(pixels / PIXELS)
    }

    /// A length in centimetres.
    pub const fn cm(centimetres: f64) -> Self {
        Self::inches(centimetres / CENTIMETRES)
    }

    /// A length in millimetres.
    pub const fn mm(millimetres: f64) -> Self {
        Self::cm(millimetres / 10.0)
    }

    /// The length in inches.
    pub const fn as_inches(self) -> f64 {
        self.inches
    }
}

/// A sheet of paper, upright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paper {
    /// Its width.
    pub width: Length,
    /// Its height.
    pub height: Length,
}

impl Paper {
    /// 8.5 by 11 inches.
    pub const LETTER: Self = Self::inches(8.5, 11.0);
    /// 8.5 by 14 inches.
    pub const LEGAL: Self = Self::inches(8.5, 14.0);
    /// 11 by 17 inches.
    pub const TABLOID: Self = Self::inches(11.0, 17.0);
    /// 17 by 11 inches.
    pub const LEDGER: Self = Self::inches(17.0, 11.0);
    /// 33.1 by 46.8 inches.
    pub const A0: Self = Self::inches(33.1, 46.8);
    /// 23.4 by 33.1 inches.
    pub const A1: Self = Self::inches(23.4, 33.1);
    /// 16.54 by 23.4 inches.
    pub const A2: Self = Self::inches(16.54, 23.4);
    /// 11.7 by 16.54 inches.
    pub const A3: Self = Self::inches(11.7, 16.54);
    /// 8.27 by 11.7 inches.
    pub const A4: Self = Self::inches(8.27, 11.7);
    /// 5.83 by 8.27 inches.
    pub const A5: Self = Self::inches(5.83, 8.27);
    /// 4.13 by 5.83 inches.
    pub const A6: Self = Self::inches(4.13, 5.83);

    /// Paper of any size.
    pub const fn new(width: Length, height: Length) -> Self {
        Self { width, height }
    }

    const fn inches(width: f64, height: f64) -> Self {
        Self::new(Length::inches(width), Length::inches(height))
    }
}

#[cfg(test)]
mod tests {
    use super::Length;

    #[test]
    fn lengths_are_inches_of_96_pixels_or_25_4_millimetres() {
        let cases = [
            (Length::px(96.0), 1.0),
            (Length::cm(5.08), 2.0),
            (Length::mm(12.7), 0.5),
            (Length::inches(0.5), 0.5),
        ];
        for (length, inches) in cases {
            assert!((length.as_inches() - inches).abs() < 1e-12, "{length:?}");
        }
    }
}
