//! Prints structs: types with properties, parameters, results and events. Which traits a struct gets
//! follows from where it occurs; see `Kind`.

use std::fmt::Write;

use super::docs;
use crate::model::{Field, Type};
use crate::names;

/// What a struct is for.
pub(super) enum Kind {
    /// A declared type or a result.
    Type { sent: bool, received: bool },
    /// Parameters of a command.
    Command { method: String, result: Option<String> },
    /// Parameters of an event.
    Event { method: String },
}

/// One field with its Rust names.
pub(super) struct Part<'a> {
    pub(super) field: &'a Field,
    pub(super) ident: String,
    pub(super) ty: String,
    pub(super) boxed: bool,
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
        if self.field.optional { format!("Option<{ty}>") } else { ty }
    }

    /// The expression that stores `value`, an `impl Into<T>`.
    fn store(&self, value: &str) -> String {
        let value = format!("{value}.into()");
        let value = if self.boxed { format!("Box::new({value})") } else { value };
        if self.field.optional { format!("Some({value})") } else { value }
    }

    /// Whether `null` is a value of its own here, different from an absent field.
    fn null_is_a_value(&self) -> bool {
        matches!(self.field.ty, Type::Any)
    }
}

impl Record<'_> {
    pub(super) fn print(&self, out: &mut String) {
        let sent = matches!(self.kind, Kind::Command { .. } | Kind::Type { sent: true, .. });
        let received = matches!(self.kind, Kind::Event { .. } | Kind::Type { received: true, .. });
        let unit = matches!(self.kind, Kind::Command { .. }) && self.parts.is_empty();
        self.declare(out, sent, unit);
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
            Kind::Type { .. } => Ok(()),
        };
    }

    fn declare(&self, out: &mut String, sent: bool, unit: bool) {
        let name = self.name;
        let default = sent && self.parts.iter().all(|part| part.field.optional);
        let _ = writeln!(out, "#[derive(Clone, Debug{})]", if default { ", Default" } else { "" });
        if unit {
            let _ = writeln!(out, "pub struct {name};");
            return;
        }
        let _ = writeln!(out, "#[non_exhaustive]\npub struct {name} {{");
        for part in &self.parts {
            docs::field(out, &part.field.marks);
            let _ = writeln!(out, "    pub {}: {},", part.ident, part.stored());
        }
        out.push_str("}\n");
    }

    fn constructor(&self, out: &mut String, unit: bool) {
        let name = self.name;
        let required = || self.parts.iter().filter(|part| !part.field.optional);
        let arguments: Vec<String> =
            required().map(|part| format!("{}: impl Into<{}>", part.ident, part.ty)).collect();
        let _ = writeln!(
            out,
            "\nimpl {name} {{\n    /// With all that is required{}.",
            if required().next().is_none() { ": nothing" } else { "" }
        );
        let _ = writeln!(out, "    pub fn new({}) -> Self {{", arguments.join(", "));
        if unit {
            let _ = writeln!(out, "        {name}");
        } else {
            let stores: Vec<String> = self
                .parts
                .iter()
                .map(|part| {
                    let value = if part.field.optional { "None".to_owned() } else { part.store(&part.ident) };
                    format!("{}: {value}", part.ident)
                })
                .collect();
            let _ = writeln!(out, "        {name} {{ {} }}", stores.join(", "));
        }
        out.push_str("    }\n");
        for part in self.parts.iter().filter(|part| part.field.optional) {
            let Part { ident, ty, .. } = part;
            let flags = docs::flags(&part.field.marks);
            let _ = writeln!(out, "    /// Sets `{}`.{flags}", part.field.name);
            let setter = names::setter(ident);
            let _ = writeln!(
                out,
                "    pub fn {setter}(mut self, value: impl Into<{ty}>) -> Self {{\n        self.{ident} = {};\n        self\n    }}",
                part.store("value")
            );
        }
        out.push_str("}\n");
    }

    fn serialize(&self, out: &mut String) {
        let name = self.name;
        let _ = writeln!(
            out,
            "\nimpl Serialize for {name} {{\n    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {{"
        );
        out.push_str("        Writer::new(s)");
        for part in &self.parts {
            let method = if part.field.optional { "optional" } else { "required" };
            let _ = write!(out, ".{method}({:?}, &self.{})", part.field.name, part.ident);
        }
        out.push_str(".end()\n    }\n}\n");
    }

    fn deserialize(&self, out: &mut String) {
        let name = self.name;
        let keys: Vec<String> = self.parts.iter().map(|part| format!("{:?}", part.field.name)).collect();
        let _ = writeln!(
            out,
            "\nimpl<'de> Deserialize<'de> for {name} {{\n    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {{\n        record(d)\n    }}\n}}"
        );
        let _ = writeln!(
            out,
            "\nimpl<'de> Record<'de> for {name} {{\n    const KEYS: &'static [&'static str] = &[{}];\n    fn read<A: MapAccess<'de>>(f: &mut Fields<'de, A>, out: &mut Option<Self>) -> Result<(), A::Error> {{",
            keys.join(", ")
        );
        for i in 0..self.parts.len() {
            let _ = writeln!(out, "        let mut v{i} = None;");
        }
        out.push_str("        while let Some(key) = f.next_key() {\n            match key {\n");
        for (i, part) in self.parts.iter().enumerate() {
            let method = if part.field.optional && !part.null_is_a_value() { "optional" } else { "required" };
            let _ = writeln!(out, "                {i} => f.{method}(&mut v{i}),");
        }
        out.push_str("                _ => f.skip(),\n            }\n        }\n");
        let _ = writeln!(out, "        f.done()?;\n        *out = Some({name} {{");
        for (i, part) in self.parts.iter().enumerate() {
            let value = if part.field.optional { format!("v{i}") } else { format!("f.take(v{i}, {i})?") };
            let _ = writeln!(out, "            {}: {value},", part.ident);
        }
        out.push_str("        });\n        Ok(())\n    }\n}\n");
    }
}
