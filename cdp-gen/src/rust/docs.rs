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
    let (name, kind) = match anchor {
        Anchor::Type(name) => (name, "type"),
        Anchor::Command(name) => (name, "method"),
        Anchor::Event(name) => (name, "event"),
    };
    comment(out, "", &marks.comment);
    if !marks.comment.is_empty() {
        out.push_str("///\n");
    }
    let _ =
        writeln!(out, "/// {what} [`{domain}.{name}`]({REFERENCE}/{domain}/#{kind}-{name}).{}", flags(marks));
}

/// Writes the doc comment of a field, if there is anything to say.
pub(super) fn field(out: &mut String, marks: &Marks) {
    comment(out, "    ", &marks.comment);
    let flags = flags(marks);
    if !flags.is_empty() {
        let _ = writeln!(out, "    ///{flags}");
    }
}

/// Writes comment lines as doc lines.
pub(super) fn comment(out: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "{}", format!("{indent}/// {line}").trim_end());
    }
}

/// The link to a domain's page.
pub(super) fn domain_link(domain: &str) -> String {
    format!("[`{domain}`]({REFERENCE}/{domain}/)")
}

/// What the flags of an item or domain mean, with a leading space.
pub(super) fn flags(marks: &Marks) -> &'static str {
    match (marks.experimental, marks.deprecated) {
        (false, false) => "",
        (true, false) => " Experimental.",
        (false, true) => " Deprecated.",
        (true, true) => " Experimental. Deprecated.",
    }
}
