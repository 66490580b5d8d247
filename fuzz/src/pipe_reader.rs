//! Any bytes as pipe records: what a split at each NUL gives comes out, wherever the bytes are cut and within the limit.
//!
//! The first two bytes of an input are sizes of pieces, the rest is the stream.

use bytes::BytesMut;
use cdp_protocol::wire::{Decoder, Incoming, Limits, WireError};

/// Small, so that records beyond it are not rare.
const LIMIT: usize = 64;
/// What a read buffer may hold: the room for one read, twice because growing may double it, and a record.
const ROOM: usize = 2 * 64 * 1024 + LIMIT;

/// Runs one input.
pub fn run(data: &[u8]) {
    let (sizes, stream) = data.split_at(data.len().min(2));
    let (records, open, refused) = model(stream);
    for sizes in [sizes, &[0], &[]] {
        let mut decoder = Decoder::pipe(Limits::default().message(LIMIT));
        let (mut seen, mut buffer, mut error) = (Vec::new(), BytesMut::new(), None);
        let mut sizes = sizes.iter().cycle();
        let mut rest = stream;
        while !rest.is_empty() && error.is_none() {
            let size = sizes.next().map_or(rest.len(), |size| usize::from(*size) + 1);
            let (piece, later) = rest.split_at(size.min(rest.len()));
            rest = later;
            decoder.make_room(&mut buffer);
            buffer.extend_from_slice(piece);
            assert!(buffer.capacity() <= ROOM + piece.len(), "{} bytes of buffer", buffer.capacity());
            error = take(&mut decoder, &mut buffer, &mut seen);
        }
        assert_eq!((&seen, error.is_some()), (&records, refused));
        match error {
            None => assert_eq!(decoder.is_mid_message(&buffer), open),
            // How much of it has arrived depends on the cut; that it is too long doesn't.
            Some(WireError::MessageTooLong { size, limit }) => {
                assert!(limit == LIMIT && size > LIMIT as u64 && size <= stream.len() as u64);
            }
            Some(other) => panic!("{other}"),
        }
    }
}

fn take(decoder: &mut Decoder, buffer: &mut BytesMut, seen: &mut Vec<Vec<u8>>) -> Option<WireError> {
    loop {
        match decoder.next(buffer) {
            Ok(Some(Incoming::Message(record))) => seen.push(record.to_vec()),
            Ok(Some(other)) => panic!("a pipe has records alone, not {other:?}"),
            Ok(None) => return None,
            Err(error) => return Some(error),
        }
    }
}

/// The records, whether one is begun and not ended, and whether one of them is longer than the limit.
fn model(stream: &[u8]) -> (Vec<Vec<u8>>, bool, bool) {
    let mut records = Vec::new();
    let pieces: Vec<&[u8]> = stream.split(|byte| *byte == 0).collect();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.len() > LIMIT {
            return (records, true, true);
        }
        let is_ended = at + 1 < pieces.len();
        if !is_ended {
            return (records, !piece.is_empty(), false);
        }
        if !piece.is_empty() {
            records.push(piece.to_vec());
        }
    }
    (records, false, false)
}
