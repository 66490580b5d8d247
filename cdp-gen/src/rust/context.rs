//! What printing a domain needs to know about the whole protocol, above all the Rust type a protocol type
//! becomes. Prints nothing itself.

use super::naming::ItemNames;
use crate::graph::Graph;
use crate::model::{Domain, Field, Type};
use crate::names;
use crate::resolve::Index;

/// All that printing a domain needs to know.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) index: &'a Index<'a>,
    pub(super) graph: &'a Graph,
    pub(super) all_names: &'a [ItemNames],
    pub(super) domain: &'a Domain,
    pub(super) item_names: &'a ItemNames,
    /// Path of the crate that holds the runtime.
    pub(super) runtime: &'a str,
}

impl Context<'_> {
    /// The Rust type of `field` in the struct `owner`, without `Option` and without a box.
    pub(super) fn field_type(&self, owner: &str, field: &Field, ty: &Type) -> String {
        match ty {
            Type::Enum(_) | Type::Struct(_) => self.item_names.inline(owner, field).to_owned(),
            Type::Array(item) => format!("Vec<{}>", self.field_type(owner, field, item)),
            other => self.plain_type(other),
        }
    }

    /// The Rust type of anything that needs no name of its own.
    pub(super) fn plain_type(&self, ty: &Type) -> String {
        match ty {
            Type::Boolean => "bool".to_owned(),
            Type::Integer => "i64".to_owned(),
            Type::Number => "f64".to_owned(),
            Type::String | Type::Enum(_) => "String".to_owned(),
            Type::Binary => "Binary".to_owned(),
            Type::Any | Type::Object | Type::Struct(_) => "Box<RawValue>".to_owned(),
            Type::Array(item) => format!("Vec<{}>", self.plain_type(item)),
            Type::Ref(reference) => self.reference(reference),
        }
    }

    fn reference(&self, reference: &str) -> String {
        let (domain, name) = reference.split_once('.').unwrap_or((&self.domain.name, reference));
        let found = self.index.protocol.domains.iter().zip(self.all_names).find(|(d, _)| d.name == domain);
        let item = found.and_then(|(d, names)| {
            let position = d.types.iter().position(|def| def.name == name)?;
            names.types.get(position)
        });
        let item = item.map_or("String", String::as_str);
        if domain == self.domain.name {
            item.to_owned()
        } else {
            format!("super::{}::{item}", names::field(domain))
        }
    }
}
