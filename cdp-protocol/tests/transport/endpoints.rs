//! Connecting without TLS: discovery, headers, what a gateway may do wrong, and the deadline.

use std::time::Duration;

use cdp_protocol::{CallError, Client, ConnectError, ConnectStep, domains::page};
use futures_util::SinkExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::accept_async;

use crate::bounded;
use crate::servers::{
    accept, failed, keeps_secrets, listen, name_websocket, next_call, read_head, reply, speak, switch,
    switching,
};

#[tokio::test]
async fn discovery_asks_with_an_address_as_host_and_follows_to_the_websocket() {
    bounded(async {
        let (listener, address) = listen().await;
        let server = async {
            let head =
                name_websocket(&mut accept(&listener).await, &format!("ws://{address}/devtools/browser/9"))
                    .await;
            assert!(head.starts_with("GET /json/version HTTP/1.1\r\n"), "{head}");
            assert!(head.contains(&format!("\r\nHost: {address}\r\n")), "{head}");
            accept_async(accept(&listener).await).await.unwrap()
        };
        let url = format!("http://{address}");
        let (client, mut server) = tokio::join!(Client::connect(&url), server);
        let answer = client.unwrap().browser().call(&page::Navigate::new("x"));
        let call = next_call(&mut server).await;
        server.send(reply(&call, json!({}))).await.unwrap();
        let Err(CallError::Decode(error)) = answer.await else { panic!("no decode error") };
        assert_eq!(error.browser(), Some("Chrome/156"));
    })
    .await;
}

/// The name leads to two addresses where IPv6 is there, and only one of them answers, as with Chromium.
#[tokio::test]
async fn localhost_is_reached_at_the_address_that_answers() {
    bounded(async {
        let (listener, address) = listen().await;
        let url = format!("http://LocalHost:{}", address.port());
        let server = async {
            let url = format!("ws://localhost:{}/devtools/browser/9", address.port());
            let head = name_websocket(&mut accept(&listener).await, &url).await;
            assert!(head.contains(&format!("\r\nHost: LocalHost:{}\r\n", address.port())), "{head}");
            switch(&mut accept(&listener).await).await
        };
        let (client, head) = tokio::join!(Client::connect(&url), server);
        client.unwrap();
        assert!(head.contains(&format!("\r\nHost: localhost:{}\r\n", address.port())), "{head}");
    })
    .await;
}

