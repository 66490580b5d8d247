//! Connecting through an HTTP proxy, which the tests play themselves.

use std::net::SocketAddr;

use cdp_protocol::{Client, ConnectError, ConnectStep};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;

use crate::bounded;
use crate::servers::{accept, failed, keeps_secrets, listen, name_websocket, read_head, speak, switch};

/// Answers one CONNECT and carries bytes between its two sides until both have ended; returns the request's head.
pub(crate) async fn relay(listener: &TcpListener, target: SocketAddr) -> String {
    let mut inner = accept(listener).await;
    let head = read_head(&mut inner).await;
    let mut outer = TcpStream::connect(target).await.unwrap();
    inner.write_all(b"HTTP/1.1 200 Connection established\r\nVia: us\r\n\r\n").await.unwrap();
    // Either side may end by a reset.
    let _ = tokio::io::copy_bidirectional(&mut inner, &mut outer).await;
    head
}

#[tokio::test]
async fn every_connection_goes_through_a_tunnel_and_only_the_proxy_sees_its_password() {
    bounded(async {
        let ((listener, address), (gate, gateway)) = (listen().await, listen().await);
        // A name that only the proxy can look up.
        let connect = Client::connect("http://eve:SECRET@browser.invalid:9222/?token=SECRET")
            .header("X-Key", "SECRET")
            .proxy(format!("http://ada:p%40ss@{gateway}"));
        assert_eq!(format!("{connect:?}"), "Connect { .. }");
        let proxy = async {
            for _ in 0..2 {
                let head = relay(&gate, address).await;
                // base64 of `ada:p@ss`
                let expected = "CONNECT browser.invalid:9222 HTTP/1.1\r\nHost: browser.invalid:9222\r\nProxy-Authorization: Basic YWRhOnBAc3M=\r\n\r\n";
                assert_eq!(head, expected);
            }
        };
        let server = async {
            let mut socket = accept(&listener).await;
            let first = name_websocket(&mut socket, "ws://127.0.0.1:9222/d/1").await;
            drop(socket);
            let mut socket = accept(&listener).await;
            let second = switch(&mut socket).await;
            for head in [&first, &second] {
                assert!(!head.contains("Proxy") && head.contains("\r\nX-Key: SECRET\r\n"), "{head}");
                assert!(head.contains("\r\nHost: browser.invalid:9222\r\n"), "{head}");
            }
            assert!(second.starts_with("GET /d/1?token=SECRET "), "{second}");
        };
        let (client, (), ()) = tokio::join!(async { connect.await.unwrap() }, server, proxy);
        drop(client);
    })
    .await;
}

#[tokio::test]
async fn calls_cross_a_proxy_with_masks_that_are_not_zero() {
    bounded(async {
        let ((listener, address), (gate, gateway)) = (listen().await, listen().await);
        let connect = Client::connect(format!("ws://{address}/d/1")).proxy(format!("http://{gateway}"));
        let work = async {
            let server = async { accept_async(accept(&listener).await).await.unwrap() };
            let (client, mut server) = tokio::join!(connect.into_future(), server);
            let client = client.unwrap();
            speak(&client, &mut server).await;
        };
        let ((), head) = tokio::join!(work, relay(&gate, address));
        assert_eq!(head, format!("CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n\r\n"));

        // The mask is only to be seen in the bytes.
        let connect = Client::connect(format!("ws://{address}/d/1")).proxy(format!("http://{gateway}"));
        let work = async {
            let server = async {
                let mut socket = accept(&listener).await;
                switch(&mut socket).await;
                socket
            };
            let (client, mut socket) = tokio::join!(connect.into_future(), server);
            client.unwrap().close();
            let mut frame = [0; 6];
            socket.read_exact(&mut frame).await.unwrap();
            assert_ne!(frame[2..], [0; 4]);
        };
        tokio::join!(work, relay(&gate, address));
    })
    .await;
}

