//! Cuts PDL text into lines with indentation, words and the comment that stands above. Knows no keyword.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Place};

/// One line that is neither blank nor a comment.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    file: Arc<Path>,
    number: usize,
    /// Spaces in front of the text.
    indent: usize,
    /// How many blocks lie around the line.
    level: usize,
    /// The line without indentation and trailing space.
    pub(crate) text: &'a str,
    /// Comment lines that stood above and belong to this line.
    comment: Vec<String>,
}

impl<'a> Line<'a> {
    /// The words of the line.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.text.split_ascii_whitespace()
    }

    /// Where the line begins.
    pub(crate) fn place(&self) -> Place {
        Place::new(&self.file, self.number, self.indent + 1)
    }

    /// Where `word` (a slice of this line's text) stands.
    pub(crate) fn place_of(&self, word: &str) -> Place {
        let offset = (word.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or(self.text);
        Place::new(&self.file, self.number, self.indent + 1 + before.chars().count())
    }

    /// Where something is missing behind the last word.
    pub(crate) fn place_behind(&self) -> Place {
        Place::new(&self.file, self.number, self.indent + 1 + self.text.chars().count())
    }
}

/// Whether a line with this indentation stands further left than the line before it.
fn dedented(lines: &[Line<'_>], indent: usize) -> bool {
    lines.last().is_some_and(|line| line.indent > indent)
}

/// The lines of one file, read front to back.
pub(crate) struct Lines<'a> {
    lines: std::iter::Peekable<std::vec::IntoIter<Line<'a>>>,
    /// Comment whose own line held no item that can carry it; the next item takes it.
    carried: Vec<String>,
    /// The comment block at the top of the file that a blank line separates from the first item.
    pub(crate) header: Vec<String>,
}

impl<'a> Lines<'a> {
    /// Cuts `text`, which came from `file`.
    pub(crate) fn new(text: &'a str, file: &Arc<Path>) -> Result<Lines<'a>, Error> {
        let mut lines: Vec<Line<'a>> = Vec::new();
        let mut comment = Vec::new();
        let mut header = Vec::new();
        let mut blocks: Vec<usize> = vec![0];
        // A carriage return ends a line like any other end: Rust takes none inside of a doc comment.
        let rows = text.split('\n').flat_map(|row| row.strip_suffix('\r').unwrap_or(row).split('\r'));
        for (index, raw) in rows.enumerate() {
            let number = index + 1;
            let trimmed = raw.trim();
            if trimmed.is_empty() {
                if lines.is_empty() && header.is_empty() {
                    header = std::mem::take(&mut comment);
                }
                continue;
            }
            if let Some(rest) = trimmed.strip_prefix('#') {
                comment.push(rest.strip_prefix(' ').unwrap_or(rest).to_owned());
                continue;
            }
            let indent = raw.len() - raw.trim_start().len();
            if let Some(tab) = raw[..indent].find(|c| c != ' ') {
                let place = Place::new(file, number, tab + 1);
                return Err(Error::at(
                    &place,
                    "expected spaces as indentation, found another blank character",
                ));
            }
            // A block is what is indented deeper than its heading; by how much is up to its first line.
            while blocks.last().is_some_and(|&block| block > indent) {
                blocks.pop();
            }
            match blocks.last() {
                Some(&block) if block == indent => {}
                Some(_) if dedented(&lines, indent) => {
                    let place = Place::new(file, number, indent + 1);
                    let message =
                        format!("expected the indentation of an outer block, found {indent} spaces");
                    return Err(Error::at(&place, message));
                }
                _ => blocks.push(indent),
            }
            let level = blocks.len() - 1;
            let comment = std::mem::take(&mut comment);
            lines.push(Line { file: file.clone(), number, indent, level, text: trimmed, comment });
        }
        Ok(Lines { lines: lines.into_iter().peekable(), carried: Vec::new(), header })
    }

    /// The next line if it stands at `level`; nothing if it belongs to an outer level or the file ends.
    /// `inside` says what may stand here, for the error about a line that is indented deeper.
    pub(crate) fn peek_at(&mut self, level: usize, inside: &str) -> Result<Option<&Line<'a>>, Error> {
        match self.lines.peek() {
            Some(line) if line.level > level => {
                let message = format!("expected {inside}, found `{}` indented deeper", line.text);
                Err(Error::at(&line.place(), message))
            }
            Some(line) if line.level == level => Ok(self.lines.peek()),
            _ => Ok(None),
        }
    }

    /// Takes the next line together with the comment above it.
    pub(crate) fn take(&mut self) -> Option<(Line<'a>, Vec<String>)> {
        let mut line = self.lines.next()?;
        let mut comment = std::mem::take(&mut self.carried);
        comment.append(&mut line.comment);
        Some((line, comment))
    }

    /// Takes the next line, whose comment goes to the item after it.
    pub(crate) fn take_heading(&mut self) {
        if let Some(mut line) = self.lines.next() {
            self.carried.append(&mut line.comment);
        }
    }
}
