//! The mux alone, driven by sequences of operations that a fixed seed chooses: each call ends exactly once, with its own answer,
//! and nothing stays behind.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Poll, Waker};

use bytes::Bytes;

use super::calls::{Answer, CallId};
use super::key::SessionKey;
use super::queue::{Interest, Subscription};
use super::router::{Mux, Routed};
use crate::domains::target::SessionId;
use crate::error::{CloseReason, Sent};
use crate::random::Random;

/// Takes a message through all its steps, as the driver does.
fn receive(mux: &mut Mux, message: String) {
    let route = mux.route(message.as_bytes()).expect("the message is JSON");
    if let Routed::Event(delivery) = mux.accept(route, Bytes::from(message)) {
        let mut wakers = Vec::new();
        let endings = mux.deliver(&delivery, &mut wakers, &mut Vec::new());
        mux.fail(&endings, &mut wakers);
    }
}

fn session_of(number: usize) -> SessionId {
    SessionId::from(format!("S{number}").as_str())
}

/// A session's number, its open handle, and its calls: id, whether the browser has answered, whether it has ended.
struct Open {
    key: SessionKey,
    calls: BTreeMap<CallId, Expected>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Nothing,
    Reply,
    SessionEnd,
}

#[test]
fn every_call_ends_once_and_as_it_should_whatever_the_order() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut mux = Mux::new();
        let mut open: BTreeMap<usize, Open> = BTreeMap::new();
        let mut answered = 0;
        for _ in 0..400 {
            let number = random.below(6);
            match random.below(10) {
                0 => {
                    let params = format!(
                        "{{\"sessionId\":\"S{number}\",\"targetInfo\":{{\"targetId\":\"T{number}\"}}}}"
                    );
                    receive(
                        &mut mux,
                        format!("{{\"method\":\"Target.attachedToTarget\",\"params\":{params}}}"),
                    );
                }
                1..=4 => {
                    let session = open.entry(number).or_insert_with(|| Open {
                        key: mux.open(Some(&session_of(number))),
                        calls: BTreeMap::new(),
                    });
                    if let Ok(id) = mux.begin(session.key) {
                        mux.queued(id, 0);
                        assert_eq!(
                            session.calls.insert(id, Expected::Nothing),
                            None,
                            "the id {id} was in use"
                        );
                    }
                }
                5 | 6 => {
                    let Some(session) = open.get_mut(&number) else { continue };
                    let Some((id, expected)) = session.calls.iter_mut().next() else { continue };
                    receive(
                        &mut mux,
                        format!("{{\"id\":{id},\"result\":{{\"of\":{id}}},\"sessionId\":\"S{number}\"}}"),
                    );
                    if *expected == Expected::Nothing {
                        *expected = Expected::Reply;
                    }
                }
                7 => {
                    let Some(session) = open.get_mut(&number) else { continue };
                    let Some(id) = session.calls.keys().next().copied() else { continue };
                    let expected = session.calls.remove(&id);
                    answered += 1;
                    match (mux.poll(id, Waker::noop()).0, expected) {
                        (Poll::Pending, Some(Expected::Nothing)) => drop(mux.forget(id)),
                        (Poll::Ready(Some(Answer::Reply { message, payload })), Some(Expected::Reply)) => {
                            assert_eq!(message[payload], *format!("{{\"of\":{id}}}").as_bytes());
                        }
                        (Poll::Ready(Some(Answer::SessionEnded { .. })), Some(Expected::SessionEnd)) => {}
                        other => panic!("seed {seed}: {other:?}"),
                    }
                    assert!(matches!(mux.poll(id, Waker::noop()).0, Poll::Ready(None)), "seed {seed}: twice");
                }
                8 => {
                    let (method, what) =
                        [("detachedFromTarget", "sessionId\":\"S"), ("targetCrashed", "targetId\":\"T")]
                            [random.below(2)];
                    let Some(session) = open.get_mut(&number) else { continue };
                    let before = mux.ended(session.key).is_some();
                    receive(
                        &mut mux,
                        format!("{{\"method\":\"Target.{method}\",\"params\":{{\"{what}{number}\"}}}}"),
                    );
                    // A crash is only told of by target, which is known of attached sessions alone.
                    if !before && mux.ended(session.key).is_some() {
                        for expected in session.calls.values_mut().filter(|e| **e == Expected::Nothing) {
                            *expected = Expected::SessionEnd;
                        }
                    }
                }
                _ => {
                    let Some(session) = open.remove(&number) else { continue };
                    for id in session.calls.into_keys() {
                        drop(mux.forget(id));
                    }
                    mux.release(session.key);
                }
            }
            let waiting = open.values().flat_map(|s| s.calls.values()).filter(|e| **e == Expected::Nothing);
            assert_eq!(mux.pending_calls(), waiting.count(), "seed {seed}");
        }
        assert!(answered > 0, "seed {seed} tried nothing");
        for number in 0..6 {
            receive(
                &mut mux,
                format!(
                    "{{\"method\":\"Target.detachedFromTarget\",\"params\":{{\"sessionId\":\"S{number}\"}}}}"
                ),
            );
        }
        for session in open.into_values() {
            for id in session.calls.into_keys() {
                drop(mux.forget(id));
            }
            mux.release(session.key);
        }
        assert_eq!((mux.pending_calls(), mux.known_sessions()), (0, 0), "seed {seed}");
    }
}

