//! Random JSON texts and mutations of them, the same ones in every run.

/// Xorshift: enough to spread over cases, and repeatable.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Appends a random value that nests at most `depth` deep.
pub(crate) fn value(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 | 2 => number(random, out),
        3 | 4 => text(random, out),
        5 => container(random, out, '[', ']', |random, out| value(random, depth - 1, out)),
        _ => container(random, out, '{', '}', |random, out| {
            text(random, out);
            blank(random, out);
            out.push(':');
            value(random, depth - 1, out);
        }),
    }
}

/// Changes `bytes` in one to four places, so that most results are nearly JSON.
pub(crate) fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    const INTERESTING: &[u8] = b"\"\\{}[]:,0-9.eEtfn u\x00\x1f\x7f\x80\xbf\xc3\xed\xff";
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = INTERESTING[random.below(INTERESTING.len())],
            2 => bytes.insert(at, INTERESTING[random.below(INTERESTING.len())]),
            3 if at < bytes.len() => {
                bytes.remove(at);
            }
            4 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {
                let end = (at + random.below(12)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
        }
    }
}

fn blank(random: &mut Random, out: &mut String) {
    if random.below(4) == 0 {
        out.push_str(random.pick(&[" ", "\n", "\t", "\r\n", "  "]));
    }
}

fn container(
    random: &mut Random,
    out: &mut String,
    open: char,
    close: char,
    item: impl Fn(&mut Random, &mut String),
) {
    out.push(open);
    for i in 0..random.below(5) {
        if i > 0 {
            out.push(',');
        }
        blank(random, out);
        item(random, out);
        blank(random, out);
    }
    out.push(close);
}

fn number(random: &mut Random, out: &mut String) {
    const SPECIAL: &[&str] = &[
        "0",
        "-0",
        "1.0",
        "1e3",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "1E+2",
        "0.1",
        "-9223372036854775808",
        "-9223372036854775809",
        "2.2250738585072014e-308",
        "1e-999",
        "1698765432.123456",
        "123456789012345678901234567890.5e-10",
    ];
    match random.below(3) {
        0 => out.push_str(random.pick(SPECIAL)),
        1 => out.push_str(&(random.below(2_000_000) as i64 - 1_000_000).to_string()),
        _ => out.push_str(&format!("{}.{}", random.below(100_000), random.below(100_000))),
    }
}

fn text(random: &mut Random, out: &mut String) {
    const PIECES: &[&str] = &[
        "a",
        "frameId",
        "url",
        "nodeId",
        "ä",
        "😀",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\udc00",
        "\\uFFFF",
        "a longer piece of plain text without any escape in it",
        " ",
        "\u{7f}",
        "\\\\ud83d",
    ];
    out.push('"');
    for _ in 0..random.below(5) {
        out.push_str(random.pick(PIECES));
    }
    out.push('"');
}
