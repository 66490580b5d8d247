//! What a browser may send, and what becomes of it.

use cdp_protocol::domains::{dom, network, page, runtime, target};
use cdp_protocol::json::decode;

#[test]
fn a_value_that_no_enumeration_lists_is_kept_as_text() {
    let event: page::LifecycleEvent =
        decode(br#"{"frameId":"F","loaderId":"L","name":"load","timestamp":12}"#).unwrap();
    assert_eq!(event.timestamp.get(), 12.0);
    let object: runtime::RemoteObject = decode(br#"{"type":"brandnew","subtype":"node"}"#).unwrap();
    assert_eq!(object.r#type, runtime::RemoteObjectType::Unknown("brandnew".into()));
    assert_eq!(object.subtype, Some(runtime::RemoteObjectSubtype::Node));
    let mut text = bytes::BytesMut::new();
    cdp_protocol::json::encode(&object.r#type, &mut text).unwrap();
    assert_eq!(&text[..], br#""brandnew""#);
    let _: Option<(dom::Node, network::Cookie, target::SessionId)> = None;
}
