//! Allocations of small messages, of which there are many.

use cdp_protocol::Client;
use cdp_protocol::domains::runtime::Evaluate;
use serde_json::value::RawValue;

use crate::alone;
use crate::counting::Measure;
use crate::peer::{CARRIERS, Peer, connect};

const EVENTS: u32 = 100_000;
const CALLS: u32 = 10_000;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

#[test]
fn an_event_that_nobody_reads_allocates_nothing() {
    let head = r#"{"method":"Network.dataReceived","params":{"requestId":"1","timestamp":1.5,"dataLength":"#;
    let event = format!("{head}{:0>38},\"x\":1}},\"sessionId\":\"S\"}}", 1);
    assert_eq!(event.len(), 150);
    for carrier in CARRIERS {
        let event = event.clone();
        alone(async {
            let client = connect(carrier, move |mut peer: Peer| {
                let many = peer.framed(&event).repeat(1000);
                // Two calls wait; the events come before the answers to each.
                let ids = [peer.next_call().unwrap(), peer.next_call().unwrap()];
                for (id, thousands) in ids.into_iter().zip([5, EVENTS / 1000]) {
                    (0..thousands).for_each(|_| peer.write(&many));
                    peer.send(&format!("{{\"id\":{id},\"result\":{{}}}}"));
                }
                while peer.next_call().is_some() {}
            })
            .await;
            // A session that is in use, with a stream that wants something else.
            let session = client.session(&"S".into());
            let _other = session.events_raw(Some("Page.loadEventFired"));
            let warm = client.browser().call_raw("Test.warm", &raw("{}"));
            let last = client.browser().call_raw("Test.last", &raw("{}"));
            warm.await.unwrap();
            let measure = Measure::start();
            last.await.unwrap();
            let each = measure.allocations() as f64 / f64::from(EVENTS);
            assert!(each < 0.01, "{carrier:?}: {each} allocations an event");
        });
    }
}

/// Allocations of an answered call, those of its caller included.
async fn each(client: &Client, call: impl AsyncFn(&Client)) -> f64 {
    for _ in 0..1000 {
        call(client).await;
    }
    let measure = Measure::start();
    for _ in 0..CALLS {
        call(client).await;
    }
    measure.allocations() as f64 / f64::from(CALLS)
}

#[test]
fn an_answered_call_allocates_at_most_four_times() {
    for carrier in CARRIERS {
        alone(async {
            let client = connect(carrier, |mut peer: Peer| {
                while let Some(id) = peer.next_call() {
                    let result = r#"{"result":{"type":"number","value":2,"description":"2"}}"#;
                    peer.send(&format!("{{\"id\":{id},\"result\":{result},\"sessionId\":\"S\"}}"));
                }
            })
            .await;
            let session = client.session(&"S".into());
            let typed = each(&client, async |_| {
                let answer = session.call(&Evaluate::new("1 + 1")).await.unwrap();
                assert_eq!(answer.result.description.as_deref(), Some("2"));
            });
            let typed = typed.await;
            let params = raw(r#"{"expression":"1 + 1"}"#);
            let plain = each(&client, async |_| {
                session.call_raw("Runtime.evaluate", &params).await.unwrap();
            });
            let plain = plain.await;
            assert!(typed <= 4.01 && plain <= 4.01, "{carrier:?}: typed {typed}, raw {plain} a call");
        });
    }
}
