//! One context as the engine knows it: what its pages are told when they begin, and what is changed for all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use cdp_protocol::domains::browser::BrowserContextId;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::target::TargetId;
use serde_json::value::RawValue;

use super::scripts::ScriptId;
use crate::emulation::Emulation;
use crate::lock::lock;
use crate::operation::BoxFuture;
use crate::state::clock::Time;

/// A function of the host that pages may call: gets the name of the page's target, the frame, and the arguments as a
/// JSON array; gives JSON, or an error's message.
pub(crate) type Exposed =
    Arc<dyn Fn(TargetId, FrameId, Box<RawValue>) -> BoxFuture<Result<Box<RawValue>, String>> + Send + Sync>;

/// One context.
pub(crate) struct ContextCore {
    pub id: BrowserContextId,
    /// Whether it was made here, and is not the browser's own.
    pub is_ours: bool,
    /// What `goto` takes a relative URL for.
    pub base_url: Option<String>,
    /// The attribute of test ids, if it is another than usual.
    pub test_id_attribute: Option<String>,
    /// Lock rule: taken before the list of pages and before the state of any page. Whoever changes something holds it
    /// until all pages have been told, and so does a page that begins; so each is told of everything once.
    shared: Mutex<Shared>,
}

/// What all pages of a context have in common.
#[derive(Default)]
pub(crate) struct Shared {
    pub emulation: Emulation,
    pub scripts: Vec<(ScriptId, Arc<str>)>,
    /// What the clock of all pages shows, and the script that tells documents to come.
    pub clock: Option<(Time, ScriptId)>,
    /// Functions of the host that pages may call, by their names.
    pub exposed: HashMap<String, Exposed>,
}

impl ContextCore {
    pub(crate) fn new(id: BrowserContextId, emulation: Emulation) -> Self {
        let shared = Shared { emulation, ..Shared::default() };
        Self { id, is_ours: true, base_url: None, test_id_attribute: None, shared: Mutex::new(shared) }
    }

    pub(crate) fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }
}
