//! What the driver and all handles of one connection share: the outgoing buffer and the mux, each behind its lock.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use serde::Serialize;
use tokio::sync::SetOnce;

use super::encode::{self, MAX_CALL, MAX_QUEUED, Problem};
use super::outgoing::{Farewell, Outgoing};
use crate::domains::target::SessionId;
use crate::error::{CallError, CloseReason, Sent, SessionEnd};
use crate::mux::{CallId, Ending, Mux, PROBE, SessionKey};

/// Why a call could not even be queued.
pub(crate) enum NotMade {
    Ended(SessionEnd),
    Unwritable(Problem),
}

impl NotMade {
    /// The error that the caller of `method` sees.
    pub(crate) fn error(self, method: Cow<'static, str>) -> CallError {
        match self {
            Self::Ended(SessionEnd::Closed(reason)) => CallError::Closed { method, reason, sent: Sent::No },
            Self::Ended(end) => CallError::SessionEnded { method, end, sent: Sent::No },
            Self::Unwritable(Problem::TooLarge { size }) => {
                CallError::TooLarge { method, size, limit: MAX_CALL }
            }
            Self::Unwritable(Problem::Congested { queued }) => {
                CallError::Congested { method, queued, limit: MAX_QUEUED }
            }
            Self::Unwritable(Problem::Encode(problem)) => CallError::Encode { method, problem },
        }
    }
}

/// One connection's state.
///
/// Lock rules: `outgoing` before `mux`; a stream's queue inside of `mux`. Nothing is awaited, no observer is called and no waker
/// is woken while one of them is held, except that a call's parameters are serialised under `outgoing` (that is what writing them
/// straight into the buffer means). Both locks ignore poisoning: what can panic under them is that serialiser alone, whose
/// half-written message is taken back.
pub(crate) struct Shared {
    outgoing: Mutex<Outgoing>,
    mux: Mutex<Mux>,
    closed: SetOnce<CloseReason>,
}

impl Shared {
    pub(super) fn new(outgoing: Outgoing) -> Arc<Self> {
        Arc::new(Self { outgoing: Mutex::new(outgoing), mux: Mutex::new(Mux::new()), closed: SetOnce::new() })
    }

    /// Encodes a call into the outgoing buffer and sees to it that it leaves, whether or not anyone polls for its answer.
    pub(crate) fn call<P: Serialize + ?Sized>(
        &self,
        key: SessionKey,
        session: Option<&SessionId>,
        method: &str,
        params: &P,
    ) -> Result<CallId, NotMade> {
        let mut outgoing = self.outgoing();
        if !outgoing.is_open() {
            let reason = self.mux().closed().cloned().unwrap_or(CloseReason::Requested);
            return Err(NotMade::Ended(SessionEnd::Closed(reason)));
        }
        let queued = outgoing.queued();
        if queued > MAX_QUEUED {
            return Err(NotMade::Unwritable(Problem::Congested { queued }));
        }
        let id = self.mux().begin(key).map_err(NotMade::Ended)?;
        // Forgets the call when its parameters can't be written, also when their serialiser panics.
        let mut forget = Forget { shared: self, id: Some(id) };
        let (bytes, end) = outgoing
            .message(|out| encode::write_call(out, id, method, params, session))
            .map_err(NotMade::Unwritable)?;
        forget.id = None;
        self.mux().queued(id, end);
        let driver = outgoing.take_driver();
        drop(outgoing);
        driver.into_iter().for_each(Waker::wake);
        tracing::debug!(%id, method, session = session.map(SessionId::as_str), bytes, "call");
        Ok(id)
    }

    /// Queues a call that asks the browser for a sign of life. It is not counted, and is not refused because others wait.
    pub(super) fn ask(&self) {
        let mut outgoing = self.outgoing();
        if outgoing.is_open() {
            // A command without parameters can't fail to be written.
            let _ = outgoing.message(|out| encode::write_call(out, PROBE, "Browser.getVersion", &(), None));
        }
    }

    /// Tries to write what is queued, in the task of whoever asks.
    pub(crate) fn flush(&self) {
        self.outgoing().flush();
    }

    /// Asks the driver to write what is queued and then to end the connection.
    pub(crate) fn request_close(&self) {
        let driver = self.outgoing().request_close();
        driver.into_iter().for_each(Waker::wake);
    }

    /// Resolves when the connection has ended and its carrier is released.
    pub(crate) async fn closed(&self) -> CloseReason {
        self.closed.wait().await.clone()
    }

    pub(crate) fn mux(&self) -> MutexGuard<'_, Mux> {
        self.mux.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that wait to be written.
    pub(crate) fn queued_bytes(&self) -> usize {
        self.outgoing().queued()
    }

    pub(super) fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends everything with one reason, once; tells observers, then calls and streams.
    pub(super) fn stop(&self, reason: &CloseReason) -> Option<Farewell> {
        let mut wakers = Vec::new();
        let (written, farewell) = self.outgoing().stop();
        let endings = self.mux().close(reason, &mut wakers);
        tell(&endings);
        self.mux().fail_all(reason, written, &endings, &mut wakers);
        release(endings, wakers);
        farewell
    }

    /// Tells the observers of ended sessions, then those who wait on them.
    pub(super) fn announce(&self, endings: Vec<Ending>, mut wakers: Vec<Waker>) {
        tell(&endings);
        self.mux().fail(&endings, &mut wakers);
        release(endings, wakers);
    }

    pub(super) fn set_closed(&self, reason: CloseReason) {
        // A second reason can only come from the driver's drop after a regular end; the first one counts.
        let _ = self.closed.set(reason);
    }
}

/// Tells observers that their sessions have ended. One that panics keeps nobody else from learning it: the program's panic hook has
/// seen it, the session is over either way, and this may run while the driver is unwound already.
fn tell(endings: &[Ending]) {
    for ending in endings {
        for observer in &*ending.observers {
            if catch_unwind(AssertUnwindSafe(|| observer.ended(&ending.end))).is_err() {
                tracing::warn!(end = %ending.end, "an observer panicked at the end of its session");
            }
        }
    }
}

/// Wakes those who were told. Observers may own handles of this very connection, so they are dropped outside of the lock.
fn release(endings: Vec<Ending>, wakers: Vec<Waker>) {
    drop(endings);
    wakers.into_iter().for_each(Waker::wake);
}

struct Forget<'a> {
    shared: &'a Shared,
    id: Option<CallId>,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let left = self.shared.mux().forget(id);
            drop(left);
        }
    }
}
