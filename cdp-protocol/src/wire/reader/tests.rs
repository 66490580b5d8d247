//! What frames come to, wherever they are cut, and what is refused.

use super::*;

fn message(text: &str) -> Incoming {
    Incoming::Message(Bytes::copy_from_slice(text.as_bytes()))
}

fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    match payload.len() {
        n @ 0..=125 => out.push(n as u8),
        n @ 126..=0xFFFF => {
            out.push(126);
            out.extend((n as u16).to_be_bytes());
        }
        n => {
            out.push(127);
            out.extend((n as u64).to_be_bytes());
        }
    }
    out.extend(payload);
    out
}

/// Feeds `bytes` cut at `cut`, and returns all that came out.
fn read(limits: &Limits, bytes: &[u8], cuts: &[usize]) -> Result<Vec<Incoming>, WireError> {
    let mut reader = WsReader::new(limits.clone());
    let mut buffer = BytesMut::new();
    let mut seen = Vec::new();
    let mut from = 0;
    for to in cuts.iter().copied().chain([bytes.len()]) {
        buffer.extend_from_slice(&bytes[from..to]);
        from = to;
        while let Some(incoming) = reader.next(&mut buffer)? {
            seen.push(incoming);
        }
    }
    assert!(!reader.is_mid_message(&buffer), "left over: {buffer:?}");
    Ok(seen)
}

/// The result must not depend on where the bytes are cut: whole, at each single byte, and byte by byte.
#[track_caller]
fn check(limits: &Limits, bytes: &[u8], expected: Result<Vec<Incoming>, WireError>) {
    assert_eq!(read(limits, bytes, &[]), expected, "whole");
    if bytes.len() > 4096 {
        return;
    }
    for cut in 0..bytes.len() {
        assert_eq!(read(limits, bytes, &[cut]), expected, "cut at {cut}");
    }
    let every: Vec<usize> = (0..bytes.len()).collect();
    assert_eq!(read(limits, bytes, &every), expected, "byte by byte");
}

