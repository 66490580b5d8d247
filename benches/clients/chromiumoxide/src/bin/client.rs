//! chromiumoxide as its documentation shows it: tokio's multi-threaded runtime, its handler driven by a task.

use std::time::Instant;

use bench_common::{Arguments, Meter, emit, json, percentiles, unsupported};
use chromiumoxide::Browser;
use chromiumoxide::cdp::browser_protocol::page::{CaptureScreenshotFormat, Viewport};
use chromiumoxide::cdp::js_protocol::runtime::{EvaluateParams, EventConsoleApiCalled};
use chromiumoxide::page::{Page, ScreenshotParams};
use futures_util::StreamExt;

const WARM_UP: usize = 500;

fn evaluate(expression: impl Into<String>) -> EvaluateParams {
    EvaluateParams::builder()
        .expression(expression)
        .return_by_value(true)
        .build()
        .expect("all that is required")
}

async fn call(page: &Page) -> u64 {
    let start = Instant::now();
    let answer = page.execute(evaluate("1+1")).await.expect("an answer");
    assert_eq!(answer.result.result.value.as_ref().and_then(|value| value.as_u64()), Some(2));
    start.elapsed().as_nanos() as u64
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::read();
    if !matches!(arguments.scenario.as_str(), "rtt" | "inflight" | "console" | "string" | "png") {
        return unsupported();
    }
    let (browser, mut handler) =
        Browser::connect(&arguments.endpoint).await.expect("the endpoint can be connected to");
    tokio::spawn(async move { while handler.next().await.is_some() {} });
    let page = browser.new_page(arguments.text("url")).await.expect("a page");
    match arguments.scenario.as_str() {
        "rtt" => sequential(&arguments, &page).await,
        "inflight" => in_flight(&arguments, &page).await,
        "console" => console(&arguments, &page).await,
        "string" => string(&arguments, &page).await,
        _ => png(&page).await,
    }
}

async fn sequential(arguments: &Arguments, page: &Page) {
    let count: usize = arguments.number("n");
    for _ in 0..WARM_UP {
        call(page).await;
    }
    let meter = Meter::start();
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        times.push(call(page).await);
    }
    emit(count, &[meter.stop(), percentiles(&mut times)]);
}

async fn in_flight(arguments: &Arguments, page: &Page) {
    let (count, depth): (usize, usize) = (arguments.number("n"), arguments.number("depth"));
    for _ in 0..WARM_UP {
        call(page).await;
    }
    let meter = Meter::start();
    let calls = futures_util::stream::iter(0..count).map(|_| call(page)).buffer_unordered(depth);
    let done = calls.count().await;
    let figures = meter.stop();
    assert_eq!(done, count);
    emit(count, &[figures]);
}

async fn console(arguments: &Arguments, page: &Page) {
    let count: usize = arguments.number("n");
    page.enable_runtime().await.expect("events of the runtime");
    let mut events = page.event_listener::<EventConsoleApiCalled>().await.expect("a stream");
    let meter = Meter::start();
    let (caller, log) = (page.clone(), evaluate(arguments.text("js")));
    let call = tokio::spawn(async move { caller.execute(log).await.map(drop) });
    let mut received = 0;
    while received < count {
        let event = events.next().await.expect("the stream lasts");
        received += usize::from(!event.args.is_empty());
    }
    let figures = meter.stop();
    call.await.expect("the task ends").expect("an answer");
    emit(received, &[figures]);
}

async fn string(arguments: &Arguments, page: &Page) {
    let size: usize = arguments.number("size");
    page.execute(evaluate("'w'.repeat(1000)")).await.expect("an answer");
    let meter = Meter::start();
    let answer = page.execute(evaluate(format!("'x'.repeat({size})"))).await.expect("an answer");
    let value = answer.result.result.value.as_ref().and_then(|value| value.as_str()).expect("a text");
    assert_eq!(value.len(), size);
    emit(1, &[meter.stop(), json!({ "payload": size })]);
}

async fn png(page: &Page) {
    let meter = Meter::start();
    let clip = Viewport::builder().x(0).y(0).width(1280).height(12000).scale(1);
    let shot = ScreenshotParams::builder()
        .format(CaptureScreenshotFormat::Png)
        .capture_beyond_viewport(true)
        .clip(clip.build().expect("all that is required"));
    let png = page.screenshot(shot.build()).await.expect("an answer");
    let figures = meter.stop();
    assert!(png.starts_with(b"\x89PNG"));
    emit(1, &[figures, json!({ "payload": png.len().div_ceil(3) * 4, "png": png.len() })]);
}
