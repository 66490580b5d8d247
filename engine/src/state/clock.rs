//! What a page's clock shows. Pure: the real time is an argument, in milliseconds since 1970 as all times here.

use serde_json::{Value, json};

/// A clock that flows or stands still.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Time {
    /// What it showed at `real`.
    shown: f64,
    real: f64,
    flows: bool,
}

impl Time {
    pub(crate) fn flowing_from(shown: f64, now: f64) -> Self {
        Self { shown, real: now, flows: true }
    }

    pub(crate) fn set(&mut self, shown: f64, now: f64) {
        (self.shown, self.real) = (shown, now);
    }

    pub(crate) fn skip(&mut self, by: f64) {
        self.shown += by;
    }

    pub(crate) fn pause(&mut self, now: f64) {
        self.set(self.at(now), now);
        self.flows = false;
    }

    pub(crate) fn resume(&mut self, now: f64) {
        self.set(self.at(now), now);
        self.flows = true;
    }

    fn at(&self, now: f64) -> f64 {
        if self.flows { self.shown + (now - self.real) } else { self.shown }
    }

    /// What a document is told that begins.
    pub(crate) fn restored(&self) -> Value {
        json!({ "time": self.shown, "real": self.real, "flows": self.flows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_stands_still_and_flows_and_jumps() {
        let mut time = Time::flowing_from(1_000.0, 50.0);
        time.skip(500.0);
        time.pause(60.0);
        assert_eq!((time.at(60.0), time.at(1_000.0)), (1_510.0, 1_510.0));
        time.resume(100.0);
        assert_eq!(time.at(101.0), 1_511.0);
        time.set(7.0, 200.0);
        assert_eq!(time.restored(), json!({ "time": 7.0, "real": 200.0, "flows": true }));
    }
}
