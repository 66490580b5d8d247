//! The two traits that tie generated items to the wire. Sends and receives nothing.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A command: the struct of its parameters. Serializes as an object, an empty one where it has none.
pub trait Command: Serialize {
    /// Name on the wire, for example `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers; `()` takes any answer.
    type Result: DeserializeOwned + Send + 'static;
}

/// An event: the struct of its parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no event",
    note = "`Session::events` is for one event, such as `page::FrameNavigated`; `Session::events_of` for all of a domain, such as `PageEvent`"
)]
pub trait Event: DeserializeOwned + Send + 'static {
    /// Name on the wire, for example `Page.frameNavigated`.
    const METHOD: &'static str;
}
