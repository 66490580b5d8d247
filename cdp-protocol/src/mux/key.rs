//! By what a session is known here and found.

/// A session's place in the table, and which of those that had it one after the other. It stays valid as long as a handle is open.
/// Narrow, so that [`Found`] takes little room in the table of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SessionKey(u32, u32);

impl SessionKey {
    pub(super) fn new(place: usize, turn: u32) -> Self {
        // More places than that take more memory than there is.
        Self(u32::try_from(place).unwrap_or(u32::MAX), turn)
    }

    pub(super) fn place(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// How many had the place before.
    pub(super) fn turn(self) -> u32 {
        self.1
    }

    #[cfg(test)]
    pub(super) fn is_place_of(self, other: Self) -> bool {
        self.0 == other.0
    }
}

/// The browser's own session, which has no id.
pub(crate) const ROOT: SessionKey = SessionKey(0, 0);

/// What a message's session is found by. With ten thousand sessions each look at another place costs as much as all else that is
/// done for a message that nobody waits for.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) key: SessionKey,
    /// Whether anybody listens there to anything.
    pub(super) listened: bool,
}
