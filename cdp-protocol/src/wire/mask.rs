//! The mask of client frames (RFC 6455 section 5.3): where the key comes from and how it is laid over a payload.

use std::hash::{BuildHasher, RandomState};

/// Which key a client masks its frames with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Masking {
    /// The key is zero, so the payload goes out as it is. Chromium takes it; right where no proxy can stand between, as on
    /// loopback, in TLS or in a pipe.
    Zero,
    /// A fresh key from the operating system's random source for each frame, as the RFC wants on open networks.
    Random,
}

/// Gives out keys; asks the operating system once for many.
#[derive(Debug)]
pub(super) struct Keys {
    masking: Masking,
    pool: [u8; 128],
    left: usize,
}

impl Keys {
    pub(super) fn new(masking: Masking) -> Self {
        Self { masking, pool: [0; 128], left: 0 }
    }

    pub(super) fn next(&mut self) -> [u8; 4] {
        if self.masking == Masking::Zero {
            return [0; 4];
        }
        if self.left < 4 {
            if getrandom::fill(&mut self.pool).is_err() {
                // Without a system source std's own hash keys are the next best thing, and still differ per frame.
                let state = RandomState::new();
                for (n, chunk) in self.pool.chunks_exact_mut(8).enumerate() {
                    chunk.copy_from_slice(&state.hash_one(n).to_ne_bytes());
                }
            }
            self.left = self.pool.len();
        }
        let key = self.pool.get(self.left.saturating_sub(4)..self.left).and_then(|b| b.try_into().ok());
        self.left = self.left.saturating_sub(4);
        key.unwrap_or_default()
    }
}

/// Lays `key` over `payload` in place, eight bytes a step so that the compiler can widen the loop further.
pub(super) fn apply(key: [u8; 4], payload: &mut [u8]) {
    if key == [0; 4] {
        return;
    }
    let [a, b, c, d] = key;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (chunks, rest) = payload.as_chunks_mut::<8>();
    for chunk in chunks {
        *chunk = (u64::from_ne_bytes(*chunk) ^ wide).to_ne_bytes();
    }
    for (byte, key) in rest.iter_mut().zip(key.iter().cycle()) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_its_own_inverse_at_every_length() {
        let key = [0x37, 0xfa, 0x21, 0x3d];
        for length in 0..40usize {
            let plain: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut masked = plain.clone();
            apply(key, &mut masked);
            for (n, byte) in masked.iter().enumerate() {
                assert_eq!(*byte, plain[n] ^ key[n % 4], "byte {n} of {length}");
            }
            apply(key, &mut masked);
            assert_eq!(masked, plain);
        }
    }

    #[test]
    fn random_keys_differ_from_frame_to_frame() {
        let mut keys = Keys::new(Masking::Random);
        let seen: std::collections::HashSet<_> = (0..200).map(|_| keys.next()).collect();
        assert!(seen.len() > 190, "{} different keys of 200", seen.len());
        assert_eq!(Keys::new(Masking::Zero).next(), [0; 4]);
    }
}
