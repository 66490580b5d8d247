//! A connection over TCP that dies at any byte, its upgrade included: a proxy between the client and tungstenite's server.

use cdp_protocol::testing::{FaultProxy, Faults, Flow, Passed};
use cdp_protocol::{Client, CloseReason};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;

use crate::bounded;
use crate::conversation::{Played, Script, Told, What, check, converse};
use crate::servers::{accept, listen};

/// What the server received, and its messages with the bytes of their frames.
#[derive(Default)]
struct Served {
    received: Vec<String>,
    sent: Vec<(What, u64)>,
}

/// Serves one connection until it ends.
async fn serve(socket: TcpStream) -> Served {
    let (mut script, mut served) = (Script::default(), Served::default());
    socket.set_nodelay(true).unwrap();
    let Ok(mut server) = accept_async(socket).await else { return served };
    while let Some(Ok(Message::Text(text))) = server.next().await {
        let call: Value = serde_json::from_str(&text).unwrap();
        let method = call["method"].as_str().unwrap().to_owned();
        served.received.push(method.clone());
        for (what, text) in script.meet(&method, call["id"].as_i64().unwrap()) {
            served.sent.push((what, text.len() as u64 + if text.len() > 125 { 4 } else { 2 }));
            if server.send(Message::text(text)).await.is_err() {
                return served;
            }
        }
        if method == "Test.last" {
            break;
        }
    }
    served
}

/// One connection; `None` for what was told when it did not even come about.
async fn run(faults: Faults) -> (Option<Told>, Served, Passed) {
    let (listener, address) = listen().await;
    let proxy = FaultProxy::start(address, faults).await.unwrap();
    let url = format!("ws://{}/devtools/browser/1", proxy.address());
    let talking = async {
        match Client::connect(url).await {
            Ok(client) => Some(converse(client).await),
            Err(_) => None,
        }
    };
    let serving = async { serve(accept(&listener).await).await };
    let (told, served) = tokio::join!(talking, serving);
    (told, served, proxy.passed())
}

#[tokio::test]
async fn a_cut_of_a_socket_at_any_byte_tells_every_call_what_became_of_it() {
    bounded(async {
        let (told, served, total) = run(Faults::default()).await;
        let told = told.expect("it connects");
        assert_eq!((served.received.len(), served.sent.len()), (7, 13));
        assert_eq!(told.reason, CloseReason::HungUp { mid_message: false });
        let upgrade = total.to_client - served.sent.iter().map(|(_, bytes)| bytes).sum::<u64>();

        for up in [true, false] {
            let total = if up { total.to_browser } else { total.to_client };
            for n in 0..=total {
                let flow = Flow::default().cut_at(n);
                let faults =
                    if up { Faults::default().to_browser(flow) } else { Faults::default().to_client(flow) };
                let at = format!("{faults:?}");
                let (told, served, passed) = run(faults).await;
                assert_eq!(if up { passed.to_browser } else { passed.to_client }, n, "{at}");
                let Some(told) = told else {
                    assert!(passed.to_client <= upgrade, "{at}: the upgrade came through");
                    continue;
                };
                let (mut end, mut arrived) = (upgrade, Vec::new());
                for (what, bytes) in served.sent {
                    end += bytes;
                    if end <= passed.to_client {
                        arrived.push(what);
                    }
                }
                check(&told, &Played { received: served.received, arrived }, false, &at);
            }
        }
    })
    .await;
}
