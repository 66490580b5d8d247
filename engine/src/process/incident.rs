//! What happened to a browser, as a bounded list that late readers can still read. Knows no source of it but the lines
//! that Chromium writes on its standard error.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use futures_core::Stream;

use crate::lock::lock;
use crate::process::Exit;

/// How many are kept for readers to come, and for slow ones.
const KEPT: usize = 64;

/// Something that happened to a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incident {
    /// When the engine learned of it.
    pub at: Instant,
    /// What it was.
    pub kind: IncidentKind,
    /// How many incidents just before this one the reader missed, because more than 64 were unread.
    pub missed: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncidentKind {
    /// The renderer behind a page crashed or was killed. A renderer may serve several pages; then each is an incident of
    /// its own. Of the renderer of a frame of another site Chromium tells nothing.
    RendererCrashed {
        /// The protocol's id of the page's target.
        target: String,
        /// The page's address, without user name, password, query and fragment.
        url: String,
    },
    /// A process that serves all pages ended against the browser's will. The browser starts it again, and goes on; a
    /// page's requests under way at that moment may fail.
    ServiceEnded {
        /// Which one.
        service: Service,
    },
    /// The browser's first process ended, in a close or otherwise. Nothing follows.
    BrowserEnded {
        /// Its exit code or signal.
        exit: Exit,
    },
}

/// The browser's processes that serve all pages and whose unexpected end Chromium reports, on its standard error. Others it
/// restarts without a word. Where the executable is a script that does not become the browser by `exec`, none is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Service {
    /// Draws, also where there is no graphics card.
    Gpu,
    /// Makes all requests.
    Network,
}

impl fmt::Display for IncidentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IncidentKind::RendererCrashed { url, .. } => write!(f, "a renderer crashed ({url})"),
            IncidentKind::ServiceEnded { service: Service::Gpu } => f.write_str("the GPU process ended"),
            IncidentKind::ServiceEnded { service: Service::Network } => {
                f.write_str("the network service ended")
            }
            IncidentKind::BrowserEnded { exit } => write!(f, "the browser ended with {exit}"),
        }
    }
}

impl IncidentKind {
    /// Reads a line that the browser with this process id wrote on its standard error. Chromium's messages begin with
    /// process, thread, time, level and place in brackets. With `--enable-logging=stderr` the console of pages is written
    /// there too, line ends included; a page does not know the process id.
    fn from_stderr(line: &str, pid: i32) -> Option<IncidentKind> {
        let (place, message) = line.strip_prefix('[')?.split_once("] ")?;
        if place.split(':').next()?.parse() != Ok(pid) {
            return None;
        }
        let service = if message.starts_with("GPU process exited unexpectedly") {
            Service::Gpu
        } else if message.starts_with("Network service crashed") {
            Service::Network
        } else {
            return None;
        };
        Some(IncidentKind::ServiceEnded { service })
    }
}

/// The incidents of one browser.
#[derive(Debug, Default)]
pub(crate) struct Incidents {
    pid: OnceLock<i32>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: VecDeque<Incident>,
    /// The number of the oldest one kept, counted from the browser's start.
    first: u64,
    ended: bool,
    /// The number of the next reader.
    readers: u64,
    /// Readers that wait, by their numbers.
    waiting: HashMap<u64, Waker>,
}

impl Incidents {
    /// Says which process writes the messages that are believed: the browser's first one.
    pub(crate) fn believe(&self, pid: i32) {
        // It is told once.
        let _ = self.pid.set(pid);
    }

    /// Takes a line of the browser's standard error.
    pub(crate) fn line(&self, line: &str) {
        if let Some(kind) = self.pid.get().and_then(|pid| IncidentKind::from_stderr(line, *pid)) {
            self.push(kind);
        }
    }

    /// Never waits. After the browser's end nothing more is taken.
    pub(crate) fn push(&self, kind: IncidentKind) {
        let waiting = {
            let mut state = lock(&self.state);
            if state.ended {
                return;
            }
            state.ended = matches!(kind, IncidentKind::BrowserEnded { .. });
            if !state.ended {
                tracing::warn!(incident = %kind, "the browser lost a process");
            }
            if state.kept.len() == KEPT {
                state.kept.pop_front();
                state.first += 1;
            }
            state.kept.push_back(Incident { at: Instant::now(), kind, missed: 0 });
            std::mem::take(&mut state.waiting)
        };
        waiting.into_values().for_each(Waker::wake);
    }

    /// All that are kept and all that follow.
    pub(crate) fn stream(self: &Arc<Self>) -> IncidentStream {
        let mut state = lock(&self.state);
        let reader = state.readers;
        state.readers += 1;
        drop(state);
        IncidentStream { incidents: Arc::clone(self), next: 0, reader }
    }
}

