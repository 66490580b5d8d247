//! What comes of a navigation: an answer, or an error that says why there is none.

use cdp_protocol::domains::page::FrameId;

use super::pending::{ABORTED, alive};
use crate::core::page::{DocumentResponse, PageCore};
use crate::error::{Error, ErrorKind};
use crate::progress::Progress;
use crate::state::frames::End;

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

impl From<DocumentResponse> for Response {
    fn from(response: DocumentResponse) -> Self {
        Self {
            status: u16::try_from(response.status).unwrap_or_default(),
            url: response.url,
            mime_type: response.mime_type,
        }
    }
}

/// The error of a navigation after number `before` for which the browser gives this text.
pub(super) async fn failed(
    page: &PageCore,
    frame: &FrameId,
    before: u64,
    text: &str,
    url: &str,
    progress: &Progress,
) -> Error {
    if text == ABORTED
        && let Err(crashed) = alive(page, progress).await
    {
        return crashed;
    }
    let refused = page.state().frames.navigations_since(frame, before).any(|it| it.end == End::Refused);
    if refused {
        stayed(url, progress)
    } else {
        Error::new(ErrorKind::Navigation, format!("{text} at {url}{}", advice(text)))
    }
}

/// The error of a navigation that the page did not let happen.
pub(super) fn stayed(url: &str, progress: &Progress) -> Error {
    progress.not_acted();
    let what = format!(
        "the page asked whether it may be left for {url}, and its dialog was dismissed: it stays (answer with accept)"
    );
    Error::new(ErrorKind::Navigation, what)
}

pub(super) fn detached() -> Error {
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
