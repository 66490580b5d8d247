//! Prints aliases and enumerations. Their trait impls are macros of the runtime: each kind has one shape.

use std::fmt::Write;

use super::context::Context;
use super::docs;
use super::known;
use crate::model::{Type, Value};
use crate::names::{Scope, camel};
use crate::resolve::TypeId;

/// A declared type that renames another one.
pub(super) fn alias(out: &mut String, cx: &Context<'_>, id: TypeId, name: &str, ty: &Type) {
    let _ = match ty {
        Type::String | Type::Enum(_) => writeln!(
            out,
            "#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub struct {name}(Arc<str>);\ntext_newtype!({name});"
        ),
        Type::Integer => writeln!(
            out,
            "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub struct {name}(i64);\nnumber_newtype!({name}, i64);"
        ),
        Type::Number => writeln!(
            out,
            "#[derive(Clone, Copy, PartialEq, PartialOrd)]\npub struct {name}(f64);\nnumber_newtype!({name}, f64);"
        ),
        other => {
            let mut inner = cx.plain_type(other);
            if let Type::Ref(reference) = other
                && cx.index.find(&cx.domain.name, reference).is_some_and(|to| cx.graph.needs_box(id, to))
            {
                inner = format!("Box<{inner}>");
            }
            let sent = if cx.graph.is_sent(id) { format!("\nwrapper_sent!({name});") } else { String::new() };
            let received = if cx.graph.is_received(id) {
                format!("\nwrapper_received!({name});")
            } else {
                String::new()
            };
            let (derived, hidden) = if known::is_secret_type(&cx.domain.name, name) {
                out.push_str("///\n/// Its content is not shown by `Debug`.\n");
                ("Clone", format!("\nhidden!({name});"))
            } else {
                ("Clone, Debug", String::new())
            };
            writeln!(
                out,
                "#[derive({derived})]\npub struct {name}(pub {inner});\nwrapper!({name}, {inner});{sent}{received}{hidden}"
            )
        }
    };
    if let Some(methods) = known::methods(&cx.domain.name, name, ty) {
        let _ = writeln!(out, "{methods}!({name});");
    }
}

/// An enumeration: one variant a value, and one that keeps any other text.
pub(super) fn enumeration(out: &mut String, name: &str, values: &[Value]) {
    let variants = variants(values);
    let _ = writeln!(out, "#[non_exhaustive]\npub enum {name} {{");
    for (value, variant) in values.iter().zip(&variants) {
        docs::comment(out, "    ", &value.comment);
        let _ = writeln!(out, "    {variant},");
    }
    let _ = writeln!(out, "    /// A value that the protocol description does not list, kept as it came.");
    let _ = writeln!(out, "    Unknown(Box<str>),\n}}\n");
    let _ = writeln!(out, "text_enum! {{ {name}");
    for (value, variant) in values.iter().zip(&variants) {
        let _ = writeln!(out, "    {variant} = {:?},", value.name);
    }
    out.push_str("}\n");
}

/// The variants of an enumeration's values, in their order.
pub(super) fn variants(values: &[Value]) -> Vec<String> {
    let mut scope = Scope::variants();
    values.iter().map(|value| scope.claim(camel(&value.name), "Value")).collect()
}
