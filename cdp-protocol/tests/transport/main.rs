//! The transport as its users see it: against the scripted browser and against servers that nobody here wrote. Nothing waits for
//! time; every test ends by itself or by the limit in `bounded`.

mod broken;
mod calls;
mod cancel;
mod conversation;
mod cuts;
mod endpoints;
mod ends;
mod events;
mod fault_layer;
mod faults;
mod holding;
mod liveness;
mod observers;
#[cfg(unix)]
mod pipes;
mod proxies;
mod random_frames;
mod servers;
mod socket;
mod tcp_cuts;
#[cfg(feature = "tls")]
mod tls;
mod written;

use std::future::Future;
use std::time::Duration;

/// Fails a test that hangs, in place of hanging the run. No test depends on how long this is.
async fn bounded<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), test).await.expect("the test ends within a minute")
}

/// JSON text as a raw value.
fn raw(text: &str) -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::from_string(text.to_owned()).expect("the text is JSON")
}
