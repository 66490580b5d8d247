//! The fast way against the general one against serde_json: by table, and over many mutations that a fixed seed chooses.

use std::borrow::Cow;

use serde_json::Value;

use super::*;
use crate::random::Random;

/// What serde_json, which reads everything, says a message is: kind, session, and the payload's value.
#[derive(Debug, PartialEq)]
struct Meaning {
    kind: Kind<'static>,
    session: Option<String>,
    payload: Option<Value>,
}

fn oracle(message: &[u8]) -> Option<Meaning> {
    let Ok(Value::Object(object)) = serde_json::from_slice(message) else { return None };
    let integral = |n: f64| (n.fract() == 0.0 && n.abs() < 9e15).then_some(n as i64);
    let id = object.get("id").and_then(|id| id.as_i64().or_else(|| id.as_f64().and_then(integral)));
    let error = object.get("error").filter(|e| !e.is_null());
    let result = object.get("result");
    let method = object.get("method").and_then(Value::as_str);
    let (kind, payload) = if error.is_some() {
        (Kind::Error { id }, error)
    } else if let (Some(id), true) = (id, result.is_some() || method.is_none()) {
        (Kind::Reply { id }, result)
    } else if let Some(method) = method {
        (Kind::Event { method: Cow::<str>::Owned(method.to_owned()).into() }, object.get("params"))
    } else {
        return None;
    };
    let session = object.get("sessionId").and_then(Value::as_str).map(str::to_owned);
    Some(Meaning { kind, session, payload: payload.cloned() })
}

fn meaning(message: &[u8], envelope: &Envelope<'_>) -> Meaning {
    let kind = match &envelope.kind {
        Kind::Reply { id } => Kind::Reply { id: *id },
        Kind::Error { id } => Kind::Error { id: *id },
        Kind::Event { method } => Kind::Event { method: Cow::<str>::Owned(method.to_string()).into() },
    };
    let payload = &message[envelope.payload.clone()];
    let payload = (!payload.is_empty())
        .then(|| serde_json::from_slice(payload).unwrap_or_else(|e| panic!("payload of {message:?}: {e}")));
    Meaning { kind, session: envelope.session.as_ref().map(|id| id.to_string()), payload }
}

/// Whether a message has only the members that belong to its kind, which is when the two ends must tell everything.
fn is_plain(message: &[u8]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(message) else { return false };
    let mut members = members::Members::new(message);
    let mut names = Vec::new();
    while let Ok(Some((name, _))) = members.next() {
        names.push(name.into_owned());
    }
    let of = |own: &[&str]| names.iter().all(|n| own.contains(&n.as_str()));
    names.len() == object.len()
        && (of(&["id", "result", "sessionId"])
            || of(&["id", "error", "sessionId"])
            || of(&["method", "params", "sessionId"]))
}

#[track_caller]
fn check(message: &[u8]) {
    let fast = parse(message);
    let general = scan(message);
    let shown = String::from_utf8_lossy(message);
    if let Ok(envelope) = &fast {
        assert!(message.get(envelope.payload.clone()).is_some(), "range of {shown}");
    }
    if serde_json::from_slice::<Value>(message).is_err() {
        return; // What isn't JSON may be taken for an envelope; its payload then fails to decode.
    }
    let expected = oracle(message);
    match (&general, &expected) {
        (Ok(envelope), Some(expected)) => assert_eq!(&meaning(message, envelope), expected, "{shown}"),
        (Err(EnvelopeError::NotAnEnvelope), None) => {}
        _ => panic!("{shown}: {general:?}, but serde_json says {expected:?}"),
    }
    if is_plain(message) {
        assert_eq!(fast, general, "{shown}");
    }
}

const SEEDS: &[&str] = &[
    r#"{"id":1,"result":{}}"#,
    r#"{"id":2147483647,"result":{"frameId":"A","url":"http://x/?a={b}"},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}"#,
    r#"{"id":3,"error":{"code":-32601,"message":"'Foo.bar' wasn't found"},"sessionId":"S"}"#,
    r#"{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}"#,
    r#"{"method":"Page.frameNavigated","params":{"frame":{"id":"F","children":[{},[1,2.5e-3,null]]}},"sessionId":"S"}"#,
    r#"{"method":"Target.attachedToTarget","params":{"sessionId":"X","targetInfo":{"type":"page"}}}"#,
    r#"{"method":"Inspector.detached"}"#,
    r#"{"method":"A.b","params":{"text":",\"sessionId\":\"no\"}"}}"#,
    r#"{"method":"A.b","params":{"x":1},"a\"sessionId":"no"}"#,
    r#"{"id":1,"result":{"s":"\ud83d\ude00 \\\" }"},"sessionId":"Z"}"#,
    r#" { "sessionId" : "S" , "params" : { } , "method" : "A.b" } "#,
    r#"{"m\u0065thod":"A.\u0062","params":{},"session\u0049d":"\u0053"}"#,
    r#"{"id":5.0,"result":{}}"#,
    r#"{"id":-7,"result":{}}"#,
    r#"{"id":007,"result":{}}"#,
    r#"{"id":null,"error":{"message":"m"}}"#,
    r#"{"id":1,"error":null,"result":{"a":1}}"#,
    r#"{"id":1,"result":[],"sessionId":"S"}"#,
    r#"{"id":1,"result":"}","sessionId":"S"}"#,
    r#"{"id":1,"result":null}"#,
    r#"{"id":1}"#,
    r#"{"method":"A.b","params":{},"trace":1}"#,
    r#"{"method":"A.b","params":{},"sessionId":"S","trace":1}"#,
    r#"{"method":"A.b","params":{},"sessionId":"S","trace":{"a":{}}}"#,
    r#"{"method":"A.b","params":{},"sessionId":null}"#,
    r#"{"method":7,"params":{}}"#,
    r#"{"id":1,"id":2,"result":{}}"#,
    r#"{"id":1,"method":"A.b","params":{}}"#,
    r#"{"id":1,"method":"A.b","result":{}}"#,
    "{}",
    "[]",
    "null",
    "7",
    r#""text""#,
];

