//! Which requests of a page are on their way, and since when there has been none. Pure: the time is an argument.

use std::collections::HashMap;
use std::time::Instant;

use cdp_protocol::domains::page::FrameId;

/// The requests of a page's frames.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    /// By the browser's own ids.
    requests: HashMap<String, FrameId>,
    /// When a frame's requests last became more or fewer.
    changed: HashMap<FrameId, Instant>,
}

impl Idle {
    /// A request of a frame begins, or goes on elsewhere after a redirect.
    pub(crate) fn begins(&mut self, request: String, frame: FrameId, now: Instant) {
        self.changed.insert(frame.clone(), now);
        self.requests.insert(request, frame);
    }

    /// A request ended, well or not.
    pub(crate) fn ends(&mut self, request: &str, now: Instant) {
        if let Some(frame) = self.requests.remove(request) {
            self.changed.insert(frame, now);
        }
    }

    /// Another document took a frame. Requests of the one before are no business of the new one, and the browser does
    /// not tell of all their ends. The document's own request has the name of its loader.
    pub(crate) fn committed(&mut self, frame: &FrameId, loader: &str, now: Instant) {
        self.requests.retain(|request, of| of != frame || request == loader);
        self.changed.insert(frame.clone(), now);
    }

    /// A frame is gone, or has gone to another process.
    pub(crate) fn forget(&mut self, frame: &FrameId) {
        self.requests.retain(|_, of| of != frame);
        self.changed.remove(frame);
    }

    /// Since when none of these frames has had a request; `None` as long as one has. Frames that never had one count as
    /// quiet for ever.
    pub(crate) fn quiet_since(&self, frames: &[FrameId], start: Instant) -> Option<Instant> {
        if self.requests.values().any(|frame| frames.contains(frame)) {
            return None;
        }
        Some(frames.iter().filter_map(|frame| self.changed.get(frame)).copied().fold(start, Instant::max))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn frames() -> [FrameId; 2] {
        ["top".into(), "child".into()]
    }

    #[test]
    fn quiet_begins_when_the_last_request_of_all_frames_has_ended() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut idle = Idle::default();
        assert_eq!(idle.quiet_since(&frames(), start), Some(start));
        idle.begins("1".into(), "top".into(), at(1));
        idle.begins("2".into(), "child".into(), at(2));
        idle.ends("1", at(3));
        assert_eq!(idle.quiet_since(&frames(), start), None);
        assert_eq!(idle.quiet_since(&frames()[..1], start), Some(at(3)));
        idle.ends("2", at(4));
        idle.ends("2", at(5));
        idle.ends("never begun", at(6));
        assert_eq!(idle.quiet_since(&frames(), start), Some(at(4)));
    }

    #[test]
    fn a_new_document_keeps_its_own_request_only() {
        let start = Instant::now();
        let mut idle = Idle::default();
        for request in ["old", "L2"] {
            idle.begins(request.into(), "top".into(), start);
        }
        idle.begins("of the child".into(), "child".into(), start);
        idle.committed(&"top".into(), "L2", start);
        idle.forget(&"child".into());
        assert_eq!(idle.quiet_since(&frames(), start), None);
        idle.ends("L2", start);
        assert_eq!(idle.quiet_since(&frames(), start), Some(start));
    }

    #[test]
    fn what_ends_before_the_document_has_loaded_is_not_waited_for_again() {
        let start = Instant::now();
        let mut idle = Idle::default();
        idle.begins("L1".into(), "top".into(), start);
        idle.ends("L1", start);
        idle.committed(&"top".into(), "L1", start);
        assert_eq!(idle.quiet_since(&frames(), start), Some(start));
    }
}
