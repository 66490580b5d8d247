//! A static file server on 127.0.0.1 for the pages that browsers open. Its files are a part of this program.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

const PAGES: &[(&str, &str)] =
    &[("/blank.html", include_str!("pages/blank.html")), ("/tall.html", include_str!("pages/tall.html"))];

/// Serves until the process ends; gives the address, `http://127.0.0.1:PORT`.
pub fn start() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // A browser that ends in the middle is none of the server's business.
            thread::spawn(move || serve(socket));
        }
    });
    Ok(address)
}

fn serve(mut socket: TcpStream) -> io::Result<()> {
    let mut lines = BufReader::new(socket.try_clone()?).lines();
    while let Some(request) = lines.next().transpose()? {
        for header in &mut lines {
            if header?.is_empty() {
                break;
            }
        }
        let path = request.split_whitespace().nth(1).unwrap_or_default();
        let page = PAGES.iter().find(|(name, _)| *name == path);
        let (status, body) = page.map_or(("404 Not Found", ""), |(_, body)| ("200 OK", *body));
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}"
        );
        socket.write_all(format!("{head}\r\nCache-Control: no-store\r\n\r\n{body}").as_bytes())?;
    }
    Ok(())
}
