//! Messages that have broken other clients, from wire to typed value. After each of them the connection goes on.

use cdp_protocol::domains::{accessibility, browser, dom, input, network, page, runtime, storage, target};
use cdp_protocol::testing::{FakeBrowser, FakeCall, fake_browser};
use cdp_protocol::{CallError, Client, Command, Event, EventError};
use serde_json::{Value, json};

use crate::bounded;

/// What the typed stream of `E` makes of `message`, and that the next event is fine.
async fn event<E: Event>(message: &str, fine: Value) -> Result<E, EventError> {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let mut events = client.session(&"S".into()).events::<E>();
        browser.send(message);
        browser.event(Some("S"), E::METHOD, fine);
        let first = events.next().await.unwrap();
        events.next().await.unwrap().unwrap();
        first
    })
    .await
}

/// What the typed call of `command` makes of the answer that `answer` sends, and that the next call is fine.
async fn call<C: Command>(
    command: &C,
    answer: impl AsyncFnOnce(&Client, &mut FakeBrowser, &FakeCall),
) -> Result<C::Result, CallError> {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.session(&"S".into());
        let pending = session.call(command);
        let call = browser.next_call().await;
        answer(&client, &mut browser, &call).await;
        let first = pending.await;
        let next = session.call(&page::GetFrameTree);
        let call = browser.next_call().await;
        browser.refuse(&call, -32000, "fine");
        assert!(matches!(next.await, Err(CallError::Refused { code: -32000, .. })));
        first
    })
    .await
}

/// As [`call`], with this text as the result.
async fn reply<C: Command>(command: &C, result: &str) -> Result<C::Result, CallError> {
    call(command, async |_, browser, call| {
        browser.send(&format!("{{\"id\":{},\"result\":{result},\"sessionId\":\"S\"}}", call.id));
    })
    .await
}

const EXTRA_INFO: &str = r#"{"method":"Network.requestWillBeSentExtraInfo","params":{"requestId":"1","associatedCookies":[],"headers":{"a":"b"},"connectTiming":{"requestTime":1.5},"clientSecurityState":{"initiatorIsSecureContext":true,"initiatorIPAddressSpace":"Zzz","localNetworkAccessRequestPolicy":"PermissionBlock"}},"sessionId":"S"}"#;

#[tokio::test]
async fn a_policy_with_a_new_name_and_an_unknown_value_costs_no_event() {
    let fine = json!({"requestId": "2", "associatedCookies": [], "headers": {}, "connectTiming": {"requestTime": 1}});
    let event: network::RequestWillBeSentExtraInfo = event(EXTRA_INFO, fine).await.unwrap();
    let state = event.client_security_state.unwrap();
    assert_eq!(state.initiator_ip_address_space.as_str(), "Zzz");
    assert_eq!(state.local_network_access_request_policy.as_str(), "PermissionBlock");
}

#[tokio::test]
async fn an_empty_list_that_is_required_is_sent() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let session = client.browser();
        let end = input::DispatchTouchEvent::new(input::DispatchTouchEventType::TouchEnd, []);
        drop(session.call(&end));
        assert_eq!(browser.next_call().await.params, json!({"type": "touchEnd", "touchPoints": []}));
        drop(session.call(&network::SetCookies::new([])));
        assert_eq!(browser.next_call().await.params, json!({"cookies": []}));
        // An optional that is absent is absent, not null.
        drop(session.call(&input::DispatchKeyEvent::new(input::DispatchKeyEventType::KeyUp)));
        assert_eq!(browser.next_call().await.params, json!({"type": "keyUp"}));
    })
    .await;
}

#[tokio::test]
async fn an_envelope_of_any_shape_is_read() {
    let fine = json!({"timestamp": 2});
    for message in [
        r#"{"method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"S","trace":1}"#,
        r#"{"trace":{"sessionId":"X"},"method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"S"}"#,
        r#"{"params":{"timestamp":1},"method":"Page.loadEventFired","sessionId":"S"}"#,
        r#"{"sessionId":"S","params":{"timestamp":1},"method":"Page.loadEventFired"}"#,
        r#"{"method":"Page.x","method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"S"}"#,
        r#" { "method" : "Page.load\u0045ventFired" , "params" : { "timestamp" : 1 } , "sessionId" : "S" } "#,
    ] {
        let event: page::LoadEventFired = event(message, fine.clone()).await.unwrap();
        assert_eq!(event.timestamp.get(), 1.0, "{message}");
    }
}

