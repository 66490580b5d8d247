//! The rules of the repository as functions of text, each with cases in which it must speak up. The walk over
//! the files is in `tidy`.

use crate::rust_text::tokens;

/// Whether a Rust file begins with a sentence on what it is for.
pub(crate) fn has_file_doc(source: &str) -> bool {
    let first = source.lines().find(|line| !line.trim().is_empty());
    first.and_then(|line| line.strip_prefix("//!")).is_some_and(|rest| rest.trim().len() > 10)
}

/// The lines in which `unsafe` stands as a word of the language.
pub(crate) fn unsafe_lines(source: &str) -> Vec<usize> {
    tokens(source).into_iter().filter(|token| token.text == "unsafe").map(|token| token.line).collect()
}

/// The line of the first thing in a `mod.rs` that is neither a declaration nor a re-export.
pub(crate) fn beyond_declarations(source: &str) -> Option<usize> {
    let tokens = tokens(source);
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let text = |n: usize| tokens.get(n).map(|t| t.text.as_str());
        match token.text.as_str() {
            // An attribute: up to the bracket that closes it.
            "#" => {
                let mut depth = 0;
                i += 1 + usize::from(text(i + 1) == Some("!"));
                loop {
                    match text(i) {
                        Some("[") => depth += 1,
                        Some("]") => depth -= 1,
                        None => return None,
                        _ => {}
                    }
                    i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            "pub" => {
                i += 1;
                if text(i) == Some("(") {
                    while text(i).is_some_and(|t| t != ")") {
                        i += 1;
                    }
                    i += 1;
                }
                if !matches!(text(i), Some("mod" | "use")) {
                    return Some(token.line);
                }
            }
            "mod" | "use" => {
                let is_use = token.text == "use";
                while text(i).is_some_and(|t| t != ";") {
                    if !is_use && text(i) == Some("{") {
                        return Some(token.line);
                    }
                    i += 1;
                }
                i += 1;
            }
            _ => return Some(token.line),
        }
    }
    None
}

/// What is wrong with the length of a file. `listed` is its entry in the list of long files, which may only
/// shrink: an entry that is larger than the file is a fault, too.
pub(crate) fn length_fault(lines: usize, limit: usize, listed: Option<usize>) -> Option<String> {
    match listed {
        None if lines > limit => Some(format!("{lines} lines, expected at most {limit}: cut it by concern")),
        Some(listed) if lines > listed => Some(format!("{lines} lines, expected no growth beyond {listed}")),
        Some(_) if lines <= limit => Some(format!("{lines} lines: take it off the list of long files")),
        Some(listed) if lines < listed => Some(format!("{lines} lines: lower its entry from {listed}")),
        _ => None,
    }
}

#[test]
fn a_file_without_a_sentence_at_its_top_is_found() {
    assert!(has_file_doc("\n//! What it is for.\nfn a() {}"));
    for text in ["", "fn a() {}", "// What it is for.", "//!", "//! x", "use a;\n//! What it is for."] {
        assert!(!has_file_doc(text), "{text:?}");
    }
}

#[test]
fn the_word_unsafe_is_found_and_its_mention_is_not() {
    let text = "// unsafe\nlet a = \"unsafe\";\nunsafe { b() }\n#![deny(unsafe_code)]\nunsafe fn c() {}";
    assert_eq!(unsafe_lines(text), [3, 5]);
}

#[test]
fn a_mod_rs_with_code_is_found() {
    let fine = "//! Doc.\n#![allow(x)]\n#[cfg(feature = \"a\")]\npub(crate) mod a;\nmod b;\npub use a::{A, b::{B, C}};\nuse b::D;";
    assert_eq!(beyond_declarations(fine), None);
    let table = [
        ("mod a;\nfn f() {}", 2),
        ("mod a { fn f() {} }", 1),
        ("pub use a::B;\npub struct C;", 2),
        ("\nconst A: u8 = 1;", 2),
        ("mod a;\nmacro_rules! m { () => {} }", 2),
        ("mod a;\n#[test]\nfn t() {}", 3),
    ];
    for (text, line) in table {
        assert_eq!(beyond_declarations(text), Some(line), "{text}");
    }
}

#[test]
fn lengths_may_only_shrink() {
    assert_eq!(length_fault(500, 500, None), None);
    assert!(length_fault(501, 500, None).unwrap().contains("cut it"));
    assert_eq!(length_fault(600, 500, Some(600)), None);
    assert!(length_fault(601, 500, Some(600)).unwrap().contains("no growth"));
    assert!(length_fault(550, 500, Some(600)).unwrap().contains("lower"));
    assert!(length_fault(400, 500, Some(600)).unwrap().contains("take it off"));
}
