//! The PDL parser: one file's text to version, includes and domains. Opens no file itself.

use std::path::Path;
use std::sync::Arc;

use super::lines::{Line, Lines};
use crate::error::{Error, Place};
use crate::model::{
    Command, Depends, Domain, Event, Field, Marks, Redirect, Shape, Type, TypeDef, Value, Version,
};

/// What one PDL file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Comment at the top of the file, set off by a blank line.
    pub header: Vec<String>,
    /// `version`, where it stands and what it says.
    pub version: Option<(Version, Place)>,
    /// `include` lines in order.
    pub includes: Vec<Include>,
    /// Domains in order.
    pub domains: Vec<Domain>,
}

/// One `include` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// Path as written, relative to the including file's folder.
    pub path: String,
    /// Our own comment.
    pub comment: Vec<String>,
    /// Where it was read.
    pub place: Place,
}

/// Parses the text of one file; `file` names it in errors.
///
/// # Errors
///
/// The first line that breaks the format, with what was expected there.
pub fn parse(text: &str, file: &Path) -> Result<Unit, Error> {
    let file: Arc<Path> = Arc::from(file);
    let mut parser = Parser { lines: Lines::new(text, &file)? };
    parser.unit()
}

struct Parser<'a> {
    lines: Lines<'a>,
}

