//! How a connection behaves whatever carries it: how much the peer may send at once.

use crate::wire::Limits;

/// Settings of a connection. The default limits what a peer may send at once, and lets a connection rest as long as it likes.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub(crate) limits: Limits,
}

impl Settings {
    /// How much a peer may send at once before the connection is ended. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}
