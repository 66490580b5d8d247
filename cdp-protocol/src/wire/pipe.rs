//! Reads the records of `--remote-debugging-pipe`: each message is followed by one NUL, which can't occur inside JSON.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;

use super::error::{Limits, WireError};

/// Incremental reader of NUL-terminated records. Each record is a slice of the read buffer.
#[derive(Debug)]
pub struct PipeReader {
    limits: Limits,
    /// Bytes at the front of the buffer that are known to hold no NUL, so that a long record is searched once.
    scanned: usize,
}

impl PipeReader {
    /// A reader at the start of a record.
    pub fn new(limits: Limits) -> Self {
        Self { limits, scanned: 0 }
    }

    /// Takes the next record from the front of `buffer`, without its NUL; `None` when it isn't complete yet. Empty records
    /// are skipped.
    ///
    /// # Errors
    ///
    /// [`WireError::MessageTooLong`] as soon as a record exceeds the limit, complete or not.
    pub fn next(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, WireError> {
        self.next_where(buffer, |_| true)
    }

    /// As [`next`](Self::next), but passes over records that are not `wanted`, where they stand.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn next_where(
        &mut self,
        buffer: &mut BytesMut,
        mut wanted: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<Bytes>, WireError> {
        loop {
            let found = buffer.get(self.scanned..).and_then(|rest| memchr(0, rest));
            let Some(found) = found else {
                self.scanned = buffer.len();
                self.check(buffer.len())?;
                return Ok(None);
            };
            let length = self.scanned.saturating_add(found);
            self.check(length)?;
            self.scanned = 0;
            if length == 0 || !wanted(buffer.get(..length).unwrap_or_default()) {
                buffer.advance(length.saturating_add(1));
                continue;
            }
            let record = buffer.split_to(length).freeze();
            buffer.advance(1);
            return Ok(Some(record));
        }
    }

    fn check(&self, length: usize) -> Result<(), WireError> {
        let limit = self.limits.message;
        if length <= limit {
            return Ok(());
        }
        Err(WireError::MessageTooLong { size: u64::try_from(length).unwrap_or(u64::MAX), limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(limit: usize, bytes: &[u8], cuts: &[usize]) -> Result<Vec<Bytes>, WireError> {
        let mut reader = PipeReader::new(Limits { message: limit, ..Limits::default() });
        let mut buffer = BytesMut::new();
        let mut seen = Vec::new();
        let mut from = 0;
        for to in cuts.iter().copied().chain([bytes.len()]) {
            buffer.extend_from_slice(&bytes[from..to]);
            from = to;
            while let Some(record) = reader.next(&mut buffer)? {
                seen.push(record);
            }
        }
        Ok(seen)
    }

    #[test]
    fn records_come_out_alike_wherever_the_bytes_are_cut() {
        let sent = b"{\"id\":1}\0\0{\"id\":2}\0a\0{\"cut";
        let expected = Ok(vec![Bytes::from("{\"id\":1}"), Bytes::from("{\"id\":2}"), Bytes::from("a")]);
        assert_eq!(read(100, sent, &[]), expected);
        for cut in 0..sent.len() {
            assert_eq!(read(100, sent, &[cut]), expected, "cut at {cut}");
        }
        assert_eq!(read(100, sent, &(0..sent.len()).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn a_record_over_the_limit_ends_with_an_error_that_names_it() {
        assert!(read(4, b"1234\0", &[]).is_ok());
        for sent in [&b"12345\0"[..], b"12345"] {
            let error = read(4, sent, &[]).unwrap_err();
            assert_eq!(error, WireError::MessageTooLong { size: 5, limit: 4 });
            assert!(error.to_string().contains("limit `message` of 4 bytes"), "{error}");
        }
    }

    #[test]
    fn a_record_is_a_slice_of_the_read_buffer() {
        let mut buffer = BytesMut::from(&b"{}\0"[..]);
        let at = buffer.as_ptr();
        let record = PipeReader::new(Limits::default()).next(&mut buffer).unwrap().unwrap();
        assert_eq!(record.as_ptr(), at);
    }
}
