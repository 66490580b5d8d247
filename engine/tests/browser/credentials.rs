//! Servers and proxies that ask for a password, and who is told it.

use std::sync::{Arc, Mutex, PoisonError};

use engine::{ErrorKind, Page};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::harness::{Env, Outcome, tests};

tests![
    a_server_that_asks_is_told_and_no_other,
    a_wrong_password_is_told_once_and_the_page_gets_the_refusal,
    a_proxy_that_asks_is_told,
    a_password_is_never_shown,
];

/// `ada:secret` in base64.
const RIGHT: &str = "Basic YWRhOnNlY3JldA==";

/// A server that asks for a password by `status`, and tells what it was told.
struct Asking {
    port: u16,
    /// What each request had for a password.
    told: Arc<Mutex<Vec<Option<String>>>>,
    task: JoinHandle<()>,
}

impl Asking {
    async fn start(env: &Env, status: u16) -> Result<Asking, Box<dyn std::error::Error + Send + Sync>> {
        let told = Arc::<Mutex<Vec<Option<String>>>>::default();
        let (asks, answers) = match status {
            407 => ("Proxy-Authenticate", "proxy-authorization: "),
            _ => ("WWW-Authenticate", "authorization: "),
        };
        let log = told.clone();
        let serving = env.servers.spawn(async move {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            let port = listener.local_addr()?.port();
            let task = tokio::spawn(async move {
                while let Ok((mut socket, _)) = listener.accept().await {
                    let log = log.clone();
                    // Each by itself: the browser opens connections ahead of need.
                    tokio::spawn(async move {
                        let mut request = vec![0; 8192];
                        let read = socket.read(&mut request).await.unwrap_or(0);
                        let request = String::from_utf8_lossy(&request[..read]).into_owned();
                        if request.is_empty() || request.contains("favicon") {
                            return;
                        }
                        let given = request.lines().find_map(|line| {
                            let (name, value) = line.split_at_checked(answers.len())?;
                            name.eq_ignore_ascii_case(answers).then(|| value.to_owned())
                        });
                        log.lock().unwrap_or_else(PoisonError::into_inner).push(given.clone());
                        let (status, ask, body) = match given.as_deref() {
                            Some(RIGHT) => (200, String::new(), "welcome"),
                            _ => (status, format!("{asks}: Basic realm=\"the shop\"\r\n"), "who are you"),
                        };
                        let answer = format!(
                            "HTTP/1.1 {status} It\r\n{ask}content-type: text/html\r\ncontent-length: {}\r\n\
                            connection: close\r\n\r\n{body}",
                            body.len()
                        );
                        // The browser may have gone: there is nobody left to tell.
                        let _ = socket.write_all(answer.as_bytes()).await;
                    });
                }
            });
            std::io::Result::Ok((port, task))
        });
        let (port, task) = serving.await??;
        Ok(Asking { port, told, task })
    }

    fn told(&self) -> Vec<Option<String>> {
        std::mem::take(&mut *self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn origin(&self, host: &str) -> String {
        format!("http://{host}:{}", self.port)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn text(page: &Page) -> engine::Result<String> {
    page.evaluate("document.body.textContent").await
}

async fn a_server_that_asks_is_told_and_no_other(env: &Env) -> Outcome {
    let server = Asking::start(env, 401).await?;
    let here = server.origin("127.0.0.1");
    let context = env.browser.new_context().http_credentials(&here, "ada", "secret").await?;
    let page = context.new_page().await?;
    let answer = page.goto(format!("{here}/a")).await?.ok_or("a server answered")?;
    assert_eq!((answer.status, text(&page).await?), (200, "welcome".to_owned()));
    assert_eq!(server.told(), [None, Some(RIGHT.to_owned())]);
    // Chromium lets no server ask for a password in a page of another site.
    env.site.page("/", &format!("<iframe src={here}/b></iframe>"));
    page.goto(env.site.other_url("/")).await?;
    let shown = page.frame_locator("iframe").locator("body").inner_text().await?;
    assert_eq!((&*shown, server.told()), ("who are you", vec![None]));
    let answer = page.goto(format!("{}/c", server.origin("localhost"))).await?.ok_or("a server answered")?;
    assert_eq!((answer.status, text(&page).await?), (401, "who are you".to_owned()));
    assert_eq!(server.told(), [None], "another origin");
    let error = env.page.goto(format!("{here}/d")).await.expect_err("another context");
    assert!(error.to_string().contains("see NewContext::http_credentials"), "{error}");
    assert_eq!(server.told(), [None]);
    context.close().await?;
    Ok(())
}

async fn a_wrong_password_is_told_once_and_the_page_gets_the_refusal(env: &Env) -> Outcome {
    let server = Asking::start(env, 401).await?;
    let here = server.origin("127.0.0.1");
    let context = env.browser.new_context().http_credentials(&here, "ada", "forgotten").await?;
    let page = context.new_page().await?;
    let answer = page.goto(&here).await?.ok_or("a server answered")?;
    assert_eq!((answer.status, text(&page).await?), (401, "who are you".to_owned()));
    assert_eq!(server.told().len(), 2);
    context.close().await?;
    Ok(())
}

async fn a_proxy_that_asks_is_told(env: &Env) -> Outcome {
    let proxy = Asking::start(env, 407).await?;
    let context = env
        .browser
        .new_context()
        .proxy(proxy.origin("127.0.0.1"))
        .proxy_credentials("ada", "secret")
        .http_credentials("http://shop.test", "eve", "wrong")
        .await?;
    let page = context.new_page().await?;
    page.goto("http://shop.test/").await?;
    assert_eq!(text(&page).await?, "welcome");
    context.close().await?;
    Ok(())
}

async fn a_password_is_never_shown(env: &Env) -> Outcome {
    let context = env.browser.new_context().http_credentials("shop.test/a", "ada", "secret");
    let error = context.await.expect_err("it is no origin");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("shop.test/a") && !error.to_string().contains("secret"), "{error}");
    Ok(())
}
