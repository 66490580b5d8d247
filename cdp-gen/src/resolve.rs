//! Resolves references: which declared type, domain or nothing a name in the protocol means. Also finds
//! items that are declared twice.

use std::collections::HashMap;

use crate::error::{Error, Place};
use crate::model::{Domain, Field, Inline, Protocol, Shape, Type, TypeDef, Value};

/// A protocol whose references all point somewhere.
#[derive(Debug)]
pub struct Index<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    types: Vec<TypeEntry<'a>>,
    by_name: HashMap<(&'a str, &'a str), TypeId>,
}

/// Number of a declared type in the order of declaration over all domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) usize);

/// A declared type with the domain it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct TypeEntry<'a> {
    /// The domain.
    pub domain: &'a Domain,
    /// The type.
    pub def: &'a TypeDef,
}

impl<'a> Index<'a> {
    /// Looks up every reference of `protocol` once.
    ///
    /// # Errors
    ///
    /// All unknown references, double declarations, and types that are named like a built-in one or are nothing but
    /// another name of themselves, in the order of the text.
    pub fn new(protocol: &'a Protocol) -> Result<Index<'a>, Vec<Error>> {
        let mut index = Index { protocol, types: Vec::new(), by_name: HashMap::new() };
        let mut errors = Vec::new();
        let mut domains = Unique::default();
        for domain in &protocol.domains {
            domains.add("domain", &domain.name, &domain.place, &mut errors);
            let mut names = Unique::default();
            for def in &domain.types {
                names.add("type", &def.name, &def.place, &mut errors);
                if is_taken(&def.name) {
                    let message =
                        format!("expected a name of its own, found `{}`, which PDL has as a word", def.name);
                    errors.push(Error::at(&def.place, message));
                }
                index.by_name.insert((&domain.name, &def.name), TypeId(index.types.len()));
                index.types.push(TypeEntry { domain, def });
            }
            let mut names = Unique::default();
            for command in &domain.commands {
                names.add("command", &command.name, &command.place, &mut errors);
                unique_members(&command.parameters, &mut errors);
                unique_members(&command.returns, &mut errors);
            }
            let mut names = Unique::default();
            for event in &domain.events {
                names.add("event", &event.name, &event.place, &mut errors);
                unique_members(&event.parameters, &mut errors);
            }
            for def in &domain.types {
                match &def.shape {
                    Shape::Alias(_) => {}
                    Shape::Enum(values) => unique_values(values, &mut errors),
                    Shape::Object(fields) => unique_members(fields, &mut errors),
                }
            }
        }
        for domain in &protocol.domains {
            index.check(domain, &domains, &mut errors);
        }
        if errors.is_empty() { Ok(index) } else { Err(errors) }
    }

    /// All declared types.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, TypeEntry<'a>)> + use<'a, '_> {
        self.types.iter().enumerate().map(|(i, entry)| (TypeId(i), *entry))
    }

    /// How many declared types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether the protocol declares no type.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The type that `reference`, written inside `domain`, means.
    pub fn find(&self, domain: &str, reference: &str) -> Option<TypeId> {
        let key = reference.split_once('.').unwrap_or((domain, reference));
        self.by_name.get(&key).copied()
    }

    /// The entry of `id`.
    pub fn entry(&self, id: TypeId) -> Option<TypeEntry<'a>> {
        self.types.get(id.0).copied()
    }

    fn check(&self, domain: &Domain, domains: &Unique<'_>, errors: &mut Vec<Error>) {
        let mut known_domain = |name: &str, place: &Place| {
            if !domains.names.contains_key(name) {
                errors.push(Error::at(
                    place,
                    format!("expected the name of a domain, found `{name}`, which none has"),
                ));
            }
        };
        domain.depends.iter().for_each(|d| known_domain(&d.domain, &d.place));
        domain
            .commands
            .iter()
            .filter_map(|c| c.redirect.as_ref())
            .for_each(|r| known_domain(&r.domain, &r.place));
        for def in &domain.types {
            if let Shape::Alias(ty) = &def.shape {
                self.check_type(domain, ty, &def.place, errors);
            }
            if self.is_only_itself(domain, def) {
                let message =
                    format!("expected `{}` to be something, but it only leads back to itself", def.name);
                errors.push(Error::at(&def.place, message));
            }
        }
        for field in domain.fields() {
            self.check_type(domain, &field.ty, &field.place, errors);
        }
    }

    /// Whether a type is another name of another name, and so on, of itself: no value could ever be of it.
    fn is_only_itself(&self, domain: &Domain, def: &TypeDef) -> bool {
        let start = self.find(&domain.name, &def.name);
        let mut at = start;
        // A longer way has passed some type twice, and so never comes back to this one.
        for _ in 0..self.len() {
            at = at.and_then(|id| self.entry(id)).and_then(|entry| match &entry.def.shape {
                Shape::Alias(Type::Ref(name)) => self.find(&entry.domain.name, name),
                _ => None,
            });
            if at.is_none() || at == start {
                break;
            }
        }
        at.is_some() && at == start
    }

    fn check_type(&self, domain: &Domain, ty: &Type, place: &Place, errors: &mut Vec<Error>) {
        match ty {
            Type::Ref(name) if self.find(&domain.name, name).is_none() => errors.push(Error::at(
                place,
                format!("expected a declared type, found `{name}`, which {}", self.suggestion(domain, name)),
            )),
            Type::Array(item) => self.check_type(domain, item, place, errors),
            Type::Struct(fields) => {
                fields.iter().for_each(|field| self.check_type(domain, &field.ty, &field.place, errors));
            }
            _ => {}
        }
    }

    fn suggestion(&self, domain: &Domain, name: &str) -> String {
        let bare = name.rsplit('.').next().unwrap_or(name);
        let elsewhere =
            self.types.iter().find(|entry| entry.def.name == bare && entry.domain.name != domain.name);
        match elsewhere {
            Some(entry) => format!("is not declared; `{}.{bare}` is", entry.domain.name),
            None => "is not declared in any domain".to_owned(),
        }
    }
}

/// Whether a type of this name would be read as something else where it is used.
fn is_taken(name: &str) -> bool {
    Type::builtin(name).is_some() || matches!(name, "array" | "enum")
}

fn unique_members(fields: &[Field], errors: &mut Vec<Error>) {
    let mut names = Unique::default();
    for field in fields {
        names.add("member", &field.name, &field.place, errors);
        match field.ty.inline() {
            Some(Inline::Enum(values)) => unique_values(values, errors),
            Some(Inline::Struct(fields)) => unique_members(fields, errors),
            None => {}
        }
    }
}

fn unique_values(values: &[Value], errors: &mut Vec<Error>) {
    let mut names = Unique::default();
    values.iter().for_each(|value| names.add("value", &value.name, &value.place, errors));
}

#[derive(Default)]
struct Unique<'a> {
    names: HashMap<&'a str, &'a Place>,
}

impl<'a> Unique<'a> {
    fn add(&mut self, kind: &str, name: &'a str, place: &'a Place, errors: &mut Vec<Error>) {
        if let Some(first) = self.names.insert(name, place) {
            errors.push(Error::at(
                place,
                format!("expected one {kind} `{name}` only; the other is at {first}"),
            ));
        }
    }
}
