//! Walks two protocols side by side and collects the changes.

use std::collections::BTreeSet;

use super::kinds::{self, Way};
use super::rules::{Effect, Rule};
use crate::error::Error;
use crate::graph::Graph;
use crate::model::{Command, Domain, Event, Field, Flow, Marks, Protocol, Shape, Type, TypeDef, Value};
use crate::resolve::Index;

/// All changes from one protocol to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The changes by name of domain; within one the domain's own come first, then types, commands and events by name.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Name of the domain; empty for the protocol as a whole.
    pub domain: String,
    /// The changed item inside the domain, for example `command navigate, parameter url`.
    pub item: String,
    /// What became of it.
    pub what: ChangeKind,
    /// What that means to a caller.
    pub rule: Rule,
}

/// What became of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new; the text describes it and may be empty.
    Added(String),
    /// It is gone; the text describes it and may be empty.
    Removed(String),
    /// It is of another kind, or another redirect or version.
    Changed {
        /// In the first protocol.
        from: String,
        /// In the second.
        to: String,
    },
    /// It has become this, for example `now optional` or `no longer deprecated`.
    Became(&'static str),
}

impl Diff {
    /// How many changes have this effect.
    pub fn count(&self, effect: Effect) -> usize {
        self.changes.iter().filter(|change| change.rule.effect() == effect).count()
    }
}

/// What changes from `a` to `b`.
///
/// # Errors
///
/// Unknown references and double declarations in either of the two.
pub fn compare(a: &Protocol, b: &Protocol) -> Result<Diff, Vec<Error>> {
    let (a, b) = (Index::new(a)?, Index::new(b)?);
    // The caller knows the first protocol, so that one says what it sends and receives.
    let (graph, graph_b) = (Graph::new(&a), Graph::new(&b));
    let mut walk = Walk { a: &a, b: &b, graph: &graph, graph_b: &graph_b, domain: "", changes: Vec::new() };
    walk.protocol();
    Ok(Diff { changes: walk.changes })
}

/// Parameters of commands.
const SENT: Flow = Flow { sent: true, received: false };
/// Return values, and parameters of events.
const RECEIVED: Flow = Flow { sent: false, received: true };

struct Walk<'a> {
    a: &'a Index<'a>,
    b: &'a Index<'a>,
    graph: &'a Graph,
    /// Of the second protocol; only the printed types depend on it.
    graph_b: &'a Graph,
    domain: &'a str,
    changes: Vec<Change>,
}

impl<'a> Walk<'a> {
    fn push(&mut self, item: &str, what: ChangeKind, rule: Rule) {
        self.changes.push(Change { domain: self.domain.to_owned(), item: item.to_owned(), what, rule });
    }

    fn protocol(&mut self) {
        let (a, b) = (self.a.protocol, self.b.protocol);
        let text = |protocol: &Protocol| format!("{}.{}", protocol.version.major, protocol.version.minor);
        if a.version != b.version {
            self.push("version", ChangeKind::Changed { from: text(a), to: text(b) }, Rule::VersionChanged);
        }
        for (name, pair) in pairs(&a.domains, &b.domains, |domain| &domain.name) {
            self.domain = name;
            match pair {
                Pair::Removed(old) => {
                    self.push("domain", ChangeKind::Removed(contents(old)), Rule::DomainRemoved)
                }
                Pair::Added(new) => self.push("domain", ChangeKind::Added(contents(new)), Rule::DomainAdded),
                Pair::Both(old, new) => self.domain(old, new),
            }
        }
    }

