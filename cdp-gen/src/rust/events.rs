//! Prints `events.rs`: for each domain an enumeration of its events, and one of all domains. They name events and
//! hold them unread, so that a variant costs the compiler a name and its reader nothing until it is asked for more.

use std::fmt::Write;

use super::docs;
use super::naming::ItemNames;
use crate::model::{Domain, Protocol};
use crate::names::{Scope, camel, field};

/// The text of `events.rs`. `runtime` is the crate that holds the runtime, `domains` the module of the generated domains.
pub(super) fn print_events(
    protocol: &Protocol,
    all_names: &[ItemNames],
    runtime: &str,
    domains: &str,
) -> String {
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n\n");
    let _ = writeln!(out, "use {runtime}::events::{{EventSet, TypedEvent}};");
    let _ = writeln!(out, "use {runtime}::{{RawEvent, any_event, event_set}};");
    let mut scope = Scope::items();
    let mut sets = Vec::new();
    for (domain, names) in protocol.domains.iter().zip(all_names).filter(|(d, _)| !d.events.is_empty()) {
        let name = scope.claim(format!("{}Event", camel(&domain.name)), "Set");
        print_set(&mut out, domain, names, &name, domains);
        sets.push((domain, name));
    }
    let name = scope.claim("AnyEvent".to_owned(), "Set");
    let _ = writeln!(
        out,
        "\n/// Any event, by its domain.\n#[derive(Clone, Debug)]\n#[non_exhaustive]\npub enum {name} {{"
    );
    for (domain, set) in &sets {
        let _ = writeln!(
            out,
            "    /// Of the domain {}.\n    {}({set}),",
            docs::domain_link(&domain.name),
            camel(&domain.name)
        );
    }
    out.push_str(
        "    /// Of a domain that the protocol description does not list.\n    Unknown(RawEvent),\n}\n",
    );
    let arms: Vec<String> = sets
        .iter()
        .map(|(domain, set)| format!("    {:?} => {}({set}),\n", domain.name, camel(&domain.name)))
        .collect();
    let _ = writeln!(out, "any_event! {{ {name}\n{}}}", arms.concat());
    out
}

fn print_set(out: &mut String, domain: &Domain, names: &ItemNames, name: &str, domains: &str) {
    let module = field(&domain.name);
    let _ = writeln!(out, "\n/// Any event of the domain {}, by its name.", docs::domain_link(&domain.name));
    let _ = writeln!(out, "#[derive(Clone, Debug)]\n#[non_exhaustive]\npub enum {name} {{");
    let mut scope = Scope::default();
    scope.claim("Unknown".to_owned(), "");
    let mut arms = String::new();
    for (event, item) in domain.events.iter().zip(&names.events) {
        let variant = scope.claim(camel(&event.name), "Event");
        docs::deprecated(out, "    ", &event.marks, None);
        let _ = writeln!(out, "    {variant}(TypedEvent<{domains}::{module}::{item}>),");
        let _ = writeln!(arms, "    \"{}.{}\" => {variant},", domain.name, event.name);
    }
    out.push_str(
        "    /// An event that the protocol description does not list.\n    Unknown(RawEvent),\n}\n",
    );
    let _ = writeln!(out, "event_set! {{ {name} \"{}.\"\n{arms}}}", domain.name);
}
