//! A stream while it is made, and the two halves that a carrier consists of. The reading half belongs to the driver's task; the
//! writing half is shared, so that a caller's own task can write without a task switch.

use std::io;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
#[cfg(unix)]
use tokio::net::unix::pipe;

/// The half that the driver reads from.
pub(crate) type ReadHalf = Box<dyn AsyncRead + Send + Unpin>;

/// The half that is written to. Dropping it tells the peer that nothing follows.
pub(crate) trait WriteHalf: Send + Sync {
    /// Writes what fits at once; [`io::ErrorKind::WouldBlock`] when that is nothing. After that the next try must begin with the
    /// same bytes, since some of them may wait in another form. The bytes that are counted have left, or may have; of the others
    /// the peer can't have read the last one.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Whether writing is worth a try. Only the driver asks; one waker is kept.
    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;
}

/// A stream to the peer before it is a carrier.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Makes a carrier of it.
    fn into_halves(self: Box<Self>) -> (ReadHalf, Box<dyn WriteHalf>);
}

impl Stream for TcpStream {
    fn into_halves(self: Box<Self>) -> (ReadHalf, Box<dyn WriteHalf>) {
        let (reads, writes) = self.into_split();
        (Box::new(reads), Box::new(writes))
    }
}

impl WriteHalf for OwnedWriteHalf {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        OwnedWriteHalf::try_write(self, bytes)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.as_ref().poll_write_ready(cx)
    }
}

#[cfg(unix)]
impl WriteHalf for pipe::Sender {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        pipe::Sender::try_write(self, bytes)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(cx)
    }
}
