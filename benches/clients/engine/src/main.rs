//! engine as a measured client, through its public interface and with its defaults.

use std::time::{Duration, Instant};

use bench_common::{Arguments, Meter, emit, json, percentiles, unsupported};
use engine::{Browser, Launcher, Page};

const WARM_UP: usize = 500;

fn main() {
    let arguments = Arguments::read();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime can be made");
    match arguments.scenario.as_str() {
        "launch" => runtime.block_on(launch(&arguments)),
        "evaluate" => runtime.block_on(evaluate(&arguments)),
        "pages" => runtime.block_on(pages(&arguments)),
        _ => unsupported(),
    }
}

async fn start(arguments: &Arguments) -> Browser {
    Launcher::new().executable(&arguments.endpoint).launch().await.expect("a browser")
}

async fn page(browser: &Browser) -> Page {
    browser.new_context().await.expect("a context").new_page().await.expect("a page")
}

async fn launch(arguments: &Arguments) {
    let meter = Meter::start();
    let started = Instant::now();
    let browser = start(arguments).await;
    let launched = started.elapsed();
    page(&browser).await.goto(arguments.text("url")).await.expect("the page loads");
    let loaded = started.elapsed();
    let closed = browser.close().await;
    let ended = started.elapsed();
    let figures = meter.stop();
    assert!(closed.exit.is_some() && closed.left.is_empty(), "{closed}");
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let times = json!({
        "launch_ms": ms(launched), "page_ms": ms(loaded - launched), "close_ms": ms(ended - loaded),
    });
    emit(1, &[figures, times]);
}

/// Evaluates in the last of so many pages.
async fn evaluate(arguments: &Arguments) {
    let count: usize = arguments.number("n");
    let pages: usize = arguments.number("pages");
    let browser = start(arguments).await;
    let mut open = Vec::new();
    for _ in 0..pages {
        let page = page(&browser).await;
        page.goto(arguments.text("url")).await.expect("the page loads");
        open.push(page);
    }
    let page = open.last().expect("at least one page");
    let mut times = Vec::with_capacity(count);
    let mut once = async || {
        let start = Instant::now();
        let value: u32 = page.evaluate("1+1").await.expect("a value");
        assert_eq!(value, 2);
        times.push(start.elapsed().as_nanos() as u64);
    };
    for _ in 0..WARM_UP {
        once().await;
    }
    let meter = Meter::start();
    for _ in 0..count {
        once().await;
    }
    let figures = meter.stop();
    emit(count, &[figures, percentiles(&mut times[WARM_UP..])]);
    browser.close().await;
}

/// Makes contexts with a page each; closing them is not measured.
async fn pages(arguments: &Arguments) {
    let count: usize = arguments.number("n");
    let browser = start(arguments).await;
    page(&browser).await;
    let mut times = Vec::with_capacity(count);
    let meter = Meter::start();
    for _ in 0..count {
        let start = Instant::now();
        let context = browser.new_context().await.expect("a context");
        context.new_page().await.expect("a page");
        times.push(start.elapsed().as_nanos() as u64);
        context.close().await.expect("a context can be closed");
    }
    emit(count, &[meter.stop(), percentiles(&mut times)]);
    browser.close().await;
}