#[tokio::test]
async fn an_event_without_parameters_comes() {
    for message in [
        r#"{"method":"Inspector.targetReloadedAfterCrash","sessionId":"S"}"#,
        r#"{"method":"Inspector.targetReloadedAfterCrash","params":{},"sessionId":"S"}"#,
        r#"{"method":"Inspector.targetReloadedAfterCrash","params":null,"sessionId":"S"}"#,
    ] {
        let event: Result<cdp_protocol::domains::inspector::TargetReloadedAfterCrash, _> =
            event(message, json!({})).await;
        event.unwrap();
    }
}

#[tokio::test]
async fn an_error_with_words_for_a_code_is_an_answer() {
    let refused = call(&page::Reload::new(), async |_, browser, call| {
        let error = r#"{"code":"navigate_limit","message":"x","data":["y"]}"#;
        browser.send(&format!("{{\"id\":{},\"error\":{error},\"sessionId\":\"S\"}}", call.id));
    })
    .await
    .unwrap_err();
    assert!(matches!(&refused, CallError::Refused { message, .. } if message == "x"), "{refused}");
}

#[tokio::test]
async fn unknown_and_absent_values_of_enumerations_cost_nothing() {
    let node = |pseudo: &str| {
        format!(
            r#"{{"root":{{"nodeId":1,"backendNodeId":1,"nodeType":1,"nodeName":"A","localName":"a","nodeValue":"","pseudoType":{pseudo}}}}}"#
        )
    };
    let new = reply(&dom::GetDocument::new(), &node("\"brand-new\"")).await.unwrap();
    let new = new.root.pseudo_type.unwrap();
    assert_eq!(new, dom::PseudoType::Unknown("brand-new".into()));
    assert_eq!(serde_json::to_string(&new).unwrap(), "\"brand-new\"");
    let null = reply(&dom::GetDocument::new(), &node("null")).await.unwrap();
    assert_eq!(null.root.pseudo_type, None);
    let object = r#"{"result":{"type":"object","subtype":"newsubtype"}}"#;
    let object = reply(&runtime::Evaluate::new("x"), object).await.unwrap().result;
    assert_eq!(object.subtype.unwrap().as_str(), "newsubtype");
}

