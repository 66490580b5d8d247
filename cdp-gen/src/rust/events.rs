//! Prints `events.rs`: for each domain an enumeration of its events, and one of all domains. They name events and
//! hold them unread, so that a variant costs the compiler a name and its reader nothing until it is asked for more.

use std::fmt::Write;

use super::docs::{self, Anchor};
use super::naming::ItemNames;
use crate::model::{Domain, Protocol};
use crate::names::{Scope, camel, field};

/// The text of `events.rs`. `runtime` is the crate that holds the runtime, `domains` the module of the generated domains.
///
/// The text may be a file of its own or be included in another, so that each item has to bring its own allowances.
pub(super) fn print_events(
    protocol: &Protocol,
    all_names: &[ItemNames],
    runtime: &str,
    domains: &str,
) -> String {
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n\n");
    // A protocol without events uses only some of these.
    let _ = writeln!(out, "#[allow(unused_imports)]\nuse {runtime}::events::{{EventSet, TypedEvent}};");
    let _ = writeln!(out, "#[allow(unused_imports)]\nuse {runtime}::{{RawEvent, any_event, event_set}};");
    let mut scope = Scope::items();
    for imported in ["EventSet", "TypedEvent", "RawEvent"] {
        scope.claim(imported.to_owned(), "");
    }
    let any = scope.claim("AnyEvent".to_owned(), "Set");
    let mut variants = Scope::variants();
    let mut sets = Vec::new();
    for (domain, names) in protocol.domains.iter().zip(all_names).filter(|(d, _)| !d.events.is_empty()) {
        let set = scope.claim(format!("{}Event", camel(&domain.name)), "Set");
        print_set(&mut out, domain, names, &set, domains);
        sets.push((domain, variants.claim(camel(&domain.name), "Domain"), set));
    }
    out.push_str("\n/// Any event, by its domain.\n");
    open(&mut out, &any);
    let mut arms = String::new();
    for (domain, variant, set) in &sets {
        let _ = writeln!(
            out,
            "    /// Of the domain {}.\n    {variant}({set}),",
            docs::domain_link(&domain.name)
        );
        let _ = writeln!(arms, "    {:?} => {variant}({set}),", domain.name);
    }
    out.push_str(
        "    /// Of a domain that the protocol description does not list.\n    Unknown(RawEvent),\n}\n",
    );
    let _ = writeln!(out, "any_event! {{ {any}\n{arms}}}");
    out
}

fn print_set(out: &mut String, domain: &Domain, names: &ItemNames, name: &str, domains: &str) {
    let module = field(&domain.name);
    let _ = writeln!(out, "\n/// Any event of the domain {}, by its name.", docs::domain_link(&domain.name));
    open(out, name);
    let mut scope = Scope::variants();
    let mut arms = String::new();
    for (event, item) in domain.events.iter().zip(&names.events) {
        let variant = scope.claim(camel(&event.name), "Event");
        match docs::first_sentence(&event.marks.comment) {
            sentence if sentence.is_empty() => {
                let link = docs::link(&domain.name, Anchor::Event(&event.name));
                let _ = writeln!(out, "    /// Event {link}.");
            }
            sentence => docs::comment(out, "    ", &sentence),
        }
        docs::deprecated(out, "    ", &event.marks, None);
        let _ = writeln!(out, "    {variant}(TypedEvent<{domains}::{module}::{item}>),");
        let _ = writeln!(arms, "    \"{}.{}\" => {variant},", domain.name, event.name);
    }
    out.push_str(
        "    /// An event that the protocol description does not list.\n    Unknown(RawEvent),\n}\n",
    );
    let _ = writeln!(out, "event_set! {{ {name} \"{}.\"\n{arms}}}", domain.name);
}

/// Begins an enumeration, which names deprecated events as well.
fn open(out: &mut String, name: &str) {
    let _ = writeln!(
        out,
        "#[allow(deprecated, clippy::all)]\n#[derive(Clone, Debug)]\n#[non_exhaustive]\npub enum {name} {{"
    );
}