#[test]
fn both_ways_agree_with_serde_json_on_messages_of_every_shape() {
    for seed in SEEDS {
        check(seed.as_bytes());
    }
}

#[test]
fn both_ways_agree_with_serde_json_over_many_mutations() {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        " ",
        "\n",
        "1",
        "-",
        "e",
        ".",
        "null",
        "{}",
        "\\u0041",
        "\\ud83d",
        "\"sessionId\":\"S\"",
        ",\"sessionId\":\"S\"}",
        "\"id\":2",
        "\"method\":\"A.b\"",
        "\"params\":{}",
        "\"result\":{}",
        "\"error\":{}",
        ",\"x\":{}",
        "ü",
    ];
    let mut random = Random::new(1);
    let mut json = 0;
    for round in 0..200_000 {
        let mut message = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(message.len() + 1);
            match random.below(5) {
                0 if at < message.len() => {
                    message.remove(at);
                }
                1 if at < message.len() => message[at] = random.below(256) as u8,
                2 => {
                    let end = (at + random.below(20)).min(message.len());
                    message.drain(at..end);
                }
                3 => {
                    let end = (at + random.below(30)).min(message.len());
                    let copy = message[at..end].to_vec();
                    let to = random.below(message.len() + 1);
                    message.splice(to..to, copy);
                }
                _ => {
                    let piece = PIECES[random.below(PIECES.len())];
                    message.splice(at..at, piece.bytes());
                }
            }
        }
        json += usize::from(serde_json::from_slice::<Value>(&message).is_ok());
        check(&message);
        if round < 2000 {
            for cut in 0..message.len() {
                check(&message[..cut]);
            }
        }
    }
    assert!(json > 10_000, "only {json} mutations were still JSON; the test would show little");
}

#[test]
fn chromiums_own_shape_never_takes_the_general_way() {
    let shapes = [
        br#"{"id":1,"result":{"data":"#.as_slice(),
        br#"{"id":12,"error":{"data":"#,
        br#"{"method":"Page.screencastFrame","params":{"data":"#,
    ];
    for shape in shapes {
        for session in ["", r#","sessionId":"0123456789ABCDEF0123456789ABCDEF""#] {
            // The text is no JSON string, so the general scanner would refuse it.
            let message = [shape, b"\"", &[b'x'; 100], b"\"\"}", session.as_bytes(), b"}"].concat();
            assert!(scan(&message).is_err());
            let envelope = parse(&message).unwrap();
            assert_eq!(envelope.session.is_some(), !session.is_empty());
            assert!(message[envelope.payload].starts_with(b"{\"data\""));
        }
    }
}

#[test]
fn what_is_broken_says_where() {
    let table: &[(&str, EnvelopeError)] = &[
        ("", EnvelopeError::NotAnEnvelope),
        ("null", EnvelopeError::NotAnEnvelope),
        ("{}", EnvelopeError::NotAnEnvelope),
        (r#"{"id":1,"result":{"#, EnvelopeError::Broken { offset: 18 }),
        (r#"{"id":1,"result":{}"#, EnvelopeError::Broken { offset: 19 }),
        (r#"{"id":1 "result":{}}"#, EnvelopeError::Broken { offset: 8 }),
        (r#"{"id":1,"result":{}}x"#, EnvelopeError::Broken { offset: 20 }),
        (r#"{"id":1,"result":]}"#, EnvelopeError::Broken { offset: 17 }),
        (r#"{"id":1,"result":{},}"#, EnvelopeError::Broken { offset: 20 }),
        (r#"{"\x":1}"#, EnvelopeError::Broken { offset: 1 }),
    ];
    for (message, error) in table {
        assert_eq!(parse(message.as_bytes()), Err(*error), "{message}");
    }
}

#[test]
fn a_name_that_is_no_text_is_broken_and_not_absent() {
    let table: &[(&[u8], usize)] = &[
        (b"{\"method\":\"A.\xFF\",\"params\":{}}", 10),
        (b"{\"method\":\"A.b\",\"params\":{},\"sessionId\":\"\xFF\"}", 40),
        (b"{\"id\":1,\"result\":{},\"sessionId\":\"\\x\"}", 32),
        (b"{\"id\":1,\"res\xFFult\":{}}", 8),
    ];
    for (message, offset) in table {
        let shown = String::from_utf8_lossy(message);
        assert_eq!(parse(message), Err(EnvelopeError::Broken { offset: *offset }), "{shown}");
    }
    // A value of another kind is as good as absent.
    assert_eq!(parse(b"{\"id\":1,\"result\":{},\"sessionId\":5}").unwrap().session, None);
}
