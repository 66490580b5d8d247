//! The scenarios that need a browser.

use std::time::Instant;

use bench_common::{Arguments, Meter, emit, json, percentiles};
use cdp_protocol::domains::{page, runtime, target};
use cdp_protocol::{Client, EventError, Session, json as protocol_json};
use futures_util::stream::{FuturesUnordered, StreamExt};

const WARM_UP: usize = 500;

/// A page at the scenario's URL: its session.
async fn open(arguments: &Arguments, client: &Client) -> Session {
    let browser = client.browser();
    let created = browser.call(&target::CreateTarget::new("about:blank")).await.expect("a target");
    let attach = target::AttachToTarget::new(created.target_id).flatten(true);
    let attached = browser.call(&attach).await.expect("a session");
    let session = client.session(&attached.session_id);
    let mut loaded = session.events::<page::LoadEventFired>();
    session.call(&page::Enable::new()).await.expect("events of the page");
    session.call(&page::Navigate::new(arguments.text("url"))).await.expect("a navigation");
    loaded.next().await.expect("the session lasts").expect("no event is missed");
    session.call(&page::Disable::new()).await.expect("no more events of the page");
    session
}

fn evaluate(expression: impl Into<String>) -> runtime::Evaluate {
    runtime::Evaluate::new(expression).return_by_value(true)
}

fn check(answer: &runtime::EvaluateResult) {
    assert_eq!(answer.result.value.as_ref().map(|value| value.get()), Some("2"));
}

async fn one_by_one(session: &Session, count: usize) -> Vec<u64> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        check(&session.call(&evaluate("1+1")).await.expect("an answer"));
        times.push(start.elapsed().as_nanos() as u64);
    }
    times
}

pub async fn sequential(arguments: &Arguments, client: &Client) {
    let count: usize = arguments.number("n");
    let session = open(arguments, client).await;
    one_by_one(&session, WARM_UP).await;
    let meter = Meter::start();
    let mut times = one_by_one(&session, count).await;
    emit(count, &[meter.stop(), percentiles(&mut times)]);
}

pub async fn in_flight(arguments: &Arguments, client: &Client) {
    let (count, depth): (usize, usize) = (arguments.number("n"), arguments.number("depth"));
    let session = open(arguments, client).await;
    one_by_one(&session, WARM_UP).await;
    let meter = Meter::start();
    let mut calls: FuturesUnordered<_> = (0..depth).map(|_| session.call(&evaluate("1+1"))).collect();
    let mut sent = depth;
    while let Some(answer) = calls.next().await {
        check(&answer.expect("an answer"));
        if sent < count {
            calls.push(session.call(&evaluate("1+1")));
            sent += 1;
        }
    }
    emit(count, &[meter.stop()]);
}

pub async fn console(arguments: &Arguments, client: &Client) {
    let count: usize = arguments.number("n");
    let session = open(arguments, client).await;
    let mut events = session.events::<runtime::ConsoleApiCalled>();
    session.call(&runtime::Enable::new()).await.expect("events of the runtime");
    let meter = Meter::start();
    let call = session.call(&evaluate(arguments.text("js")));
    let (mut received, mut lagged) = (0, 0);
    while received + lagged < count {
        match events.next().await {
            Some(Ok(event)) => received += usize::from(!event.args.is_empty()),
            Some(Err(EventError::Lagged(missed))) => lagged += missed as usize,
            other => panic!("expected an event, not {other:?}"),
        }
    }
    let figures = meter.stop();
    call.await.expect("an answer");
    emit(received, &[figures, json!({ "lagged": lagged })]);
}

/// The browser sends the same events, and nobody asked for them here.
pub async fn console_unread(arguments: &Arguments, client: &Client) {
    let session = open(arguments, client).await;
    session.call(&runtime::Enable::new()).await.expect("events of the runtime");
    let meter = Meter::start();
    session.call(&evaluate(arguments.text("js"))).await.expect("an answer");
    emit(arguments.number("n"), &[meter.stop()]);
}

pub async fn string(arguments: &Arguments, client: &Client) {
    let size: usize = arguments.number("size");
    let session = open(arguments, client).await;
    session.call(&evaluate("'w'.repeat(1000)")).await.expect("an answer");
    let meter = Meter::start();
    let answer = session.call(&evaluate(format!("'x'.repeat({size})"))).await.expect("an answer");
    let value = answer.result.value.expect("a value");
    let text: String = protocol_json::decode(value.get().as_bytes()).expect("a text");
    let figures = meter.stop();
    assert_eq!(text.len(), size);
    emit(1, &[figures, json!({ "payload": size })]);
}

pub async fn png(arguments: &Arguments, client: &Client) {
    let session = open(arguments, client).await;
    let meter = Meter::start();
    let clip = page::Viewport::new(0.0, 0.0, 1280.0, 12000.0, 1.0);
    let shot = page::CaptureScreenshot::new()
        .format(page::CaptureScreenshotFormat::Png)
        .capture_beyond_viewport(true)
        .clip(clip);
    let png = session.call(&shot).await.expect("an answer").data;
    let figures = meter.stop();
    assert!(png.starts_with(b"\x89PNG"));
    emit(1, &[figures, json!({ "payload": png.len().div_ceil(3) * 4, "png": png.len() })]);
}
