//! Loading the page's document again, going to another one of its history, and writing one anew.

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::{FrameId, GetNavigationHistory, NavigateToHistoryEntry, Reload};
use cdp_protocol::{CallError, Command};

use super::outcome::{Response, failed, stayed};
use super::states::{WaitUntil, load_state};
use crate::core::page::PageCore;
use crate::error::{Error, ErrorKind, Result, shown};
use crate::progress::Progress;
use crate::state::frames::{End, Navigation};
use crate::state::journal::NavigationCause;
use crate::world::{self, WorldError};

/// A direction in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Back,
    Forward,
}

/// What the page was on its way to when a navigation was asked for.
struct Before {
    main: FrameId,
    sequence: u64,
    /// A document that was to come, which the navigation takes the place of.
    replaced: Option<LoaderId>,
}

impl Before {
    fn asks(page: &PageCore, cause: NavigationCause) -> Self {
        let mut state = page.state();
        let main = state.frames.main().clone();
        let replaced = state.frames.main_frame().pending.as_ref().and_then(|pending| pending.loader.clone());
        Self { sequence: state.asks(&main, cause), main, replaced }
    }
}

/// Loads the page's document again and waits.
pub(crate) async fn reload(
    page: &PageCore,
    until: WaitUntil,
    progress: &Progress,
) -> Result<Option<Response>> {
    let before = Before::asks(page, NavigationCause::Reload);
    progress.log("reloading");
    progress.acted();
    once_active(page, &Reload::default(), progress).await?;
    arrive(page, &before, until, progress, |navigation| navigation.end != End::WithinDocument).await
}

/// Goes one step in the page's history and waits. Nothing is done at its end.
pub(crate) async fn travel(
    page: &PageCore,
    step: Step,
    until: WaitUntil,
    progress: &Progress,
) -> Result<Option<Response>> {
    let history = once_active(page, &GetNavigationHistory, progress).await?;
    let at = match step {
        Step::Back => history.current_index.checked_sub(1),
        Step::Forward => history.current_index.checked_add(1),
    };
    let entry = at.and_then(|at| usize::try_from(at).ok()).and_then(|at| history.entries.get(at));
    let Some(entry) = entry else {
        progress.log("there is no such entry in the history");
        return Ok(None);
    };
    let before = Before::asks(page, NavigationCause::History);
    progress.log(format_args!("going to {}", shown(&entry.url)));
    progress.acted();
    once_active(page, &NavigateToHistoryEntry::new(entry.id), progress).await?;
    arrive(page, &before, until, progress, |_| true).await
}

/// Chromium refuses commands while the page moves from one process to another, before it has done anything; they are
/// given again.
async fn once_active<C: Command>(page: &PageCore, command: &C, progress: &Progress) -> Result<C::Result> {
    for attempt in 0.. {
        match progress.wait(page.session.call(command)).await? {
            Err(CallError::Refused { message, .. }) if message == "Not attached to an active page" => {
                progress.log("the page is moving to another process");
                progress.pause(attempt).await?;
            }
            answer => return Ok(answer?),
        }
    }
    unreachable!("attempts are made until the deadline")
}

/// Waits for the navigation that was asked for, and until its document has loaded that far.
async fn arrive(
    page: &PageCore,
    before: &Before,
    until: WaitUntil,
    progress: &Progress,
    counts: impl Fn(&Navigation) -> bool,
) -> Result<Option<Response>> {
    let Before { main, sequence, replaced } = before;
    let is_replaced =
        |it: &Navigation| replaced.is_some() && it.loader == *replaced && matches!(it.end, End::Failed(_));
    let ended = page.when(|state| {
        let mut ends = state.frames.navigations_since(main, *sequence);
        ends.find(|it| counts(it) && !is_replaced(it)).cloned()
    });
    let Navigation { url, loader, end, .. } = progress.run(ended).await?;
    let told = shown(&url);
    match end {
        End::Failed(text) => return Err(failed(page, main, *sequence, &text, &told, progress).await),
        End::Refused => return Err(stayed(&told, progress)),
        End::Committed | End::ErrorPage | End::WithinDocument => {}
    }
    let within = end == End::WithinDocument;
    let response = loader.filter(|_| !within).and_then(|loader| page.state().response(&loader));
    if end == End::ErrorPage && response.is_none() {
        return Err(Error::new(ErrorKind::Navigation, format!("the server did not answer at {told}")));
    }
    load_state(page, main, until, progress).await?;
    Ok(response.map(Response::from))
}

/// Writes the document of a frame anew and waits until that has loaded so far.
pub(crate) async fn set_content(
    page: &PageCore,
    frame: &FrameId,
    html: &str,
    until: WaitUntil,
    progress: &Progress,
) -> Result<()> {
    progress.acted();
    let written = world::call::<Option<()>>(page, frame, "write", vec![html.into()]);
    match progress.wait(written).await? {
        Ok(_) => load_state(page, frame, until, progress).await,
        Err(WorldError::Gone(why) | WorldError::Lost(why)) => Err(Error::new(
            ErrorKind::Navigation,
            format!("the document went away while it was written: {why}"),
        )),
        Err(WorldError::Failed(error)) => Err(error),
    }
}
