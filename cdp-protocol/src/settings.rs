//! How a connection behaves whatever carries it: how much the peer may send at once, and whether it is asked for signs of life.

use std::time::Duration;

use crate::wire::Limits;

/// Settings of a connection. The default limits what a peer may send at once, and lets a connection rest as long as it likes.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub(crate) limits: Limits,
    pub(crate) ping: Option<(Duration, Duration)>,
    pub(crate) heartbeat: Option<Duration>,
}

impl Settings {
    /// How much a peer may send at once before the connection is ended. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Pings the other end of a websocket when no byte has come from it for `silence`, and ends the connection with
    /// [`CloseReason::Unresponsive`](crate::CloseReason::Unresponsive) when none comes within `deadline` either. For sockets whose
    /// other end has gone without a word: a machine that lost power, a route that was cut. Default: off. On a pipe it does
    /// nothing: there are no pings, and none are needed, since a pipe ends with its browser.
    ///
    /// Only bytes that arrive count. While a large call is on its way to a slow peer that has nothing to say, the ping waits
    /// behind it, so `silence` and `deadline` together should be longer than the longest call takes to be written. Durations below a
    /// millisecond count as one millisecond.
    pub fn ping(mut self, silence: Duration, deadline: Duration) -> Self {
        self.ping = Some((silence, deadline));
        self
    }

    /// Calls `Browser.getVersion` when no message has come for `silence`, and once more when none comes in that time again. When
    /// none comes for a third time as long, the connection ends with
    /// [`CloseReason::Unresponsive`](crate::CloseReason::Unresponsive). For gateways that keep a socket open and answer pings after
    /// the browser behind them has gone, and for a browser that hangs. Default: off.
    ///
    /// Any message counts, also an event or an error, and so do the arriving bytes of a message that is not complete; control
    /// frames of a websocket don't. The calls are made on the browser's own session, and are seen by nobody here. A `silence` below
    /// a millisecond counts as one millisecond.
    pub fn heartbeat(mut self, silence: Duration) -> Self {
        self.heartbeat = Some(silence);
        self
    }
}
