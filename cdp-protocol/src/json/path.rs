//! Finds the path to an offset in JSON text. Only errors ask, so it walks the text from the start.

use super::cursor::Cursor;

/// A container on the way to the offset.
enum Step {
    Member(String),
    Item(usize),
}

/// The path of the value that stands at or around `offset`, with `missing` appended: `frame.url`,
/// `targets[3].type`.
#[cold]
pub(super) fn at(text: &[u8], offset: usize, missing: Option<&str>) -> String {
    let mut steps = Vec::new();
    let mut cursor = Cursor::new(text);
    walk(&mut cursor, offset, &mut steps);
    let mut path = String::new();
    for step in &steps {
        match step {
            Step::Item(index) => path.push_str(&format!("[{index}]")),
            Step::Member(key) => push_key(&mut path, key),
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

/// Descends into the container in which `offset` lies, as long as the text can be read. `steps` is bounded by
/// the nesting, which `Cursor::skip` bounds for what is passed over and the loop for what is entered.
fn walk(cursor: &mut Cursor<'_>, offset: usize, steps: &mut Vec<Step>) {
    'enter: loop {
        let object = match cursor.peek_token() {
            Some(b'{') if cursor.pos() < offset => true,
            Some(b'[') if cursor.pos() < offset => false,
            _ => return,
        };
        cursor.advance(1);
        let mut index = 0;
        loop {
            let step = if object {
                let Ok(key) = cursor.text() else { return };
                if !cursor.take_token(b':') {
                    return;
                }
                Step::Member(key.into_owned())
            } else {
                Step::Item(index)
            };
            cursor.peek_token();
            let start = cursor.pos();
            if start > offset {
                return;
            }
            let mut after = cursor.clone();
            let passed = after.skip(0).is_ok() && after.pos() <= offset;
            if !passed {
                steps.push(step);
                continue 'enter;
            }
            *cursor = after;
            index += 1;
            if !cursor.take_token(b',') {
                return;
            }
        }
    }
}
