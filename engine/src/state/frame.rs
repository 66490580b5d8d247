//! One frame: which session drives it, which document it shows, and the navigations that bring others.

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::FrameId;
use cdp_protocol::domains::runtime::ExecutionContextId;
use cdp_protocol::domains::target::SessionId;

/// How far a document has loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lifecycle {
    pub dom_content_loaded: bool,
    pub load: bool,
    /// Loading ended without that.
    pub stopped: bool,
}

/// An execution context of a frame's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Context {
    /// Its name for calls. Unlike its number it is never used again, not even by another process.
    pub unique: String,
    /// Its number, by which its session's events name it.
    pub number: ExecutionContextId,
    /// Whether the injected script was sent to it.
    pub installed: bool,
}

impl Context {
    /// One that was just made.
    pub(crate) fn new(unique: String, number: ExecutionContextId) -> Self {
        Self { unique, number, installed: false }
    }
}

/// Whether a frame has a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    /// It left its process for one that no session was reported of yet.
    Between,
    /// Its process died. It shows nothing, and its session answers nothing.
    Crashed,
    /// As before, and a script has asked for its next document.
    Awaited,
    /// Its next document has come, and a session for it was asked for.
    Returning,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub parent: Option<FrameId>,
    pub session: SessionId,
    /// The session that will drive it if the navigation into another process succeeds. Until that commits, the document
    /// that is there lives on; and if it never does, nothing has happened.
    pub arriving: Option<SessionId>,
    pub url: String,
    pub loader: Option<LoaderId>,
    /// Whether any document but the first, empty one has taken it.
    pub committed: bool,
    pub lifecycle: Lifecycle,
    pub main_world: Option<Context>,
    pub utility_world: Option<Context>,
    /// A navigation that was begun and has neither committed nor failed.
    pub pending: Option<Pending>,
    pub life: Life,
}

/// A navigation on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    pub loader: Option<LoaderId>,
    pub url: String,
}

/// How a navigation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// A new document took the frame.
    Committed,
    /// The same document, another URL.
    WithinDocument,
    /// It failed before a document came; the browser's own error text.
    Failed(String),
    /// It failed, and the browser's error page took the frame.
    ErrorPage,
    /// The page asked whether it may be left, and was told to stay.
    Refused,
}

/// One navigation that ended.
#[derive(Debug, Clone)]
pub(crate) struct Navigation {
    /// Counts all navigations of the page, from 1.
    pub sequence: u64,
    pub frame: FrameId,
    pub loader: Option<LoaderId>,
    pub url: String,
    pub end: End,
}

/// Which of a document's two worlds a context belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    Main,
    Utility,
}
