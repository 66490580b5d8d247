//! The carrier of `--remote-debugging-pipe`: NUL-terminated messages over two pipes. Starting the browser with them is not done
//! here.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::net::unix::pipe;
use tokio::runtime::Handle;

use super::driver;
use super::outgoing::Outgoing;
use super::shared::Shared;
use crate::settings::Settings;
use crate::wire::{Decoder, Encoder};

/// Drives a connection over two pipe ends.
pub(crate) fn from_pipe(reads: OwnedFd, writes: OwnedFd, settings: Settings) -> io::Result<Arc<Shared>> {
    Handle::try_current().map_err(io::Error::other)?;
    let named = |name, direction| {
        move |error: io::Error| {
            let problem = format!("`{name}` must be the end of a pipe that can be {direction}: {error}");
            io::Error::new(error.kind(), problem)
        }
    };
    let reads = pipe::Receiver::from_owned_fd(reads).map_err(named("reads", "read"))?;
    let writes = pipe::Sender::from_owned_fd(writes).map_err(named("writes", "written to"))?;
    let outgoing = Outgoing::new(Encoder::Pipe, Box::new(writes));
    let decoder = Decoder::pipe(settings.limits.clone());
    Ok(driver::start(Box::new(reads), decoder, BytesMut::new(), outgoing, settings))
}
