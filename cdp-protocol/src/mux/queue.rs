//! The queue between the reader and one event stream: bounded in bytes, drops its oldest events when it is full and says how
//! many, but never drops those that someone must answer. Too many of those end it. A stream may ask that the reader waits instead;
//! then nothing is dropped at all.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use super::event::RawEvent;

/// Bytes of events that a stream may leave unread unless it asks for another limit: 16 MiB.
const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

/// Bytes of control events that a stream may leave unread: 64 MiB. A stream that is read leaves a small part of
/// that waiting; one that nobody reads gets there.
const CONTROL_LIMIT: usize = 64 * 1024 * 1024;

/// One subscriber's interest and queue.
///
/// Lock rule: the queue's lock is the innermost of all. The reader takes it under the connection's lock, a subscriber alone.
#[derive(Debug)]
pub(crate) struct Subscription {
    interest: Interest,
    queue: Mutex<Queue>,
}

#[derive(Debug)]
struct Queue {
    /// Events that may be dropped, and events that may not, each with its number: together they are in wire order.
    plain: VecDeque<(u64, RawEvent)>,
    control: VecDeque<(u64, RawEvent)>,
    next: u64,
    /// Bytes of `plain`.
    bytes: usize,
    limit: usize,
    /// Bytes of `control`.
    control_bytes: usize,
    control_limit: usize,
    lagged: u64,
    /// The stream ended because `control` was full, and has not yet said so.
    overflowed: bool,
    ended: bool,
    waker: Option<Waker>,
    /// Whether the reader waits while this is full, and the waker of the reader that does.
    holds: bool,
    reader: Option<Waker>,
}

/// An event, or why there is none here; `None` at the end.
pub(crate) type Next = Option<Result<RawEvent, Missed>>;

/// What a stream has in the place of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// So many were dropped in front of the next one.
    Lagged(u64),
    /// So many bytes of control events were unread, which ended the stream.
    Overflowed(usize),
}

/// Which events a stream is for.
#[derive(Clone, Debug)]
pub(crate) enum Interest {
    /// The one of this name.
    Named(Box<str>),
    /// Those whose names begin so; all of the session where it is empty.
    Prefixed(&'static str),
}

impl Subscription {
    pub(crate) fn new(interest: Interest) -> Self {
        let queue = Queue {
            plain: VecDeque::new(),
            control: VecDeque::new(),
            next: 0,
            bytes: 0,
            limit: DEFAULT_LIMIT,
            control_bytes: 0,
            control_limit: CONTROL_LIMIT,
            lagged: 0,
            overflowed: false,
            ended: false,
            waker: None,
            holds: false,
            reader: None,
        };
        Self { interest, queue: Mutex::new(queue) }
    }

    pub(crate) fn interest(&self) -> &Interest {
        &self.interest
    }

    pub(super) fn wants(&self, method: &[u8]) -> bool {
        match &self.interest {
            Interest::Named(name) => name.as_bytes() == method,
            Interest::Prefixed(prefix) => method.starts_with(prefix.as_bytes()),
        }
    }

    pub(crate) fn set_limit(&self, bytes: usize) {
        let mut queue = self.lock();
        queue.limit = bytes;
        if !queue.holds {
            queue.drop_oldest(0);
        }
        wake_reader(queue);
    }

    /// From now on nothing is dropped; the reader is to wait while the queue is full.
    pub(crate) fn hold_reader(&self) {
        self.lock().holds = true;
    }

    /// Nobody reads this any more, so nobody has to wait for that. The reader must not know it any more.
    pub(crate) fn abandon(&self) {
        let mut queue = self.lock();
        queue.ended = true;
        wake_reader(queue);
    }

    /// Whether the reader may go on for all that this stream asks; its waker is kept until then.
    pub(crate) fn poll_room(&self, waker: &Waker) -> Poll<()> {
        let mut queue = self.lock();
        if !queue.is_full() {
            return Poll::Ready(());
        }
        queue.reader = Some(waker.clone());
        Poll::Pending
    }

    /// Queues an event and returns whom to wake, and whether the reader is to wait until there is room again. At least one event
    /// stays, however large it is. A control event that finds its lane full ends the stream: behind a gap in those nothing that
    /// follows can be trusted.
    pub(super) fn push(&self, event: RawEvent) -> (Option<Waker>, bool) {
        let mut queue = self.lock();
        if queue.ended {
            return (None, false);
        }
        let number = queue.next;
        queue.next = number.wrapping_add(1);
        let size = event.size();
        if never_lags(event.method_bytes()) {
            let bytes = queue.control_bytes.saturating_add(size);
            if !queue.holds && bytes > queue.control_limit && !queue.control.is_empty() {
                (queue.overflowed, queue.ended) = (true, true);
            } else {
                queue.control_bytes = bytes;
                queue.control.push_back((number, event));
            }
        } else {
            if !queue.holds {
                queue.drop_oldest(size);
            }
            queue.bytes = queue.bytes.saturating_add(size);
            queue.plain.push_back((number, event));
        }
        (queue.waker.take(), queue.is_full())
    }

