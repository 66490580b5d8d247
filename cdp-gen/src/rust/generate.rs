//! Entry of the printer: a protocol in, named files out. Writes nothing to disk.

use std::fmt::Write;

use super::context::Context;
use super::docs;
use super::domain::print_domain;
use super::events::print_events;
use super::known;
use super::naming::ItemNames;
use crate::error::Error;
use crate::graph::Graph;
use crate::model::{Protocol, Revision};
use crate::names;
use crate::resolve::Index;

/// Choices for the printed text.
#[derive(Clone, Debug)]
pub struct Options {
    /// Path of the crate with the runtime as the generated text must name it: `crate` inside
    /// `cdp-protocol` itself, `cdp_protocol` elsewhere.
    pub runtime: String,
    /// Path of the module that `mod.rs` will be, as `events.rs` must name it.
    pub domains: String,
    /// The browser that the protocol was imported from, where that is known.
    pub revision: Option<Revision>,
}

impl Default for Options {
    fn default() -> Options {
        Options { runtime: "crate".to_owned(), domains: "crate::domains".to_owned(), revision: None }
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

/// Prints `protocol`: one file per domain, then `events.rs` with their events as enumerations and `mod.rs`, which joins
/// the domains.
///
/// # Errors
///
/// All unknown references and double declarations; two domains that would share a module, and one whose module would
/// have the name of another file or of the runtime's crate.
pub fn generate(protocol: &Protocol, options: &Options) -> Result<Vec<File>, Vec<Error>> {
    let protocol = &known::refined(protocol);
    let index = Index::new(protocol)?;
    let graph = Graph::new(&index);
    let mut errors = Vec::new();
    // Beside the modules lie two more files, and their text names the crate with the runtime.
    let runtime = options.runtime.split("::").next().unwrap_or_default();
    let mut scope = names::Scope::default();
    for name in ["events", "mod", runtime] {
        scope.claim(name.to_owned(), "");
    }
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
    let events = print_events(protocol, &all_names, &options.runtime, &options.domains);
    files.push(File { name: "events.rs".to_owned(), text: events });
    files.push(File { name: "mod.rs".to_owned(), text: print_mod(protocol, &all_names, options) });
    Ok(files)
}

fn print_mod(protocol: &Protocol, all_names: &[ItemNames], options: &Options) -> String {
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n\n");
    let runtime = &options.runtime;
    for domain in &protocol.domains {
        let file = names::snake(&domain.name);
        docs::deprecated(&mut out, "", &domain.marks, None);
        let _ = writeln!(out, "#[path = \"{file}.rs\"]\npub mod {};", names::field(&domain.name));
    }
    let version = format!("{}.{}", protocol.version.major, protocol.version.minor);
    let _ = writeln!(out, "\n/// Version of the protocol this was generated from.");
    let _ = writeln!(out, "pub const PROTOCOL_VERSION: &str = {version:?};\n");
    let (browser, revision) = options.revision.as_ref().map(|from| (&from.browser, &from.revision)).unzip();
    out.push_str("/// Product and version of the browser that the protocol was imported from, such as\n");
    let _ = writeln!(out, "/// `Chrome/156.0.8078.114`; `None` where unknown.");
    let _ = writeln!(out, "pub const BROWSER: Option<&str> = {browser:?};\n");
    let _ = writeln!(
        out,
        "/// Revision of that browser's own source, such as `@0123abcd`; `None` where unknown."
    );
    let _ = writeln!(out, "pub const REVISION: Option<&str> = {revision:?};\n");
    let _ = writeln!(
        out,
        "/// What was generated, by the protocol's own names and in its order.\n#[allow(deprecated)]"
    );
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::Type;
    use crate::pdl;

    #[test]
    fn methods_of_a_newtype_are_left_out_where_it_is_of_another_kind() {
        let text = "domain DOM\n  type Quad extends array of integer\n\ndomain Network\n  type MonotonicTime extends string\n\ndomain Runtime\n  type Timestamp extends object\n  type TimeDelta extends number\n";
        let domains = pdl::parse(text, Path::new("a.pdl")).unwrap().domains;
        let protocol = Protocol { version: crate::model::Version::default(), domains };
        let printed: String =
            generate(&protocol, &Options::default()).unwrap().into_iter().map(|file| file.text).collect();
        let called =
            |(_, name, methods): &&(&str, &str, &str)| printed.contains(&format!("\n{methods}!({name});"));
        let methods: Vec<&str> = known::METHODS.iter().filter(called).map(|(.., methods)| *methods).collect();
        assert_eq!(methods, ["milliseconds"]);
    }

    #[test]
    fn all_that_is_known_beyond_the_description_is_of_use_for_the_pinned_protocol() {
        let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl");
        let protocol = pdl::load_dir(&pinned).unwrap().protocol;
        let mut refined = known::refined(&protocol);
        for (domain, item, member, values) in known::VALUES {
            let field = known::field_of(&mut refined, domain, item, member).unwrap();
            assert!(matches!(&field.ty, Type::Enum(list) if list.len() == values.len()), "{item}.{member}");
        }
        for (domain, item, member, ty) in known::TYPES {
            let field = known::field_of(&mut refined, domain, item, member).unwrap();
            assert_eq!(field.ty, Type::Ref((*ty).to_owned()), "{item}.{member}");
        }
        let files = generate(&protocol, &Options::default()).unwrap();
        let text_of = |domain: &str| {
            let name = format!("{}.rs", names::snake(domain));
            &files.iter().find(|file| file.name == name).unwrap().text
        };
        for (domain, name, methods) in known::METHODS {
            assert!(text_of(domain).contains(&format!("\n{methods}!({name});")), "{domain}.{name}");
        }
        for (domain, name) in known::SECRET_TYPES {
            assert!(text_of(domain).contains(&format!("\nhidden!({name});")), "{domain}.{name}");
        }
        // Each hides one member of one struct: an entry for what is not there would leave the sum too small.
        let hidden: usize = files.iter().map(|file| file.text.matches(", &Hidden)").count()).sum();
        assert_eq!(hidden, known::SECRETS.len());
    }
}
