//! Just enough of the protocol to ask a browser something over its pipe.

use std::io;

use engine::process::BrowserProcess;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;

/// Our ends of a debugging pipe.
pub(crate) struct Wire {
    reads: pipe::Receiver,
    writes: pipe::Sender,
}

impl Wire {
    pub(crate) fn of(process: &BrowserProcess) -> Wire {
        let (reads, writes) = process.take_pipe().expect("the pipe is there once");
        Wire {
            reads: pipe::Receiver::from_owned_fd(reads).unwrap(),
            writes: pipe::Sender::from_owned_fd(writes).unwrap(),
        }
    }

    /// Calls a method and returns the whole reply.
    pub(crate) async fn call(&mut self, method: &str) -> io::Result<String> {
        self.call_with(method, "{}").await
    }

    /// Calls a method with parameters in JSON and returns the whole reply, the next record that has this id.
    pub(crate) async fn call_with(&mut self, method: &str, params: &str) -> io::Result<String> {
        let message = format!("{{\"id\":1,\"method\":\"{method}\",\"params\":{params}}}\0");
        self.writes.write_all(message.as_bytes()).await?;
        loop {
            let mut record = Vec::new();
            loop {
                match self.reads.read_u8().await? {
                    0 => break,
                    byte => record.push(byte),
                }
            }
            let record = String::from_utf8_lossy(&record).into_owned();
            if record.starts_with("{\"id\":1,") {
                return Ok(record);
            }
        }
    }
}

/// Waits until the browser answers, and returns the wire.
pub(crate) async fn ready(process: &BrowserProcess) -> Wire {
    let mut wire = Wire::of(process);
    let version = process.until_ready(wire.call("Browser.getVersion")).await.unwrap();
    assert!(version.contains("Chrom"), "{version}");
    wire
}
