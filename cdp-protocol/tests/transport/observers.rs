//! Observers that do what they should not, or ask what they may: nobody else is the worse for it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use cdp_protocol::testing::fake_browser;
use cdp_protocol::{Call, CallError, CloseReason, Observer, RawEvent, SessionEnd};
use serde_json::json;
use serde_json::value::RawValue;

use crate::events::Log;
use crate::{bounded, raw};

/// Panics on an event of this name, and at the end if it is told to.
struct Panics {
    at: &'static str,
    at_end: bool,
}

impl Observer for Panics {
    fn event(&self, event: &RawEvent) {
        assert_ne!(event.method(), self.at, "on purpose");
    }

    fn ended(&self, _: &SessionEnd) {
        assert!(!self.at_end, "on purpose");
    }
}

/// Notes under its number what it sees, in a list that it shares.
struct Numbered(usize, Arc<Mutex<Vec<(usize, String)>>>);

impl Observer for Numbered {
    fn event(&self, event: &RawEvent) {
        self.1.lock().unwrap().push((self.0, event.method().to_owned()));
    }

    fn ended(&self, end: &SessionEnd) {
        self.1.lock().unwrap().push((self.0, end.to_string()));
    }
}

#[tokio::test]
async fn observers_see_each_event_in_the_order_in_which_they_came() {
    bounded(async {
        for count in 1..=4 {
            let (client, mut browser) = fake_browser();
            let session = client.session(&"S".into());
            let seen = Arc::new(Mutex::new(Vec::new()));
            for number in 0..count {
                session.observe(Arc::new(Numbered(number, seen.clone())));
            }
            let call = session.call_raw("Test.call", &raw("{}"));
            browser.next_call().await;
            for name in ["A.first", "A.second"] {
                browser.event(Some("S"), name, json!({}));
            }
            browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S"}));
            call.await.unwrap_err();
            let expected: Vec<_> = ["A.first", "A.second", "the session was detached"]
                .iter()
                .flat_map(|what| (0..count).map(|number| (number, (*what).to_owned())))
                .collect();
            assert_eq!(*seen.lock().unwrap(), expected);
        }
    })
    .await;
}

#[tokio::test]
async fn an_observer_that_panics_at_the_end_of_its_session_leaves_nobody_waiting() {
    bounded(async {
        for detached in [true, false] {
            let (client, mut browser) = fake_browser();
            let session = client.session(&"S".into());
            let log = Arc::new(Log::default());
            session.observe(Arc::new(Panics { at: "", at_end: true }));
            session.observe(log.clone());
            let mut stream = session.events_raw(None);
            let call = session.call_raw("Test.call", &raw("{}"));
            browser.next_call().await;
            let waits = tokio::spawn(async move { (call.await, stream.next().await.is_none()) });
            tokio::task::yield_now().await;
            if detached {
                browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S"}));
            } else {
                browser.hang_up();
            }
            let (answer, ended) = waits.await.unwrap();
            assert!(ended);
            assert_eq!(log.taken().len(), 1, "the other observer is told as well");
            match answer {
                Err(CallError::SessionEnded { end: SessionEnd::Detached, .. }) if detached => {
                    let answer = client.browser().call_raw("Test.next", &raw("{}"));
                    let call = browser.next_call().await;
                    browser.reply(&call, json!({}));
                    answer.await.unwrap();
                }
                Err(CallError::Closed { reason: CloseReason::HungUp { .. }, .. }) if !detached => {}
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_observer_that_panics_again_and_again_ends_its_connection_alone() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let log = Arc::new(Log::default());
        session.observe(Arc::new(Panics { at: "A.bad", at_end: true }));
        session.observe(log.clone());
        let mut stream = session.events_raw(None);
        let call = session.call_raw("Test.call", &raw("{}"));
        browser.event(None, "A.good", json!({}));
        browser.event(None, "A.bad", json!({}));
        assert!(matches!(call.await, Err(CallError::Closed { reason: CloseReason::DriverEnded, .. })));
        assert!(stream.next().await.unwrap().is_ok());
        assert!(stream.next().await.is_none());
        assert_eq!(client.closed().await, CloseReason::DriverEnded);
        assert_eq!(log.taken().len(), 2, "the good event and the end");
    })
    .await;
}

/// Looks at the end whether a call knows of it already.
struct Looks {
    call: Mutex<Pin<Box<Call<Box<RawValue>>>>>,
    knew: Mutex<Option<bool>>,
}

impl Observer for Looks {
    fn event(&self, _: &RawEvent) {}

    fn ended(&self, _: &SessionEnd) {
        let mut call = self.call.lock().unwrap();
        let polled = pin!(call.as_mut()).poll(&mut Context::from_waker(Waker::noop()));
        *self.knew.lock().unwrap() = Some(!matches!(polled, Poll::Pending));
    }
}

#[tokio::test]
async fn observers_learn_of_an_end_before_the_calls_that_wait() {
    bounded(async {
        for detached in [true, false] {
            let (client, mut browser) = fake_browser();
            let session = client.session(&"S".into());
            let call = session.call_raw("Test.call", &raw("{}"));
            let looks = Arc::new(Looks { call: Mutex::new(Box::pin(call)), knew: Mutex::new(None) });
            session.observe(looks.clone());
            let behind = session.call_raw("Test.behind", &raw("{}"));
            browser.next_call().await;
            if detached {
                browser.event(None, "Target.detachedFromTarget", json!({"sessionId": "S"}));
            } else {
                browser.hang_up();
            }
            behind.await.unwrap_err();
            assert_eq!(*looks.knew.lock().unwrap(), Some(false), "detached: {detached}");
        }
    })
    .await;
}