    fn domain(&mut self, a: &'a Domain, b: &'a Domain) {
        self.marks("domain", &a.marks, &b.marks);
        for (name, pair) in pairs(&a.depends, &b.depends, |depends| &depends.domain) {
            let item = format!("depends on {name}");
            match pair {
                Pair::Removed(_) => {
                    self.push(&item, ChangeKind::Removed(String::new()), Rule::DependsChanged)
                }
                Pair::Added(_) => self.push(&item, ChangeKind::Added(String::new()), Rule::DependsChanged),
                Pair::Both(..) => {}
            }
        }
        for (name, pair) in pairs(&a.types, &b.types, |def| &def.name) {
            let item = format!("type {name}");
            match pair {
                Pair::Removed(old) => {
                    self.push(&item, ChangeKind::Removed(flags(&old.marks)), Rule::TypeRemoved)
                }
                Pair::Added(new) => self.push(&item, ChangeKind::Added(flags(&new.marks)), Rule::TypeAdded),
                Pair::Both(old, new) => self.type_def(&item, old, new),
            }
        }
        for (name, pair) in pairs(&a.commands, &b.commands, |command| &command.name) {
            let item = format!("command {name}");
            match pair {
                Pair::Removed(old) => {
                    self.push(&item, ChangeKind::Removed(flags(&old.marks)), Rule::CommandRemoved)
                }
                Pair::Added(new) => {
                    self.push(&item, ChangeKind::Added(flags(&new.marks)), Rule::CommandAdded)
                }
                Pair::Both(old, new) => self.command(&item, old, new),
            }
        }
        for (name, pair) in pairs(&a.events, &b.events, |event| &event.name) {
            let item = format!("event {name}");
            match pair {
                Pair::Removed(old) => {
                    self.push(&item, ChangeKind::Removed(flags(&old.marks)), Rule::EventRemoved)
                }
                Pair::Added(new) => self.push(&item, ChangeKind::Added(flags(&new.marks)), Rule::EventAdded),
                Pair::Both(old, new) => self.event(&item, old, new),
            }
        }
    }

    fn marks(&mut self, item: &str, a: &Marks, b: &Marks) {
        self.flags(item, a, b, Rule::FlagChanged);
    }

    /// Compares the flags; `deprecation` is the rule for a change of the flag that says so.
    fn flags(&mut self, item: &str, a: &Marks, b: &Marks, deprecation: Rule) {
        match (a.experimental, b.experimental) {
            (false, true) => self.push(item, ChangeKind::Became("now experimental"), Rule::FlagChanged),
            (true, false) => self.push(item, ChangeKind::Became("no longer experimental"), Rule::FlagChanged),
            _ => {}
        }
        match (a.deprecated, b.deprecated) {
            (false, true) => self.push(item, ChangeKind::Became("now deprecated"), deprecation),
            (true, false) => self.push(item, ChangeKind::Became("no longer deprecated"), deprecation),
            _ => {}
        }
    }

    fn type_def(&mut self, item: &str, a: &TypeDef, b: &TypeDef) {
        self.marks(item, &a.marks, &b.marks);
        let id = self.a.find(self.domain, &a.name);
        let flow = id.map_or(RECEIVED, |id| self.graph.flow(id));
        match (&a.shape, &b.shape) {
            (Shape::Alias(a), Shape::Alias(b)) => self.kind(item, a, b, flow),
            (Shape::Enum(a), Shape::Enum(b)) => self.values(item, a, b, flow),
            (Shape::Object(a), Shape::Object(b)) => self.fields(item, "property", a, b, flow),
            _ => {
                let from = kinds::describe_shape(self.domain, &a.shape);
                let to = kinds::describe_shape(self.domain, &b.shape);
                let wire_a = kinds::shape_on_wire(self.a, self.domain, a);
                let wire_b = kinds::shape_on_wire(self.b, self.domain, b);
                self.push(item, ChangeKind::Changed { from, to }, kind_rule(&wire_a, &wire_b, flow));
                return;
            }
        }
        let now = self.b.find(self.domain, &b.name);
        match (id.map(|id| self.graph.is_large(id)), now.map(|id| self.graph_b.is_large(id))) {
            (Some(false), Some(true)) => self.push(item, ChangeKind::Became("now boxed"), Rule::BoxChanged),
            (Some(true), Some(false)) => {
                self.push(item, ChangeKind::Became("no longer boxed"), Rule::BoxChanged)
            }
            _ => {}
        }
    }

