//! Random words, numbers and raw values, each as JSON text beside the value it stands for.

use arbtest::arbitrary::Unstructured;
use serde_json::{Map, Value};

/// How much of what may be left out is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Filling {
    /// All that fits into the depth; each list has an item.
    Full,
    /// Only what must be there; each list is empty.
    Bare,
    /// By chance.
    Random,
}

/// Random bytes as choices. When they are used up, every choice is its first.
pub(crate) struct Dice<'a, 'b> {
    bytes: &'a mut Unstructured<'b>,
    pub(crate) filling: Filling,
}

impl<'a, 'b> Dice<'a, 'b> {
    pub(crate) fn new(bytes: &'a mut Unstructured<'b>, filling: Filling) -> Dice<'a, 'b> {
        Dice { bytes, filling }
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.bytes.choose_index(limit).unwrap_or(0)
    }

    pub(crate) fn pick<'c, T: ?Sized>(&mut self, from: &[&'c T]) -> &'c T {
        from[self.below(from.len())]
    }

    /// Whether something optional is there.
    pub(crate) fn there(&mut self) -> bool {
        match self.filling {
            Filling::Full => true,
            Filling::Bare => false,
            Filling::Random => self.bytes.arbitrary().unwrap_or(false),
        }
    }

    /// How long a list is: mostly short.
    pub(crate) fn length(&mut self) -> usize {
        match self.filling {
            Filling::Full => 1,
            Filling::Bare => 0,
            Filling::Random => [1, 0, 2, 3, 1, 0, 2, 12][self.below(8)],
        }
    }

    pub(crate) fn integer(&mut self) -> i64 {
        const EDGES: &[i64] =
            &[0, -1, 1, 1000, -7000, 1 << 31, 1 << 53, -(1 << 53), (1 << 53) + 1, i64::MAX, i64::MIN];
        match self.below(3) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.bytes.int_in_range(-1000..=1000).unwrap_or(0),
            _ => self.bytes.arbitrary().unwrap_or(0),
        }
    }

    /// Any number that JSON can hold.
    pub(crate) fn number(&mut self) -> f64 {
        const EDGES: &[f64] = &[0.0, -0.5, 0.1, 1e300, 5e-324, f64::MAX, 9_007_199_254_740_993.0, -8.0];
        match self.below(3) {
            0 => EDGES[self.below(EDGES.len())],
            1 => f64::from(self.bytes.arbitrary::<i32>().unwrap_or(0)) / 1024.0,
            _ => self.bytes.arbitrary().ok().filter(|number: &f64| number.is_finite()).unwrap_or(0.0),
        }
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let length = [0, 1, 2, 3, 40][self.below(5)];
        self.bytes.bytes(length).map(<[u8]>::to_vec).unwrap_or_default()
    }

    /// Appends a string as a browser may write it, and returns the text it stands for.
    pub(crate) fn text(&mut self, out: &mut String) -> String {
        // Half a surrogate pair stands for U+FFFD. None of them may meet its other half by chance.
        const PIECES: &[(&str, &str)] = &[
            ("a", "a"),
            ("https://example.org/?q=1#x", "https://example.org/?q=1#x"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u0000\u001f\u00e9", "\0\u{1f}é"),
            ("äß漢😀", "äß漢😀"),
            (r"\ud83d\ude00\uD83D\uDE00", "😀😀"),
            (r"\ud83d.", "\u{FFFD}."),
            (r"\ude00.", "\u{FFFD}."),
            ("\u{7f}\u{2028}", "\u{7f}\u{2028}"),
        ];
        let mut meant = String::new();
        out.push('"');
        for _ in 0..self.below(4) {
            match PIECES.get(self.below(PIECES.len() + 2)) {
                Some((written, meaning)) => {
                    out.push_str(written);
                    meant.push_str(meaning);
                }
                None => {
                    let c = self.bytes.arbitrary().unwrap_or('b');
                    if c < ' ' || matches!(c, '"' | '\\') {
                        out.push_str(&format!("\\u{:04X}", u32::from(c)));
                    } else {
                        out.push(c);
                    }
                    meant.push(c);
                }
            }
        }
        out.push('"');
        meant
    }

    /// Appends any value, and returns it. Its numbers are such as serde_json reads exactly: the text of a raw
    /// value is no business of the protocol's decoder.
    pub(crate) fn anything(&mut self, depth: usize, out: &mut String) -> Value {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => {
                out.push_str("null");
                Value::Null
            }
            1 => {
                let value = self.below(2) == 1;
                out.push_str(if value { "true" } else { "false" });
                Value::from(value)
            }
            2 => {
                let value = Value::from(self.integer());
                out.push_str(&value.to_string());
                value
            }
            3 => {
                let value = Value::from(self.below(1000) as f64 / 8.0);
                out.push_str(&value.to_string());
                value
            }
            4 => Value::from(self.text(out)),
            5 => {
                let mut items = Vec::new();
                list(self.below(3), ["[", "]"], out, |out| items.push(self.anything(depth - 1, out)));
                Value::Array(items)
            }
            _ => self.properties(depth - 1, out),
        }
    }

    /// Appends an object with any members, and returns it.
    pub(crate) fn properties(&mut self, depth: usize, out: &mut String) -> Value {
        let mut members = Map::new();
        list(self.below(3), ["{", "}"], out, |out| {
            let key = self.text(out);
            out.push(':');
            members.insert(key, self.anything(depth, out));
        });
        Value::Object(members)
    }
}

/// Appends `count` items with commas between them.
pub(crate) fn list(count: usize, around: [&str; 2], out: &mut String, mut item: impl FnMut(&mut String)) {
    out.push_str(around[0]);
    for i in 0..count {
        if i > 0 {
            out.push(',');
        }
        item(out);
    }
    out.push_str(around[1]);
}
