//! The one task of a connection: it reads, routes each message in wire order, and finishes what callers could not write at once.
//! It decodes no payload and runs no user code but observers.

use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::half::ReadHalf;
use super::outgoing::Outgoing;
use super::shared::Shared;
use crate::envelope;
use crate::error::CloseReason;
use crate::json;
use crate::mux::{Delivery, Route, Routed};
use crate::settings::Settings;
use crate::wire::{Decoder, Incoming};

/// How long the end of a connection may take: writing what is queued, reading what the peer said before it took no more, and the
/// close handshake, each.
const FAREWELL: Duration = Duration::from_secs(1);

/// How much is read at a stretch while others wait to be run. A runtime may poll this task dozens of times before those that it
/// woke, and what they are to take away piles up meanwhile.
const STRETCH: usize = 64 * 1024;

/// Starts the task of a connection; `buffer` holds what was read behind the handshake. Must be called in a tokio runtime.
pub(crate) fn start(
    reads: ReadHalf,
    decoder: Decoder,
    buffer: BytesMut,
    outgoing: Outgoing,
    settings: Settings,
) -> Arc<Shared> {
    let _ = settings;
    let shared = Shared::new(outgoing);
    let driver = Driver {
        shared: shared.clone(),
        reads,
        decoder,
        buffer,
        wakers: Vec::new(),
        read: 0,
        delivered: false,
    };
    // The task owns the carrier; it ends when the connection does, at the latest when the last handle is dropped.
    drop(tokio::spawn(driver.run()));
    shared
}

/// What the reader has to do something about.
enum Step {
    Message(Routed),
    Control(Incoming),
}

/// How a part of the driver's work ends.
enum Stop {
    /// It was asked to; in the end all that was queued is written.
    Asked,
    /// The connection is over.
    Over(CloseReason),
    /// Nothing can be written any more.
    Unwritable(CloseReason),
}

struct Driver {
    shared: Arc<Shared>,
    reads: ReadHalf,
    decoder: Decoder,
    buffer: BytesMut,
    /// Kept between messages for its memory alone.
    wakers: Vec<Waker>,
    /// Bytes read, and whether someone is to take something away, since this task last let others run.
    read: usize,
    delivered: bool,
}

impl Driver {
    async fn run(mut self) {
        let reason = self.work().await;
        tracing::info!(%reason, "connection ended");
        self.say_farewell(&reason).await;
        // `closed` promises that the carrier is released; the writing half has gone with the farewell.
        self.reads = Box::new(tokio::io::empty());
        self.shared.set_closed(reason);
    }

    /// Drives the connection until it ends.
    async fn work(&mut self) -> CloseReason {
        // What came right behind the handshake is as good as read.
        if let ControlFlow::Break(reason) = self.route_all() {
            return reason;
        }
        let mut stop = poll_fn(|cx| self.poll(cx)).await;
        if let Stop::Asked = stop {
            // What is queued still leaves, and answers are still given meanwhile.
            let flushed = timeout(FAREWELL, poll_fn(|cx| self.poll_closing(cx))).await;
            stop = flushed.unwrap_or(Stop::Asked);
        }
        match stop {
            Stop::Asked => CloseReason::Requested,
            Stop::Over(reason) => reason,
            Stop::Unwritable(failed) => self.drain(failed).await,
        }
    }

    /// One round: write, read and route until nothing more can be done.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        (self.read, self.delivered) = (0, false);
        loop {
            let (flushed, closing) = {
                let mut outgoing = self.shared.outgoing();
                (outgoing.poll_flush(cx), outgoing.is_closing())
            };
            if let Poll::Ready(Err(error)) = flushed {
                return Poll::Ready(Stop::Unwritable(error.into()));
            }
            if closing {
                return Poll::Ready(Stop::Asked);
            }
            if self.delivered && self.read >= STRETCH {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let ControlFlow::Break(reason) = ready!(self.poll_read(cx)) {
                return Poll::Ready(Stop::Over(reason));
            }
        }
    }

    /// As [`poll`](Self::poll), but until all is written.
    fn poll_closing(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        loop {
            let flushed = self.shared.outgoing().poll_flush(cx);
            match flushed {
                Poll::Ready(Ok(())) => return Poll::Ready(Stop::Asked),
                Poll::Ready(Err(error)) => return Poll::Ready(Stop::Unwritable(error.into())),
                Poll::Pending => {}
            }
            if let ControlFlow::Break(reason) = ready!(self.poll_read(cx)) {
                return Poll::Ready(Stop::Over(reason));
            }
        }
    }

