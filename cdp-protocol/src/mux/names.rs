//! Finds a session by its id as it stands in a message. Most ids are Chromium's, of one length: they lie in the table itself, so
//! that with ten thousand sessions a look-up touches no more memory than it must.

use std::collections::HashMap;

use super::hash::IdHash;
use crate::domains::target::SessionId;

/// Bytes of a session id of Chromium.
const USUAL: usize = 32;

/// Keys of sessions by the session's id.
pub(super) struct Names<K> {
    usual: HashMap<[u8; USUAL], K, IdHash>,
    /// With the standard hasher: ids of another form may be chosen by others than Chromium.
    others: HashMap<Box<[u8]>, K>,
}

impl<K: Copy> Names<K> {
    pub(super) fn new() -> Self {
        Self { usual: HashMap::default(), others: HashMap::new() }
    }

    pub(super) fn find(&self, id: &[u8]) -> Option<K> {
        let key = match <&[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.get(id),
            Err(_) => self.others.get(id),
        };
        key.copied()
    }

    pub(super) fn get_mut(&mut self, id: &SessionId) -> Option<&mut K> {
        let id = id.as_str().as_bytes();
        match <&[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.get_mut(id),
            Err(_) => self.others.get_mut(id),
        }
    }

    pub(super) fn insert(&mut self, id: &SessionId, key: K) {
        let id = id.as_str().as_bytes();
        match <[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.insert(id, key),
            Err(_) => self.others.insert(id.into(), key),
        };
    }

    pub(super) fn remove(&mut self, id: &SessionId) {
        let id = id.as_str().as_bytes();
        match <&[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.remove(id),
            Err(_) => self.others.remove(id),
        };
    }

    pub(super) fn len(&self) -> usize {
        self.usual.len().saturating_add(self.others.len())
    }
}
