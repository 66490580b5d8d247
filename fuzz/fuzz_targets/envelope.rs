//! Any bytes as a message: the fast way against the general one against serde_json, which reads everything.
#![no_main]

use std::collections::HashSet;

use cdp_protocol::envelope::{Envelope, Kind, parse, scan};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|message: &[u8]| {
    let (fast, general) = (parse(message), scan(message));
    for envelope in [&fast, &general].into_iter().flatten() {
        assert!(message.get(envelope.payload.clone()).is_some());
    }
    // What isn't JSON may be taken for an envelope; its payload then fails to decode.
    let Ok(value) = serde_json::from_slice::<Value>(message) else { return };
    let object = value.as_object();
    match &general {
        Ok(envelope) => check(message, envelope, object.expect("only an object is an envelope")),
        Err(_) => assert!(object.is_none_or(|o| !o.contains_key("error") || o["error"].is_null())),
    }
    if object.is_some_and(|object| is_plain(object, message)) {
        assert_eq!(fast, general);
    }
});

fn check(message: &[u8], envelope: &Envelope<'_>, object: &serde_json::Map<String, Value>) {
    let payload = match &envelope.kind {
        Kind::Reply { id } => {
            let sent = &object["id"];
            assert!(sent.as_i64() == Some(*id) || sent.as_f64() == Some(*id as f64));
            object.get("result")
        }
        Kind::Error { .. } => object.get("error"),
        Kind::Event { method } => {
            assert_eq!(object["method"].as_str(), Some(&**method));
            object.get("params")
        }
    };
    let text = &message[envelope.payload.clone()];
    let found =
        (!text.is_empty()).then(|| serde_json::from_slice::<Value>(text).expect("the payload is JSON"));
    assert_eq!(found.as_ref(), payload);
    assert_eq!(envelope.session.as_deref(), object.get("sessionId").and_then(Value::as_str));
}

/// Whether the members are those of one kind, each once: what the two ends of a message can tell.
fn is_plain(object: &serde_json::Map<String, Value>, message: &[u8]) -> bool {
    let names: HashSet<&str> = object.keys().map(String::as_str).collect();
    let of = |own: &[&str]| names.iter().all(|name| own.contains(name));
    let once = object.keys().all(|name| occurrences(message, name) <= 1);
    let kinds =
        [["id", "result", "sessionId"], ["id", "error", "sessionId"], ["method", "params", "sessionId"]];
    once && kinds.iter().any(|kind| of(kind))
}

/// How often a name is written; more than once may be a member twice, or just a word in a payload. Names written with escapes
/// can't be counted this way, so a message that has any backslash counts as doubtful.
fn occurrences(message: &[u8], name: &str) -> usize {
    if message.contains(&b'\\') {
        return usize::MAX;
    }
    let quoted = format!("\"{name}\"");
    message.windows(quoted.len()).filter(|window| *window == quoted.as_bytes()).count()
}
