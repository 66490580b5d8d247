//! engine as a measured client, through its public interface and with its defaults.

use std::time::{Duration, Instant};

use bench_common::{Arguments, Meter, emit, json, unsupported};
use engine::Launcher;

fn main() {
    let arguments = Arguments::read();
    if arguments.scenario != "launch" {
        return unsupported();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(launch(&arguments));
}

async fn launch(arguments: &Arguments) {
    let meter = Meter::start();
    let started = Instant::now();
    let browser = Launcher::new().executable(&arguments.endpoint).launch().await.expect("a browser");
    let launched = started.elapsed();
    let page = browser.new_context().await.expect("a context").new_page().await.expect("a page");
    page.goto(arguments.text("url")).await.expect("the page loads");
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
