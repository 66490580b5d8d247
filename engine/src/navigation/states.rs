//! How far a document has loaded, and waiting for it.

use std::time::{Duration, Instant};

use cdp_protocol::domains::page::FrameId;

use super::outcome::detached;
use crate::core::page::{PageCore, PageState};
use crate::error::{Error, ErrorKind, Result, shown};
use crate::progress::Progress;

/// Nothing may have been on its way for so long.
const QUIET: Duration = Duration::from_millis(500);

/// How far a document must have loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitUntil {
    /// The server answered and the new document took the frame.
    Commit,
    /// The document was parsed and its deferred scripts ran.
    DomContentLoaded,
    /// Its style sheets, images and frames were loaded too. The default.
    #[default]
    Load,
    /// It has loaded, and nothing was on its way for half a second, in the frame and all frames in it. Event streams,
    /// WebSockets and the icon don't count.
    ///
    /// A page with a heartbeat, a long poll or a ticking advertisement may never get there, and one that renders
    /// late may get there too early. Wait for what you need to see instead: an element, a count,
    /// [`Locator::settled`](crate::Locator::settled).
    NetworkIdle,
}

/// Waits until a frame's present document has loaded that far.
pub(crate) async fn load_state(
    page: &PageCore,
    frame: &FrameId,
    until: WaitUntil,
    progress: &Progress,
) -> Result<()> {
    progress.log(format_args!("waiting for {until:?}"));
    progress.run(page.when(|state| reached(state, frame, until))).await??;
    if until == WaitUntil::NetworkIdle {
        quiet(page, frame, progress).await?;
    }
    Ok(())
}

fn reached(state: &mut PageState, id: &FrameId, until: WaitUntil) -> Option<Result<()>> {
    let Some(frame) = state.frames.get(id) else { return Some(Err(detached())) };
    let reached = match until {
        WaitUntil::Commit => true,
        WaitUntil::DomContentLoaded => frame.lifecycle.dom_content_loaded,
        WaitUntil::Load | WaitUntil::NetworkIdle => frame.lifecycle.load,
    };
    match reached {
        false if frame.lifecycle.stopped => {
            let what = format!("loading was stopped before {until:?} at {}", shown(&frame.url));
            Some(Err(Error::new(ErrorKind::Navigation, what)))
        }
        reached => reached.then_some(Ok(())),
    }
}

/// Waits until a frame and all frames in it have had no request for a while.
async fn quiet(page: &PageCore, frame: &FrameId, progress: &Progress) -> Result<()> {
    // What was before this call is looked at too: a page that has been quiet for long is waited for no longer.
    let past = Instant::now().checked_sub(QUIET).unwrap_or_else(Instant::now);
    loop {
        let since = page.when(|state| {
            if state.frames.get(frame).is_none() {
                return Some(Err(detached()));
            }
            let frames = state.frames.subtree(frame);
            state.idle.quiet_since(&frames, past).map(Ok)
        });
        let over = progress.run(since).await?? + QUIET;
        let left = over.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        progress.log("nothing is on its way");
        progress.wait(tokio::time::sleep(left)).await?;
    }
}
