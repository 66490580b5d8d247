//! Instants that lie a duration ahead, for any duration. No clock of its own.

use std::time::Duration;

use tokio::time::Instant;

/// Thirty years: what no process lives to see, and every clock can hold.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The instant `time` after `start`. A time that no clock can hold, such as `Duration::MAX`, means "never": an instant
/// that nobody sees.
pub(crate) fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time).unwrap_or_else(|| start + FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_can_hold_is_far_away() {
        let now = Instant::now();
        assert_eq!(after(now, Duration::from_secs(7)), now + Duration::from_secs(7));
        assert!(after(now, Duration::MAX) > now + Duration::from_secs(365 * 24 * 60 * 60));
    }
}
