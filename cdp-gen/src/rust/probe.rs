//! Prints a list of everything generated, for tests that go through all of it: how each value is taken apart by
//! its public members, how each value that is sent is made by its public constructors. The text is calls of
//! macros that the reader of the list defines; the library itself holds none of it.

use std::collections::HashSet;
use std::fmt::Write;

use super::context::Context;
use super::generate::Options;
use super::known;
use super::naming::ItemNames;
use super::small;
use crate::error::Error;
use crate::graph::Graph;
use crate::model::{Field, Inline, Protocol, Shape, Type, Value};
use crate::names;
use crate::resolve::{Index, TypeEntry, TypeId};

/// Lists what [`generate`](super::generate) prints for `protocol`.
///
/// For each domain there is a module that exports the domain's items again and calls, once an item:
///
/// ```text
/// shown!   { Record "wireKey" field … }             each struct
/// made!    { Record (Required, …) setter Type … }   each struct that is sent
/// values!  { Enumeration "text" Variant … }         each enumeration
/// text!    { Alias }    number! { Alias }           aliases with an accessor
/// wrapper! { Alias }                                other aliases
/// wrapper_made! { Alias }                           those of them that are sent
/// ```
///
/// After the modules it calls `enumerations!` with all enumerations, and `types!` with the declared types that no
/// command, event or other type mentions, each under its name on the wire. [`listing`](super::listing) has the commands
/// and events.
///
/// # Errors
///
/// All unknown references and double declarations.
pub fn probe(protocol: &Protocol, options: &Options) -> Result<String, Vec<Error>> {
    let protocol = &known::refined(protocol);
    let index = Index::new(protocol)?;
    let graph = Graph::new(&index);
    let mentioned = mentioned(&index);
    let all_names: Vec<ItemNames> = protocol.domains.iter().map(ItemNames::new).collect();
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n");
    let mut lists = Lists::default();
    for (domain, item_names) in protocol.domains.iter().zip(&all_names) {
        let (index, graph, all_names) = (&index, &graph, all_names.as_slice());
        let cx = Context { index, graph, all_names, domain, item_names, runtime: "" };
        let module = names::field(&domain.name);
        let _ = writeln!(out, "\npub(crate) mod {module} {{");
        let _ = writeln!(out, "    pub(crate) use {}::{module}::*;", options.domains);
        out.push_str("    #[allow(unused_imports)]\n");
        let _ =
            writeln!(out, "    use {{{}::json::Binary, serde_json::value::RawValue}};\n", options.runtime);
        Listing { cx, module, mentioned: &mentioned, out: &mut out, lists: &mut lists }.domain();
        out.push_str("}\n");
    }
    for (kind, list) in [("types", lists.types), ("enumerations", lists.enumerations)] {
        let _ = writeln!(out, "\n{kind}! {{\n{list}}}");
    }
    Ok(out)
}

/// The lists after the modules, one line an item.
#[derive(Default)]
struct Lists {
    types: String,
    enumerations: String,
}

/// One domain on its way into the text.
struct Listing<'a> {
    cx: Context<'a>,
    module: String,
    mentioned: &'a HashSet<TypeId>,
    out: &'a mut String,
    lists: &'a mut Lists,
}

