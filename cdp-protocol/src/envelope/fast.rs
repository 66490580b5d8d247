//! The envelope of a message in Chromium's own shape, read from its two ends, so that the cost doesn't grow with the message.
//! Everything else goes the general way.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::memrchr;

use super::error::EnvelopeError;
use super::scan::{Envelope, Kind, scan};
use super::text::Text;

/// Most digits of an id that are read here.
const MAX_DIGITS: usize = 11;
/// Characters of a session id of Chromium; a tail that is far longer is left to the general scanner.
const SESSION: usize = 32;
const MAX_SESSION: usize = 200;
/// How far from the end a misplaced session id is looked for.
const TAIL: usize = 512;

static SESSION_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"sessionId\""));

/// Reads the envelope of a message.
///
/// Chromium writes `{"id":N,"result":{…},"sessionId":"…"}` and `{"method":"…","params":{…},"sessionId":"…"}`, always in this
/// order. The head tells id or method. Behind it `,"sessionId":"…"}` at the very end can only be the member of the outermost
/// object, because quotes inside of strings are escaped. So nothing between has to be read, and for a message of this shape the
/// answer is that of [`scan`].
///
/// One thing the two ends can't show: a member that no browser sends, between the payload and the end, is then taken for a part
/// of the payload. A decoder sees that as text behind the value, and asks [`scan`].
///
/// # Errors
///
/// As [`scan`]. What is broken inside of a payload is not seen.
#[inline]
pub fn parse(message: &[u8]) -> Result<Envelope<'_>, EnvelopeError> {
    match fast(message) {
        Some(envelope) => Ok(envelope),
        None => scan(message),
    }
}

/// As [`parse`], for messages of Chromium's own shape alone.
#[inline]
pub(crate) fn fast(message: &[u8]) -> Option<Envelope<'_>> {
    let (kind, rest) = head(message)?;
    let start = message.len().checked_sub(rest.len())?;
    let (session, end) = tail(message)?;
    let payload = message.get(start..end)?;
    let whole = payload.first() == Some(&b'{') && payload.last() == Some(&b'}');
    whole.then_some(Envelope { kind, session, payload: Range { start, end } })
}

#[inline]
fn head(message: &[u8]) -> Option<(Kind<'_>, &[u8])> {
    if let Some(rest) = message.strip_prefix(b"{\"id\":") {
        let (id, rest) = digits(rest)?;
        if let Some(rest) = rest.strip_prefix(b",\"result\":") {
            return Some((Kind::Reply { id }, rest));
        }
        return Some((Kind::Error { id: Some(id) }, rest.strip_prefix(b",\"error\":")?));
    }
    let rest = message.strip_prefix(b"{\"method\":\"")?;
    let (method, rest) = Text::up_to_quote(rest)?;
    Some((Kind::Event { method }, rest.strip_prefix(b",\"params\":")?))
}

/// An id without a sign, short enough not to overflow. Zeros in front are no JSON; [`scan`] takes them as well.
fn digits(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut id = 0i64;
    for (count, byte) in bytes.iter().take(MAX_DIGITS).enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return if count == 0 { None } else { Some((id, bytes.get(count..)?)) };
        }
        id = id.wrapping_mul(10).wrapping_add(i64::from(digit));
    }
    None
}

/// The session, and where the payload ends.
#[inline]
fn tail(message: &[u8]) -> Option<(Option<Text<'_>>, usize)> {
    let body = message.strip_suffix(b"}")?;
    if let Some(text) = body.strip_suffix(b"\"") {
        // Chromium's ids all have one length; nothing has to be searched for then.
        if let Some((before, id)) = text.split_last_chunk::<SESSION>()
            && let (Some(before), Some(id)) = (before.strip_suffix(b",\"sessionId\":\""), Text::plain(id))
        {
            return Some((Some(id), before.len()));
        }
        let window = text.get(text.len().saturating_sub(MAX_SESSION)..)?;
        let quote = memrchr(b'"', window)?;
        let id = window.get(quote.checked_add(1)?..)?;
        if id.iter().any(|b| *b == b'\\' || *b < 0x20) {
            return None;
        }
        let before = text.get(..text.len().checked_sub(id.len())?)?.strip_suffix(b",\"sessionId\":\"")?;
        return Some((Some(Text::new(id)?), before.len()));
    }
    // Without a session the id might still stand in front of some other last member; then this isn't Chromium's shape.
    let window = body.get(body.len().saturating_sub(TAIL)..)?;
    SESSION_KEY.find(window).is_none().then_some((None, body.len()))
}
