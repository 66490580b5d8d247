//! What Chromium sends in many large parts: traces, heap snapshots and pictures of a moving page, over both carriers. Each must be
//! whole and in order.

use cdp_protocol::domains::{heap_profiler, io, page, runtime, tracing};
use cdp_protocol::json::{self, Binary};
use cdp_protocol::{Client, Event, Session};
use serde_json::Value;

use crate::bounded;
use crate::browser::{Browser, evaluate, open};

/// Marks that the page leaves in a trace, and objects that it keeps for a heap snapshot.
const MARKS: usize = 10_000;
const OBJECTS: usize = 10_000;
const PICTURES: usize = 20;

/// Room for all that comes before anyone reads it.
const ROOM: usize = 256 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_streams_over_a_pipe_are_whole() {
    bounded(async {
        let (_browser, client) = Browser::over_pipe(&[]);
        exercise(&client).await;
    })
    .await;
}

#[tokio::test]
async fn large_streams_over_a_websocket_are_whole() {
    bounded(async {
        let (_browser, url) = Browser::over_port();
        exercise(&Client::connect(url).await.unwrap()).await;
    })
    .await;
}

async fn exercise(client: &Client) {
    let page = open(client, "data:text/html,<title>streams</title><body>é").await.unwrap();
    let reported = trace(client, &page, tracing::StartTransferMode::ReportEvents).await;
    check_trace(&reported);
    let read = trace(client, &page, tracing::StartTransferMode::ReturnAsStream).await;
    check_trace(&read);
    heap_snapshot(&page).await;
    screencast(&page).await;
    let stats = client.stats();
    assert_eq!((stats.pending_calls, stats.late_replies, stats.ignored_messages), (0, 0, 0));
    assert_eq!(stats.queued_bytes, 0);
}

/// The events of a trace of marks.
async fn trace(client: &Client, page: &Session, mode: tracing::StartTransferMode) -> Vec<Value> {
    let root = client.browser();
    let mut events = root.events_raw(None).limit(ROOM);
    let config = tracing::TraceConfig::new().included_categories(["blink.user_timing".to_owned()]);
    root.call(&tracing::Start::new().transfer_mode(mode).trace_config(config)).await.unwrap();
    evaluate(page, &format!("for (let n = 0; n < {MARKS}; n++) performance.mark(`mark-${{n}}`); 'done'"))
        .await;
    root.call(&tracing::End::new()).await.unwrap();
    let mut collected = Vec::new();
    let complete = loop {
        let event = events.next().await.unwrap().unwrap();
        if event.method() == tracing::DataCollected::METHOD {
            let data: tracing::DataCollected = event.decode().unwrap();
            collected.extend(data.value.iter().map(|one| serde_json::from_str::<Value>(one.get()).unwrap()));
        } else if event.method() == tracing::TracingComplete::METHOD {
            break event.decode::<tracing::TracingComplete>().unwrap();
        }
    };
    assert!(!complete.data_loss_occurred);
    let Some(stream) = complete.stream else { return collected };
    assert!(collected.is_empty());
    let text = read_all(&root, stream).await;
    let mut whole: Value = serde_json::from_slice(&text).unwrap();
    let Value::Array(events) = whole["traceEvents"].take() else { panic!("a trace without events") };
    events
}

/// All that a stream holds, in parts of 256 KiB.
async fn read_all(session: &Session, stream: io::StreamHandle) -> Vec<u8> {
    let (mut whole, mut parts) = (Vec::new(), 0);
    loop {
        let part = session.call(&io::Read::new(stream.clone()).size(256 << 10)).await.unwrap();
        if part.base64_encoded == Some(true) {
            let quoted = format!("\"{}\"", part.data);
            whole.extend_from_slice(&json::decode::<Binary>(quoted.as_bytes()).unwrap());
        } else {
            whole.extend_from_slice(part.data.as_bytes());
        }
        parts += 1;
        if part.eof {
            break;
        }
    }
    assert!(parts > 5, "{} bytes came in {parts} parts", whole.len());
    session.call(&io::Close::new(stream)).await.unwrap();
    whole
}

