//! Reads the protocol from JSON, the form in which a running browser describes itself. Descriptions in
//! prose are skipped: only facts are taken.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::error::{Error, Place};
use crate::model::{
    Command, Depends, Domain, Event, Field, Marks, Protocol, Redirect, Revision, Shape, Type, TypeDef, Value,
    Version,
};
use crate::pdl::{is_name, is_number};

/// Parses the JSON text of `/json/protocol`; `source` names it in errors.
///
/// # Errors
///
/// Text that is no JSON, or JSON that does not describe a protocol: with the path of the faulty part.
pub fn parse(text: &str, source: &Path) -> Result<Protocol, Error> {
    let file: Arc<Path> = Arc::from(source);
    let json = value_of(text, &file)?;
    let place = Place::new(&file, 0, 0);
    let root = Node { json: &json, path: String::new(), place: &place };
    let version = root.member("version").ok_or_else(|| root.missing("version"))?;
    Ok(Protocol {
        version: Version { major: version.digits("major")?, minor: version.digits("minor")? },
        domains: root.required_list("domains")?.iter().map(domain).collect::<Result<_, _>>()?,
    })
}

/// Reads which browser it is out of the JSON text of `/json/version`; `source` names it in errors.
///
/// # Errors
///
/// Text that is no JSON, or JSON that names no browser or no revision.
pub fn revision(text: &str, source: &Path) -> Result<Revision, Error> {
    let file: Arc<Path> = Arc::from(source);
    let json = value_of(text, &file)?;
    let place = Place::new(&file, 0, 0);
    let root = Node { json: &json, path: String::new(), place: &place };
    let webkit = root.text("WebKit-Version")?;
    // "537.36 (@0123abcd…)": the part in parentheses is the revision of the browser's own source.
    let inner = webkit.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
    let revision = inner.unwrap_or(&webkit).to_owned();
    Ok(Revision { browser: root.text("Browser")?, revision })
}

fn value_of(text: &str, file: &Arc<Path>) -> Result<Json, Error> {
    serde_json::from_str(text).map_err(|error| {
        Error::at(&Place::new(file, error.line(), error.column()), format!("expected JSON: {error}"))
    })
}

/// A part of the JSON text with the path to it, for errors.
struct Node<'a> {
    json: &'a Json,
    path: String,
    place: &'a Place,
}

impl<'a> Node<'a> {
    fn error<T>(&self, message: &str) -> Result<T, Error> {
        let path = if self.path.is_empty() { "top level" } else { &self.path };
        Err(Error::at(self.place, format!("{path}: {message}")))
    }

    fn missing(&self, key: &str) -> Error {
        let path = if self.path.is_empty() { "top level" } else { &self.path };
        Error::at(self.place, format!("{path}: expected a member `{key}`, found none"))
    }

    fn object(&self) -> Option<&'a Map<String, Json>> {
        self.json.as_object()
    }

    fn member(&self, key: &str) -> Option<Node<'a>> {
        let json = self.object()?.get(key)?;
        let dot = if self.path.is_empty() { "" } else { "." };
        Some(Node { json, path: format!("{}{dot}{key}", self.path), place: self.place })
    }

    fn text(&self, key: &str) -> Result<String, Error> {
        let member = self.member(key).ok_or_else(|| self.missing(key))?;
        match member.json.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => member.error("expected text"),
        }
    }

    fn digits(&self, key: &str) -> Result<String, Error> {
        let text = self.text(key)?;
        if is_number(&text) {
            return Ok(text);
        }
        self.error(&format!("expected a number in `{key}`, found `{text}`"))
    }

    fn name(&self, key: &str) -> Result<String, Error> {
        let text = self.text(key)?;
        if is_name(&text) {
            return Ok(text);
        }
        self.error(&format!("expected a name of letters, digits and `_` in `{key}`, found `{text}`"))
    }

    fn flag(&self, key: &str) -> Result<bool, Error> {
        match self.member(key) {
            None => Ok(false),
            Some(member) => match member.json.as_bool() {
                Some(flag) => Ok(flag),
                None => member.error("expected true or false"),
            },
        }
    }

    /// The items of a list that may be absent.
    fn list(&self, key: &str) -> Result<Vec<Node<'a>>, Error> {
        match self.member(key) {
            None => Ok(Vec::new()),
            Some(member) => match member.json.as_array() {
                None => member.error("expected a list"),
                Some(items) => Ok(items
                    .iter()
                    .enumerate()
                    .map(|(i, json)| Node { json, path: format!("{}[{i}]", member.path), place: self.place })
                    .collect()),
            },
        }
    }

    fn required_list(&self, key: &str) -> Result<Vec<Node<'a>>, Error> {
        if self.member(key).is_none() { Err(self.missing(key)) } else { self.list(key) }
    }

    fn marks(&self) -> Result<Marks, Error> {
        Ok(Marks {
            comment: Vec::new(),
            experimental: self.flag("experimental")?,
            deprecated: self.flag("deprecated")?,
        })
    }

    /// Members of the wrong kind are errors; an unknown member is not: browsers may add some.
    fn check_object(&self) -> Result<(), Error> {
        if self.object().is_some() { Ok(()) } else { self.error("expected an object") }
    }
}