impl Listing<'_> {
    fn domain(&mut self) {
        let Context { domain, item_names, graph, index, .. } = self.cx;
        let module = self.module.clone();
        for (def, name) in domain.types.iter().zip(&item_names.types) {
            let Some(id) = index.find(&domain.name, &def.name) else { continue };
            match &def.shape {
                Shape::Alias(ty) => self.alias(name, ty, graph.is_sent(id)),
                Shape::Enum(values) => self.enumeration(name, values),
                Shape::Object(fields) => self.record(name, fields, graph.is_sent(id)),
            }
            if !self.mentioned.contains(&id) {
                let _ = writeln!(self.lists.types, "    \"{}.{}\" {module}::{name},", domain.name, def.name);
            }
        }
        for (command, item) in domain.commands.iter().zip(&item_names.commands) {
            self.record(&item.params, &command.parameters, true);
            if let Some(result) = &item.result {
                self.record(result, &command.returns, false);
            }
        }
        for (event, name) in domain.events.iter().zip(&item_names.events) {
            self.record(name, &event.parameters, false);
        }
    }

    /// A struct and what is declared in place in it.
    fn record(&mut self, name: &str, fields: &[Field], sent: bool) {
        let mut scope = names::Scope::default();
        let mut shown = String::new();
        let mut required = Vec::new();
        let mut setters = String::new();
        for field in fields {
            let ident = scope.claim(names::field(&field.name), "_2");
            let _ = write!(shown, " {:?} {ident}", field.name);
            let ty = self.cx.field_type(name, field, &field.ty);
            if field.optional {
                let _ = write!(setters, " {} {ty},", names::setter(&ident));
            } else {
                required.push(ty);
            }
            let inline_name = self.cx.item_names.inline(name, field).to_owned();
            match field.ty.inline() {
                Some(Inline::Enum(values)) => self.enumeration(&inline_name, values),
                Some(Inline::Struct(fields)) => self.record(&inline_name, fields, sent),
                None => {}
            }
        }
        let _ = writeln!(self.out, "    shown! {{ {name}{shown} }}");
        if sent {
            let _ = writeln!(self.out, "    made! {{ {name} ({}){setters} }}", required.join(", "));
        }
    }

    fn enumeration(&mut self, name: &str, values: &[Value]) {
        let _ = write!(self.out, "    values! {{ {name}");
        for (value, variant) in values.iter().zip(small::variants(values)) {
            let _ = write!(self.out, " {:?} {variant}", value.name);
        }
        self.out.push_str(" }\n");
        let _ = writeln!(self.lists.enumerations, "    {}::{name},", self.module);
    }

    fn alias(&mut self, name: &str, ty: &Type, sent: bool) {
        let kind = match ty {
            Type::String | Type::Enum(_) => "text",
            Type::Integer | Type::Number => "number",
            _ => "wrapper",
        };
        let _ = writeln!(self.out, "    {kind}! {{ {name} }}");
        if kind == "wrapper" && sent {
            let _ = writeln!(self.out, "    wrapper_made! {{ {name} }}");
        }
    }
}

/// The types that something else than themselves mentions.
fn mentioned(index: &Index<'_>) -> HashSet<TypeId> {
    let mut found = HashSet::new();
    let mut add = |domain: &str, fields: &mut dyn Iterator<Item = &Type>, by: Option<TypeId>| {
        let meant = fields.flat_map(references).filter_map(|name| index.find(domain, name));
        found.extend(meant.filter(|id| Some(*id) != by));
    };
    for (id, TypeEntry { domain, def }) in index.types() {
        match &def.shape {
            Shape::Alias(ty) => add(&domain.name, &mut std::iter::once(ty), Some(id)),
            Shape::Enum(_) => {}
            Shape::Object(fields) => add(&domain.name, &mut fields.iter().map(|field| &field.ty), Some(id)),
        }
    }
    for domain in &index.protocol.domains {
        let of_commands = domain.commands.iter().flat_map(|c| c.parameters.iter().chain(&c.returns));
        let of_events = domain.events.iter().flat_map(|event| &event.parameters);
        add(&domain.name, &mut of_commands.chain(of_events).map(|field| &field.ty), None);
    }
    found
}

/// The declared types that `ty` is, lists or holds.
fn references(ty: &Type) -> Vec<&str> {
    match ty {
        Type::Ref(name) => vec![name],
        Type::Array(item) => references(item),
        Type::Struct(fields) => fields.iter().flat_map(|field| references(&field.ty)).collect(),
        _ => Vec::new(),
    }
}
