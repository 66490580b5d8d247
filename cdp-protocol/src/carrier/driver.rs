//! The one task of a connection: it reads, routes each message in wire order, and finishes what callers could not write at once.
//! It decodes no payload and runs no user code but observers.

use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::task::{unconstrained, yield_now};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::half::ReadHalf;
use super::liveness::{Arrived, Liveness, Verdict};
use super::outgoing::Outgoing;
use super::shared::Shared;
use crate::envelope;
use crate::error::{CloseReason, Probe};
use crate::json;
use crate::mux::{Delivery, Route, Routed, Subscription};
use crate::settings::Settings;
use crate::shown::shown;
use crate::wire::{Decoder, Incoming};

/// How long the end of a connection may take: writing what is queued, reading what the peer said before it took no more, and the
/// close handshake, each.
const FAREWELL: Duration = Duration::from_secs(1);

/// How much is read at a stretch while others wait to be run. A runtime may poll this task dozens of times before those that it
/// woke, and what they are to take away piles up meanwhile.
const STRETCH: usize = 64 * 1024;

/// How much is still read when writing has failed, far more than a carrier holds: a peer that goes on sending must not keep a
/// connection that has ended.
const MOST_DRAINED: u64 = 64 * 1024 * 1024;

/// Starts the task of a connection; `buffer` holds what was read behind the handshake. Must be called in a tokio runtime.
pub(crate) fn start(
    reads: ReadHalf,
    decoder: Decoder,
    buffer: BytesMut,
    outgoing: Outgoing,
    settings: Settings,
) -> Arc<Shared> {
    let shared = Shared::new(outgoing);
    let liveness = Liveness::new(&settings, matches!(decoder, Decoder::Ws(_)), Instant::now().into_std());
    let driver = Driver {
        shared: shared.clone(),
        reads,
        decoder,
        buffer,
        wakers: Vec::new(),
        read: 0,
        delivered: false,
        full: Vec::new(),
        unrouted: false,
        arrived: Arrived::default(),
        watch: liveness.map(Watch::new),
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
    /// Full streams that the reader waits for. It stops at once, so what follows may stand in the buffer unrouted.
    full: Vec<Arc<Subscription>>,
    unrouted: bool,
    arrived: Arrived,
    watch: Option<Watch>,
}

/// The rules by which a silent peer is found out, and when to look. Only connections whose settings ask for it have a timer.
struct Watch {
    liveness: Liveness,
    timer: Pin<Box<Sleep>>,
}

impl Watch {
    fn new(liveness: Liveness) -> Self {
        let due = liveness.next_due().map_or_else(Instant::now, Instant::from_std);
        Self { liveness, timer: Box::pin(sleep_until(due)) }
    }
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

    /// Rounds of reading and writing, and behind each a look at whether the peer is alive.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        loop {
            if let Poll::Ready(stop) = self.poll_round(cx) {
                return Poll::Ready(stop);
            }
            // What asks the peer has to be written, so there is another round then.
            if let ControlFlow::Break(reason) = ready!(self.poll_watch(cx)) {
                return Poll::Ready(Stop::Over(reason));
            }
        }
    }

    /// Writes, reads and routes until nothing more can be done.
    fn poll_round(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
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
                // Not by its own waker: a runtime of one thread would run this task dozens of times before the future that was
                // given to `block_on`, which is often the one that reads.
                ready!(pin!(yield_now()).poll(cx));
            }
            if let ControlFlow::Break(reason) = ready!(self.poll_read(cx)) {
                return Poll::Ready(Stop::Over(reason));
            }
        }
    }

    /// Looks for signs of life at the end of a round, so after all that was there has been read: were this machine stopped for a
    /// while, the peer's answers would stand in the carrier when the timer fires. `Ready` when something has to be written.
    fn poll_watch(&mut self, cx: &mut Context<'_>) -> Poll<ControlFlow<CloseReason>> {
        let Some(watch) = &mut self.watch else { return Poll::Pending };
        loop {
            // The timer decides, not the clock: the runtime looks for arrived bytes before it fires timers, while this task may be
            // run for another reason before either.
            // And it decides whatever this task has read: what it may do at a stretch is used up by a peer that floods it.
            let fired = pin!(unconstrained(watch.timer.as_mut())).poll(cx).is_ready();
            if !fired && !watch.liveness.is_news(self.arrived) {
                return Poll::Pending;
            }
            let now = Instant::now().into_std();
            watch.liveness.heard(now, self.arrived);
            if !self.full.is_empty() {
                watch.liveness.restart(now);
            }
            if !fired {
                return Poll::Pending;
            }
            // This task may run long after its timer has fired, and what came meanwhile is not known yet.
            match watch.liveness.judge(watch.timer.deadline().into_std(), now) {
                Verdict::Wait(until) => watch.timer.as_mut().reset(Instant::from_std(until)),
                Verdict::End(reason) => return Poll::Ready(ControlFlow::Break(reason)),
                Verdict::Ask(probe) => {
                    tracing::debug!(%probe, "the peer is silent");
                    match probe {
                        Probe::Ping => self.shared.outgoing().ping(),
                        Probe::Heartbeat => self.shared.ask(),
                    }
                    return Poll::Ready(ControlFlow::Continue(()));
                }
            }
        }
    }

    /// As [`poll_round`](Self::poll_round), but until all is written.
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
    /// though the runtime may not have noticed yet: reads on to the end, which is near when the browser is gone, whichever streams
    /// are full.
    async fn drain(&mut self, failed: CloseReason) -> CloseReason {
        let most = self.arrived.bytes.saturating_add(MOST_DRAINED);
        let to_end = poll_fn(|cx| {
            while self.arrived.bytes < most {
                self.full.clear();
                if let ControlFlow::Break(reason) = ready!(self.poll_read(cx)) {
                    return Poll::Ready(Some(reason));
                }
            }
            Poll::Ready(None)
        });
        match timeout(FAREWELL, to_end).await {
            Ok(Some(CloseReason::Io { .. }) | None) | Err(_) => failed,
            Ok(Some(reason)) => reason,
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<ControlFlow<CloseReason>> {
        ready!(self.poll_room(cx));
        if self.unrouted {
            return Poll::Ready(self.route_all());
        }
        self.decoder.make_room(&mut self.buffer);
        let read = ready!(pin!(self.reads.read_buf(&mut self.buffer)).poll(cx));
        Poll::Ready(match read {
            Ok(0) => {
                let mid_message = self.decoder.is_mid_message(&self.buffer);
                ControlFlow::Break(CloseReason::HungUp { mid_message })
            }
            Ok(count) => {
                self.read = self.read.saturating_add(count);
                let count = count as u64;
                self.arrived.bytes = self.arrived.bytes.saturating_add(count);
                self.arrived.of_messages = self.arrived.of_messages.saturating_add(count);
                self.route_all()
            }
            Err(error) => ControlFlow::Break(error.into()),
        })
    }

    /// Waits until no stream that holds the reader is full.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.full.is_empty() {
            return Poll::Ready(());
        }
        self.full.retain(|stream| stream.poll_room(cx.waker()).is_pending());
        if !self.full.is_empty() {
            return Poll::Pending;
        }
        if let Some(watch) = &mut self.watch {
            watch.liveness.restart(Instant::now().into_std());
        }
        Poll::Ready(())
    }

    /// Routes what is in the buffer, up to the message that fills a stream which holds the reader.
    fn route_all(&mut self) -> ControlFlow<CloseReason> {
        loop {
            self.unrouted = !self.full.is_empty();
            if self.unrouted {
                return ControlFlow::Continue(());
            }
            match self.next() {
                Ok(None) => return ControlFlow::Continue(()),
                Ok(Some(Step::Message(routed))) => self.pass_on(routed)?,
                Ok(Some(Step::Control(Incoming::Ping(payload)))) => {
                    self.pass_control(&payload);
                    self.shared.outgoing().pong(payload);
                }
                Ok(Some(Step::Control(Incoming::Pong(payload)))) => self.pass_control(&payload),
                Ok(Some(Step::Control(Incoming::Close(close)))) => {
                    let reason = shown(&close.reason).into();
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
        let mut route = Ok(Route::Nobody);
        let next = self.decoder.next_where(&mut self.buffer, |message| {
            self.arrived.messages = self.arrived.messages.saturating_add(1);
            match mux.route(message) {
                Ok(Route::Nobody) => false,
                other => {
                    route = other;
                    true
                }
            }
        })?;
        Ok(match next {
            Some(Incoming::Message(message)) => Some(Step::Message(mux.accept(route?, message))),
            control => control.map(Step::Control),
        })
    }

    /// A control frame came: its payload and the two bytes before it are no part of a message.
    fn pass_control(&mut self, payload: &[u8]) {
        let size = (payload.len() as u64).saturating_add(2);
        self.arrived.of_messages = self.arrived.of_messages.saturating_sub(size);
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
        let endings = self.shared.mux().deliver(delivery, &mut self.wakers, &mut self.full);
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
    CloseReason::Complaint { code, message: shown(&message).into() }
}