/// The incidents of a browser in their order, from its launch on: first those that are kept, at most 64, then each
/// as it happens. Ends behind [`IncidentKind::BrowserEnded`]. Holds nothing of the browser.
///
/// # Cancel safety
///
/// Waiting for the next one can be given up at any time; none is lost by it.
#[derive(Debug)]
pub struct IncidentStream {
    incidents: Arc<Incidents>,
    next: u64,
    reader: u64,
}

impl IncidentStream {
    /// The next incident; `None` when the browser has ended and all has been read.
    pub async fn next(&mut self) -> Option<Incident> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Incident>> {
        let mut state = lock(&self.incidents.state);
        let missed = state.first.saturating_sub(self.next);
        let number = self.next.max(state.first);
        let at = usize::try_from(number - state.first).unwrap_or(usize::MAX);
        if let Some(incident) = state.kept.get(at) {
            self.next = number + 1;
            return Poll::Ready(Some(Incident { missed, ..incident.clone() }));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        state.waiting.insert(self.reader, cx.waker().clone());
        Poll::Pending
    }
}

impl Stream for IncidentStream {
    type Item = Incident;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl Drop for IncidentStream {
    fn drop(&mut self) {
        lock(&self.incidents.state).waiting.remove(&self.reader);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    fn crash(number: usize) -> IncidentKind {
        IncidentKind::RendererCrashed { target: number.to_string(), url: String::new() }
    }

    fn read(stream: &mut IncidentStream) -> Poll<Option<(IncidentKind, u64)>> {
        let next = stream.poll(&mut Context::from_waker(Waker::noop()));
        next.map(|next| next.map(|incident| (incident.kind, incident.missed)))
    }

    #[test]
    fn late_and_slow_readers_get_the_newest_and_the_number_of_what_they_missed() {
        let incidents = Arc::new(Incidents::default());
        let mut slow = incidents.stream();
        incidents.push(crash(0));
        assert_eq!(read(&mut slow), Poll::Ready(Some((crash(0), 0))));
        for number in 1..KEPT + 11 {
            incidents.push(crash(number));
        }
        let mut late = incidents.stream();
        assert_eq!(read(&mut slow), Poll::Ready(Some((crash(11), 10))));
        assert_eq!(read(&mut late), Poll::Ready(Some((crash(11), 11))));
        for number in 12..KEPT + 11 {
            assert_eq!(read(&mut slow), Poll::Ready(Some((crash(number), 0))));
        }
        assert_eq!(read(&mut slow), Poll::Pending);
    }

    #[test]
    fn the_end_of_the_browser_is_the_last_incident() {
        let incidents = Arc::new(Incidents::default());
        let early = incidents.stream();
        let end = IncidentKind::BrowserEnded { exit: Exit::Signal(9) };
        incidents.push(end.clone());
        incidents.push(crash(1));
        for mut stream in [early, incidents.stream()] {
            assert_eq!(read(&mut stream), Poll::Ready(Some((end.clone(), 0))));
            assert_eq!(read(&mut stream), Poll::Ready(None));
        }
    }

    #[tokio::test]
    async fn every_waiting_reader_is_woken() {
        let incidents = Arc::new(Incidents::default());
        let (mut one, mut two, mut gone) = (incidents.stream(), incidents.stream(), incidents.stream());
        {
            let given_up = pin!(gone.next());
            assert!(given_up.poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        drop(gone);
        assert!(lock(&incidents.state).waiting.is_empty(), "a reader that is gone leaves no waker");
        let pushed = async { incidents.push(crash(7)) };
        let (one, two, ()) = tokio::join!(one.next(), two.next(), pushed);
        assert_eq!((one.unwrap().kind, two.unwrap().kind), (crash(7), crash(7)));
    }

    #[test]
    fn only_lines_of_the_browser_itself_tell_of_an_end() {
        let place = "[1:2:1201/035100.123456:ERROR:content/x.cc:966] ";
        let of = |text: &str| IncidentKind::from_stderr(&format!("{place}{text}"), 1);
        let ended = |service| Some(IncidentKind::ServiceEnded { service });
        let gpu = "GPU process exited unexpectedly: exit_code=9";
        assert_eq!(of(gpu), ended(Service::Gpu));
        assert_eq!(
            of("Network service crashed or was terminated, restarting service."),
            ended(Service::Network)
        );
        for other in ["\"GPU process exited unexpectedly\", source: http://a/ (1)", "GPU process", ""] {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(IncidentKind::from_stderr(gpu, 1), None);
        assert_eq!(IncidentKind::from_stderr(&format!("{place}{gpu}"), 2), None, "another process");
    }
}
