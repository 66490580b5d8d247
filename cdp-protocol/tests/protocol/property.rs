//! The decoder against serde_json on random and broken texts: the same value wherever serde_json takes the
//! text, and beyond that only what the decoder promises to tolerate.

use cdp_protocol::domains::{dom, network, page, runtime};
use cdp_protocol::json::decode;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::random::{Random, mutate, value};

#[test]
fn random_documents_decode_as_with_serde_json() {
    let mut random = Random::new(1);
    let mut text = String::new();
    for _ in 0..1_500 {
        text.clear();
        value(&mut random, 6, &mut text);
        check(text.as_bytes());
    }
}

#[test]
fn broken_documents_are_refused_as_by_serde_json_and_never_panic() {
    let mut random = Random::new(2);
    let mut refused = 0;
    for round in 0..8_000 {
        let mut text = String::new();
        match round % 4 {
            0 => text.push_str(NODE),
            1 => text.push_str(REQUEST),
            _ => value(&mut random, 4, &mut text),
        }
        let mut bytes = text.into_bytes();
        mutate(&mut random, &mut bytes);
        refused += usize::from(!check(&bytes));
    }
    // Neither all broken nor all fine: else the mutations would prove nothing.
    assert!((1_000..7_500).contains(&refused), "{refused} of 8000 refused");
}

const NODE: &str = r##"{"root":{"nodeId":1,"backendNodeId":2,"nodeType":9,"nodeName":"#document","localName":"","nodeValue":"","childNodeCount":1,"children":[{"nodeId":3,"backendNodeId":4,"nodeType":1,"nodeName":"DIV","localName":"div","nodeValue":"","attributes":["id","\ud83d"],"pseudoType":"before"}],"documentURL":"about:blank"}}"##;
const REQUEST: &str = r#"{"requestId":"1000.1","loaderId":"L","documentURL":"https://example.org/","request":{"url":"https://example.org/","method":"GET","headers":{"a":"b"},"initialPriority":"VeryHigh","referrerPolicy":"new"},"timestamp":1.5,"wallTime":1698765432.123456,"initiator":{"type":"other"},"redirectHasExtraInfo":false,"type":"Document","frameId":"F"}"#;

/// Compares all ways to read `text`; says whether it was taken.
fn check(text: &[u8]) -> bool {
    let shown = || String::from_utf8_lossy(text).into_owned();
    let ours = decode::<Value>(text);
    let skipped = decode::<()>(text);
    let raw = decode::<Box<RawValue>>(text);
    assert_eq!(raw.is_ok(), skipped.is_ok(), "keeping and passing over disagree on {}", shown());
    // What nobody reads may hold a number of any size.
    let too_large = ours.as_ref().is_err_and(|error| error.message().contains("64-bit float"));
    assert!(ours.is_ok() == skipped.is_ok() || too_large, "reading and passing over disagree on {}", shown());
    if let Ok(theirs) = serde_json::from_slice::<Value>(text) {
        let ours = ours.as_ref().unwrap_or_else(|error| panic!("{error} for {}", shown()));
        assert!(same(ours, &theirs), "{ours} instead of {theirs} for {}", shown());
    } else if let (Ok(ours), Ok(raw)) = (&ours, &raw) {
        // Tolerated: then the mended text must be plain JSON with the same value.
        let theirs: Value = serde_json::from_str(raw.get())
            .unwrap_or_else(|error| panic!("took {}, which mended is {}: {error}", shown(), raw.get()));
        assert!(same(ours, &theirs), "{ours} instead of {theirs} for {}", shown());
        let tolerable =
            std::str::from_utf8(text).is_err() || text.windows(3).any(|w| w.eq_ignore_ascii_case(b"\\ud"));
        assert!(tolerable, "took what is no JSON: {}", shown());
    }
    // The types: no panic, and no success where the text is broken.
    let typed = [
        decode::<dom::GetDocumentResult>(text).is_ok(),
        decode::<network::RequestWillBeSent>(text).is_ok(),
        decode::<page::NavigateResult>(text).is_ok(),
        decode::<runtime::RemoteObject>(text).is_ok(),
        decode::<Vec<String>>(text).is_ok(),
        decode::<std::collections::HashMap<String, f64>>(text).is_ok(),
    ];
    assert!(skipped.is_ok() || !typed.contains(&true), "a type took the broken text {}", shown());
    ours.is_ok()
}

/// Equal but for the last digits of floats, which serde_json rounds in its fast way.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            a == b || (a - b).abs() <= a.abs().max(b.abs()) * 1e-14
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
