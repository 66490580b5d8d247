//! Any bytes through the tolerant decoder: no panic, what serde_json reads is read alike, and typed decoding never panics either.

use cdp_protocol::domains::{dom, network, page, runtime, target};
use cdp_protocol::json;
use serde_json::Value;
use serde_json::value::RawValue;

/// Runs one input.
pub fn run(text: &[u8]) {
    let ours = json::decode::<Value>(text);
    if let Ok(theirs) = serde_json::from_slice::<Value>(text) {
        let ours = ours.expect("what serde_json reads is read");
        assert!(same(&ours, &theirs), "{ours} is not {theirs}");
    }
    if let Ok(raw) = json::decode::<Box<RawValue>>(text) {
        // Whatever tolerance accepted must be JSON when it is handed on. Deeper values and larger numbers than serde_json reads are right, too.
        let again = serde_json::from_str::<Value>(raw.get());
        let too_much =
            |error: &str| error.contains("recursion limit") || error.contains("number out of range");
        assert!(again.is_ok() || again.is_err_and(|error| too_much(&error.to_string())));
    }
    for error in [
        json::decode::<()>(text).err(),
        json::decode::<page::FrameNavigated>(text).err(),
        json::decode::<page::ScreencastFrame>(text).err(),
        json::decode::<dom::GetDocumentResult>(text).err(),
        json::decode::<network::ResponseReceived>(text).err(),
        json::decode::<runtime::EvaluateResult>(text).err(),
        json::decode::<target::AttachedToTarget>(text).err(),
    ]
    .into_iter()
    .flatten()
    {
        let _ = (error.path(), error.message().len(), error.to_string());
    }
}

/// Equal but for the last bits of a float: serde_json rounds those by its quick way, ours by std's exact one.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| same(a, b))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a.0 == b.0 && same(a.1, b.1))
        }
        (Value::Number(ours), Value::Number(theirs)) if ours.is_f64() && theirs.is_f64() => {
            let (ours, theirs) = (ours.as_f64().unwrap_or(f64::NAN), theirs.as_f64().unwrap_or(f64::NAN));
            (ours - theirs).abs() <= theirs.abs() * 1e-12
        }
        _ => ours == theirs,
    }
}
