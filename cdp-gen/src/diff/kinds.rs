//! Kinds of values: how they are called in a difference, and whether one fits where another was.

use crate::model::{Shape, Type, TypeDef};
use crate::resolve::Index;

/// Which way a value travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// To the browser.
    Sent,
    /// From the browser.
    Received,
}

/// The kind as text, with the full name of a declared type that is named inside `domain`.
pub(super) fn describe(domain: &str, ty: &Type) -> String {
    match ty {
        Type::Ref(name) if name.contains('.') => name.clone(),
        Type::Ref(name) => format!("{domain}.{name}"),
        Type::Array(item) => format!("array of {}", describe(domain, item)),
        Type::Struct(_) => "object with properties".to_owned(),
        other => other.word().unwrap_or_default().to_owned(),
    }
}

/// The kind of a declared type as text.
pub(super) fn describe_shape(domain: &str, shape: &Shape) -> String {
    match shape {
        Shape::Alias(ty) => describe(domain, ty),
        Shape::Enum(_) => "enum".to_owned(),
        Shape::Object(_) => "object with properties".to_owned(),
    }
}

/// What stands on the wire for a value of this kind: names of other names are followed, so that the only ones left
/// are the full names of objects with properties.
pub(super) fn on_wire(index: &Index<'_>, domain: &str, ty: &Type) -> Type {
    follow(index, domain, ty, index.len())
}

/// The same for a declared type.
pub(super) fn shape_on_wire(index: &Index<'_>, domain: &str, def: &TypeDef) -> Type {
    on_wire(index, domain, &Type::Ref(def.name.clone()))
}

/// Follows at most `names` names, since a faulty description may name itself for ever.
fn follow(index: &Index<'_>, domain: &str, ty: &Type, names: usize) -> Type {
    match ty {
        Type::Array(item) => Type::Array(Box::new(follow(index, domain, item, names))),
        Type::Ref(name) => match index.find(domain, name).and_then(|id| index.entry(id)) {
            Some(entry) => match &entry.def.shape {
                Shape::Alias(ty) if names > 0 => follow(index, &entry.domain.name, ty, names - 1),
                Shape::Enum(values) => Type::Enum(values.clone()),
                _ => Type::Ref(describe(domain, ty)),
            },
            None => ty.clone(),
        },
        _ => ty.clone(),
    }
}

/// Whether what was right for a caller that knows the kind `a` is right where the browser means `b`; both as
/// [`on_wire`] gives them.
pub(super) fn fits(a: &Type, b: &Type, way: Way) -> bool {
    match (a, b) {
        (Type::Array(a), Type::Array(b)) => fits(a, b, way),
        // A value that is received may be any: enumerations are open.
        (Type::Enum(a), Type::Enum(b)) => {
            way == Way::Received || a.iter().all(|value| b.iter().any(|other| other.name == value.name))
        }
        (Type::Enum(_), Type::String) => true,
        (Type::String, Type::Enum(_)) => way == Way::Received,
        // A whole number is a number, an object is an object, and everything is `any`; not the other way round.
        (Type::Integer, Type::Number) | (Type::Ref(_) | Type::Struct(_), Type::Object) | (_, Type::Any) => {
            a == b || way == Way::Sent
        }
        (Type::Number, Type::Integer) | (Type::Object, Type::Ref(_) | Type::Struct(_)) | (Type::Any, _) => {
            way == Way::Received
        }
        _ => a == b,
    }
}
