//! Events: their order against answers, streams that lag, and what control events are spared.

use std::sync::{Arc, Mutex};

use cdp_protocol::domains::{page, runtime};
use cdp_protocol::events::{AnyEvent, EventSet as _, PageEvent, RuntimeEvent};
use cdp_protocol::testing::fake_browser;
use cdp_protocol::{EventError, Observer, RawEvent, Session, SessionEnd};
use serde_json::json;

use crate::{bounded, raw};

/// Writes down what it sees.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<String>>);

impl Log {
    pub(crate) fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Observer for Log {
    fn event(&self, event: &RawEvent) {
        let params = str::from_utf8(event.params()).unwrap();
        let session = event.session_id().map_or_else(|| "-".to_owned(), |id| id.to_string());
        self.0.lock().unwrap().push(format!("{session} {} {params}", event.method()));
    }

    fn ended(&self, end: &SessionEnd) {
        self.0.lock().unwrap().push(end.to_string());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn observers_have_seen_every_earlier_event_when_an_answer_arrives() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let log = Arc::new(Log::default());
        let session = client.session(&"S".into());
        session.observe(log.clone());
        for round in 0..500 {
            let answer = session.call_raw("Test.round", &raw("{}"));
            let call = browser.next_call().await;
            browser.event(Some("S"), "A.before", json!(round));
            browser.event(Some("Other"), "A.foreign", json!({}));
            browser.event(None, "A.root", json!({}));
            browser.event(Some("S"), "B.before", json!({"x": round}));
            browser.reply(&call, json!({}));
            browser.event(Some("S"), "C.after", json!({}));
            answer.await.unwrap();
            let mut seen = log.taken();
            seen.retain(|line| line != "S C.after {}");
            assert_eq!(seen, [format!("S A.before {round}"), format!("S B.before {{\"x\":{round}}}")]);
        }
    })
    .await;
}

#[tokio::test]
async fn an_observer_may_make_calls() {
    struct Caller(Session);
    impl Observer for Caller {
        fn event(&self, _: &RawEvent) {
            drop(self.0.call(&runtime::RunIfWaitingForDebugger::new()));
        }
    }
    bounded(async {
        let (client, mut browser) = fake_browser();
        client.browser().observe(Arc::new(Caller(client.session(&"S".into()))));
        browser.event(
            None,
            "Target.attachedToTarget",
            json!({"sessionId": "S", "targetInfo": {"targetId": "T"}}),
        );
        let call = browser.next_call().await;
        assert_eq!(
            (&*call.method, call.session_id.as_deref()),
            ("Runtime.runIfWaitingForDebugger", Some("S"))
        );
        // The observer owns a session, which would keep the connection; closing breaks the circle.
        client.close();
        client.closed().await;
    })
    .await;
}

#[tokio::test]
async fn typed_streams_yield_their_event_and_survive_a_broken_one() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.session(&"S".into());
        let mut events = session.events::<page::LoadEventFired>();
        let mut all = session.events_raw(None);
        browser.event(Some("S"), "Page.domContentEventFired", json!({"timestamp": 1}));
        browser.event(Some("S"), "Page.loadEventFired", json!({"timestamp": "soon"}));
        browser.send(
            r#"{"method":"Page.loadEventFired","params":{"timestamp":2.5},"trace":{},"sessionId":"S"}"#,
        );
        browser.event(None, "Page.loadEventFired", json!({"timestamp": 3}));
        browser.hang_up();
        let Some(Err(EventError::Decode(error))) = events.next().await else { panic!("no decode error") };
        assert_eq!((error.method(), error.path()), ("Page.loadEventFired", "timestamp"));
        assert_eq!(events.next().await.unwrap().unwrap().timestamp.get(), 2.5);
        assert!(events.next().await.is_none());
        let mut names = Vec::new();
        while let Some(event) = all.next().await {
            names.push(event.unwrap().method().to_owned());
        }
        assert_eq!(names, ["Page.domContentEventFired", "Page.loadEventFired", "Page.loadEventFired"]);
    })
    .await;
}

