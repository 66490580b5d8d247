//! Prints structs: types with properties, parameters, results and events. Which traits a struct gets
//! follows from where it occurs; see `Kind`.

use std::fmt::Write;

use super::docs;
use crate::model::{Field, Flow, Type};
use crate::names;

/// What a struct is for.
pub(super) enum Kind {
    /// A declared type, a result, or an object declared in place.
    Type(Flow),
    /// Parameters of a command.
    Command { method: String, result: Option<String> },
    /// Parameters of an event.
    Event { method: String },
}

impl Kind {
    pub(super) fn flow(&self) -> Flow {
        match self {
            Kind::Type(flow) => *flow,
            Kind::Command { .. } => Flow { sent: true, received: false },
            Kind::Event { .. } => Flow { sent: false, received: true },
        }
    }
}

/// One field with its Rust names.
pub(super) struct Part<'a> {
    pub(super) field: &'a Field,
    pub(super) ident: String,
    pub(super) ty: String,
    /// May be absent, see [`Field::may_be_missing`].
    pub(super) optional: bool,
    pub(super) boxed: bool,
    /// Not to be shown by `Debug`.
    pub(super) secret: bool,
}

/// A struct to print.
pub(super) struct Record<'a> {
    pub(super) name: &'a str,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) kind: Kind,
}

impl Part<'_> {
    fn stored(&self) -> String {
        let ty = if self.boxed { format!("Box<{}>", self.ty) } else { self.ty.clone() };
        if self.optional { format!("Option<{ty}>") } else { ty }
    }

    /// How a constructor or setter takes the value. Nothing else becomes a truth value, and a list of texts may be one of
    /// literals.
    fn taken(&self) -> String {
        match self.field.ty {
            Type::Boolean => self.ty.clone(),
            _ if self.is_texts() => "impl IntoIterator<Item = impl Into<String>>".to_owned(),
            _ => format!("impl Into<{}>", self.ty),
        }
    }

    fn is_texts(&self) -> bool {
        matches!(&self.field.ty, Type::Array(item) if **item == Type::String)
    }

    /// The expression that stores `value`, taken so.
    fn store(&self, value: &str) -> String {
        let value = match self.field.ty {
            Type::Boolean => value.to_owned(),
            _ if self.is_texts() => format!("{value}.into_iter().map(Into::into).collect()"),
            _ => format!("{value}.into()"),
        };
        let value = if self.boxed { format!("Box::new({value})") } else { value };
        if self.optional { format!("Some({value})") } else { value }
    }

    /// Whether `null` is a value of its own here, different from an absent field.
    fn null_is_a_value(&self) -> bool {
        matches!(self.field.ty, Type::Any)
    }
}

