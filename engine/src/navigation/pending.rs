//! Navigations that are on their way when somebody wants something of the page.

use std::time::Duration;

use cdp_protocol::domains::page::Enable;
use cdp_protocol::{CallError, SessionEnd};

use crate::core::page::{PageCore, PageEnd, PageState};
use crate::error::{Result, shown};
use crate::progress::Progress;
use crate::state::frames::End;

/// What the browser says of a navigation that it gave up, also of one whose renderer crashed.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// How long a navigation may be announced by a script before the browser begins it.
const ANNOUNCED: Duration = Duration::from_secs(1);

/// How long a renderer may take to show that it lives. One that is busy may take longer, and has not crashed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// Fails if the page's renderer has crashed, also when the browser has not told so yet: it gives up the navigation first and
/// tells of the crash up to a twentieth of a second later. Until it does, a call to the renderer stays open.
pub(super) async fn alive(page: &PageCore, progress: &Progress) -> Result<()> {
    let sign = tokio::time::timeout(SIGN_OF_LIFE, page.session.call(&Enable::default()));
    match progress.wait(sign).await {
        Ok(Ok(Err(CallError::SessionEnded { end: SessionEnd::Crashed, .. }))) => {
            Err(PageEnd::Crashed.error())
        }
        // Whatever else it is: the renderer has not crashed as far as anybody knows, and who goes on will learn the rest.
        _ => Ok(()),
    }
}

/// Lets a navigation of the main frame that has begun commit or fail: what the caller means is the page to come.
pub(crate) async fn let_finish(page: &PageCore, progress: &Progress) -> Result<()> {
    let pending = |state: &mut PageState| state.frames.main_frame().pending.clone();
    let before = page.state().frames.sequence();
    let Some(navigation) = pending(&mut page.state()) else { return Ok(()) };
    progress.log(format_args!("waiting for the navigation to {} to finish", shown(&navigation.url)));
    let finished = page.when(|state| (pending(state).as_ref() != Some(&navigation)).then_some(()));
    if navigation.loader.is_some() {
        progress.run(finished).await?;
        let gave_up = {
            let state = page.state();
            let mut ends = state.frames.navigations_since(state.frames.main(), before);
            ends.any(|it| it.loader == navigation.loader && it.end == End::Failed(ABORTED.to_owned()))
        };
        if gave_up { alive(page, progress).await } else { Ok(()) }
    } else {
        // A script asked for it. Some of these never begin (another scheme's handler, a script that changed its mind).
        let announced = progress.wait(tokio::time::timeout(ANNOUNCED, finished)).await?;
        let begun = pending(&mut page.state()).filter(|it| it.loader.is_some());
        match (announced, begun) {
            (Ok(result), None) => result,
            (_, Some(_)) => Box::pin(let_finish(page, progress)).await,
            (Err(_), None) => Ok(()),
        }
    }
}
