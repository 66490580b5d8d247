//! The bounded log of a page's navigations: who asked for each, where it went, and how it ended.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::{ClientNavigationReason, FrameId};

use super::frame::{End, Navigation};
use crate::error::shown;

/// Navigations that are remembered; the oldest give way.
const ENTRIES: usize = 256;

/// One navigation of a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NavigationRecord {
    /// When the engine learned of it.
    pub at: SystemTime,
    /// Whether it is one of the main frame.
    pub is_main_frame: bool,
    /// Where the frame was before, without user name and password; empty if nowhere.
    pub from: String,
    /// Where it went, or was to go, after redirects; without user name and password.
    pub to: String,
    /// Who asked for it.
    pub cause: NavigationCause,
    /// How it ended.
    pub end: NavigationEnd,
    /// How long it took until then.
    pub took: Duration,
}

/// Who asked for a navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NavigationCause {
    /// `goto`.
    Goto,
    /// `reload`.
    Reload,
    /// `go_back` or `go_forward`.
    History,
    /// A link that was clicked.
    Link,
    /// A form that was submitted.
    Form,
    /// A script of the page: `location`, `history.pushState`, `document.open`.
    Script,
    /// A `Refresh` header or a `meta` element.
    Refresh,
    /// An element that holds a frame, for its first document.
    Frame,
    /// Somebody else: the browser, its user, another connection.
    Unknown,
}

/// How a navigation ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NavigationEnd {
    /// A new document took the frame.
    Committed,
    /// The same document has another URL.
    WithinDocument,
    /// It failed, with the browser's own text, such as `net::ERR_CONNECTION_REFUSED`.
    Failed(String),
    /// The page asked whether it may be left, and was told to stay.
    Refused,
}

impl fmt::Display for NavigationRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, cause, end, took, is_main_frame, .. } = self;
        let frame = if *is_main_frame { "page" } else { "frame" };
        write!(f, "{frame} from {from:?} to {to:?} by {cause:?}: {end:?} after {took:?}")
    }
}

/// The navigations of a page, those on their way too.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    open: HashMap<FrameId, Begun>,
    /// What was asked for here, and has not begun yet.
    asked: HashMap<FrameId, NavigationCause>,
    urls: HashMap<FrameId, String>,
    ring: VecDeque<NavigationRecord>,
    /// The last navigation of the frame tree that was looked at.
    seen: u64,
}

#[derive(Debug)]
struct Begun {
    at: SystemTime,
    since: Instant,
    loader: Option<LoaderId>,
    cause: NavigationCause,
}

impl Journal {
    /// A call of the user's is about to ask for a navigation.
    pub(crate) fn asks(&mut self, frame: FrameId, cause: NavigationCause) {
        self.asked.insert(frame, cause);
    }

    /// A navigation begins, as far as the browser tells; or is told more of.
    pub(crate) fn begins(
        &mut self,
        frame: &FrameId,
        loader: Option<LoaderId>,
        reason: Option<&ClientNavigationReason>,
    ) {
        let asked = self.asked.remove(frame);
        let cause = asked.or_else(|| reason.map(NavigationCause::from));
        match self.open.get_mut(frame) {
            Some(known) if known.loader.is_none() || loader.is_none() || known.loader == loader => {
                known.loader = loader.or(known.loader.take());
                known.cause = cause.unwrap_or(known.cause);
            }
            _ => {
                let cause = cause.unwrap_or(NavigationCause::Unknown);
                let begun = Begun { at: SystemTime::now(), since: Instant::now(), loader, cause };
                self.open.insert(frame.clone(), begun);
            }
        }
    }

    /// Takes in what has ended.
    pub(crate) fn look<'a>(&mut self, ended: impl Iterator<Item = &'a Navigation>, main: &FrameId) {
        for navigation in ended {
            self.seen = self.seen.max(navigation.sequence);
            self.ends(navigation, main);
        }
    }

    /// The number of the last navigation that was taken in.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn entries(&self) -> Vec<NavigationRecord> {
        self.ring.iter().cloned().collect()
    }

    fn ends(&mut self, navigation: &Navigation, main: &FrameId) {
        let Navigation { frame, loader, url, end, .. } = navigation;
        let is_it = |begun: &Begun| {
            *end != End::WithinDocument && (begun.loader.is_none() || begun.loader == *loader)
        };
        let within = |begun: &Begun| *end == End::WithinDocument && begun.loader.is_none();
        let begun = match self.open.get(frame) {
            Some(begun) if is_it(begun) || within(begun) => self.open.remove(frame),
            _ => None,
        };
        let within_document = || {
            if *end == End::WithinDocument { NavigationCause::Script } else { NavigationCause::Unknown }
        };
        let cause =
            begun.as_ref().map(|begun| begun.cause).filter(|cause| *cause != NavigationCause::Unknown);
        let cause = cause.or_else(|| self.asked.remove(frame)).unwrap_or_else(within_document);
        let to = shown(url);
        let end = match end {
            End::Committed => NavigationEnd::Committed,
            End::WithinDocument => NavigationEnd::WithinDocument,
            End::Failed(text) => NavigationEnd::Failed(text.clone()),
            End::ErrorPage => NavigationEnd::Failed("the browser's error page".into()),
            End::Refused => NavigationEnd::Refused,
        };
        let moved = matches!(end, NavigationEnd::Committed | NavigationEnd::WithinDocument);
        let from = match moved {
            true => self.urls.insert(frame.clone(), to.clone()),
            false => self.urls.get(frame).cloned(),
        };
        let record = NavigationRecord {
            at: begun.as_ref().map_or_else(SystemTime::now, |begun| begun.at),
            is_main_frame: frame == main,
            from: from.unwrap_or_default(),
            to,
            cause,
            end,
            took: begun.map(|begun| begun.since.elapsed()).unwrap_or_default(),
        };
        if self.ring.len() == ENTRIES {
            self.ring.pop_front();
        }
        self.ring.push_back(record);
    }

    /// A frame is gone.
    pub(crate) fn forget(&mut self, frame: &FrameId) {
        self.open.remove(frame);
        self.asked.remove(frame);
        self.urls.remove(frame);
    }
}

impl From<&ClientNavigationReason> for NavigationCause {
    fn from(reason: &ClientNavigationReason) -> Self {
        match reason {
            ClientNavigationReason::AnchorClick => Self::Link,
            ClientNavigationReason::FormSubmissionGet | ClientNavigationReason::FormSubmissionPost => {
                Self::Form
            }
            ClientNavigationReason::HttpHeaderRefresh | ClientNavigationReason::MetaTagRefresh => {
                Self::Refresh
            }
            ClientNavigationReason::InitialFrameNavigation => Self::Frame,
            ClientNavigationReason::ScriptInitiated | ClientNavigationReason::Reload => Self::Script,
            _ => Self::Unknown,
        }
    }
}
