//! What single messages cost on their way through the public interface: reading frames, telling what a message is, decoding
//! it, and encoding a call.

use std::hint::black_box;

use bytes::BytesMut;
use cdp_protocol::domains::{dom, network, page, runtime};
use cdp_protocol::wire::{Decoder, Encoder, Incoming, Limits, Masking};
use cdp_protocol::{envelope, json};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

const SESSION: &str = "8F3C1A52D7E64B09A1C2E3F400000000";

/// A call frame of a stack, `count` times.
fn stack(count: usize) -> String {
    let frame = |index: usize| {
        format!(
            r#"{{"functionName":"load{index}","scriptId":"{index}","url":"http://127.0.0.1:8080/scripts/part-{index}.js","lineNumber":{index},"columnNumber":7}}"#
        )
    };
    format!(r#"{{"callFrames":[{}]}}"#, (0..count).map(frame).collect::<Vec<_>>().join(","))
}

fn console() -> String {
    let arguments =
        r#"{"type":"string","value":"event number"},{"type":"number","value":7,"description":"7"}"#;
    format!(
        r#"{{"type":"log","args":[{arguments}],"executionContextId":1,"timestamp":1760000000123.456,"stackTrace":{}}}"#,
        stack(1)
    )
}

fn request() -> String {
    let headers = r#"{"Accept":"application/json","Referer":"http://127.0.0.1:8080/","sec-ch-ua":"\"Chromium\";v=\"156\"","sec-ch-ua-mobile":"?0"}"#;
    format!(
        r#"{{"requestId":"1.7","loaderId":"00112233445566778899AABBCCDDEEFF","documentURL":"http://127.0.0.1:8080/","request":{{"url":"http://127.0.0.1:8080/list?page=7","method":"GET","headers":{headers},"mixedContentType":"none","initialPriority":"High","referrerPolicy":"strict-origin-when-cross-origin","isSameSite":true}},"timestamp":12345.678901,"wallTime":1760000000.123456,"initiator":{{"type":"script","stack":{}}},"redirectHasExtraInfo":false,"type":"Fetch","frameId":"A0B1C2D3E4F5061728394A5B6C7D8E9F","hasUserGesture":false}}"#,
        stack(8)
    )
}

/// An answer with 200 elements, four a level.
fn document() -> String {
    fn node(id: &mut usize, depth: usize) -> String {
        *id += 1;
        let head = format!(
            r#"{{"nodeId":{id},"backendNodeId":{id},"nodeType":1,"nodeName":"DIV","localName":"div","nodeValue":"","childNodeCount":4,"attributes":["class","row","id","row-{id}"]"#
        );
        let children: Vec<String> =
            (0..if depth == 0 { 0 } else { 4 }).map(|_| node(id, depth - 1)).collect();
        if children.is_empty() {
            head + "}"
        } else {
            format!("{head},\"children\":[{}]}}", children.join(","))
        }
    }
    format!(r#"{{"root":{}}}"#, node(&mut 0, 3))
}

fn event(method: &str, params: &str) -> String {
    format!(r#"{{"method":"{method}","params":{params},"sessionId":"{SESSION}"}}"#)
}

/// A frame as a server sends it.
fn frame(payload: &str, out: &mut BytesMut) {
    let length = u16::try_from(payload.len()).expect("a short message");
    assert!(length >= 126);
    out.extend_from_slice(&[0x81, 126]);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(payload.as_bytes());
}

fn wire(criterion: &mut Criterion) {
    let mut frames = BytesMut::new();
    let count: u64 = 100;
    (0..count).for_each(|_| frame(&event("Runtime.consoleAPICalled", &console()), &mut frames));
    let mut group = criterion.benchmark_group("wire");
    group.throughput(Throughput::Elements(count));
    group.bench_function("read 100 frames", |bencher| {
        bencher.iter_batched_ref(
            || (Decoder::ws(Limits::default()), frames.clone()),
            |(decoder, buffer)| {
                let mut read = 0;
                while let Some(incoming) = decoder.next(buffer).expect("whole frames") {
                    read += u64::from(matches!(black_box(incoming), Incoming::Message(_)));
                }
                assert_eq!(read, count);
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn envelopes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("envelope");
    let request = event("Network.requestWillBeSent", &request());
    let reply =
        format!(r#"{{"id":7,"result":{{"result":{{"type":"number","value":2}}}},"sessionId":"{SESSION}"}}"#);
    for (name, message) in [("event", &request), ("reply", &reply)] {
        assert_eq!(envelope::parse(message.as_bytes()), envelope::scan(message.as_bytes()));
        group.bench_function(format!("parse {name}"), |bencher| {
            bencher.iter(|| envelope::parse(black_box(message.as_bytes())));
        });
        group.bench_function(format!("scan {name}"), |bencher| {
            bencher.iter(|| envelope::scan(black_box(message.as_bytes())));
        });
    }
    group.finish();
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    let mut add = |name: &str, text: String, read: fn(&[u8])| {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| read(black_box(text.as_bytes()))));
    };
    add("Runtime.consoleAPICalled", console(), |text| {
        black_box(json::decode::<runtime::ConsoleApiCalled>(text).expect("an event"));
    });
    add("Network.requestWillBeSent", request(), |text| {
        black_box(json::decode::<network::RequestWillBeSent>(text).expect("an event"));
    });
    add("DOM.getDocument", document(), |text| {
        black_box(json::decode::<dom::GetDocumentResult>(text).expect("an answer"));
    });
    add("Page.captureScreenshot, 1 MiB", format!(r#"{{"data":"{}"}}"#, "QUJD".repeat(1 << 18)), |text| {
        black_box(json::decode::<page::CaptureScreenshotResult>(text).expect("an answer"));
    });
    group.finish();
}

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    let evaluate = runtime::Evaluate::new("1 + 1").return_by_value(true);
    let mut out = BytesMut::new();
    group.bench_function("parameters of Runtime.evaluate", |bencher| {
        bencher.iter(|| {
            out.clear();
            json::encode(black_box(&evaluate), &mut out).expect("it can be encoded");
        });
    });
    for (name, masking) in [("zero key", Masking::Zero), ("random key", Masking::Random)] {
        let mut encoder = Encoder::ws(masking);
        let text = "x".repeat(4096);
        group.bench_function(format!("frame of 4 KiB, {name}"), |bencher| {
            bencher.iter(|| {
                out.clear();
                let written = encoder.message(&mut out, |out| {
                    out.extend_from_slice(black_box(text.as_bytes()));
                    Ok::<_, std::convert::Infallible>(())
                });
                assert!(written.is_ok());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, wire, envelopes, decode, encode);
criterion_main!(benches);
