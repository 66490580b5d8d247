//! Bytes taken one by one as choices. When they run out, every choice is the first one, so that any input is a whole script.

use std::borrow::Cow;

/// What is left of an input.
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *first
    }

    /// A number below `limit`, which is at most 256.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A text of up to 24 bytes, whose length stands in front of it. What isn't UTF-8 is replaced.
    pub(crate) fn text(&mut self) -> Cow<'a, str> {
        let length = self.below(25).min(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        String::from_utf8_lossy(text)
    }
}