#[test]
fn the_examples_of_the_rfc_are_read() {
    // RFC 6455 section 5.7, the unmasked ones.
    let limits = Limits::default();
    check(&limits, &[0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], Ok(vec![message("Hello")]));
    check(&limits, &[0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f], Ok(vec![message("Hello")]));
    check(
        &limits,
        &[0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f],
        Ok(vec![Incoming::Ping(Bytes::from_static(b"Hello"))]),
    );
    let bytes = vec![7u8; 256];
    check(&limits, &frame(0x82, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
    let bytes = vec![9u8; 65536];
    let sent = frame(0x82, &bytes);
    assert_eq!(sent[..10], [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]);
    check(&limits, &sent, Ok(vec![Incoming::Message(bytes.into())]));
}

#[test]
fn control_frames_may_stand_between_fragments() {
    let sent = [
        frame(0x01, b"{\"a\""),
        frame(0x89, b"ping"),
        frame(0x00, b":1"),
        frame(0x8A, b""),
        frame(0x00, b""),
        frame(0x80, b"}"),
        frame(0x82, b"next"),
    ]
    .concat();
    check(
        &Limits::default(),
        &sent,
        Ok(vec![
            Incoming::Ping(Bytes::from_static(b"ping")),
            Incoming::Pong(Bytes::new()),
            message("{\"a\":1}"),
            message("next"),
        ]),
    );
}

#[test]
fn a_character_may_be_cut_by_a_fragment_and_bytes_need_be_no_text() {
    let sent = [
        frame(0x01, b"a\xF0"),
        frame(0x89, b"\xFF"),
        frame(0x00, b"\x9F\x98"),
        frame(0x00, b""),
        frame(0x80, b"\x80b"),
        frame(0x02, b"\xFF\xC3"),
        frame(0x80, b"\xC3"),
        frame(0x81, "ü".as_bytes()),
        frame(0x82, b"\x80"),
    ]
    .concat();
    check(
        &Limits::default(),
        &sent,
        Ok(vec![
            Incoming::Ping(Bytes::from_static(b"\xFF")),
            message("a😀b"),
            Incoming::Message(Bytes::from_static(b"\xFF\xC3\xC3")),
            message("ü"),
            Incoming::Message(Bytes::from_static(b"\x80")),
        ]),
    );
}

#[test]
fn messages_that_are_not_wanted_are_shown_once_and_passed_over_wherever_the_bytes_are_cut() {
    let sent = [
        frame(0x81, b"no"),
        frame(0x82, &[b'n'; 200]),
        frame(0x81, b""),
        frame(0x01, b"al"),
        frame(0x89, b"p"),
        frame(0x80, b"so"),
        frame(0x81, b"no"),
        frame(0x8A, b""),
        frame(0x81, b"no"),
        frame(0x81, b"yes"),
        frame(0x01, b"y"),
        frame(0x80, b"es"),
        frame(0x81, b"no"),
    ]
    .concat();
    let whole =
        [b"no".to_vec(), vec![b'n'; 200], Vec::new(), b"also".to_vec(), b"no".to_vec(), b"no".to_vec()];
    let expected_shown = [&whole[..], &[b"yes".to_vec(), b"yes".to_vec(), b"no".to_vec()]].concat();
    let (ping, pong) = (Incoming::Ping(Bytes::from_static(b"p")), Incoming::Pong(Bytes::new()));
    let expected_taken = [ping, pong, message("yes"), message("yes")];
    for cut in 0..sent.len() {
        let (mut reader, mut buffer) = (WsReader::new(Limits::default()), BytesMut::new());
        let (mut shown, mut taken) = (Vec::new(), Vec::new());
        for piece in [&sent[..cut], &sent[cut..]] {
            buffer.extend_from_slice(piece);
            let mut wanted = |message: &[u8]| {
                shown.push(message.to_vec());
                message == b"yes"
            };
            while let Some(incoming) = reader.next_where(&mut buffer, &mut wanted).unwrap() {
                taken.push(incoming);
            }
        }
        assert_eq!((&shown[..], &taken[..]), (&expected_shown[..], &expected_taken[..]), "cut at {cut}");
        assert!(buffer.is_empty() && !reader.is_mid_message(&buffer), "cut at {cut}");
    }
}

#[test]
fn a_violation_behind_messages_that_are_passed_over_is_told_where_it_stands() {
    let before = [frame(0x81, b"no"), frame(0x81, b"no")].concat();
    let limits = Limits { frame: 100, message: 100, fragments: 3 };
    for (wrong, error) in [
        (&[0xC1, 0x00][..], WireError::ReservedBits { bits: 0b100 }),
        (&[0x81, 126, 0, 200], WireError::FrameTooLong { size: 200, limit: 100 }),
        (&[0x81, 3, b'a', b'b', 0xFF], WireError::NotUtf8 { offset: 2 }),
        (&[0x80, 0x00], WireError::LoneContinuation),
    ] {
        let (mut reader, mut buffer) =
            (WsReader::new(limits.clone()), BytesMut::from(&[&before, wrong].concat()[..]));
        let mut seen = 0;
        let told = reader.next_where(&mut buffer, |_| {
            seen += 1;
            false
        });
        assert_eq!((told, seen), (Err(error), 2));
    }
}

#[test]
fn empty_messages_and_lengths_at_the_borders_are_read() {
    for length in [0usize, 1, 125, 126, 127, 1000] {
        let bytes = vec![b'x'; length];
        check(&Limits::default(), &frame(0x81, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
    }
    let bytes = vec![b'x'; 65535];
    check(&Limits::default(), &frame(0x81, &bytes), Ok(vec![Incoming::Message(bytes.into())]));
}

#[test]
fn violations_have_one_error_each() {
    let limits = Limits { frame: 100, message: 150, fragments: 3 };
    let table: &[(&[u8], WireError, u16)] = &[
        (&[0xC1, 0x00], WireError::ReservedBits { bits: 0b100 }, 1002),
        (&[0x83, 0x00], WireError::ReservedOpCode { opcode: 3 }, 1002),
        (&[0x8B, 0x00], WireError::ReservedOpCode { opcode: 11 }, 1002),
        (&[0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], WireError::MaskedFrame, 1002),
        (&[0x81, 126, 0, 125], WireError::BadLength { length: 125 }, 1002),
        (&[0x81, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], WireError::BadLength { length: 0xFFFF }, 1002),
        (&[0x81, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], WireError::BadLength { length: 1 << 63 }, 1002),
        (&[0x89, 126, 0, 126], WireError::ControlTooLong { length: 126 }, 1002),
        (&[0x09, 0x00], WireError::ControlFragmented, 1002),
        (&[0x80, 0x00], WireError::LoneContinuation, 1002),
        (&[0x01, 0x01, b'a', 0x81, 0x01, b'b'], WireError::MessageInsideMessage, 1002),
        (&[0x88, 0x01, 0x03], WireError::CloseCutShort, 1002),
        (&[0x88, 0x02, 0x03, 0xED], WireError::CloseCode { code: 1005 }, 1002),
        (&[0x88, 0x02, 0x00, 0x00], WireError::CloseCode { code: 0 }, 1002),
        (&[0x88, 0x03, 0x03, 0xE8, 0xFF], WireError::CloseReasonNotUtf8, 1007),
        (&[0x81, 0x03, b'a', 0xFF, b'b'], WireError::NotUtf8 { offset: 1 }, 1007),
        (&[0x81, 0x03, b'a', 0xE2, 0x82], WireError::NotUtf8 { offset: 1 }, 1007),
        (&[0x01, 0x01, 0xE2, 0x89, 0x00, 0x80, 0x01, b'a'], WireError::NotUtf8 { offset: 0 }, 1007),
        (&[0x01, 0x02, b'a', 0xE2, 0x00, 0x01, 0x82, 0x80, 0x00], WireError::NotUtf8 { offset: 1 }, 1007),
        // Told although most of the message has yet to come.
        (&[0x81, 100, b'a', b'b', 0xFF], WireError::NotUtf8 { offset: 2 }, 1007),
        (&[0x81, 101], WireError::FrameTooLong { size: 101, limit: 100 }, 1009),
        (&[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0], WireError::FrameTooLong { size: 1 << 40, limit: 100 }, 1009),
        (
            &[&[0x01, 90][..], &[b'x'; 90], &[0x80, 61]].concat(),
            WireError::MessageTooLong { size: 151, limit: 150 },
            1009,
        ),
        (&[0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00], WireError::TooManyFragments { limit: 3 }, 1009),
    ];
    for (bytes, error, code) in table {
        check(&limits, bytes, Err(error.clone()));
        assert_eq!(error.close_code(), *code, "{error}");
    }
    let largest = [frame(0x01, &[b'x'; 100]), frame(0x00, &[b'x'; 50]), frame(0x80, b"")].concat();
    check(&limits, &largest, Ok(vec![message(&"x".repeat(150))]));
    assert!(WireError::FrameTooLong { size: 101, limit: 100 }.to_string().contains("limit `frame` of 100"));
}

#[test]
fn close_frames_tell_code_and_reason() {
    let limits = Limits::default();
    check(&limits, &[0x88, 0x00], Ok(vec![Incoming::Close(Close::default())]));
    check(
        &limits,
        &frame(0x88, b"\x03\xE8bye \xC3\xBC"),
        Ok(vec![Incoming::Close(Close { code: Some(1000), reason: "bye ü".to_owned() })]),
    );
    for code in [1000u16, 1003, 1007, 1014, 3000, 4999] {
        let expected = Incoming::Close(Close { code: Some(code), reason: String::new() });
        check(&limits, &frame(0x88, &code.to_be_bytes()), Ok(vec![expected]));
    }
}

#[test]
fn a_message_is_under_way_from_its_first_byte_to_its_last() {
    let sent = [frame(0x01, b"ab"), frame(0x89, b""), frame(0x80, b"c")].concat();
    let mut reader = WsReader::new(Limits::default());
    let mut buffer = BytesMut::new();
    assert!(!reader.is_mid_message(&buffer));
    for (n, byte) in sent.iter().enumerate() {
        buffer.extend_from_slice(&[*byte]);
        while reader.next(&mut buffer).unwrap().is_some() {}
        assert_eq!(reader.is_mid_message(&buffer), n + 1 < sent.len(), "after byte {n}");
    }
    buffer.extend_from_slice(&[0x81, 0x01]);
    assert_eq!(reader.next(&mut buffer), Ok(None));
    assert!(buffer.is_empty() && reader.is_mid_message(&buffer), "a header alone is a cut message");
}

#[test]
fn a_message_in_one_frame_is_a_slice_of_the_read_buffer() {
    let mut buffer = BytesMut::from(&frame(0x81, b"payload")[..]);
    let at = buffer.as_ptr().wrapping_add(2);
    let Some(Incoming::Message(payload)) = WsReader::new(Limits::default()).next(&mut buffer).unwrap() else {
        panic!("no message");
    };
    assert_eq!(payload.as_ptr(), at);
}

#[test]
fn the_missing_bytes_of_a_frame_are_known_from_its_header_on() {
    let sent = frame(0x81, &[b'x'; 300]);
    let mut reader = WsReader::new(Limits::default());
    let mut buffer = BytesMut::from(&sent[..3]);
    assert_eq!(reader.next(&mut buffer), Ok(None));
    assert_eq!(reader.missing(&buffer), 0);
    buffer.extend_from_slice(&sent[3..104]);
    assert_eq!(reader.next(&mut buffer), Ok(None));
    assert_eq!(reader.missing(&buffer), 200);
}
