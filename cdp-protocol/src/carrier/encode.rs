//! Writes one call as JSON straight into the outgoing buffer, and refuses what Chromium would cut the connection for.

use std::io;

use bytes::BytesMut;
use serde::Serialize;

use crate::domains::target::SessionId;
use crate::mux::CallId;

/// Chromium's buffer for one message takes 100 MiB, its framing included; above that it resets the connection.
pub(crate) const MAX_CALL: usize = 100 * 1024 * 1024 - 1024;

/// Bytes of calls that may wait for a browser that reads nothing, before further calls are refused.
pub(crate) const MAX_QUEUED: usize = 256 * 1024 * 1024;

/// Why a call could not be written.
pub(crate) enum Problem {
    Congested { queued: usize },
    TooLarge { size: usize },
    Encode(String),
}

/// Appends `{"id":…,"method":…,"params":…,"sessionId":…}`. Parameters that are `null`, as those of a command without any, are
/// left out.
pub(super) fn write_call<P: Serialize + ?Sized>(
    out: &mut BytesMut,
    id: CallId,
    method: &str,
    params: &P,
    session: Option<&SessionId>,
) -> Result<(), Problem> {
    let mut out = Limited { out, size: 0 };
    out.put(format_args!("{{\"id\":{id},\"method\":"))?;
    out.text(method)?;
    let before = (out.out.len(), out.size);
    out.put(format_args!(",\"params\":"))?;
    let start = out.out.len();
    out.json(params)?;
    if out.out.get(start..) == Some(b"null") {
        out.out.truncate(before.0);
        out.size = before.1;
    }
    if let Some(session) = session {
        out.put(format_args!(",\"sessionId\":"))?;
        out.text(session.as_str())?;
    }
    out.put(format_args!("}}"))?;
    if out.size > MAX_CALL {
        return Err(Problem::TooLarge { size: out.size });
    }
    Ok(())
}

/// Writes up to the limit and only counts beyond it, so that the error can name the size without the memory.
struct Limited<'a> {
    out: &'a mut BytesMut,
    size: usize,
}

impl Limited<'_> {
    fn put(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), Problem> {
        io::Write::write_fmt(self, text).map_err(|error| Problem::Encode(error.to_string()))
    }

    /// A string that is plain in nearly all cases.
    fn text(&mut self, text: &str) -> Result<(), Problem> {
        if text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')) {
            return self.put(format_args!("\"{text}\""));
        }
        self.json(text)
    }

    fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
        serde_json::to_writer(self, value).map_err(|error| Problem::Encode(error.to_string()))
    }
}

impl io::Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.size = self.size.saturating_add(bytes.len());
        if self.size <= MAX_CALL {
            self.out.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mux::PROBE;

    #[test]
    fn a_call_of_just_the_limit_is_written_and_one_byte_more_is_told() {
        let session = SessionId::from("S");
        let mut out = BytesMut::new();
        let mut write = |length: usize| {
            out.clear();
            match write_call(&mut out, PROBE, "A.b", &"x".repeat(length), Some(&session)) {
                Ok(()) => Ok(out.len()),
                Err(Problem::TooLarge { size }) => Err(size),
                Err(_) => panic!("a text can be written"),
            }
        };
        let around = write(0).unwrap();
        assert_eq!(write(MAX_CALL - around), Ok(MAX_CALL));
        assert_eq!(write(MAX_CALL - around + 1), Err(MAX_CALL + 1));
    }
}
