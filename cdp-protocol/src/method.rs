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
pub trait Event: DeserializeOwned + Send + 'static {
    /// Name on the wire, for example `Page.frameNavigated`.
    const METHOD: &'static str;
}