#[tokio::test]
async fn half_a_surrogate_pair_loses_no_answer() {
    let result = r#"{"result":{"type":"string","value":"\ud83d","description":"\u00e4\ud83d\ude00\ude00"}}"#;
    let object = reply(&runtime::Evaluate::new("x"), result).await.unwrap().result;
    assert_eq!(object.value.unwrap().get(), r#""\ufffd""#);
    assert_eq!(object.description.unwrap(), "ä😀\u{FFFD}");
}

#[tokio::test]
async fn a_document_as_deep_as_chromium_sends_it_is_read() {
    let head = r#"{"nodeId":1,"backendNodeId":1,"nodeType":1,"nodeName":"A","localName":"a","nodeValue":"""#;
    for elements in [63, 150] {
        let open = format!(r#"{head},"children":["#).repeat(elements - 1);
        let tree = format!("{{\"root\":{open}{head}}}{}}}", "]}".repeat(elements - 1));
        let mut node = reply(&dom::GetDocument::new().depth(-1), &tree).await.unwrap().root;
        let mut depth = 1;
        while let Some(child) = node.children.and_then(|mut children| children.pop()) {
            (node, depth) = (child, depth + 1);
        }
        assert_eq!(depth, elements);
    }
}

#[tokio::test]
async fn lists_of_types_of_another_domain_are_lists() {
    let cookie = r#"{"name":"n","value":"v","domain":"d","path":"/","expires":-1,"size":2,"httpOnly":true,"secure":false,"session":true,"priority":"Medium","sourceScheme":"Secure","sourcePort":443}"#;
    let cookies = reply(&storage::GetCookies::new(), &format!("{{\"cookies\":[{cookie},{cookie}]}}")).await;
    assert_eq!(cookies.unwrap().cookies.len(), 2);
    let contexts = r#"{"browserContextIds":["A","B"],"defaultBrowserContextId":"D"}"#;
    let contexts = reply(&target::GetBrowserContexts::new(), contexts).await;
    assert_eq!(contexts.unwrap().browser_context_ids.len(), 2);
}

#[tokio::test]
async fn whole_numbers_are_signed_and_may_look_like_floats() {
    let bounds = r#"{"bounds":{"left":-8,"top":1.0,"width":1e3,"height":9007199254740993}}"#;
    let bounds = reply(&browser::GetWindowBounds::new(1), bounds).await.unwrap().bounds;
    let sides = (bounds.left, bounds.top, bounds.width, bounds.height);
    // The last one is 2^53 + 1, which no float holds.
    assert_eq!(sides, (Some(-8), Some(1), Some(1000), Some(9_007_199_254_740_993)));
    let fraction = reply(&browser::GetWindowBounds::new(1), r#"{"bounds":{"left":1.5}}"#).await.unwrap_err();
    assert!(fraction.to_string().contains("`bounds.left`"), "{fraction}");
    let huge = reply(&browser::GetWindowBounds::new(1), r#"{"bounds":{"left":1e40}}"#).await.unwrap_err();
    assert!(huge.to_string().contains("`bounds.left`"), "{huge}");
}

#[tokio::test]
async fn a_number_that_is_not_finite_comes_as_null() {
    let quads = r#"{"quads":[[null,0,1,0,1,1,0,1]]}"#;
    let quads = reply(&dom::GetContentQuads::new(), quads).await.unwrap().quads;
    assert!(quads[0].0[0].is_nan() && quads[0].points().is_some());
    let bounds = reply(&browser::GetWindowBounds::new(1), r#"{"bounds":{"left":null}}"#).await.unwrap();
    assert_eq!(bounds.bounds.left, None);
    let fired: page::LoadEventFired = event(
        r#"{"method":"Page.loadEventFired","params":{"timestamp":null},"sessionId":"S"}"#,
        json!({"timestamp": 1}),
    )
    .await
    .unwrap();
    assert!(fired.timestamp.get().is_nan());
}

#[tokio::test]
async fn a_message_that_is_no_object_stops_nothing() {
    for message in ["null", "[]", "7", "\"x\"", "{}", r#"{"method":5}"#, r#"{"id":null,"result":{}}"#] {
        let answered = call(&page::GetFrameTree, async |_, browser, call| {
            browser.send(message);
            browser.refuse(call, 1, "fine");
        })
        .await;
        assert!(matches!(answered, Err(CallError::Refused { code: 1, .. })), "{message}: {answered:?}");
    }
}

#[tokio::test]
async fn a_missing_member_is_one_error_with_command_field_and_browser_and_no_payload() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let root = client.browser();
        let version = root.call(&browser::GetVersion::new());
        let call = browser.next_call().await;
        let answer = json!({"protocolVersion": "1.3", "product": "Chrome/999.1", "revision": "@1", "userAgent": "u", "jsVersion": "1"});
        browser.reply(&call, answer);
        version.await.unwrap();
        let cookies = root.call(&storage::GetCookies::new());
        let next = root.call(&target::GetTargets::new());
        let call = browser.next_call().await;
        browser.reply(&call, json!({"cookies": [{"name": "n", "value": "SECRET", "domain": "d"}]}));
        let call = browser.next_call().await;
        browser.reply(&call, json!({"targetInfos": []}));
        let error = cookies.await.unwrap_err();
        let text = error.to_string();
        for part in ["Storage.getCookies", "`cookies[0].path`", "required, but missing", "Chrome/999.1"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!format!("{error:?} {text}").contains("SECRET"), "{text}");
        assert!(next.await.unwrap().target_infos.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_event_that_nobody_declared_is_there_by_name() {
    bounded(async {
        let (client, mut browser) = fake_browser();
        let mut all = client.browser().events_raw(None);
        let mut named = client.browser().events_raw(Some("X.y"));
        browser.event(None, "X.y", json!({"a": [1]}));
        assert_eq!(all.next().await.unwrap().unwrap().method(), "X.y");
        assert_eq!(named.next().await.unwrap().unwrap().params(), br#"{"a":[1]}"#);
    })
    .await;
}

#[tokio::test]
async fn members_that_the_protocol_is_about_to_drop_may_be_missing() {
    // Both are required by the description, and deprecated.
    let metrics = r#"{"cssLayoutViewport":{"pageX":0,"pageY":0,"clientWidth":1,"clientHeight":1},"cssVisualViewport":{"offsetX":0,"offsetY":0,"pageX":0,"pageY":0,"clientWidth":1,"clientHeight":1,"scale":1},"cssContentSize":{"x":0,"y":0,"width":1,"height":1}}"#;
    let metrics = reply(&page::GetLayoutMetrics, metrics).await.unwrap();
    assert_eq!(metrics.css_layout_viewport.client_width, 1);
    #[allow(deprecated)]
    let dropped = metrics.layout_viewport;
    assert!(dropped.is_none());
    let tree = r#"{"nodes":[{"nodeId":"1","ignored":false,"role":{"type":"newtype","value":"x"},"new":{}}]}"#;
    let tree = reply(&accessibility::GetFullAxTree::new(), tree).await.unwrap();
    assert_eq!(tree.nodes[0].role.as_ref().unwrap().r#type.as_str(), "newtype");
}