#[tokio::test]
async fn the_events_of_a_domain_come_as_one_enumeration_in_order_and_unread() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.session(&"S".into());
        let mut events = session.events_of::<PageEvent>();
        let mut all = session.events_of::<AnyEvent>();
        browser.event(Some("S"), "Page.loadEventFired", json!({"timestamp": 1}));
        browser.event(Some("S"), "Runtime.executionContextsCleared", json!({}));
        browser.event(Some("Other"), "Page.loadEventFired", json!({"timestamp": 1}));
        browser.event(Some("S"), "Page.frameResized", json!({"broken": []}));
        browser.event(Some("S"), "Page.loadEventFired", json!({"timestamp": "broken"}));
        browser.event(Some("S"), "Pages.other", json!({}));
        browser.event(Some("S"), "Page.brandNew", json!({"x": 1}));
        browser.hang_up();

        let mut next = async || events.next().await.map(Result::unwrap);
        match next().await {
            Some(PageEvent::LoadEventFired(event)) => {
                assert_eq!(event.decode().unwrap().timestamp.get(), 1.0)
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(next().await, Some(PageEvent::FrameResized(_))));
        match next().await {
            Some(PageEvent::LoadEventFired(event)) => {
                assert_eq!(event.decode().unwrap_err().path(), "timestamp")
            }
            other => panic!("{other:?}"),
        }
        match next().await {
            Some(PageEvent::Unknown(event)) => assert_eq!(event.params(), br#"{"x":1}"#),
            other => panic!("{other:?}"),
        }
        assert!(next().await.is_none());

        let mut seen = Vec::new();
        while let Some(event) = all.next().await {
            let event = event.unwrap();
            let place = match &event {
                AnyEvent::Page(PageEvent::Unknown(_)) => "page, unknown",
                AnyEvent::Page(_) => "page",
                AnyEvent::Runtime(RuntimeEvent::ExecutionContextsCleared(_)) => "runtime",
                AnyEvent::Unknown(_) => "unknown",
                _ => "elsewhere",
            };
            seen.push(format!("{place}: {}", event.raw().method()));
        }
        let expected = [
            "page: Page.loadEventFired",
            "runtime: Runtime.executionContextsCleared",
            "page: Page.frameResized",
            "page: Page.loadEventFired",
            "unknown: Pages.other",
            "page, unknown: Page.brandNew",
        ];
        assert_eq!(seen, expected);
    })
    .await;
}

#[tokio::test]
async fn a_slow_stream_learns_what_it_missed_and_stops_no_one() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let mut slow = session.events_raw(None).limit(100_000);
        let mut quick = session.events_raw(None);
        let text = "x".repeat(5000);
        for round in 0..1000 {
            browser.event(None, "A.b", json!({"n": round, "text": text}));
            if round % 100 == 50 {
                browser.event(None, "Fetch.requestPaused", json!({"n": round}));
            }
        }
        for _ in 0..1010 {
            quick.next().await.unwrap().unwrap();
        }
        let answer = session.call_raw("Test.one", &raw("{}"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({}));
        answer.await.unwrap();
        browser.hang_up();
        let Some(Err(EventError::Lagged(lagged))) = slow.next().await else { panic!("did not lag") };
        let (mut plain, mut control) = (0, 0);
        while let Some(event) = slow.next().await {
            match event.unwrap().method() {
                "A.b" => plain += 1,
                _ => control += 1,
            }
        }
        assert_eq!((lagged + plain, control), (1000, 10));
        assert!((10..20).contains(&plain), "{plain} events of 5 kB stayed within 100 kB");
    })
    .await;
}

#[tokio::test]
async fn a_stream_that_keeps_up_does_not_lag_in_a_burst() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        // Far less than a runtime of one thread would let the reader pile up before it polls this future again.
        let mut events = client.browser().events_raw(None).limit(512 * 1024);
        let text = "x".repeat(5000);
        for _ in 0..10_000 {
            browser.event(None, "A.b", json!({"text": text}));
        }
        for _ in 0..10_000 {
            events.next().await.unwrap().unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn messages_that_are_no_envelopes_are_passed_over_and_counted() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let mut events = session.events_raw(None);
        for message in ["null", "7", "[]", "{}", r#"{"params":{}}"#] {
            browser.send(message);
        }
        browser.send(r#" {"params":{"a":1}, "me\u0074hod":"A.\u0062"} "#);
        let event = events.next().await.unwrap().unwrap();
        assert_eq!((event.method(), event.params()), ("A.b", &br#"{"a":1}"#[..]));
        assert_eq!(client.stats().ignored_messages, 5);
    })
    .await;
}
