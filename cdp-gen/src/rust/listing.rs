//! Prints the names of all items of a kind as macros, for tests that go through every one of them. What is printed
//! is no part of a library.

use std::fmt::Write;

use super::generate::Options;
use super::naming::ItemNames;
use crate::model::Protocol;
use crate::names;

/// Prints three macros. `every_command!(then)` calls the macro `then` with the paths of all commands,
/// `every_plain_command!(then)` with those that require no parameter and so have a `Default`, and `every_event!(then)`
/// with all events. Behind each path stands a semicolon.
pub fn listing(protocol: &Protocol, options: &Options) -> String {
    let (mut commands, mut plain, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for domain in &protocol.domains {
        let names = ItemNames::new(domain);
        let path = |item: &String| format!("{}::{}::{item}", options.domains, names::field(&domain.name));
        for (command, item) in domain.commands.iter().zip(&names.commands) {
            commands.push(path(&item.params));
            if command.parameters.iter().all(|field| field.optional) {
                plain.push(path(&item.params));
            }
        }
        events.extend(names.events.iter().map(path));
    }
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n");
    let lists = [("every_command", commands), ("every_plain_command", plain), ("every_event", events)];
    for (name, paths) in lists {
        let _ = writeln!(
            out,
            "\n#[allow(unused_macros)]\nmacro_rules! {name} {{\n    ($then:ident) => {{\n        $then! {{"
        );
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
    fn all_commands_the_plain_ones_and_all_events_are_listed_by_their_rust_names() {
        let unit = pdl::parse(ZOO, Path::new("zoo.pdl")).unwrap();
        let protocol = Protocol { version: Version::default(), domains: unit.domains };
        let listing = listing(&protocol, &Options::default());
        let listed = |name: &str| -> Vec<&str> {
            let (_, rest) = listing.split_once(&format!("macro_rules! {name} {{")).unwrap();
            let lines = rest.lines().skip(1).take_while(|line| *line != "}");
            lines.filter_map(|line| line.trim().strip_prefix("crate::domains::dom_zoo::")).collect()
        };
        assert_eq!(listed("every_command"), ["Feed;", "FedCommand;", "Close;"]);
        assert_eq!(listed("every_plain_command"), ["FedCommand;", "Close;"]);
        assert_eq!(listed("every_event"), ["Escaped;"]);
    }
}
