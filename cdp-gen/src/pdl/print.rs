//! Prints a model as PDL, so that parsing the print gives the same model again.

use std::fmt::Write;

use crate::model::{Domain, Field, Inline, Marks, Shape, Type, Value, Version};

/// The root file: header comment, version, and one `include` a path with its comment.
pub fn print_root<'a>(
    header: &[String],
    version: &Version,
    includes: impl IntoIterator<Item = (&'a str, &'a [String])>,
) -> String {
    let mut out = Printer::default();
    out.header(header);
    out.line(0, "version");
    out.line(1, &format!("major {}", version.major));
    out.line(1, &format!("minor {}", version.minor));
    out.text.push('\n');
    for (path, comment) in includes {
        out.comment(0, comment);
        out.line(0, &format!("include {path}"));
    }
    out.text
}

/// One domain as a file of its own.
pub fn print_domain(header: &[String], domain: &Domain) -> String {
    let mut out = Printer::default();
    out.header(header);
    out.item(0, &domain.marks, &format!("domain {}", domain.name));
    for depends in &domain.depends {
        out.item(1, &depends.marks, &format!("depends on {}", depends.domain));
    }
    for def in &domain.types {
        out.text.push('\n');
        let base = match &def.shape {
            Shape::Alias(ty) => type_text(ty),
            Shape::Enum(_) => "string".to_owned(),
            Shape::Object(_) => "object".to_owned(),
        };
        out.item(1, &def.marks, &format!("type {} extends {base}", def.name));
        match &def.shape {
            Shape::Alias(_) => {}
            Shape::Enum(values) => {
                out.line(2, "enum");
                out.values(3, values);
            }
            Shape::Object(fields) => {
                out.line(2, "properties");
                out.fields(3, fields);
            }
        }
    }
    for command in &domain.commands {
        out.text.push('\n');
        out.item(1, &command.marks, &format!("command {}", command.name));
        if let Some(redirect) = &command.redirect {
            out.comment(2, &redirect.comment);
            out.line(2, &format!("redirect {}", redirect.domain));
        }
        out.section("parameters", &command.parameters);
        out.section("returns", &command.returns);
    }
    for event in &domain.events {
        out.text.push('\n');
        out.item(1, &event.marks, &format!("event {}", event.name));
        out.section("parameters", &event.parameters);
    }
    out.text
}

#[derive(Default)]
struct Printer {
    text: String,
}

impl Printer {
    fn line(&mut self, level: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", level * 2);
    }

    fn comment(&mut self, level: usize, lines: &[String]) {
        for line in lines {
            self.line(level, format!("# {line}").trim_end());
        }
    }

    fn header(&mut self, lines: &[String]) {
        self.comment(0, lines);
        if !lines.is_empty() {
            self.text.push('\n');
        }
    }

    fn item(&mut self, level: usize, marks: &Marks, text: &str) {
        self.comment(level, &marks.comment);
        self.line(level, &format!("{}{text}", flags(marks)));
    }

    fn section(&mut self, heading: &str, fields: &[Field]) {
        if !fields.is_empty() {
            self.line(2, heading);
            self.fields(3, fields);
        }
    }

    fn fields(&mut self, level: usize, fields: &[Field]) {
        for field in fields {
            let optional = if field.optional { "optional " } else { "" };
            self.item(level, &field.marks, &format!("{optional}{} {}", type_text(&field.ty), field.name));
            match field.ty.inline() {
                Some(Inline::Enum(values)) => self.values(level + 1, values),
                Some(Inline::Struct(fields)) => self.fields(level + 1, fields),
                None => {}
            }
        }
    }

    fn values(&mut self, level: usize, values: &[Value]) {
        for value in values {
            self.comment(level, &value.comment);
            self.line(level, &value.name);
        }
    }
}

fn flags(marks: &Marks) -> &'static str {
    match (marks.experimental, marks.deprecated) {
        (false, false) => "",
        (true, false) => "experimental ",
        (false, true) => "deprecated ",
        (true, true) => "experimental deprecated ",
    }
}

fn type_text(ty: &Type) -> String {
    match ty {
        Type::Ref(name) => name.clone(),
        Type::Array(item) => format!("array of {}", type_text(item)),
        other => other.word().unwrap_or_default().to_owned(),
    }
}
