//! One scripted conversation, for the tests that cut it: the client's part, the browser's, and what must hold of both together
//! wherever the line went dead.

use std::sync::Arc;

use cdp_protocol::{Call, CallError, Client, CloseReason, Sent};
use serde_json::json;
use serde_json::value::RawValue;

use crate::events::Log;
use crate::raw;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Answered,
    Refused,
    Closed(Sent),
}

/// What the client's side saw.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) calls: Vec<(String, End)>,
    observed: Vec<String>,
    streamed: Vec<String>,
    pub(crate) reason: CloseReason,
}

/// What the browser's side saw, and what of its own arrived whole.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) received: Vec<String>,
    pub(crate) arrived: Vec<What>,
}

/// What a message of the browser's is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Answer(String),
    Refusal(String),
    /// An event of the session that is observed.
    Event(String),
    Other,
}

/// Text of the larger call and answer, too long for the shortest header of a ws frame.
const LONG: usize = 300;

/// Talks until everything that was asked for has ended, and the connection with it.
pub(crate) async fn converse(client: Client) -> Told {
    let log = Arc::new(Log::default());
    let (root, one, two) = (client.browser(), client.session(&"S1".into()), client.session(&"S2".into()));
    one.observe(log.clone());
    let mut stream = one.events_raw(None);
    let mut calls = Vec::new();

    calls.push(end_of(root.call_raw("Target.attachToTarget", &raw(r#"{"targetId":"T"}"#))).await);
    // Two on different sessions in one write, answered in the other order; one that nobody polls for.
    let (first, second) = (one.call_raw("Test.one", &raw("{}")), two.call_raw("Test.two", &raw("{}")));
    let unpolled = two.call_raw("Test.unpolled", &raw("{}"));
    let (second, first) = (end_of(second).await, end_of(first).await);
    calls.extend([first, second]);
    calls.push(end_of(one.call_raw("Test.refused", &raw("{}"))).await);
    let long = json!({ "text": "x".repeat(LONG) });
    calls.push(end_of(one.call_raw("Test.long", &raw(&long.to_string()))).await);
    calls.push(end_of(root.call_raw("Test.last", &raw("{}"))).await);
    calls.push(end_of(unpolled).await);

    let reason = client.closed().await;
    let mut streamed = Vec::new();
    while let Some(event) = stream.next().await {
        streamed.push(event.expect("the stream did not lag").method().to_owned());
    }
    // A call that is made now is refused at once.
    let late = end_of(one.call_raw("Test.late", &raw("{}"))).await;
    assert_eq!(late.1, End::Closed(Sent::No));
    drop((root, one, two, stream));
    let stats = client.stats();
    assert_eq!((stats.pending_calls, stats.late_replies, stats.ignored_messages), (0, 0, 0), "{stats:?}");
    assert_eq!((stats.queued_bytes, stats.sessions), (0, 0), "{stats:?}");
    Told { calls, observed: log.taken(), streamed, reason }
}

async fn end_of(call: Call<Box<RawValue>>) -> (String, End) {
    let method = call.method().to_owned();
    let end = match call.await {
        Ok(_) => End::Answered,
        Err(CallError::Refused { .. }) => End::Refused,
        Err(CallError::Closed { sent, .. }) => End::Closed(sent),
        Err(other) => panic!("{other:?}"),
    };
    (method, end)
}

/// The browser's part, whatever carries it.
#[derive(Default)]
pub(crate) struct Script {
    held: Option<i64>,
}

impl Script {
    /// The messages that a call is met with. Behind those to `Test.last` the browser goes.
    pub(crate) fn meet(&mut self, method: &str, id: i64) -> Vec<(What, String)> {
        let reply = |method: &str, id: i64, tail: &str, result: &str| {
            (What::Answer(method.into()), format!("{{\"id\":{id},\"result\":{result}{tail}}}"))
        };
        let event = |name: &str| {
            let text = format!("{{\"method\":\"{name}\",\"params\":{{\"a\":1}},\"sessionId\":\"S1\"}}");
            (What::Event(name.into()), text)
        };
        let (one, two) = (r#","sessionId":"S1""#, r#","sessionId":"S2""#);
        match method {
            "Target.attachToTarget" => {
                let attached = |session: &str| {
                    let info = format!(r#"{{"sessionId":"{session}","targetInfo":{{"targetId":"T"}}}}"#);
                    (What::Other, format!(r#"{{"method":"Target.attachedToTarget","params":{info}}}"#))
                };
                vec![attached("S1"), attached("S2"), reply(method, id, "", r#"{"sessionId":"S1"}"#)]
            }
            "Test.one" => {
                self.held = Some(id);
                vec![event("Test.began")]
            }
            "Test.two" => {
                let held = self.held.take().expect("calls come in their order");
                vec![reply(method, id, two, "{}"), event("Test.between"), reply("Test.one", held, one, "{}")]
            }
            "Test.refused" => {
                let error = r#"{"code":-32000,"message":"no"}"#;
                vec![(What::Refusal(method.into()), format!("{{\"id\":{id},\"error\":{error}{one}}}"))]
            }
            "Test.long" => {
                let result = json!({ "text": "y".repeat(LONG) }).to_string();
                vec![event("Test.before"), reply(method, id, one, &result), event("Test.behind")]
            }
            "Test.last" => vec![reply(method, id, "", "{}")],
            "Test.unpolled" => vec![reply(method, id, two, "{}")],
            other => panic!("nobody calls {other}"),
        }
    }
}

/// What holds of an end at any place. That a call counts as not sent means that it was not received; where `exact`, the other way
/// round as well, since nothing stands between the two sides that could have swallowed it.
pub(crate) fn check(told: &Told, played: &Played, exact: bool, at: &str) {
    let expected = [
        "Target.attachToTarget",
        "Test.one",
        "Test.two",
        "Test.refused",
        "Test.long",
        "Test.last",
        "Test.unpolled",
    ];
    let ended: Vec<_> = told.calls.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(ended, expected, "{at}");
    for (method, end) in &told.calls {
        let received = played.received.iter().filter(|received| *received == method).count();
        assert!(received <= 1, "{at}: {method} was received {received} times");
        let answered = played.arrived.contains(&What::Answer(method.clone()));
        let refused = played.arrived.contains(&What::Refusal(method.clone()));
        assert_eq!(*end == End::Answered, answered, "{at}: {method} ended as {end:?}\n{told:?}\n{played:?}");
        assert_eq!(*end == End::Refused, refused, "{at}: {method} ended as {end:?}\n{told:?}\n{played:?}");
        if *end == End::Closed(Sent::No) {
            assert_eq!(received, 0, "{at}: {method} was received, but is said not to have been sent");
        } else if exact {
            assert_eq!(received, 1, "{at}: {method} was not received, and ended as {end:?}");
        }
    }
    let events = played.arrived.iter().filter_map(|what| match what {
        What::Event(name) => Some(name.clone()),
        _ => None,
    });
    let events: Vec<_> = events.collect();
    assert_eq!(told.streamed, events, "{at}");
    let observed = events.iter().map(|name| format!("S1 {name} {{\"a\":1}}"));
    let observed: Vec<_> = observed.chain([told.reason.to_string()]).collect();
    assert_eq!(told.observed, observed, "{at}: observers see what arrived, and are told of the end once");
}
