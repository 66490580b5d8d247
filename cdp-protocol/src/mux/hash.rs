//! The hash of ids: a multiplication for each eight bytes. Call ids are ours and session ids the peer's, who by making them collide
//! slows only its own connection. Ids that merely count up must not collide.

use std::hash::{BuildHasherDefault, Hasher};

/// 2^64 divided by the golden ratio: odd, and with no pattern among its bits.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A `HashMap`'s hasher for ids.
pub(super) type IdHash = BuildHasherDefault<IdHasher>;

#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
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
        // Bit n of a product depends on the bits up to n of its factors alone. The table takes the lowest bits, while an id that
        // counts up differs in the highest bytes of a word. So the upper half, which depends on those, is mixed in.
        let (low, high) = (self.0 ^ value).carrying_mul(FACTOR, 0);
        self.0 = low ^ high;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::hash::BuildHasher;

    use super::*;

    /// A table of 2^14 places takes the lowest bits, and tells apart what shares a place by the seven highest.
    #[test]
    fn ids_that_count_up_spread_over_a_table_wherever_they_count() {
        for at in 0..=24 {
            let places = (0..10_000usize).map(|n| {
                let id = format!("{}{n:08X}{}", "A".repeat(at), "B".repeat(24 - at));
                let id = <[u8; 32]>::try_from(id.as_bytes()).unwrap();
                let hash = IdHash::default().hash_one(id);
                (hash & 0x3FFF, hash >> 57)
            });
            let places: Vec<(u64, u64)> = places.collect();
            let low = places.iter().map(|(low, _)| low).collect::<BTreeSet<_>>().len();
            let both = places.iter().collect::<BTreeSet<_>>().len();
            // Random ones take 7,484 places on average, and 9,976 pairs.
            assert!(low > 7_000 && both > 9_900, "at {at}: {low} places, {both} pairs");
        }
    }
}
