//! What goes wrong on the way between client and browser, as a value. Who carries the bytes is elsewhere: memory or a proxy.

/// Faults of a connection, each direction for itself. Without any, bytes pass as they are.
///
/// Bytes that pass do so unchanged and in their order: nothing is reordered, repeated, altered or left out in between.
///
/// ```
/// use cdp_protocol::testing::{Faults, Flow};
///
/// // The browser's bytes come one by one, and the connection dies within the client's 101st byte.
/// let faults = Faults::default().to_browser(Flow::default().cut_at(100)).to_client(Flow::default().single_bytes());
/// # let _ = faults;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    pub(super) to_browser: Flow,
    pub(super) to_client: Flow,
}

impl Faults {
    /// What happens to the client's bytes.
    pub fn to_browser(mut self, flow: Flow) -> Self {
        self.to_browser = flow;
        self
    }

    /// What happens to the browser's bytes.
    pub fn to_client(mut self, flow: Flow) -> Self {
        self.to_client = flow;
        self
    }
}

/// What happens to the bytes of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    stop: Option<(u64, Stop)>,
    single_bytes: bool,
}

/// How a flow stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Cut,
    Stall,
}

impl Flow {
    /// The connection dies as soon as this many bytes have passed: both directions end, and what had not passed by then never
    /// does. What had passed still arrives. Takes the place of a stall.
    pub fn cut_at(mut self, bytes: u64) -> Self {
        self.stop = Some((bytes, Stop::Cut));
        self
    }

    /// Nothing more passes in this direction once this many bytes have, and the connection stays. Takes the place of a cut.
    pub fn stall_at(mut self, bytes: u64) -> Self {
        self.stop = Some((bytes, Stop::Stall));
        self
    }

    /// Every byte passes by itself: whoever writes gets rid of one at a time, or whoever reads gets one at a time.
    pub fn single_bytes(mut self) -> Self {
        self.single_bytes = true;
        self
    }
}

/// How many bytes have passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// From the client to the browser.
    pub to_browser: u64,
    /// From the browser to the client.
    pub to_client: u64,
}

/// Counts the bytes of one flow and says how many may pass.
#[derive(Debug)]
pub(super) struct Gate {
    flow: Flow,
    passed: u64,
}

impl Gate {
    pub(super) fn new(flow: Flow) -> Self {
        Self { flow, passed: 0 }
    }

    /// How many of `wanted` bytes may pass at once; 0 when the flow has stopped.
    pub(super) fn admit(&self, wanted: usize) -> usize {
        let wanted = wanted.min(self.piece());
        match self.flow.stop {
            Some((at, _)) => wanted.min(usize::try_from(at - self.passed).unwrap_or(usize::MAX)),
            None => wanted,
        }
    }

    pub(super) fn pass(&mut self, bytes: usize) {
        self.passed += bytes as u64;
    }

    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// How the flow has stopped, if it has.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.flow.stop.filter(|(at, _)| self.passed >= *at).map(|(_, stop)| stop)
    }

    /// How many bytes at most are moved in one piece.
    pub(super) fn piece(&self) -> usize {
        if self.flow.single_bytes { 1 } else { usize::MAX }
    }
}
