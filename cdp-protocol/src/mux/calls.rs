//! Pending calls: ids, who waits for them, and the answers that nobody has fetched yet. Doesn't know what an answer says.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::task::{Poll, Waker};

use bytes::Bytes;

use super::hash::IdHash;
use super::key::SessionKey;
use crate::error::{CloseReason, Sent, SessionEnd};

/// The id of a call. Always positive: Chromium refuses ids above 2^31 - 1, with an error that has no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(i32);

/// The id of all calls that ask for a sign of life. It is kept out of the table: whenever such a call is answered, however late
/// or not at all, there is nobody to tell and nothing to forget.
pub(crate) const PROBE: CallId = CallId(i32::MAX);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The browser replied; the range is that of `result` in the message.
    Reply { message: Bytes, payload: Range<usize> },
    /// The browser refused; the range is that of `error`.
    Error { message: Bytes, payload: Range<usize> },
    /// The session ended first.
    SessionEnded { end: SessionEnd, sent: Sent },
    /// The connection ended first.
    Closed { reason: CloseReason, sent: Sent },
}

/// All calls of a connection that are neither answered and fetched nor forgotten.
///
/// One table keyed by id, not a slab beside an id map: ids come from here, so hashing them is a multiplication, and one look-up
/// is all that a reply costs. The table keeps its memory, so a call allocates nothing here once it has grown.
#[derive(Debug)]
pub(super) struct Calls {
    pending: HashMap<CallId, Pending, IdHash>,
    last: i32,
    late: u64,
}

#[derive(Debug)]
struct Pending {
    session: SessionKey,
    /// Where the call ends in the stream of all bytes ever queued. Not known until it is encoded; then it can't have been sent.
    end: u64,
    state: State,
}

/// What is left of a forgotten call.
#[derive(Debug)]
pub(crate) struct Forgotten(#[expect(dead_code, reason = "only its drop matters")] Option<State>);

#[derive(Debug)]
enum State {
    Waiting(Option<Waker>),
    Answered(Answer),
}

impl Calls {
    pub(super) fn new() -> Self {
        Self { pending: HashMap::default(), last: 0, late: 0 }
    }

    /// A new call, under an id that no pending one has.
    pub(super) fn begin(&mut self, session: SessionKey) -> CallId {
        let id = loop {
            self.last = self.last.saturating_add(1);
            if CallId(self.last) == PROBE {
                self.last = 1;
            }
            let id = CallId(self.last);
            if !self.pending.contains_key(&id) {
                break id;
            }
        };
        self.pending.insert(id, Pending { session, end: u64::MAX, state: State::Waiting(None) });
        id
    }

    pub(super) fn queued(&mut self, id: CallId, end: u64) {
        if let Some(call) = self.pending.get_mut(&id) {
            call.end = end;
        }
    }

    /// The call that waits for an answer with this id. An answer that nobody waits for is counted.
    pub(super) fn expected(&mut self, id: i64) -> Option<CallId> {
        let id = i32::try_from(id).ok().map(CallId);
        let waits =
            |id: &CallId| self.pending.get(id).is_some_and(|call| matches!(call.state, State::Waiting(_)));
        let expected = id.filter(waits);
        if expected.is_none() && id != Some(PROBE) {
            self.late = self.late.saturating_add(1);
        }
        expected
    }

    /// Stores the answer to a call that waits for it, and returns whom to wake.
    pub(super) fn answer(&mut self, id: CallId, answer: Answer) -> Option<Waker> {
        match self.pending.get_mut(&id).map(|call| &mut call.state) {
            Some(state @ State::Waiting(_)) => match std::mem::replace(state, State::Answered(answer)) {
                State::Waiting(waker) => waker,
                State::Answered(_) => None,
            },
            Some(State::Answered(_)) | None => None,
        }
    }

    /// The answer, or a waker that is not needed any more. It is handed out because it may own a task, and with it handles whose
    /// drop takes the lock that the caller holds.
    pub(super) fn poll(&mut self, id: CallId, waker: &Waker) -> (Poll<Option<Answer>>, Option<Waker>) {
        match self.pending.get_mut(&id).map(|call| &mut call.state) {
            Some(State::Waiting(Some(known))) if known.will_wake(waker) => (Poll::Pending, None),
            Some(State::Waiting(slot)) => (Poll::Pending, slot.replace(waker.clone())),
            Some(State::Answered(_)) | None => {
                let answer = match self.pending.remove(&id).map(|call| call.state) {
                    Some(State::Answered(answer)) => Some(answer),
                    _ => None,
                };
                (Poll::Ready(answer), None)
            }
        }
    }

    /// Forgets a call; returns what was kept for it, to be dropped outside of the lock as [`poll`](Self::poll) says.
    pub(super) fn forget(&mut self, id: CallId) -> Forgotten {
        Forgotten(self.pending.remove(&id).map(|call| call.state))
    }

    /// Ends what waits on the sessions for which `ended` gives a reason.
    pub(super) fn end_sessions<'a>(
        &mut self,
        ended: impl Fn(SessionKey) -> Option<&'a SessionEnd>,
        wakers: &mut Vec<Waker>,
    ) {
        for call in self.pending.values_mut() {
            let Some(end) = ended(call.session) else { continue };
            // What is queued still goes out, and a crashed target can be navigated back to life by it.
            fail(&mut call.state, || Answer::SessionEnded { end: end.clone(), sent: Sent::Unknown }, wakers);
        }
    }

    /// Ends everything; `written` of all bytes ever queued have left.
    pub(super) fn close(&mut self, reason: &CloseReason, written: u64, wakers: &mut Vec<Waker>) {
        for call in self.pending.values_mut() {
            let sent = if call.end <= written { Sent::Unknown } else { Sent::No };
            fail(&mut call.state, || Answer::Closed { reason: reason.clone(), sent }, wakers);
        }
    }

    /// Calls whose answer is neither there nor forgotten.
    pub(super) fn waiting(&self) -> usize {
        self.pending.values().filter(|call| matches!(call.state, State::Waiting(_))).count()
    }

    pub(super) fn late(&self) -> u64 {
        self.late
    }
}

