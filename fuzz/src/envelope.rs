//! Any bytes as a message: the fast way against the general one against serde_json, which reads everything.
//!
//! An input that begins with a byte below 0x20 is a script that builds a message with the members and spellings that envelopes
//! are made of; any other is the message itself.

use std::borrow::Cow;
use std::fmt;

use cdp_protocol::envelope::{Envelope, EnvelopeError, Kind, Text, parse, scan};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::input::Input;

/// Runs one input.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((0..0x20, script)) => {
            let message = build(&mut Input::new(script));
            check(message.as_bytes());
        }
        _ => check(data),
    }
}

fn check(message: &[u8]) {
    let (fast, general) = (parse(message), scan(message));
    for envelope in [&fast, &general].into_iter().flatten() {
        assert!(message.get(envelope.payload.clone()).is_some());
    }
    // What isn't JSON may be taken for an envelope; its payload then fails to decode.
    if serde_json::from_slice::<Value>(message).is_err() {
        return;
    }
    let Ok(Members(members)) = serde_json::from_slice(message) else {
        assert_eq!(general, Err(EnvelopeError::NotAnEnvelope), "only an object is an envelope");
        assert_eq!(fast, general);
        return;
    };
    let last = |name: &str| members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
    check_general(message, &general, last);
    if is_plain(&members) {
        assert_eq!(fast, general);
    }
}

/// Holds what the general scanner found against the members as serde_json read them.
fn check_general<'a>(
    message: &[u8],
    found: &Result<Envelope<'_>, EnvelopeError>,
    last: impl Fn(&str) -> Option<&'a Value>,
) {
    let id = last("id").and_then(whole);
    let method = last("method").and_then(Value::as_str);
    let error = last("error").filter(|error| !error.is_null());
    let (kind, payload) = match (id, method) {
        (id, _) if error.is_some() => (Kind::Error { id }, error),
        (Some(id), None) => (Kind::Reply { id }, last("result")),
        (Some(id), Some(_)) if last("result").is_some() => (Kind::Reply { id }, last("result")),
        (_, Some(method)) => (Kind::Event { method: Cow::Borrowed(method).into() }, last("params")),
        (None, None) => {
            assert_eq!(found, &Err(EnvelopeError::NotAnEnvelope));
            return;
        }
    };
    let envelope = found.as_ref().expect("a reply or an event");
    assert_eq!(envelope.kind, kind);
    let text = &message[envelope.payload.clone()];
    let value = (!text.is_empty()).then(|| serde_json::from_slice(text).expect("the payload is JSON"));
    assert_eq!(value.as_ref(), payload);
    assert_eq!(envelope.session.as_ref().map(Text::as_str), last("sessionId").and_then(Value::as_str));
}

/// The id that a number stands for: any spelling of an integer that a double holds exactly.
fn whole(number: &Value) -> Option<i64> {
    if number.as_i64().is_some() {
        return number.as_i64();
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < (1u64 << 53) as f64)?;
    Some(float as i64)
}

/// Whether the members are those of one kind, each once, and the session is text: what the two ends of a message can tell.
fn is_plain(members: &[(String, Value)]) -> bool {
    let kinds =
        [["id", "result", "sessionId"], ["id", "error", "sessionId"], ["method", "params", "sessionId"]];
    let is_once = |name: &str| members.iter().filter(|(known, _)| known == name).count() == 1;
    kinds.iter().any(|kind| {
        members.iter().all(|(name, value)| {
            kind.contains(&&**name) && is_once(name) && (name != "sessionId" || value.is_string())
        })
    })
}

/// The members of an object in their order, with those that stand there twice.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A message out of the pieces that could confuse a reader of its two ends.
fn build(input: &mut Input<'_>) -> String {
    const ORDERS: &[&[&str]] = &[
        &["id", "result", "sessionId"],
        &["id", "error", "sessionId"],
        &["method", "params", "sessionId"],
        &["id", "result"],
        &["id", "error"],
        &["method", "params"],
        &["sessionId", "params", "method"],
        &["result", "sessionId", "id"],
        &["error"],
        &["id", "sessionId", "method", "params"],
        &[],
    ];
    let mut names = input.pick(ORDERS).to_vec();
    for _ in 0..input.below(4) {
        const MORE: &[&str] = &[
            "id",
            "result",
            "error",
            "method",
            "params",
            "sessionId",
            "trace",
            "s\\u0065ssionId",
            "\\u0069d",
        ];
        names.insert(input.below(names.len() + 1), input.pick(MORE));
    }
    let blanks = input.flag();
    let mut out = String::new();
    let blank = |input: &mut Input<'_>, out: &mut String| {
        if blanks {
            out.push_str(input.pick(&["", "", "", " ", "\n", "\t\r "]));
        }
    };
    out.push('{');
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        blank(input, &mut out);
        out.push_str(&format!("\"{name}\""));
        blank(input, &mut out);
        out.push(':');
        blank(input, &mut out);
        value(input, name, 3, &mut out);
        blank(input, &mut out);
    }
    out.push('}');
    blank(input, &mut out);
    out
}

/// A value that a member of this name may have, or shouldn't.
fn value(input: &mut Input<'_>, name: &str, depth: usize, out: &mut String) {
    const IDS: &[&str] = &[
        "1",
        "0",
        "-1",
        "5.0",
        "1e2",
        "1.5",
        "2147483648",
        "99999999999",
        "01",
        "-0",
        "18446744073709551615",
    ];
    match (name, input.below(8)) {
        ("id", 0..6) => out.push_str(input.pick(IDS)),
        ("method", 0..3) => out.push_str("\"Page.frameNavigated\""),
        ("method" | "sessionId", 0..6) => string(input, out),
        (_, 0) => out.push_str("null"),
        (_, 1) => out.push_str(input.pick(IDS)),
        (_, 2) => string(input, out),
        (_, 3) if depth > 0 => {
            out.push('[');
            value(input, "", depth - 1, out);
            out.push(']');
        }
        _ if depth > 0 => {
            out.push('{');
            for at in 0..input.below(4) {
                if at > 0 {
                    out.push(',');
                }
                let name = input.pick(&["sessionId", "id", "method", "result", "a"]);
                out.push_str(&format!("\"{name}\":"));
                value(input, name, depth - 1, out);
            }
            out.push('}');
        }
        _ => out.push_str("{}"),
    }
}

fn string(input: &mut Input<'_>, out: &mut String) {
    const TRICKS: &[&str] = &[
        "5A9D",
        "",
        r#"\",\"sessionId\":\"x"#,
        r#"\"}"#,
        r"\\",
        r"\u0041",
        r"\ud83d\ude00",
        r"\ud83d",
        "\u{e9}",
        "}",
        r#"{\"sessionId\":"#,
    ];
    out.push('"');
    for _ in 0..input.below(4) {
        out.push_str(input.pick(TRICKS));
    }
    if input.below(8) == 7 {
        // Beyond what the end of a message is looked through for.
        out.push_str(&"x".repeat(input.below(256) * 3));
    }
    out.push('"');
}
