//! The scenarios against the mock server, which sends events as fast as they are taken and then its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bench_common::{Arguments, MOCK_SESSION, Meter, Value, emit, json, since};
use cdp_protocol::domains::target::SessionId;
use cdp_protocol::domains::{network, target};
use cdp_protocol::{Client, EventError, Observer, RawEvent, Session};
use serde_json::value::{RawValue, to_raw_value};

use crate::Allocations;

/// Asks the mock server for `count` messages; its answer follows them.
async fn blast(client: &Client, kind: &str, count: usize, sessions: usize) -> Box<RawValue> {
    let params = json!({ "kind": kind, "count": count, "sessions": sessions });
    let params = to_raw_value(&params).expect("JSON is JSON");
    client.browser().call_raw("Mock.blast", &params).await.expect("the server answers")
}

/// Nobody asked for the events: they only lie before the answer.
pub async fn unread(arguments: &Arguments, client: &Client) {
    let count: usize = arguments.number("n");
    let _session = client.session(&SessionId::from(MOCK_SESSION));
    let meter = Meter::start();
    blast(client, &arguments.scenario, count, 1).await;
    emit(count, &[meter.stop()]);
}

/// A typed subscription to the events.
pub async fn decode(arguments: &Arguments, client: &Client, allocations: Option<Allocations>) {
    let count: usize = arguments.number("n");
    let session = client.session(&SessionId::from(MOCK_SESSION));
    let mut events = session.events::<network::RequestWillBeSent>();
    let before = allocations.map(|count| count());
    let meter = Meter::start();
    let asking = client.clone();
    let asked = tokio::spawn(async move { blast(&asking, "event", count, 1).await });
    let (mut received, mut lagged) = (0, 0);
    while received + lagged < count {
        match events.next().await {
            Some(Ok(event)) => received += usize::from(event.request.method == "GET"),
            Some(Err(EventError::Lagged(missed))) => lagged += missed as usize,
            other => panic!("expected an event, not {other:?}"),
        }
    }
    let figures = meter.stop();
    let counts = match (before, allocations) {
        (Some(before), Some(count)) => since(&before, &count()),
        _ => json!({}),
    };
    asked.await.expect("the task ends");
    emit(received, &[figures, counts, json!({ "lagged": lagged })]);
}

/// Events of many sessions, in random order, each session with an observer.
pub async fn route(arguments: &Arguments, client: &Client) {
    let (count, sessions): (usize, usize) = (arguments.number("n"), arguments.number("sessions"));
    let mut attached = client.browser().events::<target::AttachedToTarget>();
    let seen = Arc::new(Seen::default());
    // The first messages tell of the sessions; the rest is their events.
    blast(client, "attached", sessions, sessions).await;
    let mut held: Vec<Session> = Vec::new();
    while held.len() < sessions {
        let event =
            attached.next().await.expect("the connection lasts").expect("control events are not dropped");
        held.push(client.session(&event.session_id));
    }
    for session in &held {
        session.observe(seen.clone());
    }
    drop(attached);
    let meter = Meter::start();
    blast(client, "small", count, sessions).await;
    let figures: Value = meter.stop();
    assert_eq!(seen.events.load(Ordering::Relaxed), count, "events reached their session's observer");
    emit(count, &[figures]);
}

#[derive(Default)]
struct Seen {
    events: AtomicUsize,
}

impl Observer for Seen {
    fn event(&self, _: &RawEvent) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }
}
