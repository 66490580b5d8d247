//! What some items can do beyond what the description says of them: units, lists of values, secrets that stay out of
//! text.

use std::time::{Duration, UNIX_EPOCH};

use cdp_protocol::domains::{
    autofill, dom, dom_storage, fetch, input, io, network, page, runtime, storage, target,
};
use cdp_protocol::json::decode;
use serde_json::value::RawValue;

#[test]
fn points_in_time_convert_by_their_unit() {
    let time = UNIX_EPOCH + Duration::from_millis(1_500);
    assert_eq!(network::TimeSinceEpoch::from(1.5).to_system_time(), Some(time));
    assert_eq!(network::TimeSinceEpoch::from(time).get(), 1.5);
    assert_eq!(input::TimeSinceEpoch::from(time).get(), 1.5);
    assert_eq!(runtime::Timestamp::from(1500.0).to_system_time(), Some(time));
    assert_eq!(runtime::Timestamp::from(time).get(), 1500.0);
    let before = UNIX_EPOCH - Duration::from_secs(2);
    assert_eq!(network::TimeSinceEpoch::from(-2.0).to_system_time(), Some(before));
    assert_eq!(network::TimeSinceEpoch::from(before).get(), -2.0);
    for no_time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        assert_eq!(network::TimeSinceEpoch::from(no_time).to_system_time(), None, "{no_time}");
    }
}

#[test]
fn spans_of_time_are_never_negative() {
    let (early, late) = (network::MonotonicTime::from(10.0), network::MonotonicTime::from(12.5));
    assert_eq!(late.since(early), Duration::from_millis(2_500));
    assert_eq!(early.since(late), Duration::ZERO);
    assert_eq!(network::MonotonicTime::from(f64::INFINITY).since(early), Duration::MAX);
    assert_eq!(network::MonotonicTime::from(f64::NAN).since(early), Duration::ZERO);
    assert_eq!(runtime::TimeDelta::from(250.0).to_duration(), Duration::from_millis(250));
    assert_eq!(runtime::TimeDelta::from(Duration::from_millis(250)).get(), 250.0);
    assert_eq!(runtime::TimeDelta::from(-1.0).to_duration(), Duration::ZERO);
}

#[test]
fn a_quad_has_four_corners_and_a_middle() {
    let quad: dom::Quad = decode(b"[0,0,10,0,10,4,0,4]").unwrap();
    assert_eq!(quad.points(), Some([(0.0, 0.0), (10.0, 0.0), (10.0, 4.0), (0.0, 4.0)]));
    assert_eq!(quad.center(), Some((5.0, 2.0)));
    assert_eq!(dom::Quad::from(quad.points().unwrap()).0, quad.0);
    let short: dom::Quad = decode(b"[0,0,10]").unwrap();
    assert_eq!((short.points(), short.center()), (None, None));
}

#[test]
fn texts_whose_values_are_known_can_be_matched_on() {
    let info = |kind: &str| -> target::TargetInfo {
        let text = format!(
            r#"{{"targetId":"T","type":"{kind}","title":"","url":"","attached":false,"canAccessOpener":false}}"#
        );
        decode(text.as_bytes()).unwrap()
    };
    assert_eq!(info("service_worker").r#type, target::TargetInfoType::ServiceWorker);
    assert_eq!(info("new_kind").r#type.as_str(), "new_kind");
    let text = br#"{"frameId":"F","loaderId":"L","name":"DOMContentLoaded","timestamp":1}"#;
    let event: page::LifecycleEvent = decode(text).unwrap();
    assert_eq!(event.name, page::LifecycleEventName::DomContentLoaded);
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Checks that `Debug` of `value` shows `shown`, and neither half of what is secret.
fn check(value: &dyn std::fmt::Debug, shown: &str) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        assert!(text.contains(shown) && !text.contains("SECRET") && !text.contains("WORD"), "{text}");
    }
}

#[test]
#[allow(deprecated)] // Messages inside of messages are.
fn debug_shows_no_secret() {
    let cookie = r#"{"name":"sid","value":"SECRETWORD","domain":"d","path":"/","expires":-1,"size":2,"httpOnly":true,"secure":false,"session":true,"priority":"Medium","sourceScheme":"Secure","sourcePort":443}"#;
    let cookies: storage::GetCookiesResult =
        decode(format!("{{\"cookies\":[{cookie}]}}").as_bytes()).unwrap();
    check(&cookies, "sid");
    assert_eq!(cookies.cookies[0].value, "SECRETWORD");
    check(&network::SetCookie::new("sid", "SECRETWORD"), "sid");
    check(&network::CookieParam::new("sid", "SECRETWORD"), "sid");
    check(&input::InsertText::new("SECRETWORD"), "InsertText");
    let key = input::DispatchKeyEvent::new(input::DispatchKeyEventType::KeyDown);
    check(&key.text("SECRETWORD").key("SECRETWORD").unmodified_text("WORD"), "keyDown");
    check(&fetch::HeaderEntry::new("cookie", "SECRETWORD"), "cookie");
    let answer = fetch::AuthChallengeResponse::new(fetch::AuthChallengeResponseResponse::ProvideCredentials);
    check(&answer.username("ada").password("SECRETWORD"), "ada");
    check(&page::HandleJavaScriptDialog::new(true).prompt_text("SECRETWORD"), "accept: true");
    check(&dom_storage::Item(vec!["SECRET".into(), "WORD".into()]), "Item");
    check(&autofill::CreditCard::new("SECRET", "Ada", "1", "2030", "WORD"), "Ada");
    let nested = r#"{"method":"Input.insertText","params":{"text":"SECRETWORD"}}"#;
    check(&target::SendMessageToTarget::new(nested), "SendMessageToTarget");
    check(&decode::<io::ReadResult>(br#"{"data":"SECRETWORD","eof":false}"#).unwrap(), "eof: false");
    let argument = runtime::CallArgument::new().value(raw(r#""SECRETWORD""#));
    check(&runtime::CallFunctionOn::new("f").arguments([argument]), "CallArgument");
    let called = br#"{"name":"told","payload":"SECRETWORD","executionContextId":1}"#;
    check(&decode::<runtime::BindingCalled>(called).unwrap(), "told");
    let headers: network::Headers = decode(br#"{"authorization":"SECRETWORD"}"#).unwrap();
    check(&headers, "Headers");
    let request = br#"{"url":"https://example.org/","method":"POST","headers":{"cookie":"SECRETWORD"},"postData":"SECRETWORD","initialPriority":"High","referrerPolicy":"origin"}"#;
    let request: network::Request = decode(request).unwrap();
    check(&request, "https://example.org/");
}