    fn command(&mut self, item: &str, a: &Command, b: &Command) {
        self.marks(item, &a.marks, &b.marks);
        let domain = |command: &Command| command.redirect.as_ref().map(|redirect| redirect.domain.clone());
        let (from, to) = (domain(a), domain(b));
        if from != to {
            let text = |domain: Option<String>| domain.unwrap_or_else(|| "none".to_owned());
            let what = ChangeKind::Changed { from: text(from), to: text(to) };
            self.push(&format!("{item}, redirect"), what, Rule::RedirectChanged);
        }
        let start = self.changes.len();
        self.fields(item, "parameter", &a.parameters, &b.parameters, SENT);
        if a.parameters.is_empty() {
            self.aggravate(start, Rule::FirstParameterAdded);
        }
        let start = self.changes.len();
        self.fields(item, "return value", &a.returns, &b.returns, RECEIVED);
        if a.returns.is_empty() {
            self.aggravate(start, Rule::FirstReturnAdded);
        }
    }

    /// Judges the change with the number `index`, if there is one, by `rule` where that is worse.
    fn aggravate(&mut self, index: usize, rule: Rule) {
        if let Some(change) = self.changes.get_mut(index) {
            change.rule = change.rule.or_worse(rule);
        }
    }

    fn event(&mut self, item: &str, a: &Event, b: &Event) {
        self.marks(item, &a.marks, &b.marks);
        self.fields(item, "parameter", &a.parameters, &b.parameters, RECEIVED);
    }

    fn fields(&mut self, owner: &str, word: &str, a: &[Field], b: &[Field], flow: Flow) {
        for (name, pair) in pairs(a, b, |field| &field.name) {
            let item = format!("{owner}, {word} {name}");
            match pair {
                Pair::Removed(old) => {
                    let rule = worst(flow, |way| match way {
                        Way::Sent => Rule::SentRemoved,
                        Way::Received if old.may_be_missing(flow) => Rule::ReceivedOptionalRemoved,
                        Way::Received => Rule::ReceivedRequiredRemoved,
                    });
                    self.push(&item, ChangeKind::Removed(declared(self.domain, old)), rule);
                }
                Pair::Added(new) => {
                    let rule = worst(flow, |way| match way {
                        Way::Sent if new.optional => Rule::SentOptionalAdded,
                        Way::Sent => Rule::SentRequiredAdded,
                        Way::Received => Rule::ReceivedAdded,
                    });
                    self.push(&item, ChangeKind::Added(declared(self.domain, new)), rule);
                }
                Pair::Both(old, new) => self.field(&item, old, new, flow),
            }
        }
    }

    fn field(&mut self, item: &str, a: &Field, b: &Field, flow: Flow) {
        let option = (a.may_be_missing(flow), b.may_be_missing(flow));
        // Where the other flag changes as well, it says what that means.
        let deprecation = match option {
            _ if a.optional != b.optional => Rule::FlagChanged,
            (false, true) => Rule::ReceivedBecameDeprecated,
            (true, false) => Rule::ReceivedBecameRequired,
            _ => Rule::FlagChanged,
        };
        self.flags(item, &a.marks, &b.marks, deprecation);
        match (a.optional, b.optional) {
            (false, true) => {
                let rule = worst(flow, |way| match way {
                    Way::Sent => Rule::SentBecameOptional,
                    Way::Received if option.0 => Rule::ReceivedStaysOption,
                    Way::Received => Rule::ReceivedBecameOptional,
                });
                self.push(item, ChangeKind::Became("now optional"), rule);
            }
            (true, false) => {
                let rule = worst(flow, |way| match way {
                    Way::Sent => Rule::SentBecameRequired,
                    Way::Received if option.1 => Rule::ReceivedStaysOption,
                    Way::Received => Rule::ReceivedBecameRequired,
                });
                self.push(item, ChangeKind::Became("now required"), rule);
            }
            _ => {}
        }
        self.kind(item, &a.ty, &b.ty, flow);
    }

