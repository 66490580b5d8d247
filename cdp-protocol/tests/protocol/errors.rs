//! What a failed decoding says, and what it must not say.

use cdp_protocol::domains::{dom, network, page, target};
use cdp_protocol::json::decode;

/// Checks path and message of the error that `text` gives.
fn check<T: serde::de::DeserializeOwned + Send + std::fmt::Debug>(text: &str, path: &str, message: &str) {
    let error = decode::<T>(text.as_bytes()).unwrap_err();
    assert_eq!((error.path(), error.message()), (path, message), "of {text}");
}

#[test]
fn a_missing_required_member_is_named_with_its_path() {
    check::<page::NavigateResult>("{}", "frameId", "required, but missing");
    let frame =
        r#"{"frame":{"id":"F","loaderId":"L","domainAndRegistry":"","securityOrigin":"","mimeType":""}}"#;
    check::<page::FrameNavigated>(frame, "frame.url", "required, but missing");
    let info =
        r#"{"targetId":"T","type":"page","title":"","url":"","attached":false,"canAccessOpener":false}"#;
    let targets = format!(r#"{{ "targetInfos" : [ {info}, {info} , {{"targetId":"T", "x":[1,{{}}]}}]}}"#);
    check::<target::GetTargetsResult>(&targets, "targetInfos[2].type", "required, but missing");
}

#[test]
fn null_for_a_required_member_is_an_error_at_that_member() {
    check::<page::NavigateResult>(r#"{"frameId":null}"#, "frameId", "expected text, found null");
}

#[test]
fn the_wrong_kind_is_named_without_the_value() {
    check::<page::NavigateResult>(r#"{"frameId":["secret"]}"#, "frameId", "expected text, found list");
    check::<page::NavigateResult>("[]", "", "expected an object, found list");
    let node = r#"{"root":{"nodeId":1,"backendNodeId":2,"nodeType":"secret"}}"#;
    check::<dom::GetDocumentResult>(node, "root.nodeType", "expected i64, found text");
    let fraction = r#"{"root":{"nodeId":1.5}}"#;
    check::<dom::GetDocumentResult>(fraction, "root.nodeId", "expected i64, found number");
}

#[test]
fn broken_text_is_an_error_with_the_place_it_broke_at() {
    check::<page::NavigateResult>("", "", "expected a value, found the end of the text");
    check::<page::NavigateResult>(r#"{"frameId":"F""#, "", "expected `,` or `}`, found the end of the text");
    check::<page::NavigateResult>(
        r#"{"frameId":"F"} {"#,
        "",
        "expected the end of the text, found another byte",
    );
    check::<page::NavigateResult>(
        r#"{"frameId":"F","x":{"y":[1,tru]}}"#,
        "x.y[1]",
        "expected true, found another byte",
    );
    // At the end of a container the fault lies in it, not in its last member, nor around it.
    check::<page::NavigateResult>(
        r#"{"frameId":"F","x":{"y":[{"z":1},{"z":1,}]}}"#,
        "x.y[1]",
        "expected text, found another byte",
    );
    check::<page::NavigateResult>(
        r#"{"frameId":"F\q"}"#,
        "frameId",
        "expected a valid escape, found another byte",
    );
    let control = "{\"frameId\":\"F\n\"}";
    let message = "expected control characters in a string to be escaped, found another byte";
    check::<page::NavigateResult>(control, "frameId", message);
}

#[test]
fn keys_that_are_no_names_are_quoted_in_the_path() {
    check::<std::collections::BTreeMap<String, i64>>(
        r#"{"a":1,"x-y":"z"}"#,
        r#"["x-y"]"#,
        "expected i64, found text",
    );
}

#[test]
fn no_value_of_the_message_appears_in_an_error() {
    let cookie = r#"{"cookies":[{"name":"session","value":"SECRET","domain":"SECRET","path":"SECRET","expires":"SECRET"}]}"#;
    let error = decode::<network::GetCookiesResult>(cookie.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "cookies[0].expires");
    assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
}
