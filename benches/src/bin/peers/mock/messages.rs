//! What the mock server sends: events of the shape and the member order that Chromium writes.

use serde_json::json;

/// Session ids are 32 hexadecimal digits; these differ at their end.
pub fn session(index: usize) -> String {
    format!("8F3C1A52D7E64B09A1C2E3F4{index:08X}")
}

pub fn attached(index: usize) -> String {
    let info = json!({
        "targetId": format!("{index:032X}"), "type": "page", "title": "", "url": "about:blank", "attached": true,
        "canAccessOpener": false, "browserContextId": "C0FFEE00C0FFEE00C0FFEE00C0FFEE00",
    });
    format!(
        "{{\"method\":\"Target.attachedToTarget\",\"params\":{{\"sessionId\":\"{}\",\"targetInfo\":{info},\
         \"waitingForDebugger\":false}}}}",
        session(index)
    )
}

/// 150 bytes.
pub fn small(number: usize, session: &str) -> String {
    event("Page.frameStoppedLoading", session, 150, |fill| {
        format!("\"frameId\":\"{}{number:030}\"", "F".repeat(fill))
    })
}

/// 4 KiB: a request with its headers and the stack that made it.
pub fn request(number: usize, session: &str) -> String {
    let frame = |index: usize| {
        format!(
            "{{\"functionName\":\"load{index}\",\"scriptId\":\"{}\",\"url\":\"http://127.0.0.1:8080/scripts/part-{index}.js\",\
             \"lineNumber\":{},\"columnNumber\":{}}}",
            30 + index,
            90 + index * 11,
            5 + index
        )
    };
    let frames: Vec<String> = (0..8).map(frame).collect();
    let frames = frames.join(",");
    event("Network.requestWillBeSent", session, 4096, |fill| {
        let note = "n".repeat(fill);
        format!(
            "\"requestId\":\"1.{number:06}\",\"loaderId\":\"00112233445566778899AABBCCDDEEFF\",\
             \"documentURL\":\"http://127.0.0.1:8080/index.html\",\"request\":{{\
             \"url\":\"http://127.0.0.1:8080/list?page={number:06}&word=%C3%A9t%C3%A9\",\"method\":\"GET\",\"headers\":{{\
             \"Accept\":\"application/json\",\"Referer\":\"http://127.0.0.1:8080/index.html\",\"X-Note\":\"{note}\",\
             \"sec-ch-ua\":\"\\\"Chromium\\\";v=\\\"156\\\"\",\"sec-ch-ua-mobile\":\"?0\"}},\
             \"mixedContentType\":\"none\",\"initialPriority\":\"High\",\
             \"referrerPolicy\":\"strict-origin-when-cross-origin\",\"isSameSite\":true}},\
             \"timestamp\":12345.678901,\"wallTime\":1760000000.123456,\
             \"initiator\":{{\"type\":\"script\",\"stack\":{{\"callFrames\":[{frames}]}}}},\
             \"redirectHasExtraInfo\":false,\"type\":\"Fetch\",\"frameId\":\"A0B1C2D3E4F5061728394A5B6C7D8E9F\",\
             \"hasUserGesture\":false"
        )
    })
}

/// 20 MiB: a picture as base64.
pub fn picture(session: &str) -> String {
    let mut random = Random::new();
    event("Page.screencastFrame", session, 20 << 20, |fill| {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let data: String = (0..fill).map(|_| char::from(alphabet[random.below(64)])).collect();
        format!(
            "\"data\":\"{data}\",\"metadata\":{{\"offsetTop\":0,\"pageScaleFactor\":1,\"deviceWidth\":1280,\
             \"deviceHeight\":720,\"scrollOffsetX\":0,\"scrollOffsetY\":0,\"timestamp\":1760000000.5}},\"sessionId\":1"
        )
    })
}

/// An event of `size` bytes, whose parameters take as much filling as they are told.
fn event(method: &str, session: &str, size: usize, mut params: impl FnMut(usize) -> String) -> String {
    let mut whole = |fill| {
        let params = params(fill);
        format!("{{\"method\":\"{method}\",\"params\":{{{params}}},\"sessionId\":\"{session}\"}}")
    };
    let fill = size.checked_sub(whole(0).len()).expect("the event fits into its size");
    whole(fill)
}

/// Numbers that are the same in each run (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_json_of_their_size_and_end_with_their_session() {
        let id = session(9_999);
        for (message, size) in [(small(7, &id), 150), (request(7, &id), 4096), (picture(&id), 20 << 20)] {
            assert_eq!(message.len(), size);
            let value: serde_json::Value = serde_json::from_str(&message).unwrap();
            assert_eq!(value["sessionId"], id.as_str());
            assert!(message.ends_with(&format!("\"sessionId\":\"{id}\"}}")));
        }
        let attached: serde_json::Value = serde_json::from_str(&attached(9_999)).unwrap();
        assert_eq!(attached["params"]["sessionId"], id.as_str());
    }
}
