//! Prints one domain's file: types, then commands with their results, then events.

use std::fmt::Write;

use super::context::Context;
use super::docs::{self, Anchor};
use super::known;
use super::record::{Kind, Part, Record};
use super::small;
use crate::model::{Field, Flow, Inline, Marks, Shape, Type};
use crate::names;
use crate::resolve::TypeId;

/// The text of one domain's module.
pub(super) fn print_domain(cx: &Context<'_>) -> String {
    let mut out = String::from("// Generated from the protocol description by cdp-gen; edits are lost.\n\n");
    let domain = cx.domain;
    for line in &domain.marks.comment {
        let _ = writeln!(out, "{}", format!("//! {line}").trim_end());
    }
    if !domain.marks.comment.is_empty() {
        out.push_str("//!\n");
    }
    let flags = docs::flags(&domain.marks);
    let _ = writeln!(out, "//! Domain {}.{flags}\n", docs::domain_link(&domain.name));
    let _ = writeln!(out, "#![allow(missing_docs, unused_imports, deprecated, clippy::all)]\n");
    let _ = writeln!(out, "use {}::json::items::*;", cx.runtime);
    for (def, name) in domain.types.iter().zip(&cx.item_names.types) {
        let Some(id) = cx.index.find(&domain.name, &def.name) else { continue };
        out.push('\n');
        docs::item(&mut out, &def.marks, &domain.name, Anchor::Type(&def.name), "Type");
        docs::deprecated(&mut out, "", &def.marks, None);
        match &def.shape {
            Shape::Alias(ty) => small::alias(&mut out, cx, id, name, ty),
            Shape::Enum(values) => small::enumeration(&mut out, name, values),
            Shape::Object(fields) => {
                let kind = Kind::Type(cx.graph.flow(id));
                let item = Item { name, known: format!("type {}", def.name), id: Some(id) };
                record(&mut out, cx, &item, fields, kind);
            }
        }
    }
    for (command, item) in domain.commands.iter().zip(&cx.item_names.commands) {
        out.push('\n');
        let anchor = Anchor::Command(&command.name);
        let moved_to = command.redirect.as_ref().map(|redirect| redirect.domain.as_str());
        docs::item(&mut out, &command.marks, &domain.name, anchor, "Command");
        if let Some(moved_to) = moved_to {
            let _ = writeln!(out, "/// Moved to {}.", docs::domain_link(moved_to));
        }
        docs::deprecated(&mut out, "", &command.marks, moved_to);
        let method = format!("{}.{}", domain.name, command.name);
        let kind = Kind::Command { method, result: item.result.clone() };
        let params = Item { name: &item.params, known: format!("command {}", command.name), id: None };
        record(&mut out, cx, &params, &command.parameters, kind);
        if let Some(result) = &item.result {
            out.push('\n');
            let marks = Marks { comment: Vec::new(), ..command.marks.clone() };
            docs::item(&mut out, &marks, &domain.name, anchor, "What the browser answers to");
            docs::deprecated(&mut out, "", &marks, None);
            let result = Item { name: result, known: format!("result {}", command.name), id: None };
            record(&mut out, cx, &result, &command.returns, Kind::Type(Flow { sent: false, received: true }));
        }
    }
    for (event, name) in domain.events.iter().zip(&cx.item_names.events) {
        out.push('\n');
        docs::item(&mut out, &event.marks, &domain.name, Anchor::Event(&event.name), "Event");
        docs::deprecated(&mut out, "", &event.marks, None);
        let method = format!("{}.{}", domain.name, event.name);
        let event_item = Item { name, known: format!("event {}", event.name), id: None };
        record(&mut out, cx, &event_item, &event.parameters, Kind::Event { method });
    }
    out
}

/// Whose members are printed.
struct Item<'a> {
    /// The Rust name of the struct.
    name: &'a str,
    /// How the table of what is known calls it.
    known: String,
    /// The declared type that holds it by value.
    id: Option<TypeId>,
}

/// Prints a struct and what is declared in place in it.
fn record(out: &mut String, cx: &Context<'_>, item: &Item<'_>, fields: &[Field], kind: Kind) {
    let Item { name, known, id } = item;
    let mut scope = names::Scope::default();
    let flow = kind.flow();
    let parts = fields
        .iter()
        .map(|field| {
            let optional = field.may_be_missing(flow);
            Part {
                field,
                ident: scope.claim(names::field(&field.name), "_2"),
                ty: cx.field_type(name, field, &field.ty),
                optional,
                boxed: match &field.ty {
                    Type::Ref(reference) => cx.index.find(&cx.domain.name, reference).is_some_and(|to| {
                        id.is_some_and(|from| cx.graph.needs_box(from, to))
                            || (optional && cx.graph.is_large(to))
                    }),
                    _ => false,
                },
                secret: known::is_secret(&cx.domain.name, known, &field.name),
            }
        })
        .collect();
    Record { name, parts, kind }.print(out);
    for field in fields {
        let inline_name = cx.item_names.inline(name, field);
        match field.ty.inline() {
            Some(Inline::Enum(values)) => {
                let _ = writeln!(out, "\n/// Values of `{}` in [`{name}`].", field.name);
                small::enumeration(out, inline_name, values);
            }
            Some(Inline::Struct(fields)) => {
                let _ = writeln!(out, "\n/// What `{}` in [`{name}`] holds.", field.name);
                // What is behind a list is not held by value.
                let id = id.filter(|_| matches!(field.ty, Type::Struct(_)));
                let inner = Item { name: inline_name, known: format!("{known}, {}", field.name), id };
                record(out, cx, &inner, fields, Kind::Type(flow));
            }
            None => {}
        }
    }
}
