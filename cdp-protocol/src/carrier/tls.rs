//! TLS over a TCP stream, by rustls: while the connection is made one stream, then two halves over one state. Knows nothing of
//! certificates.

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::half::{ReadHalf, Stream, WriteHalf};

/// Most that one record of TLS carries (RFC 8446, section 5.1).
const RECORD: usize = 16 * 1024;

/// How much is read from the socket at a time.
const CHUNK: usize = 32 * 1024;

/// An encrypted stream that is not a carrier yet.
pub(super) struct TlsStream {
    tcp: TcpStream,
    session: Session,
}

impl TlsStream {
    /// Shakes hands.
    ///
    /// # Errors
    ///
    /// The socket's, or one that holds rustls's.
    pub(super) async fn start(
        tcp: TcpStream,
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> io::Result<Self> {
        let tls = ClientConnection::new(config, name).map_err(wrapped)?;
        let session = Session { tls, sealed: BytesMut::new(), in_flight: 0, fault: None };
        let mut stream = Self { tcp, session };
        poll_fn(|cx| stream.session.poll_handshake(&stream.tcp, cx)).await?;
        Ok(stream)
    }
}

/// What both halves share, locked for as long as it takes to seal or open what is there.
struct Session {
    tls: ClientConnection,
    /// Received and not opened yet; at most a chunk.
    sealed: BytesMut,
    /// Bytes of the caller in a record that has not left as a whole. They have not been reported as written.
    in_flight: usize,
    /// What broke the session; it is told when all that was opened before has been read.
    fault: Option<rustls::Error>,
}

impl Session {
    fn poll_handshake(&mut self, tcp: &TcpStream, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.poll_flush(tcp, cx))?;
            if !self.tls.is_handshaking() {
                return Poll::Ready(Ok(()));
            }
            if self.sealed.is_empty() && ready!(self.poll_fill(tcp, cx))? == 0 {
                let words = "it hung up during the TLS handshake";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, words)));
            }
            self.open(tcp)?;
            if let Some(fault) = &self.fault {
                return Poll::Ready(Err(wrapped(fault.clone())));
            }
        }
    }

    /// Seals one record at a time and reports its bytes when all of it has left: of a record that has left in part the peer can
    /// read nothing. So the count is exact, and nothing that counts as written waits here.
    fn try_write(&mut self, tcp: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
        self.try_flush(tcp)?;
        if self.in_flight == 0 {
            let record = bytes.get(..RECORD).unwrap_or(bytes);
            self.in_flight = self.tls.writer().write(record)?;
            self.try_flush(tcp)?;
        }
        Ok(std::mem::take(&mut self.in_flight))
    }

    /// Writes what is sealed: records, and what TLS itself has to say.
    fn try_flush(&mut self, tcp: &TcpStream) -> io::Result<()> {
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut Socket(tcp)) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn poll_flush(&mut self, tcp: &TcpStream, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match self.try_flush(tcp) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready!(tcp.poll_write_ready(cx))?,
                done => return Poll::Ready(done),
            }
        }
    }

    fn poll_read(
        &mut self,
        tcp: &TcpStream,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if out.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            let before = out.filled().len();
            let ended = self.take(tcp, out)?;
            // An answer of TLS itself, as to a change of keys. When it can't leave, this task is woken once it can; when the socket
            // is broken, whoever writes next is told.
            let _ = self.poll_flush(tcp, cx);
            if ended || out.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
            if ready!(self.poll_fill(tcp, cx))? == 0 {
                // The end without TLS's own word for it. Messages have lengths of their own, so none can be cut unnoticed.
                self.tls.read_tls(&mut io::empty())?;
            }
        }
    }

    /// Opens what was received and gives out as much as there is room for; says whether the stream is at its end.
    fn take(&mut self, tcp: &TcpStream, out: &mut ReadBuf<'_>) -> io::Result<bool> {
        let before = out.filled().len();
        while out.remaining() > 0 {
            // Not all of the room at once: it would be zeroed anew by each call.
            let room = out.remaining().min(RECORD);
            match self.tls.reader().read(out.initialize_unfilled_to(room)) {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    out.advance(count);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(true),
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => {}
            }
            match &self.fault {
                Some(fault) if out.filled().len() == before => return Err(wrapped(fault.clone())),
                None if !self.sealed.is_empty() => self.open(tcp)?,
                _ => break,
            }
        }
        Ok(false)
    }

    /// Hands rustls a part of what was received; the rest must wait until what it opened has been read.
    fn open(&mut self, tcp: &TcpStream) -> io::Result<()> {
        let count = self.tls.read_tls(&mut &self.sealed[..])?;
        self.sealed.advance(count);
        if count == 0 {
            // The peer said that nothing follows, so what does is nobody's.
            self.sealed.clear();
        }
        if let Err(fault) = self.tls.process_new_packets() {
            self.fault = Some(fault);
            // The peer is told why, if that can leave.
            let _ = self.try_flush(tcp);
        }
        Ok(())
    }

    fn poll_fill(&mut self, tcp: &TcpStream, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.sealed.reserve(CHUNK);
        loop {
            ready!(tcp.poll_read_ready(cx))?;
            match tcp.try_read_buf(&mut self.sealed) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return Poll::Ready(done),
            }
        }
    }
}

impl Stream for TlsStream {
    fn into_halves(self: Box<Self>) -> (ReadHalf, Box<dyn WriteHalf>) {
        let (reads, writes) = self.tcp.into_split();
        let session = Arc::new(Mutex::new(self.session));
        (Box::new(Reads { tcp: reads, session: session.clone() }), Box::new(Writes { tcp: writes, session }))
    }
}

impl AsyncRead for TlsStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.session.poll_read(&this.tcp, cx, out)
    }
}

impl AsyncWrite for TlsStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        loop {
            match this.session.try_write(&this.tcp, bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(this.tcp.poll_write_ready(cx))?;
                }
                done => return Poll::Ready(done),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.session.poll_flush(&this.tcp, cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.session.tls.send_close_notify();
        ready!(this.session.poll_flush(&this.tcp, cx))?;
        Pin::new(&mut this.tcp).poll_shutdown(cx)
    }
}

struct Reads {
    tcp: OwnedReadHalf,
    session: Arc<Mutex<Session>>,
}

impl AsyncRead for Reads {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        lock(&self.session).poll_read(self.tcp.as_ref(), cx, out)
    }
}

struct Writes {
    tcp: OwnedWriteHalf,
    session: Arc<Mutex<Session>>,
}

impl WriteHalf for Writes {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.session).try_write(self.tcp.as_ref(), bytes)
    }

    fn poll_writable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp.as_ref().poll_write_ready(cx)
    }
}

/// The peer learns by TLS, too, that nothing follows; the socket says it right after.
impl Drop for Writes {
    fn drop(&mut self) {
        let mut session = lock(&self.session);
        session.tls.send_close_notify();
        let _ = session.try_flush(self.tcp.as_ref());
    }
}

fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A socket that is written to as far as it takes something at once.
struct Socket<'a>(&'a TcpStream);

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wrapped(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
