//! Pure trackers of what the browser reported: no I/O, no waiting, no locks.

pub(crate) mod clock;
pub(crate) mod evidence;
pub(crate) mod frame;
pub(crate) mod frames;
pub(crate) mod idle;
pub(crate) mod journal;
