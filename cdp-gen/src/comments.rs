//! Comments of our own: taken off a description that comes from elsewhere, and put back onto the items
//! that still exist.

use std::collections::HashMap;

use crate::model::{Domain, Field, Shape, Type, Value};

/// Comments by the path of the item they stand above, for example `command captureScreenshot/parameter format`.
pub type Comments = HashMap<String, Vec<String>>;

/// Takes all comments off `domain`.
pub fn take(domain: &mut Domain) -> Comments {
    let mut comments = Comments::new();
    visit(domain, &mut |path, comment| {
        if !comment.is_empty() {
            comments.insert(path, std::mem::take(comment));
        }
    });
    comments
}

/// Puts comments onto the items of `domain` that have the same path; gives back the paths of those that
/// found no item.
pub fn put(domain: &mut Domain, mut comments: Comments) -> Vec<String> {
    visit(domain, &mut |path, comment| {
        if let Some(text) = comments.remove(&path) {
            *comment = text;
        }
    });
    let mut lost: Vec<String> = comments.into_keys().collect();
    lost.sort();
    lost
}

type Visit<'a> = &'a mut dyn FnMut(String, &mut Vec<String>);

fn visit(domain: &mut Domain, f: Visit<'_>) {
    f("domain".to_owned(), &mut domain.marks.comment);
    for depends in &mut domain.depends {
        f(format!("depends on {}", depends.domain), &mut depends.marks.comment);
    }
    for def in &mut domain.types {
        let path = format!("type {}", def.name);
        f(path.clone(), &mut def.marks.comment);
        match &mut def.shape {
            Shape::Alias(_) => {}
            Shape::Enum(list) => values(&path, list, f),
            Shape::Object(list) => fields(&path, "property", list, f),
        }
    }
    for command in &mut domain.commands {
        let path = format!("command {}", command.name);
        f(path.clone(), &mut command.marks.comment);
        if let Some(redirect) = &mut command.redirect {
            f(format!("{path}/redirect"), &mut redirect.comment);
        }
        fields(&path, "parameter", &mut command.parameters, f);
        fields(&path, "return value", &mut command.returns, f);
    }
    for event in &mut domain.events {
        let path = format!("event {}", event.name);
        f(path.clone(), &mut event.marks.comment);
        fields(&path, "parameter", &mut event.parameters, f);
    }
}

fn fields(owner: &str, kind: &str, list: &mut [Field], f: Visit<'_>) {
    for field in list {
        let path = format!("{owner}/{kind} {}", field.name);
        f(path.clone(), &mut field.marks.comment);
        let mut ty = &mut field.ty;
        while let Type::Array(item) = ty {
            ty = item;
        }
        match ty {
            Type::Enum(list) => values(&path, list, f),
            Type::Struct(list) => fields(&path, "property", list, f),
            _ => {}
        }
    }
}

fn values(owner: &str, list: &mut [Value], f: Visit<'_>) {
    for value in list {
        f(format!("{owner}/value {}", value.name), &mut value.comment);
    }
}
