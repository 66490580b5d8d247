//! Any bytes as a server's ws frames, and as pipe records: no panic, no more memory than the limits say, and the same outcome
//! wherever the bytes are cut.
#![no_main]

use bytes::BytesMut;
use cdp_protocol::wire::{Decoder, Incoming, Limits, WireError};
use libfuzzer_sys::fuzz_target;

fn limits() -> Limits {
    let mut limits = Limits::default();
    (limits.frame, limits.message, limits.fragments) = (1000, 2000, 5);
    limits
}

/// Everything that comes out when the bytes arrive in pieces of these sizes, over and over.
fn read(mut decoder: Decoder, bytes: &[u8], sizes: &[u8]) -> (Vec<Incoming>, Option<WireError>) {
    let (mut seen, mut buffer) = (Vec::new(), BytesMut::new());
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |size| usize::from(*size) + 1);
        let (piece, later) = rest.split_at(size.min(rest.len()));
        rest = later;
        decoder.make_room(&mut buffer);
        buffer.extend_from_slice(piece);
        loop {
            match decoder.next(&mut buffer) {
                Ok(Some(incoming)) => {
                    if let Incoming::Message(message) = &incoming {
                        assert!(message.len() <= 2000, "a message of {} bytes", message.len());
                    }
                    seen.push(incoming);
                }
                Ok(None) => break,
                Err(error) => return (seen, Some(error)),
            }
        }
    }
    (seen, None)
}

fuzz_target!(|input: (Vec<u8>, [u8; 4])| {
    let (bytes, sizes) = input;
    let whole = read(Decoder::ws(limits()), &bytes, &[]);
    assert_eq!(read(Decoder::ws(limits()), &bytes, &sizes), whole);
    assert_eq!(read(Decoder::ws(limits()), &bytes, &[0]), whole);

    let whole = read(Decoder::pipe(limits()), &bytes, &[]);
    let pieces = read(Decoder::pipe(limits()), &bytes, &sizes);
    // How much of a record that is too long has arrived depends on the cut; that it is too long doesn't.
    assert_eq!((&pieces.0, pieces.1.is_some()), (&whole.0, whole.1.is_some()));
});
