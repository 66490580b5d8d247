//! Encrypted endpoints: against tungstenite over rustls's own server side, with authorities that each test makes.

use std::sync::Arc;

use cdp_protocol::{CallError, Client, CloseReason, Connect, ConnectError, ConnectStep, Sent};
use futures_util::{SinkExt, StreamExt};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};
use tokio_tungstenite::{WebSocketStream, accept_async};

use crate::servers::{
    accept, failed, keeps_secrets, listen, name_websocket, next_call, read_head, reply, speak, switch,
};
use crate::{bounded, proxies, raw};

/// An authority, and a server's certificate from it for `localhost`.
struct World {
    authority: CertifiedIssuer<'static, KeyPair>,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// A certificate and its key from an authority.
fn issue(authority: &CertifiedIssuer<'static, KeyPair>, name: &str) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    (params.signed_by(&key, authority).unwrap(), key)
}

impl World {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        // Authorities of one name would be taken for one another.
        let key = KeyPair::generate().unwrap();
        params.distinguished_name.push(DnType::CommonName, format!("{:x?}", key.public_key_raw()));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, key).unwrap();
        let (certificate, key) = issue(&authority, "localhost");
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        Self { authority, chain: vec![certificate.der().clone()], key }
    }

    fn acceptor(&self, versions: &[&'static SupportedProtocolVersion]) -> TlsAcceptor {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    /// One that wants a certificate of this authority from its clients.
    fn suspicious_acceptor(&self, version: &'static SupportedProtocolVersion) -> TlsAcceptor {
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.der().clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone());
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }

    fn connect(&self, endpoint: impl Into<String>) -> Connect {
        Client::connect(endpoint).ca_certificates(self.authority.pem())
    }

    /// A connection, and tungstenite at its other end.
    async fn websocket(
        &self,
        version: &'static SupportedProtocolVersion,
    ) -> (Client, WebSocketStream<TlsStream<TcpStream>>) {
        let (listener, address) = listen().await;
        let acceptor = self.acceptor(&[version]);
        let server =
            async { accept_async(acceptor.accept(accept(&listener).await).await.unwrap()).await.unwrap() };
        let connect = self.connect(format!("wss://localhost:{}/d/1", address.port()));
        let (client, server) = tokio::join!(connect.into_future(), server);
        (client.unwrap(), server)
    }
}

async fn tls_accept(listener: &TcpListener, acceptor: &TlsAcceptor) -> TlsStream<TcpStream> {
    acceptor.accept(accept(listener).await).await.unwrap()
}

/// The handshake failed, and the error says why in these words.
fn is_of_tls(error: &ConnectError, words: &str) {
    assert!(matches!(error, ConnectError::Tls { .. }) && error.to_string().contains(words), "{error}");
    keeps_secrets(error);
}

