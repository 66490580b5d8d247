//! Tests of the driver against a peer that sends without a pause.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::task::coop::poll_proceed;
use tokio::time::timeout;

use super::driver::start;
use super::half::WriteHalf;
use super::outgoing::Outgoing;
use crate::error::{CloseReason, Probe};
use crate::settings::Settings;
use crate::wire::{Decoder, Encoder, Limits, Masking};

/// Has pongs and nothing else, without an end, and takes up all that a task may do at a stretch.
struct Pongs;

impl AsyncRead for Pongs {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(poll_proceed(cx)).made_progress();
        out.put_slice(&[0x8A, 0].repeat(out.remaining().min(1024) / 2));
        Poll::Ready(Ok(()))
    }
}

/// Takes everything.
struct Sink;

impl WriteHalf for Sink {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn poll_writable(&self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_flood_of_pongs_does_not_keep_a_browser_that_answers_no_call() {
    let outgoing = Outgoing::new(Encoder::ws(Masking::Zero), Box::new(Sink));
    let settings = Settings::default().heartbeat(Duration::from_millis(20));
    let shared = start(Box::new(Pongs), Decoder::ws(Limits::default()), BytesMut::new(), outgoing, settings);
    let reason = timeout(Duration::from_secs(30), shared.closed()).await.expect("it is given up");
    assert!(matches!(reason, CloseReason::Unresponsive { probe: Probe::Heartbeat, .. }), "{reason}");
}