#[tokio::test]
async fn what_a_proxy_refuses_is_told_with_status_and_words() {
    bounded(async {
        let body = "Content-Length: 9\r\n\r\nsay\nwhy\n\n";
        let answers = [
            (format!("HTTP/1.1 407 Auth\r\n{body}"), "HTTP status 407 Proxy Authentication Required: say"),
            (format!("HTTP/1.1 403 No\r\n{body}"), "HTTP status 403 Forbidden: say"),
            (format!("HTTP/1.1 502 No\r\n{body}"), "HTTP status 502 Bad Gateway: say"),
            (
                "HTTP/1.1 302 No\r\nLocation: http://login/?SECRET\r\n\r\n".into(),
                "HTTP status 302 Found, a redirect to http://login/?…",
            ),
            ("HTTP/1.1 200 OK\r\n\r\nhello".into(), "more than the head"),
            ("HTTP/1.1 2".into(), "hung up in the middle"),
            (String::new(), "hung up without an answer"),
            ("\x05\x01\r\n\r\n".into(), "not HTTP"),
        ];
        for (answer, words) in answers {
            let (gate, gateway) = listen().await;
            let server = async {
                let mut socket = accept(&gate).await;
                read_head(&mut socket).await;
                socket.write_all(answer.as_bytes()).await.unwrap();
            };
            let connect = Client::connect("ws://eve:SECRET@browser.invalid/?SECRET")
                .proxy(format!("http://ada:SECRET@{gateway}"));
            let error = failed(connect, server).await;
            let ConnectError::Proxy { proxy, address, status, problem } = &error else { panic!("{error}") };
            assert_eq!((proxy, address.as_str()), (&gateway.to_string(), "browser.invalid:80"));
            assert!(problem.contains(words), "{error}");
            assert_eq!(status.map(|status| format!("HTTP status {status}")), told_status(words), "{error}");
            keeps_secrets(&error);
        }
    })
    .await;
}

/// The status that the words of a refusal begin with.
fn told_status(words: &str) -> Option<String> {
    let status = words.strip_prefix("HTTP status ")?.get(..3)?;
    Some(format!("HTTP status {status}"))
}

#[tokio::test]
async fn a_proxy_that_cannot_be_used_or_reached_or_hangs_is_named() {
    bounded(async {
        for proxy in
            ["socks5://ada:SECRET@h:1", "ws://ada:SECRET@h:1", "ada:SECRET@h:1", "http://ada:SECRET%0a@h"]
        {
            let error = Client::connect("ws://127.0.0.1:1").proxy(proxy).await.unwrap_err();
            assert!(
                matches!(&error, ConnectError::Setting { setting, .. } if setting.starts_with("proxy ")),
                "{error}"
            );
            keeps_secrets(&error);
        }
        for proxy in ["https://h:1", "socks5://h:1", "ws://h:1", "h:1"] {
            let error = Client::connect("ws://127.0.0.1:1").proxy(proxy).await.unwrap_err();
            assert!(error.to_string().contains("of the form http://host:port"), "{error}");
        }

        let (gate, gateway) = listen().await;
        drop(gate);
        let connect = Client::connect("ws://browser.invalid").proxy(format!("http://{gateway}"));
        let error = connect.await.unwrap_err();
        assert!(
            matches!(&error, ConnectError::Proxy { problem, .. } if problem.contains("can't connect")),
            "{error}"
        );

        let (gate, gateway) = listen().await;
        let server = async {
            let mut socket = accept(&gate).await;
            read_head(&mut socket).await;
            tokio::time::pause();
            assert_eq!(socket.read(&mut [0]).await.unwrap_or(0), 0);
            tokio::time::resume();
        };
        let connect = Client::connect("ws://browser.invalid").proxy(format!("http://{gateway}"));
        let error = failed(connect, server).await;
        let ConnectError::TimedOut { address, step, .. } = &error else { panic!("{error}") };
        assert_eq!((address, *step), (&gateway.to_string(), ConnectStep::Tunnel));
        assert!(error.to_string().contains("within 30 s, while it was asked for a tunnel"), "{error}");
    })
    .await;
}
