//! Servers whose certificate nobody trusts.

use std::sync::Arc;

use engine::ErrorKind;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::harness::{Env, Outcome, tests};

tests![
    a_certificate_that_nobody_trusts_is_told,
    certificates_are_not_looked_at_in_a_context_that_was_made_so,
];

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A server with a certificate that it gave itself, which ends with the test's runtime of servers; its port.
async fn serve(env: &Env) -> Result<u16, Failure> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivateKeyDer::try_from(signing_key.serialize_der())?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let serving = env.servers.spawn(async move {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A browser that does not trust it hangs up here.
                    let Ok(mut socket) = acceptor.accept(socket).await else { return };
                    let mut request = vec![0; 8192];
                    // Nobody is left to tell when one of these fails.
                    let _ = socket.read(&mut request).await;
                    let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\
                        connection: close\r\n\r\nsecret";
                    let _ = socket.write_all(answer.as_bytes()).await;
                    let _ = socket.shutdown().await;
                });
            }
        });
        std::io::Result::Ok(port)
    });
    Ok(serving.await??)
}

async fn a_certificate_that_nobody_trusts_is_told(env: &Env) -> Outcome {
    let url = format!("https://localhost:{}/", serve(env).await?);
    let error = env.page.goto(&url).await.expect_err("nobody trusts it");
    assert_eq!(error.kind(), ErrorKind::Navigation);
    let text = error.to_string();
    assert!(text.contains("ERR_CERT_AUTHORITY_INVALID") && text.contains("ignore_tls_errors"), "{text}");
    Ok(())
}

async fn certificates_are_not_looked_at_in_a_context_that_was_made_so(env: &Env) -> Outcome {
    let port = serve(env).await?;
    let context = env.browser.new_context().ignore_tls_errors(true).await?;
    let page = context.new_page().await?;
    page.goto(format!("https://localhost:{port}/")).await?;
    assert_eq!(page.locator("body").inner_text().await?, "secret");
    // In a frame of another site, with another name than the certificate's.
    env.site.page("/", &format!("<iframe src=https://127.0.0.1:{port}/></iframe>"));
    page.goto(env.site.other_url("/")).await?;
    assert_eq!(page.frame_locator("iframe").locator("body").inner_text().await?, "secret");
    env.page.goto(format!("https://localhost:{port}/")).await.expect_err("another context");
    context.close().await?;
    Ok(())
}
