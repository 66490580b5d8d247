//! A proxy in front of a real server, with faults. It carries bytes and knows nothing of what they say.

use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::faults::{Faults, Flow, Gate, Passed, Stop};

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// A server on 127.0.0.1 that passes every connection on to another server, with [`Faults`]. Each connection has its faults anew,
/// so their places are counted from its own first byte, an HTTP upgrade included. It ends when it is dropped, and with it all its
/// connections.
///
/// A byte has passed when it was handed to the socket of the other side. What was read of it but not passed at a cut is lost, as
/// it is on a real network.
///
/// ```
/// # use cdp_protocol::Client;
/// # use cdp_protocol::testing::{FaultProxy, Faults, Flow};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let browser = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let faults = Faults::default().to_browser(Flow::default().cut_at(20));
/// let proxy = FaultProxy::start(browser.local_addr()?, faults).await?;
/// // The line is cut within the request for the websocket.
/// let refused = Client::connect(format!("ws://{}/devtools/browser/1", proxy.address())).await;
/// assert!(refused.is_err());
/// assert_eq!(proxy.passed().to_browser, 20);
/// # std::io::Result::Ok(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    passed: Arc<Totals>,
    stop: watch::Sender<Option<Stop>>,
    /// Owns all connections.
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Totals {
    to_browser: AtomicU64,
    to_client: AtomicU64,
}

impl FaultProxy {
    /// Starts a proxy in front of `target`. Must be called in a tokio runtime.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start(target: SocketAddr, faults: Faults) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let passed = Arc::new(Totals::default());
        let (stop, stopped) = watch::channel(None);
        let task = tokio::spawn(serve(listener, target, faults, passed.clone(), stopped));
        Ok(Self { address, passed, stop, task })
    }

    /// Where to connect in place of the target.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many bytes have passed, on all connections together.
    pub fn passed(&self) -> Passed {
        Passed {
            to_browser: self.passed.to_browser.load(Ordering::SeqCst),
            to_client: self.passed.to_client.load(Ordering::SeqCst),
        }
    }

    /// Ends all connections, those to come as soon as they are made.
    pub fn cut(&self) {
        self.stop.send_replace(Some(Stop::Cut));
    }

    /// Lets nothing pass any more, in either direction; connections stay. What was read already still passes.
    pub fn stall(&self) {
        self.stop.send_replace(Some(Stop::Stall));
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    listener: TcpListener,
    target: SocketAddr,
    faults: Faults,
    passed: Arc<Totals>,
    stop: watch::Receiver<Option<Stop>>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { return };
                connections.spawn(carry(client, target, faults, passed.clone(), stop.clone()));
            }
            // What has ended is taken out, so that the set doesn't grow.
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Carries one connection until it ends.
async fn carry(
    client: TcpStream,
    target: SocketAddr,
    faults: Faults,
    passed: Arc<Totals>,
    stop: watch::Receiver<Option<Stop>>,
) -> io::Result<()> {
    let browser = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    browser.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_browser, to_browser) = browser.into_split();
    let up = pump(from_client, to_browser, faults.to_browser, &passed.to_browser, stop.clone());
    let down = pump(from_browser, to_client, faults.to_client, &passed.to_client, stop.clone());
    tokio::select! {
        // The first direction that is cut or fails ends the other with it; one that ends in an orderly way does not.
        ended = async { tokio::try_join!(up, down) } => ended.map(drop),
        () = until(stop, Stop::Cut) => Ok(()),
    }
}

/// Carries one direction. An error ends the connection.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    flow: Flow,
    total: &AtomicU64,
    stop: watch::Receiver<Option<Stop>>,
) -> io::Result<()> {
    let mut gate = Gate::new(flow);
    let mut chunk = vec![0; CHUNK];
    let mut unsent = 0..0;
    loop {
        match gate.stopped() {
            Some(Stop::Cut) => return Err(io::ErrorKind::ConnectionAborted.into()),
            Some(Stop::Stall) => pending().await,
            None => {}
        }
        if unsent.is_empty() {
            let count = tokio::select! {
                biased;
                () = until(stop.clone(), Stop::Stall) => pending().await,
                count = from.read(&mut chunk) => count?,
            };
            if count == 0 {
                return to.shutdown().await;
            }
            unsent = 0..count;
        }
        let count = gate.admit(unsent.len());
        to.write_all(&chunk[unsent.start..unsent.start + count]).await?;
        gate.pass(count);
        total.fetch_add(count as u64, Ordering::SeqCst);
        unsent.start += count;
    }
}

/// Waits until this stop was asked for.
async fn until(mut stop: watch::Receiver<Option<Stop>>, wanted: Stop) {
    if stop.wait_for(|stop| *stop == Some(wanted)).await.is_err() {
        pending::<()>().await;
    }
}
