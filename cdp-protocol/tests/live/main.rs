//! All tests that need a real Chromium: both carriers, a sweep of commands, and the events of a busy page. Each browser has a
//! profile of its own; neither is left behind. Every wait is bounded.

// All items means the deprecated ones, too.
#![allow(deprecated)]

mod browser;
mod carriers;
mod events;
mod given;
mod listing;
mod reactions;
mod recorder;
mod site;
mod stir;
mod streams;
mod sweep;

use std::future::Future;
use std::time::Duration;

/// Fails a test that hangs, in place of hanging the run. No test depends on how long this is.
async fn bounded<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(180), test).await.expect("the test ends within three minutes")
}

/// JSON text as a raw value.
fn raw(text: &str) -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::from_string(text.to_owned()).expect("the text is JSON")
}