#[tokio::test]
async fn secrets_go_to_the_endpoint_with_both_requests() {
    bounded(async {
        let (listener, address) = listen().await;
        let connect = Client::connect(format!("http://eve:x@{address}/hub/?token=SECRET"))
            .header("X-Key", "SECRET")
            .basic_auth("ada", "p:ss");
        assert_eq!(format!("{connect:?}"), "Connect { .. }");
        let server = async {
            let url = format!("ws://{address}/devtools/browser/9");
            let first = name_websocket(&mut accept(&listener).await, &url).await;
            let second = switch(&mut accept(&listener).await).await;
            assert!(first.starts_with("GET /hub/json/version?token=SECRET HTTP/1.1\r\n"), "{first}");
            assert!(second.starts_with("GET /devtools/browser/9?token=SECRET HTTP/1.1\r\n"), "{second}");
            for head in [first, second] {
                assert!(head.contains("\r\nX-Key: SECRET\r\n"), "{head}");
                // base64 of `ada:p:ss`
                assert!(head.contains("\r\nAuthorization: Basic YWRhOnA6c3M=\r\n"), "{head}");
            }
        };
        let (client, ()) = tokio::join!(connect.into_future(), server);
        client.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_foreign_websocket_that_a_browser_names_is_told_no_secret() {
    bounded(async {
        let ((listener, address), (foreign, elsewhere)) = (listen().await, listen().await);
        let connect = Client::connect(format!("http://ada:SECRET@{address}/?token=SECRET"))
            .header("X-Key", "SECRET")
            .header("Host", "SECRET.example");
        let server = async {
            let url = format!("ws://{elsewhere}/devtools/browser/9");
            let first = name_websocket(&mut accept(&listener).await, &url).await;
            assert!(first.contains("\r\nHost: SECRET.example\r\n"), "{first}");
            let head = switch(&mut accept(&foreign).await).await;
            assert!(!head.contains("SECRET") && !head.contains("Authorization"), "{head}");
        };
        let (client, ()) = tokio::join!(connect.into_future(), server);
        client.unwrap();
    })
    .await;
}

#[tokio::test]
async fn headers_that_break_the_handshake_are_refused_before_anyone_is_asked() {
    bounded(async {
        // Nobody accepts here: a connection attempt would hang.
        let (_listener, address) = listen().await;
        for (name, value) in [("Sec-WebSocket-Key", "SECRET"), ("X", "SECRET\r\nY: z"), ("Upgrade", "SECRET")]
        {
            let error = Client::connect(format!("ws://{address}/")).header(name, value).await.unwrap_err();
            assert!(matches!(&error, ConnectError::Setting { .. }), "{error}");
            assert!(error.to_string().contains(&format!("header {name:?}")), "{error}");
            keeps_secrets(&error);
        }
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_connected_to_says_why() {
    bounded(async {
        let (listener, address) = listen().await;
        drop(listener);
        let error = Client::connect(format!("ws://ada:SECRET@{address}/?SECRET")).await.unwrap_err();
        assert!(matches!(&error, ConnectError::Unreachable { .. }), "{error}");
        keeps_secrets(&error);

        let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        let body = "Content-Length: 9\r\n\r\nsay\nwhy\n\n";
        let answers = [
            (
                "ws",
                format!("HTTP/1.1 403 No\r\n{body}"),
                "refused during the websocket handshake: HTTP status 403 Forbidden: say",
            ),
            (
                "ws",
                format!("HTTP/1.1 200 OK\r\n{body}"),
                "refused during the websocket handshake: HTTP status 200 OK: say",
            ),
            (
                "ws",
                format!("HTTP/1.1 307 No\r\nLocation: https://x/y?SECRET\r\n{body}"),
                "HTTP status 307 Temporary Redirect, a redirect to https://x/y?…: say",
            ),
            ("ws", String::new(), "hung up without an answer"),
            ("ws", "HTTP/1.1 101 Swi".into(), "hung up in the middle"),
            ("ws", format!("{switching}Sec-WebSocket-Accept: bad\r\n\r\n"), "another key"),
            ("ws", format!("{switching}\r\n"), "another key"),
            ("ws", "HTTP/1.0 101 Switching\r\n\r\n".into(), "HTTP/1.0"),
            (
                "ws",
                "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\n\r\n".into(),
                "lacks `Upgrade: websocket`",
            ),
            (
                "ws",
                "HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\n\r\n".into(),
                "lacks `Connection: Upgrade`",
            ),
            (
                "http",
                format!("HTTP/1.1 500 No\r\n{body}"),
                "refused while it was asked for /json/version: HTTP status 500 Internal Server Error: say",
            ),
            (
                "http",
                format!("HTTP/1.1 404 No\r\n{body}"),
                "404 Not Found: say; if it has none, give the ws://",
            ),
            (
                "http",
                format!("HTTP/1.1 200 OK\r\n{body}"),
                "webSocketDebuggerUrl (HTTP status 200 OK: say); if it has none, give the ws://",
            ),
            ("ws", "\x15\x03\x01\x00\x02\x02\x46".into(), "answers in TLS, which wss://"),
            (
                "http",
                "HTTP/1.1 302 No\r\nLocation: /login?to=SECRET\r\n\r\n".into(),
                "HTTP status 302 Found, a redirect to /login?…",
            ),
            ("http", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".into(), "webSocketDebuggerUrl"),
            ("http", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}".into(), "hung up in the middle"),
            ("http", "SSH-2.0-x\r\n\r\n".into(), "not HTTP"),
            (
                "http",
                "HTTP/1.1 401 No\r\n\r\nno user ada with SECRET and xSECRETx\r\n\r\n".into(),
                "401 Unauthorized: no user ada with … and x…x",
            ),
            ("ws", format!("HTTP/1.1 302 No\r\nLocation: /SECRET\r\n\r\n{}SECRET", "y".repeat(196)), "yyy…"),
            ("http", names("/devtools/browser/1"), "names \"/devtools/browser/1\": it has no scheme"),
            ("http", names("ws://ada:SECRET@h:x/"), "names \"ws://…@h:…/\": its port"),
            ("http", names("http://h/?SECRET"), "names \"http://h/?…\", which is no websocket"),
            ("http", names(&format!("ws://h {}", "y".repeat(100_000))), "yyy\": it is no URL"),
        ];
        for (scheme, answer, words) in answers {
            let (listener, address) = listen().await;
            let server = async {
                let mut socket = accept(&listener).await;
                read_head(&mut socket).await;
                socket.write_all(answer.as_bytes()).await.unwrap();
            };
            let connect = Client::connect(format!("{scheme}://ada:SECRET@{address}/?SECRET"));
            let error = failed(connect.header("X-Key", "SECRET"), server).await;
            let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
            match &error {
                ConnectError::Refused { step, status: found, .. } => {
                    let asked = if scheme == "ws" { ConnectStep::Upgrade } else { ConnectStep::Discover };
                    assert_eq!((Some(*found), *step), (status, asked), "{error}");
                }
                ConnectError::NotABrowser { .. } => {
                    let hoped_for = if scheme == "ws" { 101 } else { 200 };
                    assert!(status.is_none_or(|status: u16| status == hoped_for), "{error}");
                }
                other => panic!("{other}"),
            }
            assert!(error.to_string().contains(words) && error.to_string().len() < 500, "{error}");
            keeps_secrets(&error);
        }
    })
    .await;
}

/// An answer to discovery with this URL.
fn names(url: &str) -> String {
    let body = json!({ "webSocketDebuggerUrl": url }).to_string();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn an_extension_or_a_subprotocol_that_nobody_offered_is_an_error() {
    bounded(async {
        for (header, words) in [
            ("Sec-WebSocket-Extensions: permessage-deflate", "extension that was not offered"),
            ("Sec-WebSocket-Protocol: chat", "subprotocol that was not offered"),
        ] {
            let (listener, address) = listen().await;
            let server = async {
                let mut socket = accept(&listener).await;
                let head = read_head(&mut socket).await;
                let answer = format!("{}{header}\r\n\r\n", switching(&head));
                socket.write_all(answer.as_bytes()).await.unwrap();
            };
            let error = failed(Client::connect(format!("ws://{address}/")), server).await;
            assert!(error.to_string().contains(words), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn answers_that_come_byte_by_byte_and_interim_ones_are_read() {
    bounded(async {
        let (listener, address) = listen().await;
        let server = async {
            let body = format!("{{\"webSocketDebuggerUrl\":\"ws://{address}/d/1\"}}");
            let mut socket = accept(&listener).await;
            read_head(&mut socket).await;
            // Up to where nothing more is waited for.
            let chunk = format!("{:x}\r\n{body}\r\n0\r\n", body.len());
            let answer = format!(
                "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"
            );
            trickle(&mut socket, answer.as_bytes()).await;
            let mut socket = accept(&listener).await;
            let head = read_head(&mut socket).await;
            trickle(&mut socket, format!("{}\r\n", switching(&head)).as_bytes()).await;
            trickle(&mut socket, b"\x81\x1c{\"method\":\"A.b\",\"params\":{}}").await;
            socket
        };
        let connect = async {
            let client = Client::connect(format!("http://{address}")).await.unwrap();
            let mut events = client.browser().events_raw(None);
            assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        };
        tokio::join!(connect, server);
    })
    .await;
}

async fn trickle(socket: &mut tokio::net::TcpStream, bytes: &[u8]) {
    socket.set_nodelay(true).unwrap();
    for byte in bytes {
        socket.write_all(&[*byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
}

/// Time is stopped as soon as the server hangs, so the deadline comes at once and in this step.
#[tokio::test]
async fn the_deadline_says_which_step_it_came_in() {
    let limit = Duration::from_millis(30_500);
    for (scheme, step, words) in [
        ("ws", ConnectStep::Upgrade, "within 30.5 s, during the websocket handshake"),
        ("http", ConnectStep::Discover, "within 30.5 s, while it was asked for /json/version"),
    ] {
        bounded(async {
            let (listener, address) = listen().await;
            let server = async {
                let mut socket = accept(&listener).await;
                read_head(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\nContent-").await.unwrap();
                tokio::time::pause();
                // Ends when the other side has given up.
                assert_eq!(socket.read(&mut [0]).await.unwrap_or(0), 0);
                tokio::time::resume();
            };
            let connect = Client::connect(format!("{scheme}://ada:SECRET@{address}/?SECRET")).timeout(limit);
            let error = failed(connect, server).await;
            let ConnectError::TimedOut { step: found, limit: told, .. } = &error else { panic!("{error}") };
            assert_eq!((*found, *told), (step, limit));
            assert!(error.to_string().contains(words), "{error}");
            keeps_secrets(&error);
        })
        .await;
    }
}

#[tokio::test]
async fn a_plain_websocket_endpoint_works_as_it_stands() {
    bounded(async {
        let (listener, address) = listen().await;
        let server = async { accept_async(accept(&listener).await).await.unwrap() };
        let (client, mut server) =
            tokio::join!(Client::connect(format!("ws://{address}/d/1")).into_future(), server);
        speak(&client.unwrap(), &mut server).await;
    })
    .await;
}