#[test]
fn an_event_is_not_for_a_session_that_took_the_place_of_its_own_meanwhile() {
    let mut mux = Mux::new();
    let stream = || Arc::new(Subscription::new(Interest::Prefixed("")));
    let (gone, other) = (stream(), stream());
    let key = mux.open(Some(&session_of(1)));
    mux.subscribe(key, gone.clone());
    let event = b"{\"method\":\"Inspector.targetCrashed\",\"params\":{},\"sessionId\":\"S1\"}";
    let route = mux.route(event).unwrap();
    let Routed::Event(delivery) = mux.accept(route, Bytes::from_static(event)) else { panic!() };
    // Another thread lets go of the one session and opens the other while the reader has no lock.
    mux.unsubscribe(key, &gone);
    mux.release(key);
    let next = mux.open(Some(&session_of(2)));
    assert!(next.is_place_of(key) && next != key);
    mux.subscribe(next, other.clone());
    assert!(mux.deliver(&delivery, &mut Vec::new(), &mut Vec::new()).is_empty());
    assert!(mux.ended(next).is_none() && other.poll(Waker::noop()).is_pending());
}

#[test]
fn an_end_of_the_connection_reaches_calls_streams_and_later_sessions() {
    let mut mux = Mux::new();
    let key = mux.open(Some(&session_of(1)));
    let stream = Arc::new(Subscription::new(Interest::Prefixed("")));
    mux.subscribe(key, stream.clone());
    let ids = [mux.begin(key).unwrap(), mux.begin(key).unwrap()];
    mux.queued(ids[0], 10);
    mux.queued(ids[1], 20);
    let endings = mux.close(&CloseReason::Requested, &mut Vec::new());
    mux.fail_all(&CloseReason::Requested, 10, &endings, &mut Vec::new());
    assert_eq!(endings.len(), 2, "the session's and the browser's own");
    assert!(mux.close(&CloseReason::DriverEnded, &mut Vec::new()).is_empty());
    for (id, expected) in ids.into_iter().zip([Sent::Unknown, Sent::No]) {
        let Poll::Ready(Some(Answer::Closed { reason, sent })) = mux.poll(id, Waker::noop()).0 else {
            panic!()
        };
        assert_eq!((reason, sent), (CloseReason::Requested, expected));
    }
    assert!(matches!(stream.poll(Waker::noop()), Poll::Ready(None)));
    let later = mux.open(Some(&session_of(2)));
    assert!(mux.begin(later).is_err());
}
