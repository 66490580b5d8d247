//! Finds the path to an offset in JSON text. Only errors ask, so it walks the text from the start.

use super::cursor::Cursor;

/// A container that is open in front of the offset.
struct Frame {
    object: bool,
    /// The last member's key, of an object.
    key: String,
    /// The place of the next item, of a list.
    index: usize,
    /// Whether a key comes next.
    wants_key: bool,
    /// Whether the offset may still lie in the value of that key or place.
    inside: bool,
}

/// The path of the value that stands at or around `offset`, with `missing` appended: `frame.url`,
/// `targets[3].type`.
#[cold]
pub(super) fn at(text: &str, offset: usize, missing: Option<&str>) -> String {
    let mut path = String::new();
    for frame in around(text, offset).iter().filter(|frame| frame.inside) {
        if frame.object {
            push_key(&mut path, &frame.key);
        } else {
            path.push_str(&format!("[{}]", frame.index));
        }
    }
    if let Some(key) = missing {
        push_key(&mut path, key);
    }
    path
}

fn push_key(path: &mut String, key: &str) {
    if key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !key.is_empty() {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        path.push_str(&format!("[{key:?}]"));
    }
}

/// The containers around `offset`. Reads forward and over each byte once: a page decides how deep and how long a
/// document is. Ends where the text can't be read, which is where the error is.
fn around(text: &str, offset: usize) -> Vec<Frame> {
    let mut open: Vec<Frame> = Vec::new();
    let mut cursor = Cursor::new(text);
    while let Some(token) = cursor.peek_token() {
        let start = cursor.pos();
        if start > offset {
            break;
        }
        let top = open.last_mut();
        match (token, top) {
            (b',', Some(top)) => {
                cursor.advance(1);
                top.index += 1;
                top.wants_key = top.object;
            }
            (b'}' | b']', Some(_)) => {
                cursor.advance(1);
                if cursor.pos() > offset {
                    break;
                }
                open.pop();
                left_value(&mut open);
            }
            (b'"', Some(top)) if top.wants_key => {
                let Ok(key) = cursor.text() else { break };
                top.key = key.into_owned();
                top.wants_key = false;
                if !cursor.take_token(b':') {
                    break;
                }
            }
            (token, top) => {
                if let Some(top) = top {
                    top.inside = true;
                }
                if matches!(token, b'{' | b'[') {
                    if start == offset {
                        break;
                    }
                    cursor.advance(1);
                    let object = token == b'{';
                    open.push(Frame {
                        object,
                        key: String::new(),
                        index: 0,
                        wants_key: object,
                        inside: false,
                    });
                } else if cursor.skip(0).is_err() || cursor.pos() > offset {
                    break;
                } else {
                    left_value(&mut open);
                }
            }
        }
        if open.is_empty() {
            break;
        }
    }
    open
}

/// A value ended in front of the offset.
fn left_value(open: &mut [Frame]) {
    if let Some(top) = open.last_mut() {
        top.inside = false;
    }
}
