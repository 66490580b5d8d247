//! A small web site on 127.0.0.1 that has what a busy page asks for: files, answers of each kind, streams and a websocket.
//! Under the name localhost it is another site to a browser.

use std::io;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running site; dropping it stops it.
pub(crate) struct Site {
    pub(crate) port: u16,
    server: JoinHandle<()>,
}

impl Site {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A browser that has gone is nobody to tell; the tests see what is missing.
                tokio::spawn(async move { serve(stream).await.ok() });
            }
        });
        Self { port, server }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// One request a connection.
async fn serve(stream: TcpStream) -> io::Result<()> {
    let mut start = [0; 11];
    while stream.peek(&mut start).await? < start.len() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    if &start == b"GET /socket" {
        return echo(stream).await.map_err(io::Error::other);
    }
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    tokio::io::copy(&mut (&mut reader).take(length.unwrap_or(0)), &mut tokio::io::sink()).await?;
    let path = head.split([' ', '?']).nth(1).unwrap_or_default();
    answer(reader.into_inner(), path, head.contains("uthorization: ")).await
}

async fn answer(mut stream: TcpStream, path: &str, has_password: bool) -> io::Result<()> {
    let (status, headers, body): (&str, &str, &[u8]) = match path {
        "/stream" => return events(stream).await,
        "/slow" => return pieces(stream).await,
        "/cut" => {
            return stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nonly this").await;
        }
        "/away" => ("302 Found", "location: /data\r\nset-cookie: on-the-way=1", b""),
        "/auth" if !has_password => ("401 Unauthorized", "www-authenticate: Basic realm=\"a\"", b"who?"),
        "/download" => {
            ("200 OK", "content-type: text/csv\r\ncontent-disposition: attachment; filename=a.csv", b"a,b\n")
        }
        "/cached" => ("200 OK", "content-type: text/plain\r\ncache-control: max-age=600", b"kept"),
        "/data" | "/auth" | "/prefetched" => (
            "200 OK",
            "content-type: application/json\r\nset-cookie: a=1; max-age=600\r\nset-cookie: b=2; SameSite=None",
            b"{\"some\":\"data\"}",
        ),
        "/tone.wav" => ("200 OK", "content-type: audio/wav", &tone()),
        "/dot.svg" => (
            "200 OK",
            "content-type: image/svg+xml",
            b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><circle cx='4' cy='4' r='4'/></svg>",
        ),
        path => match file(path) {
            Some((kind, text)) => ("200 OK", kind, text.as_bytes()),
            None => ("404 Not Found", "content-type: text/plain", b"not here"),
        },
    };
    let open = "access-control-allow-origin: *\r\nservice-worker-allowed: /\r\ntiming-allow-origin: *";
    let reports = "reporting-endpoints: default=\"/reports\"";
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}\r\n{open}\r\n{reports}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}

fn file(path: &str) -> Option<(&'static str, &'static str)> {
    const HTML: &str = "content-type: text/html; charset=utf-8";
    const SCRIPT: &str = "content-type: text/javascript";
    Some(match path {
        "/" => (HTML, include_str!("pages/index.html")),
        "/frame" => (HTML, include_str!("pages/frame.html")),
        "/busy.js" => (SCRIPT, include_str!("pages/busy.js")),
        "/browser.js" => (SCRIPT, include_str!("pages/browser.js")),
        "/worker.js" => (SCRIPT, include_str!("pages/worker.js")),
        "/service.js" => (SCRIPT, include_str!("pages/service.js")),
        "/style.css" => ("content-type: text/css", include_str!("pages/style.css")),
        "/empty" => (HTML, "<!doctype html><title>empty</title><link rel=icon href=data:,>"),
        "/manifest" => {
            ("content-type: application/manifest+json", r#"{"name":"busy","start_url":"/","icons":[]}"#)
        }
        _ => return None,
    })
}

/// Messages for an EventSource, which ends and so comes back.
async fn events(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 100\n\n").await?;
    for n in 0..20 {
        stream.write_all(format!("event: tick\nid: {n}\ndata: {n}\n\n").as_bytes()).await?;
    }
    stream.shutdown().await
}

/// A body in chunks.
async fn pieces(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await?;
    for _ in 0..5 {
        stream.write_all(b"6\r\npiece \r\n").await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stream.write_all(b"0\r\n\r\n").await
}

/// Sends back what comes, until the other side closes.
async fn echo(stream: TcpStream) -> Result<(), tokio_tungstenite::tungstenite::Error> {
    let mut socket = tokio_tungstenite::accept_async(stream).await?;
    while let Some(message) = socket.next().await {
        let message = message?;
        if message.is_text() || message.is_binary() {
            socket.send(message).await?;
        }
    }
    Ok(())
}

/// A tenth of a second of a square wave: mono, 8 bits, 8 kHz.
fn tone() -> Vec<u8> {
    let samples: Vec<u8> = (0..800).map(|n| if n / 10 % 2 == 0 { 100 } else { 156 }).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + samples.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(8000_u32.to_le_bytes());
    file.extend(8000_u32.to_le_bytes());
    file.extend(b"\x01\0\x08\0data");
    file.extend((samples.len() as u32).to_le_bytes());
    file.extend(samples);
    file
}