#[tokio::test]
async fn calls_of_every_size_cross_tls_both_ways_in_both_versions() {
    bounded(async {
        let world = World::new();
        for version in [&TLS12, &TLS13] {
            let (client, mut server) = world.websocket(version).await;
            let session = client.browser();
            // Around the size of a record, and far more than a socket takes at once.
            let sizes = [0, 125, 16_300, 16_384, 16_400, 65_536, 9_000_000];
            let params: Vec<_> =
                sizes.iter().map(|size| raw(&json!({"text": "x".repeat(*size)}).to_string())).collect();
            // All are queued at once, and answered while others are still on their way.
            let calls: Vec<_> = params.iter().map(|params| session.call_raw("Test.echo", params)).collect();
            let server = async {
                for size in sizes {
                    let call = next_call(&mut server).await;
                    assert_eq!(call["params"]["text"].as_str().unwrap().len(), size);
                    server.send(reply(&call, call["params"].clone())).await.unwrap();
                }
            };
            let caller = async {
                for (call, params) in calls.into_iter().zip(&params) {
                    assert_eq!(call.await.unwrap().get(), params.get());
                }
            };
            tokio::join!(server, caller);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_and_reader_share_one_tls_state_across_threads() {
    bounded(async {
        let (client, mut server) = World::new().websocket(&TLS13).await;
        let server = tokio::spawn(async move {
            for _ in 0..400 {
                let call = next_call(&mut server).await;
                server.send(reply(&call, call["params"].clone())).await.unwrap();
            }
        });
        let callers = (0..4).map(|caller| {
            let client = client.clone();
            tokio::spawn(async move {
                for n in 0..100 {
                    let params =
                        raw(&json!({"n": n, "text": "y".repeat(n * 700 * (caller % 2))}).to_string());
                    let answer = client.browser().call_raw("Test.echo", &params).await.unwrap();
                    assert_eq!(answer.get(), params.get());
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
        server.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn over_tls_masks_are_zero_and_what_comes_behind_the_upgrade_is_kept() {
    bounded(async {
        let world = World::new();
        let (listener, address) = listen().await;
        let acceptor = world.acceptor(&[&TLS13]);
        let server = async {
            let mut socket = tls_accept(&listener, &acceptor).await;
            let head = read_head(&mut socket).await;
            assert!(head.contains(&format!("\r\nHost: localhost:{}\r\n", address.port())), "{head}");
            let mut answer = format!("{}\r\n", crate::servers::switching(&head)).into_bytes();
            answer.extend(b"\x81\x04null\x81\x1c{\"method\":\"A.b\"");
            socket.write_all(&answer).await.unwrap();
            socket
        };
        let connect = world.connect(format!("wss://localhost:{}/", address.port()));
        let (client, mut socket) = tokio::join!(connect.into_future(), server);
        let client = client.unwrap();
        let mut events = client.browser().events_raw(None);
        socket.write_all(b",\"params\":{}}").await.unwrap();
        assert_eq!(events.next().await.unwrap().unwrap().method(), "A.b");
        assert_eq!(client.stats().ignored_messages, 1);
        client.close();
        let mut frame = [0; 6];
        socket.read_exact(&mut frame).await.unwrap();
        assert_eq!(frame, [0x88, 0x82, 0, 0, 0, 0]);
    })
    .await;
}

#[tokio::test]
async fn discovery_over_tls_keeps_name_security_and_token() {
    bounded(async {
        let world = World::new();
        let (listener, address) = listen().await;
        let acceptor = world.acceptor(&[&TLS13]);
        let server = async {
            let mut socket = tls_accept(&listener, &acceptor).await;
            // The browser behind the gateway knows neither its name nor of TLS.
            let first = name_websocket(&mut socket, "ws://10.0.0.1:9222/d/1").await;
            let second = switch(&mut tls_accept(&listener, &acceptor).await).await;
            assert!(first.starts_with("GET /json/version?token=a HTTP/1.1\r\n"), "{first}");
            assert!(second.starts_with("GET /d/1?token=a HTTP/1.1\r\n"), "{second}");
            for head in [first, second] {
                assert!(head.contains(&format!("\r\nHost: localhost:{}\r\n", address.port())), "{head}");
                assert!(head.contains("\r\nX-Key: b\r\n"), "{head}");
            }
        };
        let connect =
            world.connect(format!("https://localhost:{}/?token=a", address.port())).header("X-Key", "b");
        let (client, ()) = tokio::join!(connect.into_future(), server);
        client.unwrap();
    })
    .await;
}

#[tokio::test]
async fn both_forms_of_an_end_end_the_connection() {
    bounded(async {
        let world = World::new();
        for (version, in_order) in [(&TLS12, true), (&TLS13, true), (&TLS12, false), (&TLS13, false)] {
            let (client, mut server) = world.websocket(version).await;
            let answer = client.browser().call_raw("Test.echo", &raw("{}"));
            next_call(&mut server).await;
            if in_order {
                // TLS says that nothing follows.
                server.get_mut().shutdown().await.unwrap();
            } else {
                server.get_mut().get_mut().0.shutdown().await.unwrap();
            }
            let Err(CallError::Closed { reason, sent, .. }) = answer.await else { panic!("not closed") };
            assert_eq!((&reason, sent), (&CloseReason::HungUp { mid_message: false }, Sent::Unknown));
            client.closed().await;
        }
    })
    .await;
}

#[tokio::test]
async fn closing_says_so_by_websocket_and_by_tls() {
    bounded(async {
        let (client, mut server) = World::new().websocket(&TLS13).await;
        client.close();
        assert!(server.next().await.unwrap().unwrap().is_close());
        assert!(server.next().await.is_none());
        // Without TLS's own word this would be an error.
        assert_eq!(server.get_mut().read(&mut [0]).await.unwrap(), 0);
        assert_eq!(client.closed().await, CloseReason::Requested);
    })
    .await;
}

#[tokio::test]
async fn calls_that_the_browser_read_are_never_told_as_not_sent_and_those_that_cannot_have_left_are() {
    bounded(async {
        let (client, mut server) = World::new().websocket(&TLS13).await;
        let session = client.browser();
        // Several in each record, and together more than sockets take.
        let params = raw(&json!({"text": "x".repeat(5_000)}).to_string());
        let calls: Vec<_> = (0..8_000).map(|_| session.call_raw("Test.one", &params)).collect();
        let mut read = 0;
        while read < 1_000 {
            next_call(&mut server).await;
            read += 1;
        }
        drop(server);
        let mut sent = Vec::new();
        for call in calls {
            let Err(CallError::Closed { sent: one, .. }) = call.await else { panic!("not closed") };
            sent.push(one);
        }
        assert!(sent[..read].iter().all(|one| *one == Sent::Unknown));
        assert_eq!(sent.last(), Some(&Sent::No));
        assert!(sent.is_sorted_by_key(|one| *one == Sent::No));
        client.closed().await;
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_or_for_another_name_is_told() {
    bounded(async {
        let (world, other) = (World::new(), World::new());
        let (local, by_address) = ("wss://localhost:PORT/?SECRET", "https://ada:SECRET@127.0.0.1:PORT/");
        let cases = [
            (
                &other,
                local,
                "no authority of this system, nor one of those given by `Connect::ca_certificates`",
            ),
            (&world, by_address, "for another name"),
            (&other, by_address, "not trusted"),
        ];
        for (trusted, endpoint, words) in cases {
            let (listener, address) = listen().await;
            let endpoint = endpoint.replace("PORT", &address.port().to_string());
            let acceptor = world.acceptor(&[&TLS13]);
            let server = async {
                assert!(acceptor.accept(accept(&listener).await).await.is_err());
            };
            let error = failed(trusted.connect(endpoint), server).await;
            is_of_tls(&error, words);
        }
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_says_it_is_an_authority_is_told_with_the_remedy() {
    bounded(async {
        let own = World::new();
        let chain = vec![own.authority.der().clone()];
        let key = PrivateKeyDer::try_from(own.authority.key().serialize_der()).unwrap();
        let world = World { chain, key, ..own };
        let (listener, address) = listen().await;
        let acceptor = world.acceptor(&[&TLS13]);
        let server = async {
            assert!(acceptor.accept(accept(&listener).await).await.is_err());
        };
        let error = failed(world.connect(format!("wss://localhost:{}/", address.port())), server).await;
        is_of_tls(&error, "an authority's own (CA:TRUE), which");
        is_of_tls(&error, "named by `Connect::ca_certificates`");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_gets_the_one_that_was_given() {
    bounded(async {
        let world = World::new();
        let (certificate, key) = issue(&world.authority, "ada");
        for version in [&TLS12, &TLS13] {
            let acceptor = world.suspicious_acceptor(version);
            let (listener, address) = listen().await;
            let endpoint = format!("wss://localhost:{}/", address.port());

            let connect = world.connect(&endpoint).client_certificate(certificate.pem(), key.serialize_pem());
            let server = async { accept_async(tls_accept(&listener, &acceptor).await).await.unwrap() };
            let (client, mut server) = tokio::join!(connect.into_future(), server);
            speak(&client.unwrap(), &mut server).await;
            assert!(server.get_ref().get_ref().1.peer_certificates().is_some());

            let server = async {
                assert!(acceptor.accept(accept(&listener).await).await.is_err());
            };
            let error = failed(world.connect(&endpoint), server).await;
            is_of_tls(&error, "Connect::client_certificate");
        }
    })
    .await;
}

#[tokio::test]
async fn a_foreign_host_that_a_browser_names_sees_no_certificate_of_the_client() {
    bounded(async {
        let world = World::new();
        let (certificate, key) = issue(&world.authority, "ada");
        let ((listener, address), (foreign, elsewhere)) = (listen().await, listen().await);
        let acceptor = world.suspicious_acceptor(&TLS13);
        let server = async {
            let mut socket = tls_accept(&listener, &acceptor).await;
            name_websocket(&mut socket, &format!("wss://localhost:{}/d/1", elsewhere.port())).await;
            assert!(acceptor.accept(accept(&foreign).await).await.is_err());
        };
        let connect = world
            .connect(format!("https://localhost:{}", address.port()))
            .client_certificate(certificate.pem(), key.serialize_pem());
        let error = failed(connect, server).await;
        is_of_tls(&error, "Connect::client_certificate");
    })
    .await;
}

#[tokio::test]
async fn pem_that_cannot_be_used_names_cause_and_remedy() {
    bounded(async {
        // Nothing is said to the server, so none is needed but a socket.
        let (_listener, address) = listen().await;
        let world = World::new();
        let (certificate, key) = issue(&world.authority, "ada");
        let other = KeyPair::generate().unwrap();
        let (chain, key) = (certificate.pem(), key.serialize_pem());
        let cut = chain[..chain.len() - 40].to_owned();
        let broken = "-----BEGIN CERTIFICATE-----\nU0VDUkVU\n-----END CERTIFICATE-----\n";
        let odd = "-----BEGIN PRIVATE KEY-----\nSECRET!?\n-----END PRIVATE KEY-----\n";
        let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nSECRET==\n-----END ENCRYPTED PRIVATE KEY-----\n";
        let connect = || world.connect(format!("wss://{address}/"));
        let cases = [
            (connect().ca_certificates("/etc/SECRET.pem"), "the text of the file, not its path"),
            (connect().ca_certificates(cut), "it is cut"),
            (connect().ca_certificates(broken), "one of them is broken"),
            (connect().client_certificate("", key.as_str()), "no certificate in it"),
            (connect().client_certificate(chain.as_str(), chain.as_str()), "no private key"),
            (
                connect().client_certificate(chain.as_str(), "/etc/SECRET.key"),
                "the text of the file, not its path",
            ),
            (connect().client_certificate(chain.as_str(), odd), "not base64"),
            (connect().client_certificate(chain.as_str(), locked), "encrypted; decrypt it first"),
            (
                connect().client_certificate(chain, other.serialize_pem()),
                "its key is not that of the first certificate",
            ),
        ];
        for (connect, words) in cases {
            assert_eq!(format!("{connect:?}"), "Connect { .. }");
            let error = connect.await.unwrap_err();
            assert!(matches!(&error, ConnectError::Setting { .. }), "{error}");
            assert!(error.to_string().contains(words), "{error}");
            keeps_secrets(&error);
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_without_tls_and_one_that_hangs_are_told_apart() {
    bounded(async {
        let world = World::new();
        for (answer, words) in [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", "if it has none, its URL begins with ws://"),
            ("", "hung up during"),
        ] {
            let (listener, address) = listen().await;
            let server = async {
                let mut socket = accept(&listener).await;
                socket.read_u8().await.unwrap();
                socket.write_all(answer.as_bytes()).await.unwrap();
                socket.shutdown().await.unwrap();
                // All is read, or the answer could be lost to a reset.
                let _ = socket.read_to_end(&mut Vec::new()).await;
            };
            let error = failed(world.connect(format!("wss://{address}/")), server).await;
            is_of_tls(&error, words);
        }

        let (listener, address) = listen().await;
        let server = async {
            let mut start =
                LazyConfigAcceptor::new(Default::default(), accept(&listener).await).await.unwrap();
            tokio::time::pause();
            // Ends when the other side has given up.
            assert_eq!(start.io.read(&mut [0]).await.unwrap_or(0), 0);
            tokio::time::resume();
        };
        let error = failed(world.connect(format!("wss://localhost:{}/", address.port())), server).await;
        assert!(matches!(&error, ConnectError::TimedOut { step: ConnectStep::Encrypt, .. }), "{error}");
        assert!(error.to_string().contains("within 30 s, during the TLS handshake"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_refusal_and_words_in_pieces_of_one_byte_come_through_tls() {
    bounded(async {
        let world = World::new();
        let (listener, address) = listen().await;
        let acceptor = world.acceptor(&[&TLS13]);
        let server = async {
            let mut socket = tls_accept(&listener, &acceptor).await;
            read_head(&mut socket).await;
            for byte in b"HTTP/1.1 401 No\r\nContent-Length: 9\r\n\r\nsay\nwhy\n\n" {
                socket.write_all(&[*byte]).await.unwrap();
                socket.flush().await.unwrap();
            }
            let _ = socket.read_to_end(&mut Vec::new()).await;
        };
        let error = failed(world.connect(format!("wss://localhost:{}/", address.port())), server).await;
        assert!(
            error
                .to_string()
                .ends_with("refused during the websocket handshake: HTTP status 401 Unauthorized: say"),
            "{error}"
        );
    })
    .await;
}

#[tokio::test]
async fn tls_crosses_a_proxy_and_is_for_the_endpoint() {
    bounded(async {
        let world = World::new();
        let ((listener, address), (gate, gateway)) = (listen().await, listen().await);
        let acceptor = world.acceptor(&[&TLS13]);
        let connect = world.connect("wss://localhost/d/1").proxy(format!("http://{gateway}"));
        let work = async {
            let server = async { accept_async(tls_accept(&listener, &acceptor).await).await.unwrap() };
            let (client, mut server) = tokio::join!(connect.into_future(), server);
            speak(&client.unwrap(), &mut server).await;
        };
        let ((), head) = tokio::join!(work, proxies::relay(&gate, address));
        assert!(head.starts_with("CONNECT localhost:443 HTTP/1.1\r\n"), "{head}");
    })
    .await;
}