/// The words of a line behind its flags.
struct Words<'a> {
    line: Line<'a>,
    marks: Marks,
    optional: bool,
    words: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Splits flags off the front as long as at least `keep` words stay.
    fn new((line, comment): (Line<'a>, Vec<String>), keep: usize) -> Words<'a> {
        let mut words: Vec<&str> = line.words().collect();
        let mut marks = Marks { comment, ..Marks::default() };
        let mut optional = false;
        let mut flags = 0;
        for word in words.iter().take(words.len().saturating_sub(keep)) {
            match *word {
                "experimental" => marks.experimental = true,
                "deprecated" => marks.deprecated = true,
                "optional" => optional = true,
                _ => break,
            }
            flags += 1;
        }
        words.drain(..flags);
        Words { line, marks, optional, words }
    }

    fn expected<T>(&self, what: &str) -> Result<T, Error> {
        let found = self.line.text;
        Err(Error::at(&self.line.place(), format!("expected {what}, found `{found}`")))
    }

    /// The only word behind a keyword, which must be a name.
    fn one_name(&self, what: &str) -> Result<(String, Place), Error> {
        match self.words.as_slice() {
            [_, name] => Ok((self.name(name, what)?, self.line.place_of(name))),
            [_] => Err(Error::at(
                &self.line.place_behind(),
                format!("expected {what}, found the end of the line"),
            )),
            [_, _, extra, ..] => {
                let place = self.line.place_of(extra);
                Err(Error::at(&place, format!("expected the end of the line behind {what}, found `{extra}`")))
            }
            [] => self.expected(what),
        }
    }

    fn name(&self, word: &str, what: &str) -> Result<String, Error> {
        if is_name(word) {
            return Ok(word.to_owned());
        }
        let message = format!("expected {what} of letters, digits and `_`, found `{word}`");
        Err(Error::at(&self.line.place_of(word), message))
    }

    fn not_optional(&self) -> Result<(), Error> {
        if self.optional {
            self.expected("`optional` only before a property, parameter or return value")
        } else {
            Ok(())
        }
    }

    /// A type: `array of T` or `T`. An inline enumeration comes back empty.
    fn ty(&self, words: &[&'a str]) -> Result<Type, Error> {
        match words {
            ["array", "of", item] => Ok(Type::Array(Box::new(self.ty(&[item])?))),
            ["enum"] => Ok(Type::Enum(Vec::new())),
            [word] => match Type::builtin(word) {
                Some(ty) => Ok(ty),
                None if word.split('.').all(is_name) && word.split('.').count() <= 2 => {
                    Ok(Type::Ref((*word).to_owned()))
                }
                None => {
                    let message = format!("expected a type, `Name` or `Domain.Name`, found `{word}`");
                    Err(Error::at(&self.line.place_of(word), message))
                }
            },
            _ => self.expected("a type: `T`, `array of T` or `enum`"),
        }
    }
}

impl<'a> Parser<'a> {
    fn unit(&mut self) -> Result<Unit, Error> {
        let mut unit = Unit { header: std::mem::take(&mut self.lines.header), ..Unit::default() };
        while self.lines.peek_at(0, "`version`, `include` or `domain`")?.is_some() {
            let Some(taken) = self.lines.take() else { break };
            let words = Words::new(taken, 1);
            words.not_optional()?;
            match words.words.first().copied() {
                Some("version") if words.words.len() == 1 && unit.version.is_none() => {
                    unit.version = Some((self.version(&words)?, words.line.place()));
                }
                Some("version") if unit.version.is_some() => return words.expected("one `version` only"),
                Some("include") => match words.words.as_slice() {
                    [_, path] => unit.includes.push(Include {
                        path: (*path).to_owned(),
                        comment: words.marks.comment.clone(),
                        place: words.line.place_of(path),
                    }),
                    _ => return words.expected("`include <path>`"),
                },
                Some("domain") => unit.domains.push(self.domain(words)?),
                _ => return words.expected("`version`, `include` or `domain`"),
            }
        }
        Ok(unit)
    }

    fn version(&mut self, heading: &Words<'_>) -> Result<Version, Error> {
        let mut version = Version::default();
        while self.lines.peek_at(1, "`major` or `minor`")?.is_some() {
            let Some(taken) = self.lines.take() else { break };
            let words = Words::new(taken, 2);
            match words.words.as_slice() {
                ["major", number] if is_number(number) => version.major = (*number).to_owned(),
                ["minor", number] if is_number(number) => version.minor = (*number).to_owned(),
                _ => return words.expected("`major <number>` or `minor <number>`"),
            }
        }
        if version.major.is_empty() || version.minor.is_empty() {
            return heading.expected("`version` followed by `major <number>` and `minor <number>`");
        }
        Ok(version)
    }

    fn domain(&mut self, words: Words<'a>) -> Result<Domain, Error> {
        let (name, place) = words.one_name("a domain name")?;
        let mut domain = Domain {
            place,
            name,
            marks: words.marks,
            depends: Vec::new(),
            types: Vec::new(),
            commands: Vec::new(),
            events: Vec::new(),
        };
        const INSIDE: &str = "`depends on`, `type`, `command` or `event`";
        while self.lines.peek_at(1, INSIDE)?.is_some() {
            let Some(taken) = self.lines.take() else { break };
            let words = Words::new(taken, 2);
            words.not_optional()?;
            match words.words.as_slice() {
                ["depends", "on", other] => domain.depends.push(Depends {
                    domain: words.name(other, "a domain name")?,
                    place: words.line.place_of(other),
                    marks: words.marks,
                }),
                ["type", ..] => domain.types.push(self.type_def(words)?),
                ["command", ..] => domain.commands.push(self.command(words)?),
                ["event", ..] => domain.events.push(self.event(words)?),
                _ => return words.expected(INSIDE),
            }
        }
        Ok(domain)
    }

    fn type_def(&mut self, words: Words<'a>) -> Result<TypeDef, Error> {
        let [_, name, "extends", base @ ..] = words.words.as_slice() else {
            return words.expected("`type <name> extends <type>`");
        };
        let place = words.line.place_of(name);
        let name = words.name(name, "a type name")?;
        let base = words.ty(base)?;
        match &base {
            Type::Enum(_) => return words.expected("`extends string` with an `enum` section below"),
            // There is no place to say its values.
            Type::Array(item) if item.inline().is_some() => {
                return words.expected("items of a type with a name");
            }
            _ => {}
        }
        let mut shape = None;
        while let Some(line) = self.lines.peek_at(2, "`enum` or `properties`")? {
            let line = line.clone();
            shape = Some(match (line.text, &base, &shape) {
                ("enum", Type::String, None) => {
                    self.lines.take_heading();
                    Shape::Enum(self.values(3, &line)?)
                }
                ("properties", Type::Object, None) => {
                    self.lines.take_heading();
                    Shape::Object(self.fields(3)?)
                }
                ("enum" | "properties", _, Some(_)) => {
                    return Err(Error::at(
                        &line.place(),
                        format!("expected one section only, found another: `{}`", line.text),
                    ));
                }
                _ => {
                    let message = "expected `enum` (of a string) or `properties` (of an object)";
                    return Err(Error::at(&line.place(), format!("{message}, found `{}`", line.text)));
                }
            });
        }
        Ok(TypeDef { name, marks: words.marks, shape: shape.unwrap_or(Shape::Alias(base)), place })
    }

    fn command(&mut self, words: Words<'a>) -> Result<Command, Error> {
        let (name, place) = words.one_name("a command name")?;
        let mut command = Command {
            name,
            place,
            marks: words.marks,
            parameters: Vec::new(),
            returns: Vec::new(),
            redirect: None,
        };
        const INSIDE: &str = "`parameters`, `returns` or `redirect <domain>`";
        while let Some(line) = self.lines.peek_at(2, INSIDE)? {
            match line.text {
                "parameters" if command.parameters.is_empty() => {
                    self.lines.take_heading();
                    command.parameters = self.fields(3)?;
                }
                "returns" if command.returns.is_empty() => {
                    self.lines.take_heading();
                    command.returns = self.fields(3)?;
                }
                text if text.split_whitespace().next() == Some("redirect") && command.redirect.is_none() => {
                    let Some(taken) = self.lines.take() else { break };
                    let words = Words::new(taken, 2);
                    let (domain, place) = words.one_name("a domain name")?;
                    command.redirect = Some(Redirect { domain, place, comment: words.marks.comment });
                }
                text => {
                    return Err(Error::at(
                        &line.place(),
                        format!("expected {INSIDE}, each once, found `{text}`"),
                    ));
                }
            }
        }
        Ok(command)
    }

    fn event(&mut self, words: Words<'a>) -> Result<Event, Error> {
        let (name, place) = words.one_name("an event name")?;
        let mut event = Event { name, place, marks: words.marks, parameters: Vec::new() };
        while let Some(line) = self.lines.peek_at(2, "`parameters`")? {
            if line.text != "parameters" || !event.parameters.is_empty() {
                return Err(Error::at(
                    &line.place(),
                    format!("expected `parameters`, once, found `{}`", line.text),
                ));
            }
            self.lines.take_heading();
            event.parameters = self.fields(3)?;
        }
        Ok(event)
    }

    fn fields(&mut self, level: usize) -> Result<Vec<Field>, Error> {
        let mut fields = Vec::new();
        while self.lines.peek_at(level, "`[optional] <type> <name>`")?.is_some() {
            let Some(taken) = self.lines.take() else { break };
            let words = Words::new(taken, 2);
            let [ty @ .., name] = words.words.as_slice() else {
                return words.expected("`[optional] <type> <name>`");
            };
            if ty.is_empty() {
                return words.expected("`[optional] <type> <name>`");
            }
            let place = words.line.place_of(name);
            let mut ty = words.ty(ty)?;
            self.declared_in_place(&mut ty, level + 1, &words.line)?;
            let name = words.name(name, "a name")?;
            fields.push(Field { name, optional: words.optional, marks: words.marks, ty, place });
        }
        Ok(fields)
    }

    /// Reads what stands below a field: the values of an `enum`, the properties of an `object` that has some.
    fn declared_in_place(&mut self, ty: &mut Type, level: usize, heading: &Line<'_>) -> Result<(), Error> {
        match ty {
            Type::Array(item) => self.declared_in_place(item, level, heading)?,
            Type::Enum(values) => *values = self.values(level, heading)?,
            Type::Object => {
                let fields = self.fields(level)?;
                if !fields.is_empty() {
                    *ty = Type::Struct(fields);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The values of an enumeration whose heading is `heading`.
    fn values(&mut self, level: usize, heading: &Line<'_>) -> Result<Vec<Value>, Error> {
        let mut values = Vec::new();
        while self.lines.peek_at(level, "an enumeration value")?.is_some() {
            let Some((line, comment)) = self.lines.take() else { break };
            if let Some(extra) = line.words().nth(1) {
                let message = format!("expected one enumeration value a line, found `{}`", line.text);
                return Err(Error::at(&line.place_of(extra), message));
            }
            values.push(Value { name: line.text.to_owned(), comment, place: line.place() });
        }
        if values.is_empty() {
            let message = format!("expected at least one value below `{}`, found none", heading.text);
            return Err(Error::at(&heading.place(), message));
        }
        Ok(values)
    }
}

/// Whether a word is a number of a version: digits alone.
pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// Whether a word can name an item: letters, digits and `_`, not beginning with a digit.
pub(crate) fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && word.chars().next().is_some_and(|c| !c.is_ascii_digit())
}
