//! A websocket server that sends prepared events as fast as a client takes them, then the answer. It knows one command:
//! `Mock.blast` with `kind` (`small`, `event`, `big`, `attached`), `count`, and the `sessions` over which events are spread.

use std::error::Error;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};
use tungstenite::Message;

use super::messages::{self, Random};

/// Small events that are prepared, and sent over and over: enough for each of ten thousand sessions to have some.
const SMALL_EVENTS: usize = 1 << 16;
const REQUESTS: usize = 256;

/// Serves on 127.0.0.1 until the process ends; gives the endpoint.
pub fn start() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let endpoint = format!("ws://{}/mock", listener.local_addr()?);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // A client that ends in the middle is none of the server's business.
            thread::spawn(move || serve(socket));
        }
    });
    Ok(endpoint)
}

fn serve(socket: TcpStream) -> Result<(), Box<dyn Error + Send + Sync>> {
    socket.set_nodelay(true)?;
    let mut websocket = tungstenite::accept(socket)?;
    loop {
        let Message::Text(command) = websocket.read()? else { continue };
        let command: Value = serde_json::from_str(&command)?;
        let params = &command["params"];
        let [count, sessions] = ["count", "sessions"].map(|key| params[key].as_u64().unwrap_or(0) as usize);
        let prepared = Prepared::new(params["kind"].as_str().unwrap_or_default(), count, sessions);
        let before = thread_cpu();
        prepared.send(websocket.get_mut(), count)?;
        let result = json!({ "server_cpu_s": thread_cpu() - before });
        // The id comes first, as Chromium writes it.
        let answer = format!("{{\"id\":{},\"result\":{result}}}", command["id"]);
        websocket.send(Message::text(answer))?;
    }
}

/// Ws frames, back to back.
struct Prepared {
    bytes: Vec<u8>,
    /// Where each begins, and where the last ends.
    cuts: Vec<usize>,
}

impl Prepared {
    fn new(kind: &str, count: usize, sessions: usize) -> Prepared {
        let mut random = Random::new();
        let mut prepared = Prepared { bytes: Vec::new(), cuts: vec![0] };
        let mut add = |message: String| {
            frame(message.as_bytes(), &mut prepared.bytes);
            prepared.cuts.push(prepared.bytes.len());
        };
        let one = messages::session(0);
        match kind {
            "small" => (0..SMALL_EVENTS.min(count))
                .for_each(|number| add(messages::small(number, &messages::session(random.below(sessions))))),
            "event" => (0..REQUESTS.min(count)).for_each(|number| add(messages::request(number, &one))),
            "big" => add(messages::picture(&one)),
            "attached" => (0..sessions).for_each(|index| add(messages::attached(index))),
            _ => {}
        }
        prepared
    }

    fn send(&self, socket: &mut TcpStream, mut count: usize) -> io::Result<()> {
        let all = self.cuts.len() - 1;
        while count > 0 && all > 0 {
            let part = count.min(all);
            socket.write_all(&self.bytes[..self.cuts[part]])?;
            count -= part;
        }
        Ok(())
    }
}

fn frame(payload: &[u8], out: &mut Vec<u8>) {
    out.push(0x81);
    match payload.len() {
        length @ ..126 => out.push(length as u8),
        length @ ..65536 => {
            out.push(126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
}

/// User and system seconds of this thread.
fn thread_cpu() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("the system tells what a thread used");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}
