//! The last lines a browser wrote on its standard error, bounded in lines and bytes. Pure; the reading is
//! done elsewhere.

use std::collections::VecDeque;

const MAX_LINES: usize = 64;
const MAX_BYTES: usize = 16 * 1024;
/// A longer line is cut: one endless line must not push out everything else.
const MAX_LINE: usize = 2 * 1024;

/// A ring of complete lines plus the one being written.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
    partial: Vec<u8>,
}

impl Tail {
    /// Takes a chunk as it was read; `each` sees every line that it completes.
    pub(crate) fn push(&mut self, chunk: &[u8], mut each: impl FnMut(&str)) {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.extend_partial(line);
            self.finish_line(&mut each);
            rest = after.get(1..).unwrap_or_default();
        }
        self.extend_partial(rest);
    }

    /// The stream has ended: what stands without a line end is a line too.
    pub(crate) fn end(&mut self, mut each: impl FnMut(&str)) {
        if !self.partial.is_empty() {
            self.finish_line(&mut each);
        }
    }

    /// The lines kept, oldest first, without their line ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.lines.iter().cloned().collect();
        if !self.partial.is_empty() {
            lines.push(String::from_utf8_lossy(&self.partial).into_owned());
        }
        lines
    }

    fn extend_partial(&mut self, bytes: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.partial.len());
        self.partial.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn finish_line(&mut self, each: &mut impl FnMut(&str)) {
        let bytes = std::mem::take(&mut self.partial);
        let line = String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned();
        each(&line);
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_wherever_the_chunks_are_cut() {
        let text = b"first\nsecond \xc3\xa9\r\n\nlast";
        for cut in 0..text.len() {
            let mut tail = Tail::default();
            let mut seen = Vec::new();
            tail.push(&text[..cut], |line| seen.push(line.to_owned()));
            tail.push(&text[cut..], |line| seen.push(line.to_owned()));
            assert_eq!(tail.lines(), ["first", "second é", "", "last"], "cut at {cut}");
            tail.end(|line| seen.push(line.to_owned()));
            assert_eq!(seen, ["first", "second é", "", "last"], "cut at {cut}");
        }
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let mut tail = Tail::default();
        for number in 0..1000 {
            tail.push(format!("line {number}\n").as_bytes(), |_| {});
        }
        let lines = tail.lines();
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines.last().map(String::as_str), Some("line 999"));
    }

    #[test]
    fn memory_is_bounded_also_without_line_ends() {
        let mut tail = Tail::default();
        for _ in 0..1000 {
            tail.push(&[b'x'; 1000], |_| {});
        }
        assert_eq!(tail.lines().iter().map(String::len).sum::<usize>(), MAX_LINE);
        for _ in 0..1000 {
            tail.push(&[b"\n".as_slice(), &[b'y'; 1500]].concat(), |_| {});
        }
        assert!(tail.lines().iter().map(String::len).sum::<usize>() <= MAX_BYTES + MAX_LINE);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        let mut tail = Tail::default();
        tail.push(b"a\xffb\n", |_| {});
        assert_eq!(tail.lines(), ["a\u{fffd}b"]);
    }
}
