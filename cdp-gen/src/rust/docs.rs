//! Doc comments of generated items: our own comment where there is one, the protocol's name with a link
//! to its page in the public reference, and what the flags mean.

use std::fmt::Write;

use crate::model::Marks;

const REFERENCE: &str = "https://chromedevtools.github.io/devtools-protocol/tot";

/// Which part of a domain's reference page an item stands in.
#[derive(Clone, Copy)]
pub(super) enum Anchor<'a> {
    Type(&'a str),
    Command(&'a str),
    Event(&'a str),
}

/// Writes the doc comment of an item. `what` says what the Rust item is: "Parameters of", "Event".
pub(super) fn item(out: &mut String, marks: &Marks, domain: &str, anchor: Anchor<'_>, what: &str) {
    comment(out, "", &marks.comment);
    if !marks.comment.is_empty() {
        out.push_str("///\n");
    }
    let _ = writeln!(out, "/// {what} {}.{}", link(domain, anchor), flags(marks));
}

/// The protocol's own name of an item, with a link to where it stands.
pub(super) fn link(domain: &str, anchor: Anchor<'_>) -> String {
    let (name, kind) = match anchor {
        Anchor::Type(name) => (name, "type"),
        Anchor::Command(name) => (name, "method"),
        Anchor::Event(name) => (name, "event"),
    };
    format!("[`{domain}.{name}`]({REFERENCE}/{domain}/#{kind}-{name})")
}

/// Writes the attribute that makes the compiler warn of an item, if the protocol does.
pub(super) fn deprecated(out: &mut String, indent: &str, marks: &Marks, moved_to: Option<&str>) {
    if marks.deprecated {
        let _ = match moved_to {
            Some(domain) => writeln!(out, "{indent}#[deprecated = \"moved to the domain {domain}\"]"),
            // Our comment says what to take instead, where there is something.
            None if marks.comment.is_empty() => writeln!(out, "{indent}#[deprecated = \"by the protocol\"]"),
            None => {
                let comment = marks.comment.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
                let note = format!("by the protocol. {}", comment.collect::<Vec<_>>().join(" "));
                writeln!(out, "{indent}#[deprecated = {note:?}]")
            }
        };
    }
}

/// Writes the doc comment of a field, if there is anything to say.
pub(super) fn field(out: &mut String, marks: &Marks, secret: bool) {
    comment(out, "    ", &marks.comment);
    let flags = flags(marks);
    if !flags.is_empty() {
        let _ = writeln!(out, "    ///{flags}");
    }
    if secret {
        out.push_str("    /// Not shown by `Debug`.\n");
    }
    deprecated(out, "    ", marks, None);
}

/// Writes comment lines as doc lines.
pub(super) fn comment(out: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "{}", format!("{indent}/// {line}").trim_end());
    }
}

/// The lines of a comment up to the end of its first sentence.
pub(super) fn first_sentence(lines: &[String]) -> Vec<String> {
    let mut sentence = Vec::new();
    for line in lines {
        // A point inside of a sentence, as in "e.g.", is followed by a small letter.
        let end =
            line.match_indices(". ").find(|(at, _)| line[at + 2..].starts_with(|c: char| !c.is_lowercase()));
        if let Some((at, _)) = end {
            sentence.push(line[..=at].to_owned());
            break;
        }
        if line.trim().is_empty() {
            break;
        }
        sentence.push(line.clone());
        if line.trim_end().ends_with('.') {
            break;
        }
    }
    sentence
}

/// The link to a domain's page.
pub(super) fn domain_link(domain: &str) -> String {
    format!("[`{domain}`]({REFERENCE}/{domain}/)")
}

/// ` Experimental.` where the protocol says so; deprecation is an attribute, which rustdoc shows itself.
pub(super) fn flags(marks: &Marks) -> &'static str {
    if marks.experimental { " Experimental." } else { "" }
}
