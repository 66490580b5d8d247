//! Passes over a value that nobody asked for, checking that it is JSON. Does not recurse.

use super::cursor::Cursor;
use super::error::Error;

/// How deep lists and objects may nest. Chromium itself gives up at about 300.
pub(super) const MAX_DEPTH: usize = 512;

/// One bit a level: whether the container there is an object.
#[derive(Default)]
struct Kinds {
    bits: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl Kinds {
    fn push(&mut self, object: bool) {
        let mask = 1 << (self.depth % 64);
        if let Some(word) = self.bits.get_mut(self.depth / 64) {
            *word = if object { *word | mask } else { *word & !mask };
        }
        self.depth += 1;
    }

    fn is_object(&self) -> bool {
        let level = self.depth.saturating_sub(1);
        self.bits.get(level / 64).is_some_and(|word| word & (1 << (level % 64)) != 0)
    }
}

impl Cursor<'_> {
    /// Passes over the value that comes next, which lies inside `depth` containers. Says whether a string in
    /// it has an escaped surrogate, which may be half a pair.
    pub(super) fn skip(&mut self, depth: usize) -> Result<bool, Error> {
        let mut kinds = Kinds::default();
        let mut surrogates = false;
        loop {
            // At the start of a value.
            match self.peek_token() {
                Some(open @ (b'{' | b'[')) => {
                    let object = open == b'{';
                    self.advance(1);
                    if depth + kinds.depth >= MAX_DEPTH {
                        return Err(too_deep(self.pos()));
                    }
                    if !self.take_token(if object { b'}' } else { b']' }) {
                        kinds.push(object);
                        if object {
                            surrogates |= self.skip_key()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => surrogates |= self.skip_string()?,
                Some(b'-' | b'0'..=b'9') => self.skip_number()?,
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                _ => return Err(self.error("a value")),
            }
            // Behind a value.
            loop {
                if kinds.depth == 0 {
                    return Ok(surrogates);
                }
                let object = kinds.is_object();
                if self.take_token(b',') {
                    if object {
                        surrogates |= self.skip_key()?;
                    }
                    break;
                }
                if !self.take_token(if object { b'}' } else { b']' }) {
                    return Err(self.error(if object { "`,` or `}`" } else { "`,` or `]`" }));
                }
                kinds.depth -= 1;
            }
        }
    }

    fn skip_key(&mut self) -> Result<bool, Error> {
        let surrogates = self.skip_string()?;
        if self.take_token(b':') { Ok(surrogates) } else { Err(self.error("`:`")) }
    }

    fn skip_string(&mut self) -> Result<bool, Error> {
        let quoted = self.string()?;
        Ok(quoted.escaped && has_surrogate(quoted.inner.as_bytes()))
    }

    fn skip_number(&mut self) -> Result<(), Error> {
        self.scan_number().map(|_| ())
    }
}

#[cold]
pub(super) fn too_deep(offset: usize) -> Error {
    Error::new(format!("expected at most {MAX_DEPTH} nested lists and objects, found more"), offset)
}

/// Whether `\ud8..` to `\udf..` occurs. May say yes to an escaped backslash in front of such text; never no
/// to a surrogate.
fn has_surrogate(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', bytes).any(|i| {
        matches!(
            bytes.get(i + 1..i + 4),
            Some([b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'c' | b'd' | b'e' | b'f' | b'A'..=b'F'])
        )
    })
}
