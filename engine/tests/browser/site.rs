//! A small web site for one test: pages and files put up by path, answers that can be held back, and counts of what
//! was asked. It listens on 127.0.0.1 and answers under the name localhost too, which is another site to a browser.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running site; dropping it stops it.
pub(crate) struct Site {
    port: u16,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    inner: Mutex<Inner>,
    asked: watch::Sender<()>,
}

#[derive(Default)]
struct Inner {
    answers: HashMap<String, Answer>,
    hits: HashMap<String, usize>,
    headers: HashMap<String, HeaderMap>,
}

/// What is served under a path.
#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    held: Option<watch::Receiver<bool>>,
    takes: Duration,
}

/// Holds one answer back until it is opened.
pub(crate) struct Gate(watch::Sender<bool>);

impl Gate {
    pub(crate) fn open(&self) {
        self.0.send_replace(true);
    }
}

impl Site {
    /// Starts a site on `servers`, a runtime apart from the engine's: the harness counts the tasks of that one.
    pub(crate) async fn start(servers: &tokio::runtime::Handle) -> std::io::Result<Site> {
        let shared = Arc::<Shared>::default();
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let serving = servers.spawn(async move {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            let port = listener.local_addr()?.port();
            let server = tokio::spawn(async move {
                // Ends with the task only.
                let _ = axum::serve(listener, router).await;
            });
            std::io::Result::Ok((port, server))
        });
        let (port, server) = serving.await.map_err(std::io::Error::other)??;
        Ok(Site { port, shared, server })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same site under a name that makes it another one.
    pub(crate) fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// Puts up an HTML page with this body.
    pub(crate) fn page(&self, path: &str, body: &str) {
        let html = format!(
            "<!doctype html><meta charset=utf-8><title>{path}</title><link rel=icon href=data:,>{body}"
        );
        self.file(path, &[("content-type", "text/html; charset=utf-8")], html);
    }

    /// Puts up bytes with these headers.
    pub(crate) fn file(&self, path: &str, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) {
        self.put(path, StatusCode::OK, headers, body.into(), None);
    }

    /// Puts up a page that comes with an error's status.
    pub(crate) fn error_page(&self, path: &str, status: u16, body: &str) {
        let status = StatusCode::from_u16(status).expect("a status between 100 and 999");
        self.put(path, status, &[("content-type", "text/html; charset=utf-8")], body.into(), None);
    }

    /// Sends whoever asks for `path` on to `target`.
    pub(crate) fn redirect(&self, path: &str, target: &str) {
        self.put(path, StatusCode::FOUND, &[("location", target)], Vec::new(), None);
    }

    /// Puts up bytes that are not sent before the gate is opened.
    pub(crate) fn held(&self, path: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Gate {
        let (gate, held) = watch::channel(false);
        self.put(path, StatusCode::OK, &[("content-type", content_type)], body.into(), Some(held));
        Gate(gate)
    }

    /// Puts up an empty script, or picture, that takes its time.
    pub(crate) fn slow(&self, path: &str, takes: Duration) {
        self.file(path, &[("content-type", "text/javascript"), ("cache-control", "no-store")], "");
        if let Some(answer) = self.shared.inner().answers.get_mut(path) {
            answer.takes = takes;
        }
    }

    /// How often this path was asked for.
    pub(crate) fn hits(&self, path: &str) -> usize {
        self.shared.inner().hits.get(path).copied().unwrap_or(0)
    }

    /// A header of the last request for this path.
    pub(crate) fn header(&self, path: &str, name: &str) -> Option<String> {
        let inner = self.shared.inner();
        let value = inner.headers.get(path)?.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    }

    /// Waits until this path has been asked for at least `count` times.
    pub(crate) async fn wait_for_hits(&self, path: &str, count: usize) {
        let mut asked = self.shared.asked.subscribe();
        while self.hits(path) < count {
            asked.changed().await.expect("the site outlives the wait");
        }
    }

    fn put(
        &self,
        path: &str,
        status: StatusCode,
        headers: &[(&str, &str)],
        body: Vec<u8>,
        held: Option<watch::Receiver<bool>>,
    ) {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        self.shared
            .inner()
            .answers
            .insert(path.to_owned(), Answer { status, headers, body, held, takes: Duration::ZERO });
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let found = {
        let mut inner = shared.inner();
        *inner.hits.entry(path.clone()).or_default() += 1;
        inner.headers.insert(path.clone(), request.headers().clone());
        inner.answers.get(&path).cloned()
    };
    shared.asked.send_replace(());
    // A cookie of the test's choice shows which context a request came from.
    let seen = request.headers().get(header::COOKIE).cloned();
    let Some(Answer { status, headers, body, held, takes }) = found else {
        let status = if path.starts_with("/count/") { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND };
        return status.into_response();
    };
    if let Some(mut held) = held {
        // Fails when the gate is dropped: the answer goes out, nobody hangs.
        let _ = held.wait_for(|open| *open).await;
    }
    tokio::time::sleep(takes).await;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    for (name, value) in headers {
        let name = HeaderName::try_from(name).expect("a header's name");
        response.headers_mut().append(name, HeaderValue::try_from(value).expect("a header's value"));
    }
    if let Some(seen) = seen {
        response.headers_mut().insert("x-seen-cookie", seen);
    }
    response
}

/// A URL whose answer is a download that ends before the length it announced.
pub(crate) async fn broken_download(servers: &tokio::runtime::Handle) -> std::io::Result<String> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let serving = servers.spawn(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        // One connection is served, and a second one in case the browser opens it ahead of need.
        tokio::spawn(async move {
            for _ in 0..2 {
                let Ok((mut socket, _)) = listener.accept().await else { return };
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    if !matches!(socket.read(&mut request).await, Ok(length) if length > 0) {
                        return;
                    }
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n\
                        content-disposition: attachment; filename=\"half.bin\"\r\ncontent-length: 100000\r\n\r\n";
                    // The browser may have gone: there is nobody left to tell.
                    let _ = socket.write_all(head.as_bytes()).await;
                    let _ = socket.write_all(&[7; 5000]).await;
                    let _ = socket.shutdown().await;
                });
            }
        });
        std::io::Result::Ok(port)
    });
    let port = serving.await.map_err(std::io::Error::other)??;
    Ok(format!("http://127.0.0.1:{port}/half"))
}