fn fail(state: &mut State, answer: impl FnOnce() -> Answer, wakers: &mut Vec<Waker>) {
    if let State::Waiting(waker) = state {
        wakers.extend(waker.take());
        *state = State::Answered(answer());
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::ROOT;
    use super::*;

    fn reply() -> Answer {
        Answer::Reply { message: Bytes::new(), payload: 0..0 }
    }

    #[test]
    fn ids_wrap_below_two_to_the_31st_and_pass_over_pending_ones() {
        let mut calls = Calls::new();
        let first = calls.begin(ROOT);
        let second = calls.begin(ROOT);
        assert_eq!((first, second), (CallId(1), CallId(2)));
        drop(calls.forget(first));
        calls.last = i32::MAX - 2;
        let ids = [calls.begin(ROOT), calls.begin(ROOT), calls.begin(ROOT)];
        assert_eq!(ids, [CallId(i32::MAX - 1), CallId(1), CallId(3)]);
        assert_eq!(PROBE, CallId(i32::MAX), "the one id that no call has");
    }

    #[test]
    fn answers_without_a_waiting_call_are_counted() {
        let mut calls = Calls::new();
        let id = calls.begin(ROOT);
        assert_eq!(calls.expected(1), Some(id));
        calls.answer(id, reply());
        assert_eq!((calls.waiting(), calls.late()), (0, 0));
        for stray in [1, 2, -1, i64::MAX] {
            assert_eq!(calls.expected(stray), None);
        }
        assert_eq!(calls.late(), 4);
        assert_eq!(calls.expected(i64::from(PROBE.0)), None);
        assert_eq!((calls.waiting(), calls.late()), (0, 4), "what answers a probe is nobody's");
        assert!(matches!(calls.poll(id, Waker::noop()).0, Poll::Ready(Some(Answer::Reply { .. }))));
        let id = calls.begin(ROOT);
        drop(calls.forget(id));
        assert_eq!(calls.expected(2), None);
        assert_eq!(calls.late(), 5);
    }

    #[test]
    fn only_a_call_whose_last_byte_left_counts_as_sent() {
        let mut calls = Calls::new();
        let ids = [calls.begin(ROOT), calls.begin(ROOT), calls.begin(ROOT)];
        calls.queued(ids[0], 100);
        calls.queued(ids[1], 200);
        calls.close(&CloseReason::Requested, 199, &mut Vec::new());
        let sent = ids.map(|id| match calls.poll(id, Waker::noop()).0 {
            Poll::Ready(Some(Answer::Closed { sent, .. })) => sent,
            other => panic!("{other:?}"),
        });
        assert_eq!(sent, [Sent::Unknown, Sent::No, Sent::No]);
    }
}
