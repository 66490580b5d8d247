//! Finds a session by its id as it stands in a message. Most ids are Chromium's, of one length: they lie in the table itself, so
//! that with ten thousand sessions a look-up touches no more memory than it must.

use std::collections::HashMap;

use super::hash::IdHash;
use super::key::Found;
use crate::domains::target::SessionId;

/// Bytes of a session id of Chromium.
const USUAL: usize = 32;

/// What each session is found by, by its id.
#[derive(Default)]
pub(super) struct Names {
    usual: HashMap<[u8; USUAL], Found, IdHash>,
    others: HashMap<Box<[u8]>, Found, IdHash>,
}

impl Names {
    pub(super) fn find(&self, id: &[u8]) -> Option<Found> {
        let found = match <&[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.get(id),
            Err(_) => self.others.get(id),
        };
        found.copied()
    }

    pub(super) fn get_mut(&mut self, id: &SessionId) -> Option<&mut Found> {
        let id = id.as_str().as_bytes();
        match <&[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.get_mut(id),
            Err(_) => self.others.get_mut(id),
        }
    }

    pub(super) fn insert(&mut self, id: &SessionId, found: Found) {
        let id = id.as_str().as_bytes();
        match <[u8; USUAL]>::try_from(id) {
            Ok(id) => self.usual.insert(id, found),
            Err(_) => self.others.insert(id.into(), found),
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
