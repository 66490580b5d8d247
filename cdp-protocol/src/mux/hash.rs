//! The hash of ids: a multiplication for each eight bytes. Call ids are ours, and session ids the browser's random ones, so nobody
//! gains by making them collide.

use std::hash::{BuildHasherDefault, Hasher};

/// A `HashMap`'s hasher for ids.
pub(super) type IdHash = BuildHasherDefault<IdHasher>;

#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        // A multiplication carries upward only, and the table takes the lower bits.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.write_u64(u64::from_le_bytes(*chunk));
        }
        for byte in rest {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_i32(&mut self, id: i32) {
        self.write_u64(u64::from(id.unsigned_abs()));
    }

    fn write_usize(&mut self, _length: usize) {
        // The length of an id, which all ids of a table have in common.
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