impl Record<'_> {
    pub(super) fn print(&self, out: &mut String) {
        let Flow { sent, received } = self.kind.flow();
        let unit = matches!(self.kind, Kind::Command { .. }) && self.parts.is_empty();
        self.declare(out, sent, unit);
        if self.has_secrets() {
            self.debug(out);
        }
        if sent {
            self.constructor(out, unit);
            self.serialize(out);
        }
        if received {
            self.deserialize(out);
        }
        let name = self.name;
        let _ = match &self.kind {
            Kind::Command { method, result } => {
                let result = result.as_deref().unwrap_or("()");
                writeln!(
                    out,
                    "\nimpl Command for {name} {{\n    const METHOD: &'static str = {method:?};\n    type Result = {result};\n}}"
                )
            }
            Kind::Event { method } => {
                writeln!(out, "\nimpl Event for {name} {{\n    const METHOD: &'static str = {method:?};\n}}")
            }
            Kind::Type(_) => Ok(()),
        };
    }

    fn declare(&self, out: &mut String, sent: bool, unit: bool) {
        let name = self.name;
        let default = sent && self.parts.iter().all(|part| part.optional);
        let debug = if self.has_secrets() { "" } else { ", Debug" };
        let _ = writeln!(out, "#[derive(Clone{debug}{})]", if default { ", Default" } else { "" });
        if unit {
            let _ = writeln!(out, "pub struct {name};");
            return;
        }
        let _ = writeln!(out, "#[non_exhaustive]\npub struct {name} {{");
        for part in &self.parts {
            docs::field(out, &part.field.marks, part.secret);
            let _ = writeln!(out, "    pub {}: {},", part.ident, part.stored());
        }
        out.push_str("}\n");
    }

    fn has_secrets(&self) -> bool {
        self.parts.iter().any(|part| part.secret)
    }

    fn debug(&self, out: &mut String) {
        let name = self.name;
        let fields: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let value = if part.secret { "Hidden".to_owned() } else { format!("self.{}", part.ident) };
                format!("(\"{}\", &{value})", part.ident.trim_start_matches("r#"))
            })
            .collect();
        let _ = writeln!(
            out,
            "\nimpl Debug for {name} {{\n    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {{\n        show(f, \"{name}\", &[{}])\n    }}\n}}",
            fields.join(", ")
        );
    }

    fn constructor(&self, out: &mut String, unit: bool) {
        let name = self.name;
        let required = || self.parts.iter().filter(|part| !part.optional);
        let arguments: Vec<String> =
            required().map(|part| format!("{}: {}", part.ident, part.taken())).collect();
        let _ = writeln!(
            out,
            "\nimpl {name} {{\n    /// With all that is required{}.",
            if required().next().is_none() { ": nothing" } else { "" }
        );
        let inline = if arguments.is_empty() { "    #[inline]\n" } else { "" };
        let _ = writeln!(out, "{inline}    pub fn new({}) -> Self {{", arguments.join(", "));
        if unit {
            let _ = writeln!(out, "        {name}");
        } else {
            let stores: Vec<String> = self
                .parts
                .iter()
                .map(|part| {
                    let value = if part.optional { "None".to_owned() } else { part.store(&part.ident) };
                    format!("{}: {value}", part.ident)
                })
                .collect();
            let _ = writeln!(out, "        {name} {{ {} }}", stores.join(", "));
        }
        out.push_str("    }\n");
        for part in self.parts.iter().filter(|part| part.optional) {
            let (ident, taken) = (&part.ident, part.taken());
            let flags = docs::flags(&part.field.marks);
            let _ = writeln!(out, "    /// Sets `{}`.{flags}", part.field.name);
            docs::deprecated(out, "    ", &part.field.marks, None);
            let setter = names::setter(ident);
            let _ = writeln!(
                out,
                "    pub fn {setter}(mut self, value: {taken}) -> Self {{\n        self.{ident} = {};\n        self\n    }}",
                part.store("value")
            );
        }
        out.push_str("}\n");
    }

    fn serialize(&self, out: &mut String) {
        let name = self.name;
        let members: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let put = if part.optional { "PutSome" } else { "Put" };
                format!("{put}(&self.{})", part.ident)
            })
            .collect();
        let _ = writeln!(
            out,
            "\nimpl Serialize for {name} {{\n    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {{"
        );
        let _ = writeln!(out, "        object(s, &[{}], {})\n    }}\n}}", self.keys(), tuple(&members));
    }

    fn deserialize(&self, out: &mut String) {
        let name = self.name;
        let slots: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let slot = match (part.optional, part.null_is_a_value()) {
                    (false, _) => "Need",
                    (true, false) => "May",
                    (true, true) => "Any",
                };
                let ty = if part.boxed { format!("Box<{}>", part.ty) } else { part.ty.clone() };
                format!("{slot}<{ty}>")
            })
            .collect();
        let count = self.parts.len();
        let values: Vec<String> = self
            .parts
            .iter()
            .enumerate()
            .map(|(i, part)| format!("{}: v{}", part.ident, path_in_tuple(i, count)))
            .collect();
        let _ = writeln!(
            out,
            "\nimpl<'de> Deserialize<'de> for {name} {{\n    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {{"
        );
        let _ = writeln!(out, "        record::<{}, _, _>(d, &[{}],", tuple(&slots), self.keys());
        let _ = writeln!(
            out,
            "            |{}| {name} {{ {} }})\n    }}\n}}",
            if count == 0 { "()" } else { "v" },
            values.join(", ")
        );
    }

    fn keys(&self) -> String {
        let keys: Vec<String> = self.parts.iter().map(|part| format!("{:?}", part.field.name)).collect();
        keys.join(", ")
    }
}

/// How many members a tuple of the runtime may have.
const TUPLE: usize = 8;

/// How many of `count` items share a tuple inside the outer one, when they are too many for one.
fn chunk(count: usize) -> usize {
    let mut size = TUPLE;
    while count.div_ceil(size) > TUPLE {
        size *= TUPLE;
    }
    size
}

/// A tuple of the items, or of tuples of them where they are too many for one.
fn tuple(items: &[String]) -> String {
    if items.len() <= TUPLE {
        let comma = if items.len() == 1 { "," } else { "" };
        return format!("({}{comma})", items.join(", "));
    }
    let parts: Vec<String> = items.chunks(chunk(items.len())).map(tuple).collect();
    tuple(&parts)
}

/// Where item `i` of `count` stands in what [`tuple`] prints.
fn path_in_tuple(i: usize, count: usize) -> String {
    if count <= TUPLE {
        return format!(".{i}");
    }
    let size = chunk(count);
    let in_chunk = (count - i / size * size).min(size);
    format!("{}{}", path_in_tuple(i / size, count.div_ceil(size)), path_in_tuple(i % size, in_chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_too_many_for_one_tuple_are_found_in_tuples_of_tuples() {
        let items = |count: usize| (0..count).map(|i| i.to_string()).collect::<Vec<String>>();
        assert_eq!(tuple(&items(0)), "()");
        assert_eq!(tuple(&items(1)), "(0,)");
        assert_eq!(tuple(&items(9)), "((0, 1, 2, 3, 4, 5, 6, 7), (8,))");
        assert_eq!((path_in_tuple(7, 9), path_in_tuple(8, 9)), (".0.7".to_owned(), ".1.0".to_owned()));
        for count in 1..200 {
            let text = tuple(&items(count));
            for i in 0..count {
                // Follow the path through the printed text: the i-th part of what is in the parentheses.
                let path = path_in_tuple(i, count);
                let found = path
                    .split('.')
                    .skip(1)
                    .fold(text.clone(), |text, part| member(&text, part.parse().unwrap()).to_owned());
                assert_eq!(found, i.to_string(), "{path} of {count}");
            }
        }
    }

    /// The part with the number `wanted` of a printed tuple.
    fn member(text: &str, wanted: usize) -> &str {
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap();
        let (mut depth, mut number, mut start) = (0, 0, 0);
        for (i, c) in inner.char_indices().chain([(inner.len(), ',')]) {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    if number == wanted {
                        return inner[start..i].trim();
                    }
                    (number, start) = (number + 1, i + 1);
                }
                _ => {}
            }
        }
        panic!("{text} has no part {wanted}");
    }
}
