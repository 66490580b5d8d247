//! Workers that are attached to: what is known of each, and what it is told when it begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cdp_protocol::domains::runtime::{self, RunIfWaitingForDebugger};
use cdp_protocol::domains::target::{SetAutoAttach, TargetInfo, TargetInfoType};
use cdp_protocol::{Observer, RawEvent, Session, SessionEnd};

use super::emulate::{self, Part};
use crate::emulation::{Emulation, Media, Screen};

/// Whose worker it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorkerKind {
    /// A page's own, or that of another worker of it.
    Dedicated,
    /// One for several pages of an origin.
    Shared,
    /// One that stands between pages and the network.
    Service,
}

/// One worker.
pub(crate) struct WorkerCore {
    pub session: Session,
    pub kind: WorkerKind,
    pub url: String,
    closed: AtomicBool,
}

impl WorkerCore {
    /// The worker that a target is, if it is one.
    pub(crate) fn of(session: Session, info: &TargetInfo) -> Option<Arc<Self>> {
        let kind = match info.r#type {
            TargetInfoType::Worker => WorkerKind::Dedicated,
            TargetInfoType::SharedWorker => WorkerKind::Shared,
            TargetInfoType::ServiceWorker => WorkerKind::Service,
            _ => return None,
        };
        Some(Arc::new(Self { session, kind, url: info.url.clone(), closed: AtomicBool::new(false) }))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Tells it all in one write and lets it run; nothing is waited for.
    pub(crate) fn begin(self: &Arc<Self>, emulation: &Emulation) {
        self.session.observe(Arc::new(End(self.clone())));
        let session = &self.session;
        drop(emulate::begin(session, Part::Worker, emulation, &Screen::default(), &Media::default()));
        drop(session.call(&runtime::Enable));
        // Those that it starts would stand still with it.
        drop(session.call(&SetAutoAttach::new(true, true).flatten(true)));
        drop(session.call(&RunIfWaitingForDebugger));
    }
}

/// Notes a worker's end.
struct End(Arc<WorkerCore>);

impl Observer for End {
    fn event(&self, _: &RawEvent) {}

    fn ended(&self, _: &SessionEnd) {
        self.0.closed.store(true, Ordering::Relaxed);
    }
}