    /// Writing failed. Answers that the browser gave before it went are still in the carrier, and perhaps its own word of farewell,
    /// though the runtime may not have noticed yet: reads on to the end, which is near when the browser is gone.
    async fn drain(&mut self, failed: CloseReason) -> CloseReason {
        let to_end = poll_fn(|cx| {
            loop {
                if let ControlFlow::Break(reason) = ready!(self.poll_read(cx)) {
                    return Poll::Ready(reason);
                }
            }
        });
        match timeout(FAREWELL, to_end).await {
            Ok(CloseReason::Io { .. }) | Err(_) => failed,
            Ok(reason) => reason,
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<ControlFlow<CloseReason>> {
        self.decoder.make_room(&mut self.buffer);
        let read = ready!(pin!(self.reads.read_buf(&mut self.buffer)).poll(cx));
        Poll::Ready(match read {
            Ok(0) => {
                let mid_message = self.decoder.is_mid_message(&self.buffer);
                ControlFlow::Break(CloseReason::HungUp { mid_message })
            }
            Ok(count) => {
                self.read = self.read.saturating_add(count);
                self.route_all()
            }
            Err(error) => ControlFlow::Break(error.into()),
        })
    }

    fn route_all(&mut self) -> ControlFlow<CloseReason> {
        loop {
            match self.next() {
                Ok(None) => return ControlFlow::Continue(()),
                Ok(Some(Step::Message(routed))) => self.pass_on(routed)?,
                Ok(Some(Step::Control(Incoming::Ping(payload)))) => self.shared.outgoing().pong(&payload),
                Ok(Some(Step::Control(Incoming::Close(close)))) => {
                    let reason = close.reason.into();
                    return ControlFlow::Break(CloseReason::PeerClosed { code: close.code, reason });
                }
                Ok(Some(Step::Control(_))) => {}
                Err(reason) => return ControlFlow::Break(reason),
            }
        }
    }

    /// The next thing that someone has to do something about. Messages that nobody waits for are passed over where they stand,
    /// under one lock for as many as there are.
    fn next(&mut self) -> Result<Option<Step>, CloseReason> {
        let mut mux = self.shared.mux();
        let mut route = None;
        let next = self.decoder.next_where(&mut self.buffer, |message| {
            let found = mux.route(message);
            let wanted = !matches!(found, Ok(Route::Nobody));
            route = wanted.then_some(found);
            wanted
        })?;
        Ok(match next {
            Some(Incoming::Message(message)) => {
                // A message that came in fragments was not asked about.
                let route = route.unwrap_or_else(|| mux.route(&message))?;
                Some(Step::Message(mux.accept(route, message)))
            }
            control => control.map(Step::Control),
        })
    }

    fn pass_on(&mut self, routed: Routed) -> ControlFlow<CloseReason> {
        match routed {
            Routed::Nothing => {}
            Routed::Wake(waker) => {
                self.delivered = true;
                waker.wake();
            }
            Routed::Event(delivery) => self.deliver(&delivery),
            Routed::Complaint { message, payload } => {
                return ControlFlow::Break(complaint(message.get(payload).unwrap_or_default()));
            }
        }
        ControlFlow::Continue(())
    }

    fn deliver(&mut self, delivery: &Delivery) {
        self.delivered = true;
        tracing::trace!(event = ?delivery.event, "event");
        for observer in &*delivery.observers {
            observer.event(&delivery.event);
        }
        let endings = self.shared.mux().deliver(delivery, &mut self.wakers);
        if endings.is_empty() {
            self.wakers.drain(..).for_each(Waker::wake);
        } else {
            self.shared.announce(endings, std::mem::take(&mut self.wakers));
        }
    }

    /// Tells everyone, then closes the carrier in an orderly way, bounded in time.
    async fn say_farewell(&mut self, reason: &CloseReason) {
        let code = match reason {
            CloseReason::Requested => Some(1000),
            CloseReason::PeerClosed { code, .. } => code.or(Some(1000)),
            CloseReason::Wire(error) => Some(error.close_code()),
            CloseReason::Malformed(_) => Some(1007),
            CloseReason::Complaint { .. } => Some(1008),
            _ => None,
        };
        if code.is_some() {
            // A pong may still wait that the last read asked for, and no close frame can follow a buffer that is thrown away.
            self.shared.outgoing().flush();
        }
        let (Some(mut farewell), Some(code)) = (self.shared.stop(reason), code) else { return };
        if !farewell.close_frame(code) {
            return;
        }
        let handshake = async {
            poll_fn(|cx| farewell.poll_flush(cx)).await?;
            // The peer's answer is only worth waiting for when the conversation was in order and it hasn't closed already.
            if *reason != CloseReason::Requested {
                return Ok(());
            }
            loop {
                match self.decoder.next(&mut self.buffer) {
                    Ok(None) => {}
                    Ok(Some(Incoming::Close(_))) | Err(_) => return std::io::Result::Ok(()),
                    Ok(Some(_)) => continue,
                }
                self.decoder.make_room(&mut self.buffer);
                if self.reads.read_buf(&mut self.buffer).await? == 0 {
                    return Ok(());
                }
            }
        };
        if !matches!(timeout(FAREWELL, handshake).await, Ok(Ok(()))) {
            tracing::debug!("the peer did not answer the close frame");
        }
    }
}

/// The task may be dropped at any await, when its runtime shuts down, or unwound by an observer: nobody may wait for ever then.
impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.shared.stop(&CloseReason::DriverEnded));
        self.shared.set_closed(CloseReason::DriverEnded);
    }
}

/// The reason for an error that names no call.
fn complaint(error: &[u8]) -> CloseReason {
    let code = envelope::field(error, "code").and_then(|code| json::decode(code).ok()).unwrap_or(0);
    let message = envelope::text_field(error, "message").unwrap_or_default();
    CloseReason::Complaint { code, message: message.into() }
}
