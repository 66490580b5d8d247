//! Calls: what goes out, what comes back, and what a failed one says.

use cdp_protocol::domains::{browser, page, runtime};
use cdp_protocol::testing::fake_browser;
use cdp_protocol::{CallError, CloseReason, Sent};
use futures_util::future::join_all;
use serde_json::json;

use crate::{bounded, raw};

#[tokio::test]
async fn a_call_carries_method_parameters_and_session_and_gets_its_typed_answer() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let answer = client.session(&"S".into()).call(&page::Navigate::new("http://127.0.0.1/"));
        let call = browser.next_call().await;
        assert_eq!(call.method, "Page.navigate");
        assert_eq!(call.params, json!({"url": "http://127.0.0.1/"}));
        assert_eq!(call.session_id.as_deref(), Some("S"));
        browser.reply(&call, json!({"frameId": "F", "brandNew": [1]}));
        assert_eq!(answer.await.unwrap().frame_id.as_str(), "F");
    })
    .await;
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let answers = join_all((0..50).map(|n| session.call_raw("Test.n", &raw(&n.to_string()))));
        let server = async {
            let mut calls = Vec::new();
            for _ in 0..50 {
                calls.push(browser.next_call().await);
            }
            for call in calls.iter().rev() {
                browser.reply(call, call.params.clone());
            }
        };
        let (answers, ()) = tokio::join!(answers, server);
        for (n, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.unwrap().get(), n.to_string());
        }
    })
    .await;
}

#[tokio::test]
async fn a_refusal_tells_code_words_and_data() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let table = [
            (
                r#"{"code":-32602,"message":"Invalid parameters","data":"params.url - missing"}"#,
                (-32602, "Invalid parameters", Some("params.url - missing")),
            ),
            (
                r#"{"code":-32601,"message":"'Foo.bar' wasn't found"}"#,
                (-32601, "'Foo.bar' wasn't found", None),
            ),
            (r#"{"code":"navigate_limit","message":"too many"}"#, (0, "too many", None)),
            (r#"{"message":"\ud83d","data":{"a":1}}"#, (0, "\u{FFFD}", Some(r#"{"a":1}"#))),
            ("7", (0, "no reason given", None)),
        ];
        for (error, expected) in table {
            let answer = client.browser().call_raw("Foo.bar", &raw("{}"));
            let call = browser.next_call().await;
            browser.send(&format!("{{\"id\":{},\"error\":{error}}}", call.id));
            let Err(CallError::Refused { method, code, message, data }) = answer.await else {
                panic!("{error}")
            };
            assert_eq!(
                (&*method, code, &*message, data.as_deref()),
                ("Foo.bar", expected.0, expected.1, expected.2)
            );
        }
    })
    .await;
}

#[tokio::test]
async fn an_answer_of_the_wrong_shape_names_field_and_browser_but_no_payload() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let version = session.call(&browser::GetVersion::new());
        let call = browser.next_call().await;
        browser.reply(
            &call,
            json!({"protocolVersion": "1.3", "product": "Chrome/156", "revision": "r", "userAgent": "u", "jsVersion": "j"}),
        );
        version.await.unwrap();
        let answer = session.call(&page::Navigate::new("x"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({"frameId": 7, "secret": "cookie"}));
        let Err(CallError::Decode(error)) = answer.await else { panic!("no decode error") };
        assert_eq!((error.method(), error.path(), error.browser()), ("Page.navigate", "frameId", Some("Chrome/156")));
        let text = error.to_string();
        assert!(text.contains("Page.navigate") && text.contains("frameId") && !text.contains("cookie"), "{text}");
        // The connection goes on.
        let answer = session.call(&page::Navigate::new("x"));
        let call = browser.next_call().await;
        browser.reply(&call, json!({"frameId": "F"}));
        answer.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_member_that_no_browser_sends_does_not_spoil_an_answer() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        for tail in
            [r#","trace":{"a":{}}"#, r#","trace":{},"sessionId":"S""#, r#","sessionId":"S","trace":1"#]
        {
            let answer = client.session(&"S".into()).call(&page::Navigate::new("x"));
            let call = browser.next_call().await;
            browser.send(&format!("{{\"id\":{},\"result\":{{\"frameId\":\"F\"}}{tail}}}", call.id));
            assert_eq!(answer.await.unwrap().frame_id.as_str(), "F", "{tail}");
        }
        let answer = client.browser().call(&page::Navigate::new("x"));
        let call = browser.next_call().await;
        browser.send(&format!(r#"{{"id":{},"result":{{}},"error":{{"code":-1,"message":"no"}}}}"#, call.id));
        assert!(matches!(answer.await, Err(CallError::Refused { code: -1, .. })));
    })
    .await;
}

#[tokio::test]
async fn a_dropped_call_is_forgotten_at_once_and_its_late_answer_counted() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let mut dropped = Box::pin(session.call_raw("Test.dropped", &raw("{}")));
        assert!(futures_util::poll!(&mut dropped).is_pending());
        let kept = session.call_raw("Test.kept", &raw("{}"));
        assert_eq!(client.stats().pending_calls, 2);
        drop(dropped);
        assert_eq!(client.stats().pending_calls, 1);
        let calls = [browser.next_call().await, browser.next_call().await];
        browser.reply(&calls[0], json!({}));
        browser.reply(&calls[1], json!({}));
        kept.await.unwrap();
        let stats = client.stats();
        assert_eq!((stats.pending_calls, stats.late_replies), (0, 1));
    })
    .await;
}

#[tokio::test]
async fn a_call_that_chromium_would_not_take_is_refused_before_sending() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let text = raw(&format!("\"{}\"", "x".repeat(100 * 1024 * 1024)));
        let Err(error) = session.call_raw("Test.large", &text).await else { panic!("it was sent") };
        let CallError::TooLarge { size, limit, .. } = &error else { panic!("{error}") };
        assert!(size > limit && error.is_not_sent(), "{error}");
        assert_eq!((browser.writes(), client.stats().pending_calls), (0, 0));
        let answer = session.call_raw("Test.small", &raw("{}"));
        let call = browser.next_call().await;
        assert_eq!(call.method, "Test.small");
        browser.reply(&call, json!({}));
        answer.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn parameters_that_cannot_be_written_fail_their_call_alone() {
    struct Bad;
    impl serde::Serialize for Bad {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no text for this"))
        }
    }
    impl cdp_protocol::Command for Bad {
        const METHOD: &'static str = "Test.bad";
        type Result = ();
    }
    bounded(async {
        let (client, browser) = fake_browser();
        let Err(CallError::Encode { problem, .. }) = client.browser().call(&Bad).await else {
            panic!("it was sent")
        };
        assert!(problem.contains("no text for this"), "{problem}");
        assert_eq!((browser.writes(), client.stats().pending_calls), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn an_error_without_an_id_reaches_everyone() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let answer = client.browser().call(&runtime::Enable::new());
        browser.next_call().await;
        browser.send(r#"{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}"#);
        let Err(CallError::Closed { reason, sent, .. }) = answer.await else { panic!("not closed") };
        let expected = CloseReason::Complaint {
            code: -32600,
            message: "Message must have integer 'id' property".into(),
        };
        assert_eq!((&reason, sent), (&expected, Sent::Unknown));
        assert_eq!(client.closed().await, expected);
    })
    .await;
}