    /// No event follows; what is queued can still be read. Only the reader may end a stream: it doesn't wake itself.
    pub(crate) fn end(&self) -> Option<Waker> {
        let mut queue = self.lock();
        queue.ended = true;
        queue.waker.take()
    }

    pub(crate) fn poll(&self, waker: &Waker) -> Poll<Next> {
        // Declared before the lock, and so dropped behind it: a waker may own a task, and with it other handles.
        let _stale;
        let mut queue = self.lock();
        if queue.lagged > 0 {
            return Poll::Ready(Some(Err(Missed::Lagged(std::mem::take(&mut queue.lagged)))));
        }
        if let Some(event) = queue.pop() {
            wake_reader(queue);
            return Poll::Ready(Some(Ok(event)));
        }
        if std::mem::take(&mut queue.overflowed) {
            return Poll::Ready(Some(Err(Missed::Overflowed(queue.control_limit))));
        }
        if queue.ended {
            return Poll::Ready(None);
        }
        if !queue.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            _stale = queue.waker.replace(waker.clone());
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds this lock; if something did, the queue would still be whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn pop(&mut self) -> Option<RawEvent> {
        let plain = self.plain.front().map_or(u64::MAX, |(number, _)| *number);
        let control = self.control.front().map_or(u64::MAX, |(number, _)| *number);
        if control < plain {
            let (_, event) = self.control.pop_front()?;
            self.control_bytes = self.control_bytes.saturating_sub(event.size());
            return Some(event);
        }
        let (_, event) = self.plain.pop_front()?;
        self.bytes = self.bytes.saturating_sub(event.size());
        Some(event)
    }

    /// Whether the reader has to wait. An empty queue is never full, whatever its limit.
    fn is_full(&self) -> bool {
        let is_empty = self.plain.is_empty() && self.control.is_empty();
        let bytes = self.bytes.saturating_add(self.control_bytes);
        self.holds && !self.ended && !is_empty && bytes >= self.limit
    }

    fn drop_oldest(&mut self, incoming: usize) {
        while self.bytes.saturating_add(incoming) > self.limit {
            let Some((_, event)) = self.plain.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(event.size());
            self.lagged = self.lagged.saturating_add(1);
        }
    }
}

/// Wakes a reader that waits for room if there is some now, outside of the lock.
fn wake_reader(mut queue: MutexGuard<'_, Queue>) {
    let reader = if queue.is_full() { None } else { queue.reader.take() };
    drop(queue);
    if let Some(reader) = reader {
        reader.wake();
    }
}

/// Events that change what can be done at all, or that the browser waits on: losing one would hang someone.
fn never_lags(method: &[u8]) -> bool {
    method.starts_with(b"Target.")
        || method.starts_with(b"Inspector.")
        || matches!(
            method,
            b"Page.javascriptDialogOpening"
                | b"Page.javascriptDialogClosed"
                | b"Page.fileChooserOpened"
                | b"Fetch.requestPaused"
                | b"Fetch.authRequired"
        )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;

    use bytes::Bytes;

    use super::super::event::Name;
    use super::*;

    fn event(method: &str, size: usize) -> RawEvent {
        let message = Bytes::from(vec![b'x'; size]);
        RawEvent::new(message, Name::Apart(method.into()), 0..size, None, None)
    }

    fn drain(subscription: &Subscription) -> Vec<String> {
        let mut seen = Vec::new();
        while let Poll::Ready(Some(next)) = subscription.poll(Waker::noop()) {
            seen.push(match next {
                Ok(event) => format!("{} {}", event.method(), event.params().len()),
                Err(Missed::Lagged(count)) => format!("lagged {count}"),
                Err(Missed::Overflowed(bytes)) => format!("overflowed at {bytes}"),
            });
        }
        seen
    }

    #[test]
    fn a_full_queue_drops_its_oldest_and_says_how_many() {
        let subscription = Subscription::new(Interest::Prefixed(""));
        let one = event("A.b", 100).size();
        subscription.set_limit(3 * one);
        for _ in 0..3 {
            subscription.push(event("A.b", 100));
        }
        assert_eq!(drain(&subscription), ["A.b 100"; 3]);
        for size in [100, 100, 101, 99, 100] {
            subscription.push(event("A.b", size));
        }
        assert_eq!(drain(&subscription), ["lagged 2", "A.b 101", "A.b 99", "A.b 100"]);
        subscription.push(event("A.b", 100));
        assert_eq!(drain(&subscription), ["A.b 100"]);
    }

    #[test]
    fn an_event_over_the_limit_still_arrives() {
        let subscription = Subscription::new(Interest::Prefixed(""));
        subscription.set_limit(1000);
        subscription.push(event("A.b", 10));
        subscription.push(event("A.big", 5000));
        assert_eq!(drain(&subscription), ["lagged 1", "A.big 5000"]);
    }

    #[test]
    fn control_events_stay_and_keep_their_place() {
        let subscription = Subscription::new(Interest::Prefixed(""));
        subscription.set_limit(2 * event("A.b", 10).size());
        for method in ["Target.x", "A.b", "Fetch.requestPaused", "A.b", "A.b", "Inspector.detached", "A.b"] {
            subscription.push(event(method, 10));
        }
        let expected = [
            "lagged 2",
            "Target.x 10",
            "Fetch.requestPaused 10",
            "A.b 10",
            "Inspector.detached 10",
            "A.b 10",
        ];
        assert_eq!(drain(&subscription), expected);
    }

    #[test]
    fn control_events_that_nobody_reads_end_the_stream() {
        let subscription = Subscription::new(Interest::Prefixed(""));
        let limit = 3 * event("Target.x", 10).size();
        subscription.lock().control_limit = limit;
        for _ in 0..2 {
            subscription.push(event("Target.x", 10));
        }
        assert_eq!(drain(&subscription), ["Target.x 10"; 2], "what was read takes no room");
        subscription.push(event("A.b", 1000));
        for _ in 0..4 {
            subscription.push(event("Target.x", 10));
        }
        subscription.push(event("A.b", 10));
        let expected =
            ["A.b 1000", "Target.x 10", "Target.x 10", "Target.x 10", &format!("overflowed at {limit}")];
        assert_eq!(drain(&subscription), expected);
        assert!(matches!(subscription.poll(Waker::noop()), Poll::Ready(None)));

        // One that is larger than the lane is still told.
        let subscription = Subscription::new(Interest::Prefixed(""));
        subscription.lock().control_limit = 1;
        subscription.push(event("Target.x", 10));
        assert_eq!(drain(&subscription), ["Target.x 10"]);
    }

    #[test]
    fn a_stream_that_holds_the_reader_loses_nothing_and_says_when_it_is_full() {
        let subscription = Subscription::new(Interest::Prefixed(""));
        let one = event("A.b", 10).size();
        subscription.set_limit(3 * one);
        subscription.hold_reader();
        subscription.lock().control_limit = one;
        // Events of both kinds take the same room, and no lane ends or drops.
        let full = ["A.b", "Target.x", "Target.x", "Target.x"].map(|m| subscription.push(event(m, 10)).1);
        assert_eq!(full, [false, false, true, true]);
        assert!(subscription.poll_room(Waker::noop()).is_pending());
        assert_eq!(drain(&subscription), ["A.b 10", "Target.x 10", "Target.x 10", "Target.x 10"]);
        assert!(subscription.poll_room(Waker::noop()).is_ready());
        // Without any limit it takes one at a time, and an empty one never holds.
        subscription.set_limit(0);
        assert!(subscription.poll_room(Waker::noop()).is_ready());
        assert!(subscription.push(event("A.b", 10)).1);
        assert!(subscription.poll_room(Waker::noop()).is_pending());
        assert_eq!(drain(&subscription), ["A.b 10"]);
        assert!(subscription.poll_room(Waker::noop()).is_ready());
    }

    #[test]
    fn a_waiting_reader_is_woken_by_room_a_larger_limit_and_the_loss_of_the_stream() {
        let ways: [fn(&Subscription); 3] = [
            |subscription| drop(subscription.poll(Waker::noop())),
            |subscription| subscription.set_limit(usize::MAX),
            |subscription| subscription.abandon(),
        ];
        for (number, way) in ways.into_iter().enumerate() {
            let subscription = Subscription::new(Interest::Prefixed(""));
            subscription.hold_reader();
            subscription.set_limit(2 * event("A.b", 10).size());
            for _ in 0..3 {
                subscription.push(event("A.b", 10));
            }
            let woken = Arc::new(Woken::default());
            let waker = Waker::from(woken.clone());
            assert!(subscription.poll_room(&waker).is_pending());
            // With one event less it is still full.
            drop(subscription.poll(Waker::noop()));
            assert!(!woken.0.load(Ordering::Relaxed), "way {number}");
            way(&subscription);
            assert!(woken.0.load(Ordering::Relaxed), "way {number}");
            assert!(subscription.poll_room(&waker).is_ready(), "way {number}");
        }
        // The session's end needs no waking: it is the reader who ends it.
        let subscription = Subscription::new(Interest::Prefixed(""));
        subscription.hold_reader();
        subscription.set_limit(0);
        assert!(subscription.push(event("A.b", 10)).1);
        subscription.end();
        assert!(subscription.poll_room(Waker::noop()).is_ready());
        assert_eq!(drain(&subscription), ["A.b 10"]);
    }

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_end_comes_behind_what_was_queued() {
        let subscription = Subscription::new(Interest::Named("A.b".into()));
        subscription.push(event("A.b", 1));
        subscription.end();
        subscription.push(event("A.b", 2));
        assert_eq!(drain(&subscription), ["A.b 1"]);
        assert!(matches!(subscription.poll(Waker::noop()), Poll::Ready(None)));
        assert!(subscription.wants(b"A.b") && !subscription.wants(b"A.bc"));
    }
}