    /// Compares two kinds; what is declared in place is compared by content.
    fn kind(&mut self, item: &str, a: &Type, b: &Type, flow: Flow) {
        let (mut inner_a, mut inner_b) = (a, b);
        while let (Type::Array(of_a), Type::Array(of_b)) = (inner_a, inner_b) {
            (inner_a, inner_b) = (of_a, of_b);
        }
        match (inner_a, inner_b) {
            (Type::Enum(a), Type::Enum(b)) => return self.values(item, a, b, flow),
            (Type::Struct(a), Type::Struct(b)) => return self.fields(item, "property", a, b, flow),
            _ => {}
        }
        let (from, to) = (kinds::describe(self.domain, a), kinds::describe(self.domain, b));
        if from != to {
            let wire_a = kinds::on_wire(self.a, self.domain, a);
            let wire_b = kinds::on_wire(self.b, self.domain, b);
            self.push(item, ChangeKind::Changed { from, to }, kind_rule(&wire_a, &wire_b, flow));
        }
    }

    fn values(&mut self, owner: &str, a: &[Value], b: &[Value], flow: Flow) {
        for (name, pair) in pairs(a, b, |value| &value.name) {
            let item = format!("{owner}, value {name}");
            match pair {
                Pair::Removed(_) => {
                    let rule = worst(flow, |way| match way {
                        Way::Sent => Rule::SentValueRemoved,
                        Way::Received => Rule::ReceivedValueRemoved,
                    });
                    self.push(&item, ChangeKind::Removed(String::new()), rule);
                }
                Pair::Added(_) => self.push(&item, ChangeKind::Added(String::new()), Rule::ValueAdded),
                Pair::Both(..) => {}
            }
        }
    }
}

fn kind_rule(a: &Type, b: &Type, flow: Flow) -> Rule {
    worst(flow, |way| match way {
        _ if kinds::fits(a, b, way) => Rule::KindFits,
        Way::Sent => Rule::SentKindChanged,
        Way::Received => Rule::ReceivedKindChanged,
    })
}

/// The rule that is worst for a caller, over the ways in which the changed thing travels.
fn worst(flow: Flow, rule: impl Fn(Way) -> Rule) -> Rule {
    match (flow.sent, flow.received) {
        (true, true) => rule(Way::Sent).or_worse(rule(Way::Received)),
        (true, false) => rule(Way::Sent),
        // One that nothing mentions counts as received.
        (false, _) => rule(Way::Received),
    }
}

/// What two lists have under one name.
enum Pair<T> {
    Removed(T),
    Added(T),
    Both(T, T),
}

/// Both lists, joined and sorted by name.
fn pairs<'a, T>(a: &'a [T], b: &'a [T], name: fn(&T) -> &String) -> Vec<(&'a str, Pair<&'a T>)> {
    let names: BTreeSet<&'a str> = a.iter().chain(b).map(|item| name(item).as_str()).collect();
    let find = |list: &'a [T], wanted: &str| list.iter().find(|item| name(item) == wanted);
    let pair = |wanted: &'a str| {
        let pair = match (find(a, wanted), find(b, wanted)) {
            (Some(old), Some(new)) => Pair::Both(old, new),
            (Some(old), None) => Pair::Removed(old),
            (None, new) => Pair::Added(new?),
        };
        Some((wanted, pair))
    };
    names.into_iter().filter_map(pair).collect()
}

fn contents(domain: &Domain) -> String {
    let comma = if flags(&domain.marks).is_empty() { "" } else { ", " };
    format!(
        "{}{comma}commands: {}, events: {}, types: {}",
        flags(&domain.marks).trim_end(),
        domain.commands.len(),
        domain.events.len(),
        domain.types.len()
    )
}

fn declared(domain: &str, field: &Field) -> String {
    let optional = if field.optional { "optional " } else { "" };
    format!("{}{optional}{}", flags(&field.marks), kinds::describe(domain, &field.ty))
}

/// The flags as words, each with a space behind it.
fn flags(marks: &Marks) -> String {
    let word = |set: bool, word| if set { word } else { "" };
    [word(marks.experimental, "experimental "), word(marks.deprecated, "deprecated ")].concat()
}
