//! A subscriber that never reads, in a flood: it stays within its limit, stands in nobody's way, and learns exactly what it missed.

use cdp_protocol::EventError;
use serde_json::value::RawValue;

use crate::alone;
use crate::counting::Measure;
use crate::peer::{CARRIERS, Peer, connect};

const LIMIT: usize = 500_000;
const EVENTS: u64 = 20_000;

#[test]
fn a_stream_that_is_never_read_stays_within_its_limit_and_learns_what_it_missed() {
    for carrier in CARRIERS {
        alone(async {
            let client = connect(carrier, |mut peer: Peer| {
                let go = peer.next_call().unwrap();
                let text = "x".repeat(1000);
                for n in 0..EVENTS {
                    peer.send(&format!(
                        "{{\"method\":\"A.b\",\"params\":{{\"n\":{n},\"text\":\"{text}\"}}}}"
                    ));
                }
                peer.send(&format!("{{\"id\":{go},\"result\":{{}}}}"));
                // Answered while the stream is full.
                let after = peer.next_call().unwrap();
                peer.send(&format!("{{\"id\":{after},\"result\":{{}}}}"));
            })
            .await;
            let session = client.browser();
            let mut slow = session.events_raw(None).limit(LIMIT);
            let mut quick = session.events_raw(None);
            let params = RawValue::from_string("{}".into()).unwrap();
            let go = session.call_raw("Test.go", &params);
            let measure = Measure::start();
            // In a task of its own, since a runtime of one thread polls its outermost future more seldom than the reader's task.
            let reading = tokio::spawn(async move {
                for n in 0..EVENTS {
                    let event = quick.next().await.unwrap().expect("who reads does not lag");
                    assert!(event.params().starts_with(format!("{{\"n\":{n},").as_bytes()));
                }
            });
            reading.await.unwrap();
            go.await.unwrap();
            session.call_raw("Test.after", &params).await.unwrap();
            let peak = measure.peak();
            // Beside the limit: the read buffer, what the quick one has not taken yet, and the queues themselves.
            assert!(peak < LIMIT * 2, "{carrier:?}: {peak} bytes with a limit of {LIMIT}");

            let Some(Err(EventError::Lagged(missed))) = slow.next().await else { panic!("it did not lag") };
            for n in missed..EVENTS {
                let event = slow.next().await.unwrap().unwrap();
                assert!(
                    event.params().starts_with(format!("{{\"n\":{n},").as_bytes()),
                    "{missed}, {event:?}"
                );
            }
            assert!(missed > EVENTS - 1000, "{missed}");
            assert!(slow.next().await.is_none());
        });
    }
}
