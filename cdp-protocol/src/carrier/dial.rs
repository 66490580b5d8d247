//! From a host's name to a TCP connection, and the deadline that every step of connecting is held against.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, sleep, timeout};

use crate::error::{ConnectError, ConnectStep};

/// How long an address may be silent before the next one of the same name is tried beside it (RFC 8305, section 5).
const PATIENCE: Duration = Duration::from_millis(250);

/// The one limit of a user's call.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    pub(super) fn new(limit: Duration) -> Self {
        Self { start: Instant::now(), limit }
    }

    /// Runs one step to its end or to the deadline.
    pub(super) async fn hold<T>(
        self,
        step: ConnectStep,
        address: &str,
        work: impl Future<Output = Result<T, ConnectError>>,
    ) -> Result<T, ConnectError> {
        let left = self.limit.saturating_sub(self.start.elapsed());
        let late = ConnectError::TimedOut { address: address.to_owned(), step, limit: self.limit };
        timeout(left, work).await.unwrap_or(Err(late))
    }
}

/// Connects to the first address of a host that answers. `address` is what errors show.
pub(super) async fn dial(
    host: &str,
    port: u16,
    address: &str,
    deadline: Deadline,
) -> Result<TcpStream, ConnectError> {
    let unreachable = |source| ConnectError::Unreachable { address: address.to_owned(), source };
    let look_up = async { Ok(lookup_host((host, port)).await.map_err(unreachable)?.collect()) };
    let addresses = deadline.hold(ConnectStep::Resolve, address, look_up).await?;
    let reach = async { first_of(addresses).await.map_err(unreachable) };
    let stream = deadline.hold(ConnectStep::Reach, address, reach).await?;
    // A call is one small write; waiting to fill a packet would cost a round trip.
    stream.set_nodelay(true).map_err(unreachable)?;
    Ok(stream)
}

/// Tries one address after the other, each as soon as the one before has failed or been silent for a while. The first error
/// counts: a host's first address is the one that it is expected at. Attempts that are not needed any more end when this does.
async fn first_of(mut addresses: VecDeque<SocketAddr>) -> io::Result<TcpStream> {
    let mut attempts: Vec<Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send>>> = Vec::new();
    let mut first_error = None;
    loop {
        if let Some(address) = addresses.pop_front() {
            attempts.push(Box::pin(TcpStream::connect(address)));
        } else if attempts.is_empty() {
            return Err(first_error.unwrap_or_else(|| io::Error::other("its name has no address")));
        }
        let next_done = poll_fn(|cx| {
            let done =
                attempts.iter_mut().enumerate().find_map(|(n, attempt)| match attempt.as_mut().poll(cx) {
                    Poll::Ready(result) => Some((n, result)),
                    Poll::Pending => None,
                });
            let Some((n, result)) = done else { return Poll::Pending };
            drop(attempts.remove(n));
            Poll::Ready(result)
        });
        tokio::select! {
            done = next_done => match done {
                Ok(stream) => return Ok(stream),
                Err(error) => _ = first_error.get_or_insert(error),
            },
            () = sleep(PATIENCE), if !addresses.is_empty() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::net::{TcpListener, TcpSocket};
    use tokio::task::JoinSet;

    use super::*;

    async fn listen() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[tokio::test]
    async fn one_address_that_answers_is_enough() {
        let (listener, refusing) = listen().await;
        drop(listener);
        let (_listener, answering) = listen().await;
        for order in [[refusing, answering], [answering, refusing]] {
            assert_eq!(first_of(order.into()).await.unwrap().peer_addr().unwrap(), answering);
        }
        let error = first_of([refusing, refusing].into()).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert!(first_of(VecDeque::new()).await.unwrap_err().to_string().contains("no address"));
    }

    #[tokio::test]
    async fn an_address_that_is_silent_does_not_hold_up_the_next() {
        // A listener that never accepts, behind a queue of one that is full: the system then drops what knocks.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let full = socket.listen(1).unwrap();
        let silent = full.local_addr().unwrap();
        let mut knocking = JoinSet::new();
        for _ in 0..8 {
            knocking.spawn(TcpStream::connect(silent));
        }
        let _first = knocking.join_next().await;
        let _second = knocking.join_next().await;
        let (_listener, answering) = listen().await;
        let reached = first_of([silent, answering].into()).await.unwrap();
        assert_eq!(reached.peer_addr().unwrap(), answering);
    }
}
