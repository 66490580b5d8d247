//! What a command looks like on the wire.

use bytes::BytesMut;
use cdp_protocol::domains::{dom, emulation, input, network, page, runtime, target};
use cdp_protocol::{Command, json};

/// Checks what `command` is called and how it is written.
fn check<C: Command>(command: &C, method: &str, text: &str) {
    let mut out = BytesMut::from("kept ");
    json::encode(command, &mut out).unwrap();
    assert_eq!(std::str::from_utf8(&out).unwrap(), format!("kept {text}"));
    assert_eq!(C::METHOD, method);
}

#[test]
fn absent_optionals_are_left_out() {
    let navigate = page::Navigate::new("https://example.org/");
    check(&navigate, "Page.navigate", r#"{"url":"https://example.org/"}"#);
    let navigate = navigate.referrer("r").transition_type(page::TransitionType::AddressBar);
    let text = r#"{"url":"https://example.org/","referrer":"r","transitionType":"address_bar"}"#;
    check(&navigate, "Page.navigate", text);
}

#[test]
fn lists_of_texts_may_be_literals() {
    let get = network::GetCookies::new().urls(["https://example.org/"]);
    check(&get, "Network.getCookies", r#"{"urls":["https://example.org/"]}"#);
    let urls: Vec<String> = vec!["a".to_owned()];
    check(&network::GetCookies::new().urls(urls), "Network.getCookies", r#"{"urls":["a"]}"#);
}

#[test]
fn required_values_are_written_even_when_empty() {
    let touch = input::DispatchTouchEvent::new(input::DispatchTouchEventType::TouchEnd, []);
    check(&touch, "Input.dispatchTouchEvent", r#"{"type":"touchEnd","touchPoints":[]}"#);
    check(&network::SetCookies::new(vec![]), "Network.setCookies", r#"{"cookies":[]}"#);
    let metrics = emulation::SetDeviceMetricsOverride::new(0, 0, 0, false);
    let text = r#"{"width":0,"height":0,"deviceScaleFactor":0.0,"mobile":false}"#;
    check(&metrics, "Emulation.setDeviceMetricsOverride", text);
}

#[test]
fn a_real_nought_of_an_optional_is_written() {
    check(&page::PrintToPdf::new().margin_top(0), "Page.printToPDF", r#"{"marginTop":0.0}"#);
    check(&page::PrintToPdf::new().landscape(false), "Page.printToPDF", r#"{"landscape":false}"#);
}

#[test]
fn a_command_without_parameters_is_an_empty_object() {
    check(&page::Reload::default(), "Page.reload", "{}");
    check(&page::GetFrameTree, "Page.getFrameTree", "{}");
    assert_eq!(size_of::<(page::BringToFront, <page::BringToFront as Command>::Result)>(), 0);
    check(&target::GetBrowserContexts::new(), "Target.getBrowserContexts", "{}");
}

#[test]
fn types_inside_parameters_have_setters_and_values_of_any_kind_go_through() {
    let raw = serde_json::value::RawValue::from_string(r#"{"a":[1, 2]}"#.to_owned()).unwrap();
    let call =
        runtime::CallFunctionOn::new("f").arguments([runtime::CallArgument::new().value(raw)]).silent(true);
    let text = r#"{"functionDeclaration":"f","arguments":[{"value":{"a":[1, 2]}}],"silent":true}"#;
    check(&call, "Runtime.callFunctionOn", text);
    let colour = dom::Rgba::new(1, 2, 3).a(0.5);
    assert_eq!(serde_json::to_string(&colour).unwrap(), r#"{"r":1,"g":2,"b":3,"a":0.5}"#);
}

#[test]
fn binary_is_written_as_base64() {
    use cdp_protocol::domains::fetch;
    let body = fetch::FulfillRequest::new("R", 200).body(b"hello".to_vec());
    check(&body, "Fetch.fulfillRequest", r#"{"requestId":"R","responseCode":200,"body":"aGVsbG8="}"#);
}

#[test]
fn a_value_that_cannot_be_written_leaves_the_buffer_alone() {
    let mut out = BytesMut::from("kept");
    let map = std::collections::HashMap::from([((1, 2), 3)]);
    assert!(json::encode(&map, &mut out).is_err());
    assert_eq!(&out[..], b"kept");
}
