//! The protocol's description as the judge of JSON: what a name means, and whether an encoded command keeps to its
//! declaration. Reads the same folder as the build did. Shares the generator's reader, its look-up
//! of names and its table of known values, and nothing that prints Rust.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use cdp_gen::model::{self, Domain, Field, Protocol, Shape, Type};
use cdp_gen::{Index, TypeEntry, pdl, rust};
use serde_json::Value;

/// A type with the domain that its references count from.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) domain: &'a str,
    pub(crate) ty: &'a Type,
}

/// What a type means once its name is looked up.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    Boolean,
    Integer,
    Number,
    Text,
    Binary,
    Any,
    /// An object with any members.
    Properties,
    /// One of these texts, or another one that a later browser knows.
    Enumeration(&'a [model::Value]),
    List(Typed<'a>),
    /// An object with these members.
    Record(&'a str, &'a [Field]),
}

static PROTOCOL: LazyLock<Protocol> =
    LazyLock::new(|| pdl::load_dir(Path::new(env!("CDP_PDL_READ"))).unwrap().protocol);

static INDEX: LazyLock<Index<'static>> = LazyLock::new(|| Index::new(protocol()).unwrap());

/// The description.
pub(crate) fn protocol() -> &'static Protocol {
    &PROTOCOL
}

impl<'a> Typed<'a> {
    /// The full name, where the type has one.
    pub(crate) fn name(self) -> Option<String> {
        match self.ty {
            Type::Ref(name) if name.contains('.') => Some(name.clone()),
            Type::Ref(name) => Some(format!("{}.{name}", self.domain)),
            _ => None,
        }
    }

    /// What the type means.
    pub(crate) fn kind(self) -> Kind<'a> {
        let Typed { domain, ty } = self;
        match ty {
            Type::Boolean => Kind::Boolean,
            Type::Integer => Kind::Integer,
            Type::Number => Kind::Number,
            Type::String => Kind::Text,
            Type::Binary => Kind::Binary,
            Type::Any => Kind::Any,
            Type::Object => Kind::Properties,
            Type::Enum(values) => Kind::Enumeration(values),
            Type::Array(item) => Kind::List(Typed { domain, ty: item }),
            Type::Ref(name) => declared(domain, name),
            Type::Struct(fields) => Kind::Record(domain, fields),
        }
    }
}

/// What the type `name`, written inside `domain`, means.
pub(crate) fn declared(domain: &str, name: &str) -> Kind<'static> {
    let found = INDEX.find(domain, name).and_then(|id| INDEX.entry(id));
    let TypeEntry { domain, def } = found.unwrap_or_else(|| panic!("{name} is not declared in {domain}"));
    match &def.shape {
        Shape::Alias(ty) => Typed { domain: &domain.name, ty }.kind(),
        Shape::Enum(values) => Kind::Enumeration(values),
        Shape::Object(fields) => Kind::Record(&domain.name, fields),
    }
}

/// All declared types by their full names.
pub(crate) fn type_names() -> BTreeSet<String> {
    let names = |d: &'static Domain| d.types.iter().map(|def| format!("{}.{}", d.name, def.name));
    protocol().domains.iter().flat_map(names).collect()
}

/// The values of every enumeration, declared as a type or in place, or known beyond the description.
pub(crate) fn enumerations() -> Vec<Vec<&'static str>> {
    static REFINED: LazyLock<Protocol> = LazyLock::new(|| rust::refined(protocol()));
    let mut found = Vec::new();
    for domain in &REFINED.domains {
        let declared = domain.types.iter().filter_map(|def| match &def.shape {
            Shape::Enum(values) => Some(values),
            _ => None,
        });
        let in_place = domain.fields().filter_map(|field| {
            let mut ty = &field.ty;
            while let Type::Array(item) = ty {
                ty = item;
            }
            match ty {
                Type::Enum(values) => Some(values),
                _ => None,
            }
        });
        found.extend(declared.chain(in_place).map(|values| texts(values)));
    }
    found
}

/// The types that something mentions, directly or by way of others.
#[derive(Default)]
pub(crate) struct Reach(pub(crate) BTreeSet<String>);

impl Reach {
    pub(crate) fn members(&mut self, domain: &str, fields: &[Field]) {
        fields.iter().for_each(|field| self.typed(Typed { domain, ty: &field.ty }));
    }

    pub(crate) fn kind(&mut self, kind: Kind<'_>) {
        match kind {
            Kind::List(item) => self.typed(item),
            Kind::Record(domain, fields) => self.members(domain, fields),
            _ => {}
        }
    }

    fn typed(&mut self, typed: Typed<'_>) {
        if typed.name().is_none_or(|name| self.0.insert(name)) {
            self.kind(typed.kind());
        }
    }
}

/// How deep a full value is full. Only what contains itself goes deeper.
const FULL: usize = 3;

/// The judge of what is sent.
#[derive(Default)]
pub(crate) struct Sent {
    /// Whether optional members must be there as well, down to `FULL` names below each other.
    pub(crate) full: bool,
    /// The declared types of which it saw a value.
    pub(crate) met: BTreeSet<String>,
}

impl Sent {
    /// Checks an object against its declaration.
    pub(crate) fn check_members(
        &mut self,
        domain: &str,
        fields: &[Field],
        value: &Value,
        path: &str,
    ) -> Result<(), String> {
        let members = value.as_object().ok_or_else(|| format!("{path}: no object, but {value}"))?;
        if let Some(key) = members.keys().find(|key| fields.iter().all(|field| field.name != **key)) {
            return Err(format!("{path}.{key}: not declared"));
        }
        for field in fields {
            let path = format!("{path}.{}", field.name);
            match members.get(&field.name) {
                Some(value) => self.check(Typed { domain, ty: &field.ty }, value, &path)?,
                None if field.optional && !(self.full && path.matches('.').count() <= FULL) => {}
                None => return Err(format!("{path}: missing")),
            }
        }
        Ok(())
    }

    fn check(&mut self, typed: Typed<'_>, value: &Value, path: &str) -> Result<(), String> {
        self.met.extend(typed.name());
        let fits = match typed.kind() {
            Kind::Boolean => value.is_boolean(),
            Kind::Integer => value.is_i64(),
            Kind::Number => value.is_number(),
            Kind::Text | Kind::Enumeration(_) => value.is_string(),
            Kind::Binary => value.as_str().is_some_and(is_base64),
            Kind::Any => true,
            Kind::Properties => value.is_object(),
            Kind::List(item) => {
                let items = value.as_array().ok_or_else(|| format!("{path}: no list, but {value}"))?;
                let mut items = items.iter().enumerate();
                return items.try_for_each(|(i, value)| self.check(item, value, &format!("{path}[{i}]")));
            }
            Kind::Record(domain, fields) => return self.check_members(domain, fields, value, path),
        };
        if fits { Ok(()) } else { Err(format!("{path}: of another kind: {value}")) }
    }
}

fn texts(values: &'static [model::Value]) -> Vec<&'static str> {
    values.iter().map(|value| value.name.as_str()).collect()
}

/// Whether this is base64 with its padding.
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
}
