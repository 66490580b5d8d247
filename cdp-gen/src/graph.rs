//! Questions about the graph of declared types: which direction a type travels in, where a value would contain
//! itself and so needs a box, and which are so large that one is better. Prints nothing.

use crate::model::{Field, Flow, Shape, Type};
use crate::resolve::{Index, TypeEntry, TypeId};

/// Answers for every declared type.
#[derive(Debug)]
pub struct Graph {
    sent: Vec<bool>,
    received: Vec<bool>,
    /// For each type, the types it holds by value, however deep.
    contains: Vec<Vec<bool>>,
    /// For each type, its members and those of the structs that it holds by value.
    members: Vec<usize>,
}

/// With more members than this a struct that may be absent lies in a box: most messages lack it, and would carry its
/// room through every move.
const LARGE: usize = 5;

impl Graph {
    /// Walks the whole protocol once.
    pub fn new(index: &Index<'_>) -> Graph {
        let all: Vec<Vec<TypeId>> = index.types().map(|(_, entry)| mentioned(index, entry, false)).collect();
        let by_value: Vec<Vec<TypeId>> =
            index.types().map(|(_, entry)| mentioned(index, entry, true)).collect();
        let mut sent = Vec::new();
        let mut received = Vec::new();
        for domain in &index.protocol.domains {
            let add = |fields: &[Field], to: &mut Vec<TypeId>| {
                for field in fields {
                    mention(index, &domain.name, &field.ty, false, to);
                }
            };
            for command in &domain.commands {
                add(&command.parameters, &mut sent);
                add(&command.returns, &mut received);
            }
            domain.events.iter().for_each(|event| add(&event.parameters, &mut received));
        }
        let sent = reach(&all, sent);
        // A type that nothing mentions can only be what an untyped value from the browser decodes to. What it
        // holds is received with it, also where that is otherwise sent alone.
        let mentioned = reach(&all, received.clone());
        let orphans = index.types().map(|(id, _)| id).filter(|id| !sent[id.0] && !mentioned[id.0]);
        received.extend(orphans);
        let mut graph = Graph {
            sent,
            received: reach(&all, received),
            contains: by_value.iter().map(|next| reach(&by_value, next.clone())).collect(),
            members: Vec::new(),
        };
        let mut counter = Counter { graph: &graph, index, counts: vec![None; index.len()] };
        graph.members = index.types().map(|(id, _)| counter.members(id)).collect();
        graph
    }

    /// Which ways the type travels.
    pub fn flow(&self, id: TypeId) -> Flow {
        Flow { sent: self.is_sent(id), received: self.is_received(id) }
    }

    /// Whether the type is part of some command's parameters.
    pub fn is_sent(&self, id: TypeId) -> bool {
        self.sent.get(id.0).copied().unwrap_or(false)
    }

    /// Whether the type is part of some result or event, or of a type that nothing mentions.
    pub fn is_received(&self, id: TypeId) -> bool {
        self.received.get(id.0).copied().unwrap_or(false)
    }

    /// Whether a field of this type should be boxed where it may be absent.
    pub fn is_large(&self, id: TypeId) -> bool {
        self.members.get(id.0).is_some_and(|members| *members > LARGE)
    }

    /// Whether a field of type `to` inside `from` must be boxed: `to` holds `from` by value, so both lie on
    /// a cycle.
    pub fn needs_box(&self, from: TypeId, to: TypeId) -> bool {
        self.contains.get(to.0).and_then(|row| row.get(from.0)).copied().unwrap_or(false) || from == to
    }
}

/// Counts the members of types. What lies in a box counts as one.
struct Counter<'a, 'b> {
    graph: &'a Graph,
    index: &'a Index<'b>,
    counts: Vec<Option<usize>>,
}

impl Counter<'_, '_> {
    fn members(&mut self, id: TypeId) -> usize {
        if let Some(known) = self.counts.get(id.0).copied().flatten() {
            return known;
        }
        let Some(entry) = self.index.entry(id) else { return 1 };
        let count = match &entry.def.shape {
            Shape::Enum(_) => 1,
            Shape::Alias(ty) => self.held(id, &entry.domain.name, ty, false),
            Shape::Object(fields) => self.of_fields(id, &entry.domain.name, fields),
        };
        if let Some(place) = self.counts.get_mut(id.0) {
            *place = Some(count);
        }
        count
    }

    fn of_fields(&mut self, id: TypeId, domain: &str, fields: &[Field]) -> usize {
        let flow = self.graph.flow(id);
        fields.iter().map(|field| self.held(id, domain, &field.ty, field.may_be_missing(flow))).sum()
    }

    /// What a field of this type adds to the type `id`, which it is in.
    fn held(&mut self, id: TypeId, domain: &str, ty: &Type, may_be_missing: bool) -> usize {
        match ty {
            Type::Ref(name) => match self.index.find(domain, name) {
                Some(to) if !self.graph.needs_box(id, to) => {
                    let count = self.members(to);
                    if may_be_missing && count > LARGE { 1 } else { count }
                }
                _ => 1,
            },
            Type::Struct(fields) => self.of_fields(id, domain, fields),
            _ => 1,
        }
    }
}

fn mentioned(index: &Index<'_>, entry: TypeEntry<'_>, by_value: bool) -> Vec<TypeId> {
    let mut to = Vec::new();
    match &entry.def.shape {
        Shape::Alias(ty) => mention(index, &entry.domain.name, ty, by_value, &mut to),
        Shape::Enum(_) => {}
        Shape::Object(fields) => {
            fields.iter().for_each(|field| mention(index, &entry.domain.name, &field.ty, by_value, &mut to));
        }
    }
    to
}

fn mention(index: &Index<'_>, domain: &str, ty: &Type, by_value: bool, to: &mut Vec<TypeId>) {
    match ty {
        Type::Ref(name) => to.extend(index.find(domain, name)),
        // A list lies on the heap: what is behind it can't make a value infinite.
        Type::Array(item) if !by_value => mention(index, domain, item, by_value, to),
        Type::Struct(fields) => {
            fields.iter().for_each(|field| mention(index, domain, &field.ty, by_value, to))
        }
        _ => {}
    }
}

/// Everything that can be reached from `start`, `start` included.
fn reach(edges: &[Vec<TypeId>], start: Vec<TypeId>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open = start;
    while let Some(TypeId(i)) = open.pop() {
        if let Some(flag) = seen.get_mut(i).filter(|flag| !**flag) {
            *flag = true;
            open.extend(edges.get(i).into_iter().flatten());
        }
    }
    seen
}
