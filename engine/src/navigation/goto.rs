//! Going to a URL.

use cdp_protocol::CallError;
use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::{FrameId, Navigate};

use super::outcome::{Response, detached, failed};
use super::states::{WaitUntil, load_state};
use crate::core::page::{PageCore, PageState};
use crate::error::{Error, ErrorKind, Result, shown};
use crate::progress::Progress;
use crate::state::frames::End;
use crate::state::journal::NavigationCause;
use crate::url::checked;

/// Where to go.
pub(crate) struct Going {
    pub url: String,
    /// The `Referer` of the request.
    pub referer: Option<String>,
    pub until: WaitUntil,
}

/// Navigates and waits. Gives no response for documents that come from no server (`about:blank`, `data:`) and for
/// navigations within the document.
pub(crate) async fn goto(
    page: &PageCore,
    frame: &FrameId,
    going: Going,
    progress: &Progress,
) -> Result<Option<Response>> {
    let url = checked(&going.url, page.context.base_url.as_deref())?;
    let told = shown(&url);
    let (session, before) = {
        let mut state = page.state();
        if let Some(end) = &state.end {
            return Err(end.error());
        }
        let session = state.frames.get(frame).map(|frame| page.session_of(&frame.session));
        (session.ok_or_else(detached)?, state.asks(frame, NavigationCause::Goto))
    };
    progress.log(format_args!("navigating to {told}"));
    let mut command = Navigate::new(url.as_str()).frame_id(frame.clone());
    command.referrer = going.referer;
    progress.acted();
    let answer = match progress.wait(session.call(&command)).await? {
        Err(CallError::Refused { message, .. }) => {
            progress.not_acted();
            return Err(Error::new(ErrorKind::Invalid, format!("{message}: {told:?}")));
        }
        Err(error) => {
            if error.is_not_sent() {
                progress.not_acted();
            }
            return Err(error.into());
        }
        Ok(answer) => answer,
    };
    if answer.is_download == Some(true) {
        return Err(Error::new(
            ErrorKind::Navigation,
            format!("{told} is a download, not a page; see expect_download"),
        ));
    }
    // A status without a body makes the browser show a page of its own. The server did answer.
    if let Some(text) = answer.error_text.filter(|text| text != "net::ERR_HTTP_RESPONSE_CODE_FAILURE") {
        return Err(failed(page, frame, before, &text, &told, progress).await);
    }
    match answer.loader_id {
        Some(loader) => {
            let end = progress.run(page.when(|state| how_it_ended(state, frame, before, &loader, &told)));
            if let Err(text) = end.await?? {
                return Err(failed(page, frame, before, &text, &told, progress).await);
            }
            progress.log("the new document took the frame");
            load_state(page, frame, going.until, progress).await?;
            Ok(page.state().response(&loader).map(Response::from))
        }
        None => {
            let within = |state: &mut PageState| {
                state
                    .frames
                    .navigations_since(frame, before)
                    .any(|it| it.end == End::WithinDocument)
                    .then_some(())
            };
            progress.run(page.when(within)).await?;
            Ok(None)
        }
    }
}

/// Gives the browser's own text if it failed.
fn how_it_ended(
    state: &mut PageState,
    frame: &FrameId,
    before: u64,
    loader: &LoaderId,
    url: &str,
) -> Option<Result<std::result::Result<(), String>>> {
    let Some(present) = state.frames.get(frame) else { return Some(Err(detached())) };
    if present.loader.as_ref() == Some(loader) {
        return Some(Ok(Ok(())));
    }
    let mut interrupted = None;
    for navigation in state.frames.navigations_since(frame, before) {
        let ours = navigation.loader.as_ref() == Some(loader);
        match &navigation.end {
            End::Committed | End::ErrorPage if ours => return Some(Ok(Ok(()))),
            End::Failed(text) if ours => return Some(Ok(Err(text.clone()))),
            End::Committed => interrupted = Some(navigation.url.clone()),
            _ => {}
        }
    }
    interrupted.map(|other| {
        let what = format!("the navigation to {url} was interrupted by one to {other}");
        Err(Error::new(ErrorKind::Navigation, what))
    })
}
