//! Sees every event of every session of a browser in wire order, reads each as its own type at once, and keeps counts alone. What
//! has to be answered goes on to `reactions`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use cdp_protocol::domains::{runtime, target};
use cdp_protocol::{Client, Event, Observer, RawEvent};
use tokio::sync::mpsc;

use crate::listing::{Decode, events};

/// An observer of all sessions: it follows each that is attached, before the browser can send anything on it.
pub(crate) struct Recorder {
    me: Weak<Self>,
    client: Client,
    known: HashMap<&'static str, Decode>,
    seen: Mutex<Seen>,
    sink: mpsc::UnboundedSender<RawEvent>,
}

/// What came so far.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) kinds: BTreeMap<String, u64>,
    /// What could not be read, each problem once and without its values.
    pub(crate) unreadable: BTreeSet<String>,
    /// Events that the protocol's text does not have.
    pub(crate) undeclared: BTreeMap<String, u64>,
    /// Calls of the binding out of turn: a page numbers its calls, and none may be lost.
    pub(crate) out_of_turn: Vec<String>,
    /// The number of a session's last call of the binding.
    last_call: HashMap<Option<target::SessionId>, u64>,
}

impl Recorder {
    /// Records from now on; the receiver gets every event as well.
    pub(crate) fn start(client: &Client) -> (Arc<Self>, mpsc::UnboundedReceiver<RawEvent>) {
        let (sink, source) = mpsc::unbounded_channel();
        let recorder = Arc::new_cyclic(|me| Self {
            me: me.clone(),
            client: client.clone(),
            known: events(),
            seen: Mutex::default(),
            sink,
        });
        client.browser().observe(recorder.clone());
        (recorder, source)
    }

    pub(crate) fn seen(&self) -> Seen {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Recorder {
    fn event(&self, event: &RawEvent) {
        let method = event.method();
        let read = self.known.get(method).map(|decode| decode(event));
        let mut seen = self.lock();
        match read {
            None => *seen.undeclared.entry(method.to_owned()).or_default() += 1,
            Some(Err(error)) => drop(seen.unreadable.insert(error.to_string())),
            Some(Ok(())) => *seen.kinds.entry(method.to_owned()).or_default() += 1,
        }
        if method == runtime::BindingCalled::METHOD
            && let Ok(call) = event.decode::<runtime::BindingCalled>()
        {
            seen.count_call(event.session_id().as_ref(), &call.payload);
        }
        drop(seen);
        if method == target::AttachedToTarget::METHOD
            && let Ok(attached) = event.decode::<target::AttachedToTarget>()
            && let Some(me) = self.me.upgrade()
        {
            self.client.session(&attached.session_id).observe(me);
        }
        if crate::reactions::is_answered(method) {
            // Nobody listens any more when the test is over.
            let _ = self.sink.send(event.clone());
        }
    }
}

impl Seen {
    fn count_call(&mut self, session: Option<&target::SessionId>, number: &str) {
        let last = self.last_call.entry(session.cloned()).or_default();
        *last += 1;
        if *last != number.parse().unwrap_or(0) {
            self.out_of_turn.push(format!("{number} in the place of {last}"));
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// A row for each kind, the most frequent first.
    pub(crate) fn table(&self) -> String {
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut table = format!("{} events of {} kinds\n", self.total(), kinds.len());
        for (kind, count) in kinds {
            let _ = writeln!(table, "{count:6} {kind}");
        }
        table
    }
}