/// Each mark is there once, in the order in which the page made them.
fn check_trace(events: &[Value]) {
    let mut marks: Vec<(i64, usize)> = events
        .iter()
        .filter_map(|event| {
            let number = event["name"].as_str()?.strip_prefix("mark-")?.parse().ok()?;
            Some((event["ts"].as_i64()?, number))
        })
        .collect();
    // Marks of the same microsecond stay as they came.
    marks.sort_by_key(|(time, _)| *time);
    assert_eq!(marks.len(), MARKS, "of {} events", events.len());
    assert!(marks.iter().enumerate().all(|(n, (_, number))| n == *number));
}

async fn heap_snapshot(page: &Session) {
    page.call(&heap_profiler::Enable::new()).await.unwrap();
    let keep =
        format!("globalThis.kept = Array.from({{ length: {OBJECTS} }}, (_, n) => ({{ n, text: 'é€' + n }}))");
    page.call(&runtime::Evaluate::new(format!("{keep}; 'done'"))).await.unwrap();
    let mut chunks = page.events::<heap_profiler::AddHeapSnapshotChunk>().limit(ROOM);
    page.call(&heap_profiler::TakeHeapSnapshot::new()).await.unwrap();
    // All chunks were sent before the answer.
    let (mut text, mut count) = (String::new(), 0);
    while let std::task::Poll::Ready(chunk) = futures_util::poll!(Box::pin(chunks.next())) {
        text.push_str(&chunk.unwrap().unwrap().chunk);
        count += 1;
    }
    assert!(count > 5, "{} bytes came in {count} chunks", text.len());
    let snapshot: Value = serde_json::from_str(&text).unwrap();
    let length = |value: &Value| value.as_array().unwrap().len() as u64;
    let about = &snapshot["snapshot"];
    for (kind, fields) in [("node", "node_fields"), ("edge", "edge_fields")] {
        let expected = about[format!("{kind}_count")].as_u64().unwrap() * length(&about["meta"][fields]);
        assert_eq!(length(&snapshot[format!("{kind}s")]), expected, "{kind}s");
    }
    let strings = snapshot["strings"].as_array().unwrap();
    let kept = strings.iter().filter(|text| text.as_str().is_some_and(|text| text.starts_with("é€"))).count();
    assert!(kept >= OBJECTS, "{kept} strings");
    page.call(&heap_profiler::Disable::new()).await.unwrap();
}

async fn screencast(page: &Session) {
    let animate = "let n = 0; (function turn() { document.body.style.background = `hsl(${n += 5} 50% 50%)`; \
                   document.body.textContent = n; globalThis.request = requestAnimationFrame(turn); })(); 'moving'";
    evaluate(page, animate).await;
    let mut pictures = page.events::<page::ScreencastFrame>().limit(ROOM);
    // Chromium encodes pictures beside each other, so that one may overtake another unless each waits to be acknowledged.
    let start = page::StartScreencast::new().format(page::StartScreencastFormat::Png).max_frames_in_flight(1);
    page.call(&start).await.unwrap();
    let mut last = 0.0;
    let mut cast = None;
    for n in 0..PICTURES {
        let picture = pictures.next().await.unwrap().unwrap();
        let data: &[u8] = &picture.data;
        assert!(
            data.starts_with(b"\x89PNG\r\n\x1A\n") && data.ends_with(b"IEND\xAE\x42\x60\x82"),
            "picture {n}"
        );
        let time = picture.metadata.timestamp.unwrap().get();
        assert!(time > last, "picture {n} of {time} came behind that of {last}");
        last = time;
        assert_eq!(*cast.get_or_insert(picture.session_id), picture.session_id);
        page.call(&page::ScreencastFrameAck::new(picture.session_id)).await.unwrap();
    }
    page.call(&page::StopScreencast::new()).await.unwrap();
}
