//! What a protocol says: domains with their types, commands and events, as plain data. Holds facts
//! as they were written; whether references point anywhere is the business of `resolve`.

use crate::error::Place;

/// A whole protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// Version as written, for example `1` and `3`.
    pub version: Version,
    /// The domains in the order of the source.
    pub domains: Vec<Domain>,
}

impl Protocol {
    /// How much it holds, for example `59 domains, 674 commands, 232 events, 610 types`.
    pub fn counts(&self) -> String {
        let sum = |count: fn(&Domain) -> usize| self.domains.iter().map(count).sum::<usize>();
        format!(
            "{} domains, {} commands, {} events, {} types",
            self.domains.len(),
            sum(|domain| domain.commands.len()),
            sum(|domain| domain.events.len()),
            sum(|domain| domain.types.len())
        )
    }
}

/// The protocol's own version number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Before the dot.
    pub major: String,
    /// After the dot.
    pub minor: String,
}

/// The browser that a description came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// For example `Chrome/156.0.7500.0`.
    pub browser: String,
    /// The browser's source revision, for example `@0123abcd`.
    pub revision: String,
}

/// What any item may carry beside its meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Lines of our own comment, without `#`.
    pub comment: Vec<String>,
    /// May change without notice.
    pub experimental: bool,
    /// To be avoided.
    pub deprecated: bool,
}

/// One domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// For example `DOMSnapshot`.
    pub name: String,
    /// Comment and flags.
    pub marks: Marks,
    /// `depends on`, in order.
    pub depends: Vec<Depends>,
    /// Declared types.
    pub types: Vec<TypeDef>,
    /// Commands.
    pub commands: Vec<Command>,
    /// Events.
    pub events: Vec<Event>,
    /// Where it was read.
    pub place: Place,
}

/// One `depends on` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depends {
    /// Name of the other domain.
    pub domain: String,
    /// Comment and flags (PDL has no flags here).
    pub marks: Marks,
    /// Where it was read.
    pub place: Place,
}

/// A declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDef {
    /// For example `NodeId`.
    pub name: String,
    /// Comment and flags.
    pub marks: Marks,
    /// What it is.
    pub shape: Shape,
    /// Where it was read.
    pub place: Place,
}

/// What a declared type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Another name for a type, with a meaning of its own.
    Alias(Type),
    /// A text out of a list.
    Enum(Vec<Value>),
    /// An object with declared properties.
    Object(Vec<Field>),
}

/// One value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The text on the wire.
    pub name: String,
    /// Our own comment.
    pub comment: Vec<String>,
    /// Where it was read.
    pub place: Place,
}

/// A property, parameter or return value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Key on the wire.
    pub name: String,
    /// Comment and flags.
    pub marks: Marks,
    /// May be absent.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
    /// Where it was read.
    pub place: Place,
}

/// Which ways something travels between a program and the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// To the browser.
    pub sent: bool,
    /// From the browser.
    pub received: bool,
}

impl Field {
    /// Whether a message may lack this member, which then is an `Option`: it is declared optional, or it is deprecated
    /// and only received, since the next browser may drop it.
    pub fn may_be_missing(&self, flow: Flow) -> bool {
        self.optional || (self.marks.deprecated && flow.received && !flow.sent)
    }
}

/// The type of a field, of an alias or of an array's items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `true` or `false`.
    Boolean,
    /// A signed whole number.
    Integer,
    /// A floating point number.
    Number,
    /// Text.
    String,
    /// Bytes, base64 on the wire.
    Binary,
    /// Any JSON value.
    Any,
    /// A JSON object without declared properties.
    Object,
    /// A declared type: `Name` of the same domain or `Domain.Name`.
    Ref(String),
    /// A list.
    Array(Box<Type>),
    /// A text out of a list given in place.
    Enum(Vec<Value>),
    /// An object whose properties are declared in place.
    Struct(Vec<Field>),
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Name without the domain.
    pub name: String,
    /// Comment and flags.
    pub marks: Marks,
    /// Parameters.
    pub parameters: Vec<Field>,
    /// Return values.
    pub returns: Vec<Field>,
    /// Domain that took the command over.
    pub redirect: Option<Redirect>,
    /// Where it was read.
    pub place: Place,
}

/// The `redirect` of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Name of the other domain.
    pub domain: String,
    /// Our own comment.
    pub comment: Vec<String>,
    /// Where it was read.
    pub place: Place,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Name without the domain.
    pub name: String,
    /// Comment and flags.
    pub marks: Marks,
    /// Parameters.
    pub parameters: Vec<Field>,
    /// Where it was read.
    pub place: Place,
}

impl Type {
    /// The PDL word of a built-in type, or nothing for a word that names a declared one.
    pub fn builtin(word: &str) -> Option<Type> {
        Some(match word {
            "boolean" => Type::Boolean,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::String,
            "binary" => Type::Binary,
            "any" => Type::Any,
            "object" => Type::Object,
            _ => return None,
        })
    }

    /// The PDL word that such a type is or begins with; nothing for the name of a declared one.
    pub fn word(&self) -> Option<&'static str> {
        Some(match self {
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Binary => "binary",
            Type::Any => "any",
            Type::Object | Type::Struct(_) => "object",
            Type::Array(_) => "array",
            Type::Enum(_) => "enum",
            Type::Ref(_) => return None,
        })
    }

    /// What this type, or what its items, declare in place.
    pub fn inline(&self) -> Option<Inline<'_>> {
        match self {
            Type::Enum(values) => Some(Inline::Enum(values)),
            Type::Struct(fields) => Some(Inline::Struct(fields)),
            Type::Array(item) => item.inline(),
            _ => None,
        }
    }
}

/// What is declared in place, where a type is used.
#[derive(Clone, Copy, Debug)]
pub enum Inline<'a> {
    /// The values of an enumeration.
    Enum(&'a [Value]),
    /// The properties of an object.
    Struct(&'a [Field]),
}

impl Domain {
    /// All fields of the domain, but for those of objects declared in place: properties, parameters and return values.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        let properties = self.types.iter().filter_map(|t| match &t.shape {
            Shape::Object(fields) => Some(fields.iter()),
            _ => None,
        });
        let of_commands = self.commands.iter().map(|c| c.parameters.iter().chain(&c.returns));
        let of_events = self.events.iter().map(|e| e.parameters.iter());
        properties.flatten().chain(of_commands.flatten()).chain(of_events.flatten())
    }
}
