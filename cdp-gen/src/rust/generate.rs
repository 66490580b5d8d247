//! Entry of the printer: a protocol in, named files out. Writes nothing to disk.

use std::fmt::Write;

use super::context::Context;
use super::domain::print_domain;
use super::naming::ItemNames;
use crate::error::Error;
use crate::graph::Graph;
use crate::model::Protocol;
use crate::names;
use crate::resolve::Index;

/// Choices for the printed text.
#[derive(Clone, Debug)]
pub struct Options {
    /// Path of the crate with the runtime as the generated text must name it: `crate` inside
    /// `cdp-protocol` itself, `cdp_protocol` elsewhere.
    pub runtime: String,
}

impl Default for Options {
    fn default() -> Options {
        Options { runtime: "crate".to_owned() }
    }
}

/// One generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// File name without a folder, for example `page.rs`; `mod.rs` joins the others.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Prints `protocol`: one file per domain, then `mod.rs`.
///
/// # Errors
///
/// All unknown references and double declarations; two domains that would share a module.
pub fn generate(protocol: &Protocol, options: &Options) -> Result<Vec<File>, Vec<Error>> {
    let index = Index::new(protocol)?;
    let graph = Graph::new(&index);
    let mut scope = names::Scope::default();
    let mut errors = Vec::new();
    for domain in &protocol.domains {
        let module = names::snake(&domain.name);
        if scope.claim(module.clone(), "_2") != module {
            let message = format!("expected each domain to get a module of its own, but `{module}` is taken");
            errors.push(Error::at(&domain.place, message));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let all_names: Vec<ItemNames> = protocol.domains.iter().map(ItemNames::new).collect();
    let mut files = Vec::new();
    for (domain, item_names) in protocol.domains.iter().zip(&all_names) {
        let text = print_domain(&Context {
            index: &index,
            graph: &graph,
            all_names: &all_names,
            domain,
            item_names,
            runtime: &options.runtime,
        });
        files.push(File { name: format!("{}.rs", names::snake(&domain.name)), text });
    }
    files.push(File { name: "mod.rs".to_owned(), text: print_mod(protocol, &all_names, options) });
    Ok(files)
}

fn print_mod(protocol: &Protocol, all_names: &[ItemNames], options: &Options) -> String {
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n\n");
    let runtime = &options.runtime;
    for domain in &protocol.domains {
        let file = names::snake(&domain.name);
        let _ = writeln!(out, "#[path = \"{file}.rs\"]\npub mod {};", names::field(&domain.name));
    }
    let version = format!("{}.{}", protocol.version.major, protocol.version.minor);
    let _ = writeln!(out, "\n/// Version of the protocol this was generated from.");
    let _ = writeln!(out, "pub const PROTOCOL_VERSION: &str = {version:?};\n");
    let _ = writeln!(out, "/// What was generated, by the protocol's own names and in its order.");
    let _ = writeln!(out, "pub const INVENTORY: &[{runtime}::domains::DomainInventory] = &[");
    for (domain, names) in protocol.domains.iter().zip(all_names) {
        let module = names::field(&domain.name);
        let _ = writeln!(out, "    {runtime}::domains::DomainInventory {{");
        let _ = writeln!(out, "        name: {:?},", domain.name);
        // Through the items themselves: a command that was listed but not generated does not compile.
        let methods = |items: &mut dyn Iterator<Item = &String>, of: &str| {
            items
                .map(|item| format!("<{module}::{item} as {runtime}::{of}>::METHOD"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let commands = methods(&mut names.commands.iter().map(|c| &c.params), "Command");
        let events = methods(&mut names.events.iter(), "Event");
        let types: Vec<String> =
            domain.types.iter().map(|def| format!("{:?}", format!("{}.{}", domain.name, def.name))).collect();
        let _ = writeln!(out, "        commands: &[{commands}],\n        events: &[{events}],");
        let _ = writeln!(out, "        types: &[{}],\n    }},", types.join(", "));
    }
    out.push_str("];\n");
    out
}