fn domain(node: &Node<'_>) -> Result<Domain, Error> {
    node.check_object()?;
    let depends = node.list("dependencies")?.into_iter().map(|item| match item.json.as_str() {
        Some(name) => {
            Ok(Depends { domain: name.to_owned(), marks: Marks::default(), place: item.place.clone() })
        }
        None => item.error("expected the name of a domain"),
    });
    Ok(Domain {
        name: node.name("domain")?,
        marks: node.marks()?,
        depends: depends.collect::<Result<_, _>>()?,
        types: node.list("types")?.iter().map(type_def).collect::<Result<_, _>>()?,
        commands: node.list("commands")?.iter().map(command).collect::<Result<_, _>>()?,
        events: node.list("events")?.iter().map(event).collect::<Result<_, _>>()?,
        place: node.place.clone(),
    })
}

fn type_def(node: &Node<'_>) -> Result<TypeDef, Error> {
    node.check_object()?;
    let name = node.name("id")?;
    let shape = if node.member("properties").is_some() {
        Shape::Object(fields(node, "properties")?)
    } else {
        match ty(node)? {
            Type::Enum(values) => Shape::Enum(values),
            Type::Array(item) if item.inline().is_some() => {
                return node.error(&format!(
                    "expected the items of the type `{name}` to be of a type with a name, found what is declared in place"
                ));
            }
            other => Shape::Alias(other),
        }
    };
    Ok(TypeDef { name, marks: node.marks()?, shape, place: node.place.clone() })
}

fn command(node: &Node<'_>) -> Result<Command, Error> {
    node.check_object()?;
    let redirect = match node.member("redirect") {
        None => None,
        Some(_) => {
            Some(Redirect { domain: node.name("redirect")?, comment: Vec::new(), place: node.place.clone() })
        }
    };
    Ok(Command {
        name: node.name("name")?,
        marks: node.marks()?,
        parameters: fields(node, "parameters")?,
        returns: fields(node, "returns")?,
        redirect,
        place: node.place.clone(),
    })
}

fn event(node: &Node<'_>) -> Result<Event, Error> {
    node.check_object()?;
    Ok(Event {
        name: node.name("name")?,
        marks: node.marks()?,
        parameters: fields(node, "parameters")?,
        place: node.place.clone(),
    })
}

fn fields(node: &Node<'_>, key: &str) -> Result<Vec<Field>, Error> {
    node.list(key)?
        .iter()
        .map(|item| {
            item.check_object()?;
            Ok(Field {
                name: item.name("name")?,
                marks: item.marks()?,
                optional: item.flag("optional")?,
                ty: ty(item)?,
                place: item.place.clone(),
            })
        })
        .collect()
}

fn ty(node: &Node<'_>) -> Result<Type, Error> {
    if node.member("$ref").is_some() {
        let reference = node.text("$ref")?;
        if reference.split('.').all(is_name) && reference.split('.').count() <= 2 {
            return Ok(Type::Ref(reference));
        }
        return node.error(&format!("expected `Name` or `Domain.Name` in `$ref`, found `{reference}`"));
    }
    let word = node.text("type")?;
    if node.member("properties").is_some() {
        return match word.as_str() {
            "object" => Ok(match fields(node, "properties")? {
                fields if fields.is_empty() => Type::Object,
                fields => Type::Struct(fields),
            }),
            _ => node.error(&format!(
                "expected `properties` beside type `object` only, found them beside `{word}`"
            )),
        };
    }
    let values = node.list("enum")?;
    match (word.as_str(), values.is_empty()) {
        ("string", false) => Ok(Type::Enum(values.iter().map(value).collect::<Result<_, _>>()?)),
        ("array", true) => match node.member("items") {
            Some(items) => match ty(&items)? {
                Type::Array(_) => {
                    items.error("expected items that are no lists themselves, found a list of lists")
                }
                item => Ok(Type::Array(Box::new(item))),
            },
            None => Err(node.missing("items")),
        },
        (word, true) => match Type::builtin(word) {
            Some(ty) => Ok(ty),
            None => node.error(&format!("expected a type, found `{word}`")),
        },
        (word, false) => {
            node.error(&format!("expected `enum` beside type `string` only, found it beside `{word}`"))
        }
    }
}

fn value(node: &Node<'_>) -> Result<Value, Error> {
    let text = node.json.as_str().unwrap_or_default();
    if text.is_empty()
        || text.starts_with('#')
        || text.contains(|c: char| c.is_whitespace() || c.is_control())
    {
        return node.error("expected one word as an enumeration value");
    }
    Ok(Value { name: text.to_owned(), comment: Vec::new(), place: node.place.clone() })
}
