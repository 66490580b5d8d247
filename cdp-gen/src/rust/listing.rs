//! Prints the names of all items of a kind as macros, for tests that go through every one of them. What is printed
//! is no part of a library.

use std::fmt::Write;

use super::naming::ItemNames;
use crate::model::Protocol;
use crate::names;

/// Prints two macros for the tests of `cdp-protocol`. `every_command!(then)` calls the macro `then` with the paths of
/// all commands that require no parameter, so that they have a `Default`; `every_event!(then)` with those of all
/// events. Behind each path stands a semicolon.
pub fn listing(protocol: &Protocol) -> String {
    let (mut commands, mut events) = (Vec::new(), Vec::new());
    for domain in &protocol.domains {
        let names = ItemNames::new(domain);
        let path = |item: &String| format!("cdp_protocol::domains::{}::{item}", names::field(&domain.name));
        let all = domain.commands.iter().zip(&names.commands);
        let plain = all.filter(|(command, _)| command.parameters.iter().all(|field| field.optional));
        commands.extend(plain.map(|(_, item)| path(&item.params)));
        events.extend(names.events.iter().map(path));
    }
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n");
    for (name, paths) in [("every_command", commands), ("every_event", events)] {
        let _ = writeln!(out, "\nmacro_rules! {name} {{\n    ($then:ident) => {{\n        $then! {{");
        for path in paths {
            let _ = writeln!(out, "            {path};");
        }
        out.push_str("        }\n    };\n}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::Version;
    use crate::pdl;

    const ZOO: &str = "\
domain DOMZoo
  type Fed extends string

  command feed
    parameters
      integer grams

  command fed
    parameters
      optional integer grams

  command close

  event escaped
    parameters
      string animal
";

    #[test]
    fn commands_without_a_required_parameter_and_all_events_are_listed_by_their_rust_names() {
        let unit = pdl::parse(ZOO, Path::new("zoo.pdl")).unwrap();
        let protocol = Protocol { version: Version::default(), domains: unit.domains };
        let listing = listing(&protocol);
        let listed = listing.lines().filter_map(|line| line.trim().strip_prefix("cdp_protocol::domains::"));
        let expected = ["dom_zoo::FedCommand;", "dom_zoo::Close;", "dom_zoo::Escaped;"];
        assert_eq!(listed.collect::<Vec<_>>(), expected);
        let events = listing.find("macro_rules! every_event").unwrap();
        assert!(listing.find("Close;").unwrap() < events && events < listing.find("Escaped;").unwrap());
    }
}
