//! Bringing a frame to another document, and waiting until it has loaded far enough.

use std::time::Duration;

use cdp_protocol::domains::network::LoaderId;
use cdp_protocol::domains::page::{Enable, FrameId, Navigate, Reload};
use cdp_protocol::{CallError, SessionEnd};

use crate::core::page::{PageCore, PageEnd, PageState};
use crate::error::{Error, ErrorKind, Result, shown};
use crate::progress::Progress;
use crate::state::frames::End;
use crate::url::checked;

/// How long a navigation may be announced by a script before the browser begins it.
const ANNOUNCED: Duration = Duration::from_secs(1);

/// What the browser says of a navigation that it gave up, also of one whose renderer crashed.
const ABORTED: &str = "net::ERR_ABORTED";

/// How long a renderer may take to show that it lives. One that is busy may take longer, and has not crashed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

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
    /// Nothing was loading for half a second, in the frame and all frames in it, as the browser itself judges.
    ///
    /// A page with a heartbeat, a long poll or a ticking advertisement may never get there, and one that renders
    /// late may get there too early. Wait for what you need to see instead: an element, a count,
    /// [`Locator::settled`](crate::Locator::settled).
    NetworkIdle,
}

/// The answer to the request for a document.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The URL after redirects.
    pub url: String,
    /// The type the server declared, without parameters.
    pub mime_type: String,
}

impl Response {
    /// Whether the status is one of success, 200 to 299.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Navigates and waits. Gives no response for documents that come from no server (`about:blank`, `data:`) and for
/// navigations within the document.
pub(crate) async fn goto(
    page: &PageCore,
    frame: &FrameId,
    url: &str,
    until: WaitUntil,
    progress: &Progress,
) -> Result<Option<Response>> {
    let url = checked(url, page.context.base_url.as_deref())?;
    let told = shown(&url);
    let (session, before) = {
        let state = page.state();
        if let Some(end) = &state.end {
            return Err(end.error());
        }
        let session = state.frames.get(frame).map(|frame| page.session_of(&frame.session));
        (session.ok_or_else(detached)?, state.frames.sequence())
    };
    progress.log(format_args!("navigating to {told}"));
    let command = Navigate::new(url.as_str()).frame_id(frame.clone());
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
        return Err(failed(page, &text, &told, progress).await);
    }
    match answer.loader_id {
        Some(loader) => {
            let end = progress.run(page.when(|state| how_it_ended(state, frame, before, &loader, &told)));
            if let Err(text) = end.await?? {
                return Err(failed(page, &text, &told, progress).await);
            }
            progress.log("the new document took the frame");
            progress.run(page.when(|state| reached(state, frame, until))).await??;
            Ok(page.state().response(&loader).map(public))
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

/// Loads the page's document again and waits.
pub(crate) async fn reload(
    page: &PageCore,
    until: WaitUntil,
    progress: &Progress,
) -> Result<Option<Response>> {
    let (main, before) = {
        let state = page.state();
        (state.frames.main().clone(), state.frames.sequence())
    };
    progress.log("reloading");
    progress.acted();
    progress.run(page.session.call(&Reload::default())).await?;
    let ended = page.when(|state| {
        let mut ends =
            state.frames.navigations_since(&main, before).filter(|it| it.end != End::WithinDocument);
        ends.next().cloned()
    });
    let navigation = progress.run(ended).await?;
    if let End::Failed(text) = &navigation.end {
        return Err(failed(page, text, &shown(&navigation.url), progress).await);
    }
    let response = navigation.loader.and_then(|loader| page.state().response(&loader)).map(public);
    if navigation.end == End::ErrorPage && response.is_none() {
        return Err(Error::new(
            ErrorKind::Navigation,
            format!("the server did not answer at {}", navigation.url),
        ));
    }
    load_state(page, &main, until, progress).await?;
    Ok(response)
}

/// Waits until a frame's present document has loaded that far.
pub(crate) async fn load_state(
    page: &PageCore,
    frame: &FrameId,
    until: WaitUntil,
    progress: &Progress,
) -> Result<()> {
    progress.log(format_args!("waiting for {until:?}"));
    progress.run(page.when(|state| reached(state, frame, until))).await?
}

/// The error of a navigation for which the browser gives this text.
async fn failed(page: &PageCore, text: &str, url: &str, progress: &Progress) -> Error {
    if text == ABORTED
        && let Err(crashed) = alive(page, progress).await
    {
        return crashed;
    }
    Error::new(ErrorKind::Navigation, format!("{text} at {url}{}", advice(text)))
}

/// Fails if the page's renderer has crashed, also when the browser has not told so yet: it gives up the navigation first and
/// tells of the crash up to a twentieth of a second later. Until it does, a call to the renderer stays open.
async fn alive(page: &PageCore, progress: &Progress) -> Result<()> {
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

fn reached(state: &mut PageState, id: &FrameId, until: WaitUntil) -> Option<Result<()>> {
    let Some(frame) = state.frames.get(id) else { return Some(Err(detached())) };
    let reached = match until {
        WaitUntil::Commit => true,
        WaitUntil::DomContentLoaded => frame.lifecycle.dom_content_loaded,
        WaitUntil::Load => frame.lifecycle.load,
        WaitUntil::NetworkIdle => frame.lifecycle.load && state.frames.is_network_idle(id),
    };
    reached.then_some(Ok(()))
}

fn public(response: crate::core::page::DocumentResponse) -> Response {
    Response {
        status: u16::try_from(response.status).unwrap_or_default(),
        url: response.url,
        mime_type: response.mime_type,
    }
}

fn detached() -> Error {
    Error::new(ErrorKind::Closed, "the frame was detached")
}

fn advice(text: &str) -> &'static str {
    match text {
        "net::ERR_CONNECTION_REFUSED" => " (nothing listens there)",
        "net::ERR_NAME_NOT_RESOLVED" => " (the host name is not known)",
        "net::ERR_ABORTED" => " (the server sent no document, or another navigation took its place)",
        "net::ERR_INVALID_AUTH_CREDENTIALS" => {
            " (the server wants a user name and a password; see NewContext::http_credentials)"
        }
        "net::ERR_UNSAFE_PORT" => " (the browser refuses this port)",
        "net::ERR_ADDRESS_UNREACHABLE" | "net::ERR_INTERNET_DISCONNECTED" => {
            " (there is no way to that host)"
        }
        "net::ERR_CONNECTION_TIMED_OUT" | "net::ERR_TIMED_OUT" => " (the host did not answer)",
        "net::ERR_FILE_NOT_FOUND" => " (there is no such file)",
        "net::ERR_CERT_AUTHORITY_INVALID" => {
            " (the server's certificate is not trusted; see NewContext::ignore_tls_errors)"
        }
        _ => "",
    }
}
