//! The most memory that one large message takes, before and while it is decoded.

use cdp_protocol::domains::page::{CaptureScreenshot, CaptureSnapshot};

use crate::alone;
use crate::counting::Measure;
use crate::peer::{CARRIERS, Carrier, Peer, connect};

const MIB: usize = 1024 * 1024;

/// Bytes of memory that the process holds, now and at most since it was last asked.
fn resident() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
    };
    let both = (field("VmRSS:"), field("VmHWM:"));
    // Begins a new peak.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    both
}

/// The peaks, in sizes of the message, of live and of resident bytes while a message comes that nobody decodes.
fn undecoded(carrier: Carrier) -> (f64, f64) {
    let size = 100 * MIB;
    alone(async {
        let client = connect(carrier, move |mut peer: Peer| {
            peer.next_call().unwrap();
            peer.send_long(r#"{"method":"A.b","params":{"text":""#, size, "\"}}");
            while peer.next_call().is_some() {}
        })
        .await;
        let mut events = client.browser().events_raw(None);
        drop(client.browser().call_raw("Test.go", &serde_json::value::to_raw_value(&1).unwrap()));
        let (before, _) = resident();
        let measure = Measure::start();
        let event = events.next().await.unwrap().unwrap();
        let peak = measure.peak() as f64 / size as f64;
        let (_, most) = resident();
        assert_eq!(event.params().len(), size + 11);
        let held = most.saturating_sub(before) as f64 / size as f64;
        (peak, held)
    })
}

/// Live bytes are counted exactly. What is resident belongs to the whole process, where the allocator may be moving another block
/// just then, so the least of three looks counts.
fn check_undecoded(carrier: Carrier) {
    let looks = [(); 3].map(|()| undecoded(carrier));
    let held = looks.iter().map(|(_, held)| *held).fold(f64::INFINITY, f64::min);
    assert!(looks.iter().all(|(peak, _)| *peak <= 1.1) && held <= 1.1, "live, resident: {looks:.3?}");
}

#[test]
fn a_large_ws_message_takes_little_more_than_its_size() {
    check_undecoded(Carrier::Ws);
}

#[test]
fn a_large_pipe_message_takes_little_more_than_its_size() {
    check_undecoded(Carrier::Pipe);
}

/// The peak, in sizes of the payload, of a call that is answered by `{"data":"AAA…"}` and decodes it to `bytes` bytes.
fn decoded(
    carrier: Carrier,
    count: usize,
    bytes: usize,
    call: impl AsyncFn(&cdp_protocol::Session) -> usize,
) -> f64 {
    alone(async {
        let client = connect(carrier, move |mut peer: Peer| {
            while let Some(id) = peer.next_call() {
                peer.send_long(&format!("{{\"id\":{id},\"result\":{{\"data\":\""), count, "\"}}");
            }
        })
        .await;
        let measure = Measure::start();
        assert_eq!(call(&client.browser()).await, bytes);
        measure.peak() as f64 / count as f64
    })
}

#[test]
fn a_large_string_takes_its_size_twice() {
    for carrier in CARRIERS {
        let peak = decoded(carrier, 20_000_000, 20_000_000, async |session| {
            session.call(&CaptureSnapshot::new()).await.unwrap().data.len()
        });
        assert!(peak <= 2.1, "{carrier:?}: {peak:.3} times the payload");
    }
}

#[test]
fn a_large_screenshot_takes_its_base64_and_its_bytes() {
    for carrier in CARRIERS {
        let peak = decoded(carrier, 14_000_000, 10_500_000, async |session| {
            session.call(&CaptureScreenshot::new()).await.unwrap().data.len()
        });
        assert!(peak <= 1.8, "{carrier:?}: {peak:.3} times the base64 text");
    }
}
