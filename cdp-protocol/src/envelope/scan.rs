//! The general way to read an envelope: any order of keys, white space, escapes and nesting. One pass over the whole message.

use std::ops::Range;

use super::error::EnvelopeError;
use super::members::{Members, inner};
use super::text::Text;

/// The outside of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// What the message is.
    pub kind: Kind<'a>,
    /// The session it belongs to; `None` for the browser's own.
    pub session: Option<Text<'a>>,
    /// Where the value of `result`, `error` or `params` stands in the message. Empty when there is none.
    pub payload: Range<usize>,
}

/// The kinds of message that a browser sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// The result of a call.
    Reply {
        /// The call's id.
        id: i64,
    },
    /// The refusal of a call, or, without an id, a complaint about the connection.
    Error {
        /// The call's id, if the browser knew it.
        id: Option<i64>,
    },
    /// Something happened.
    Event {
        /// The event's full name, such as `Page.frameNavigated`.
        method: Text<'a>,
    },
}

/// Reads the envelope of a message of any form.
///
/// Of members with the same name the last counts. An `id` may be written as `5.0`; an `error` that is `null` counts as absent.
///
/// # Errors
///
/// [`EnvelopeError::Broken`] when the outermost object isn't JSON (values are passed over, not checked, but for the texts that name a
/// method or a session), and [`EnvelopeError::NotAnEnvelope`] when it has neither a method nor a call's id.
pub fn scan(message: &[u8]) -> Result<Envelope<'_>, EnvelopeError> {
    let mut members = Members::new(message);
    let (mut id, mut method, mut session) = (None, None, None);
    let (mut result, mut params, mut error) = (None, None, None);
    while let Some((name, value)) = members.next()? {
        match &*name {
            "id" => id = message.get(value).and_then(integer),
            "method" => method = text(message, &value)?,
            "sessionId" => session = text(message, &value)?,
            "result" => result = Some(value),
            "params" => params = Some(value),
            "error" => error = message.get(value.clone()).filter(|v| *v != b"null").map(|_| value),
            _ => {}
        }
    }
    let (kind, payload) = match (id, method, error) {
        (id, _, Some(error)) => (Kind::Error { id }, Some(error)),
        (Some(id), None, None) => (Kind::Reply { id }, result),
        (Some(id), Some(_), None) if result.is_some() => (Kind::Reply { id }, result),
        (_, Some(method), None) => (Kind::Event { method }, params),
        (None, None, None) => return Err(EnvelopeError::NotAnEnvelope),
    };
    Ok(Envelope { kind, session, payload: payload.unwrap_or_default() })
}

/// A string's text; `None` for a value of another kind. What is written as a string but is no text must not be taken for absent: a
/// message without a session belongs to the browser itself.
fn text<'a>(message: &'a [u8], value: &Range<usize>) -> Result<Option<Text<'a>>, EnvelopeError> {
    match inner(message, value) {
        None if message.get(value.start) == Some(&b'"') => Err(EnvelopeError::Broken { offset: value.start }),
        text => Ok(text.map(Text::from)),
    }
}

/// An integer in any of JSON's spellings, as far as a double holds it exactly.
fn integer(value: &[u8]) -> Option<i64> {
    let text = str::from_utf8(value).ok()?;
    if let Ok(id) = text.parse() {
        return Some(id);
    }
    let number: f64 = text.parse().ok()?;
    // Formatting is the conversion that needs no unchecked cast; this path is cold.
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0)
        .then(|| format!("{number:.0}").parse().ok())
        .flatten()
}
