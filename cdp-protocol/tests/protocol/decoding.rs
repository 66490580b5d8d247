//! What a browser may send beyond the description, and what becomes of it.

use std::collections::BTreeMap;

use cdp_protocol::domains::{accessibility, browser, dom, network, page, runtime, target};
use cdp_protocol::json::{Binary, decode};
use serde_json::value::RawValue;

#[test]
fn a_value_that_no_enumeration_lists_is_kept_and_sent_back_as_it_came() {
    let object: runtime::RemoteObject = decode(br#"{"type":"brandnew","subtype":"node"}"#).unwrap();
    assert_eq!(object.r#type, runtime::RemoteObjectType::Unknown("brandnew".into()));
    assert_eq!(object.subtype, Some(runtime::RemoteObjectSubtype::Node));
    assert_eq!(serde_json::to_string(&object.r#type).unwrap(), r#""brandnew""#);
    assert_eq!(object.r#type.to_string(), "brandnew");
}

#[test]
fn members_that_are_not_described_are_passed_over() {
    let text = br#"{"trace":[{"deep":[1,{"x":null}]}],"frameId":"F","brandNew":{"a":"\ud83d"},"loaderId":"L","z":1}"#;
    let result: page::NavigateResult = decode(text).unwrap();
    assert_eq!(result.frame_id.as_str(), "F");
    assert_eq!(result.loader_id.unwrap().as_str(), "L");
    assert_eq!(result.error_text, None);
}

#[test]
fn null_counts_as_absent_for_optionals() {
    let text = br#"{"frameId":"F","loaderId":null,"errorText":null}"#;
    let result: page::NavigateResult = decode(text).unwrap();
    assert!(result.loader_id.is_none() && result.error_text.is_none());
}

#[test]
fn null_is_a_value_where_anything_is() {
    let null: runtime::RemoteObject = decode(br#"{"type":"object","subtype":"null","value":null}"#).unwrap();
    assert_eq!(null.value.unwrap().get(), "null");
    let undefined: runtime::RemoteObject = decode(br#"{"type":"undefined"}"#).unwrap();
    assert!(undefined.value.is_none());
    let value: accessibility::AxValue = decode(br#"{"type":"string","value":  {"a" : [1]} }"#).unwrap();
    assert_eq!(value.value.unwrap().get(), r#"{"a" : [1]}"#);
}

#[test]
fn whole_numbers_may_be_written_as_floats_and_are_signed() {
    let bounds: browser::Bounds = decode(br#"{"left":-8,"top":1.0,"width":1e3,"height":-0}"#).unwrap();
    assert_eq!(
        (bounds.left, bounds.top, bounds.width, bounds.height),
        (Some(-8), Some(1), Some(1000), Some(0))
    );
    assert_eq!(decode::<browser::Bounds>(br#"{"left":1.5}"#).unwrap_err().path(), "left");
    assert_eq!(decode::<f64>(b"7").unwrap(), 7.0);
    assert_eq!(decode::<u8>(b"7.0").unwrap(), 7);
    assert!(decode::<u8>(b"256").is_err());
}

#[test]
fn a_number_of_any_size_may_stand_where_nobody_reads_it() {
    let huge = "9".repeat(400);
    for number in ["1e999", &huge, "-1.5e99999999999999999999"] {
        let text = format!(r#"{{"frameId":"F","x":{number},"y":[{{"z":{number}}}]}}"#);
        assert_eq!(decode::<page::NavigateResult>(text.as_bytes()).unwrap().frame_id.as_str(), "F");
        let object = format!(r#"{{"type":"number","value":{number}}}"#);
        let object: runtime::RemoteObject = decode(object.as_bytes()).unwrap();
        assert_eq!(object.value.unwrap().get(), number);
    }
    assert!(decode::<page::NavigateResult>(br#"{"frameId":"F","x":1e}"#).is_err());
    assert!(decode::<f64>(b"1e999").is_err());
}

#[test]
fn null_is_no_number_for_callers_of_their_own() {
    assert!(decode::<f64>(b"null").is_err() && decode::<f32>(b"null").is_err());
    assert_eq!(decode::<Option<f64>>(b"null").unwrap(), None);
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let text = br#"{"type":"string","value":"a\ud83dz","description":"a\ud83d\ude00\ude00z"}"#;
    let object: runtime::RemoteObject = decode(text).unwrap();
    assert_eq!(object.description.unwrap(), "a😀\u{FFFD}z");
    // Raw values are mended too, so that strict readers can take them.
    let raw = object.value.unwrap();
    assert_eq!(raw.get(), r#""a\ufffdz""#);
    assert_eq!(serde_json::from_str::<String>(raw.get()).unwrap(), "a\u{FFFD}z");
    // And keys.
    let map: BTreeMap<String, i64> = decode(br#"{"\udc00":1,"\ud83d\ude00":2}"#).unwrap();
    assert_eq!(map.keys().map(String::as_str).collect::<Vec<_>>(), ["\u{FFFD}", "😀"]);
}

#[test]
fn bytes_that_are_no_utf8_lose_no_message() {
    let result: page::NavigateResult = decode(b"{\"frameId\":\"a\xffz\",\"extra\":\"\xff\"}").unwrap();
    assert_eq!(result.frame_id.as_str(), "a\u{FFFD}z");
}

#[test]
fn escaped_keys_are_the_same_keys() {
    let result: page::NavigateResult = decode(br#"{"frame\u0049d":"F"}"#).unwrap();
    assert_eq!(result.frame_id.as_str(), "F");
}

#[test]
fn a_repeated_member_counts_once_and_the_last_one_wins() {
    let text =
        br#"{"frameId":"A","loaderId":"L","errorText":null,"frameId":"B","loaderId":null,"errorText":"E"}"#;
    let result: page::NavigateResult = decode(text).unwrap();
    assert_eq!(
        (result.frame_id.as_str(), result.loader_id, result.error_text.as_deref()),
        ("B", None, Some("E"))
    );
}

/// A document tree of `elements` nested elements.
fn tree(elements: usize) -> String {
    let head = r#"{"nodeId":1,"backendNodeId":1,"nodeType":1,"nodeName":"A","localName":"a","nodeValue":"""#;
    let open = format!(r#"{head},"children":["#);
    format!("{}{head}}}{}", open.repeat(elements - 1), "]}".repeat(elements - 1))
}

#[test]
fn nesting_to_512_decodes_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        let mut node: dom::Node = decode(tree(256).as_bytes()).unwrap();
        let mut count = 1;
        while let Some(child) = node.children.as_mut().and_then(Vec::pop) {
            node = child;
            count += 1;
        }
        assert_eq!(count, 256);
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn deeper_nesting_is_an_error_also_where_nobody_looks() {
    let error = decode::<dom::Node>(tree(300).as_bytes()).unwrap_err();
    assert!(error.message().contains("512"), "{error}");
    let list = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(decode::<()>(list(512).as_bytes()).is_ok());
    assert!(decode::<()>(list(513).as_bytes()).is_err());
    assert!(decode::<serde_json::Value>(list(512).as_bytes()).is_ok());
    assert!(decode::<serde_json::Value>(list(513).as_bytes()).is_err());
    assert!(decode::<Vec<()>>(list(513).as_bytes()).is_err());
    assert!(decode::<Box<RawValue>>("[".repeat(100_000).as_bytes()).is_err());
}

#[test]
fn what_lies_side_by_side_does_not_count_as_nested() {
    let list = format!("[{}]", ["{\"a\":[{},[]]}"; 2_000].join(","));
    assert_eq!(decode::<Vec<serde_json::Value>>(list.as_bytes()).unwrap().len(), 2_000);
    assert!(decode::<()>(list.as_bytes()).is_ok());
}

#[test]
fn values_on_a_cycle_are_boxed() {
    let text =
        br#"{"callFrames":[],"parent":{"callFrames":[],"parent":{"callFrames":[],"description":"third"}}}"#;
    let trace: runtime::StackTrace = decode(text).unwrap();
    assert_eq!(trace.parent.unwrap().parent.unwrap().description.unwrap(), "third");
}

#[test]
fn a_command_without_return_values_takes_any_answer() {
    for answer in ["{}", "null", r#"{"new":1}"#, "[]"] {
        decode::<()>(answer.as_bytes()).unwrap();
    }
    assert!(decode::<()>(b"{} x").is_err());
    decode::<page::LoadEventFired>(br#"{"timestamp":1,"extra":2}"#).unwrap();
}

#[test]
fn binary_is_decoded_and_its_debug_says_only_its_length() {
    let shot: page::CaptureScreenshotResult = decode(br#"{"data":"iVBORw0K"}"#).unwrap();
    assert_eq!(shot.data.as_ref(), b"\x89PNG\r\n");
    assert_eq!(format!("{:?}", shot.data), "Binary(6 bytes)");
    // Escaped slashes are legal JSON.
    assert_eq!(decode::<Binary>(br#""\/\/8=""#).unwrap().as_ref(), b"\xff\xff");
    assert_eq!(decode::<Binary>(br#""""#).unwrap().as_ref(), b"");
    assert!(decode::<Binary>(br#""a*b""#).is_err());
}

#[test]
fn numbers_with_a_name_and_ids_keep_their_kind() {
    let event: page::LifecycleEvent =
        decode(br#"{"frameId":"F","loaderId":"L","name":"load","timestamp":12}"#).unwrap();
    assert_eq!(event.timestamp.get(), 12.0);
    let id = target::SessionId::from("ABC");
    let mut sessions = std::collections::HashMap::from([(id.clone(), 1)]);
    assert_eq!(sessions.remove("ABC"), Some(1));
    assert_eq!(format!("{id} {id:?} {:>5}", id), r#"ABC "ABC"   ABC"#);
    let same: target::SessionId = decode(br#""ABC""#).unwrap();
    assert_eq!(id, same);
    let headers: network::Headers = decode(br#"{"a":"b"}"#).unwrap();
    assert_eq!(headers.0.get(), r#"{"a":"b"}"#);
}

#[test]
fn the_generated_types_read_with_serde_json_as_well() {
    let result: page::NavigateResult = serde_json::from_str(r#"{"frameId":"F","x":1}"#).unwrap();
    assert_eq!(result.frame_id.as_str(), "F");
    let value = serde_json::json!({ "data": "aGk=" });
    let shot: page::CaptureScreenshotResult = serde_json::from_value(value).unwrap();
    assert_eq!(shot.data.as_ref(), b"hi");
}

#[test]
fn types_of_callers_decode_by_the_rules_of_serde() {
    assert_eq!(decode::<Result<i32, String>>(br#"{"Ok":5}"#).unwrap(), Ok(5));
    assert_eq!(decode::<Result<i32, String>>(br#"{"Err":"no"}"#).unwrap(), Err("no".to_owned()));
    assert!(decode::<Result<i32, String>>(br#"{"Other":5}"#).is_err());
    assert_eq!(decode::<(i32, Option<char>, bool)>(br#"[1,"x",true]"#).unwrap(), (1, Some('x'), true));
    assert_eq!(decode::<BTreeMap<i32, ()>>(br#"{"-3":null}"#).unwrap(), BTreeMap::from([(-3, ())]));
    assert!(decode::<[i32; 2]>(b"[1,2,3]").is_err());
}
