//! Makes up what a browser could answer to a command or tell with an event, from the declaration alone: the text of
//! it, and the value that a reader should get from it.

use std::collections::BTreeSet;

use base64_simd::STANDARD;
use cdp_gen::model::Field;
use serde_json::{Map, Value};

use crate::schema::{Kind, Typed};
use crate::words::{Dice, Filling, list};

/// How deep objects contain objects: deeper, optional members are absent and lists empty.
const DEPTH: usize = 5;

/// A browser that makes things up.
pub(crate) struct Synth<'a, 'b> {
    dice: Dice<'a, 'b>,
    /// The declarations of the objects around what is being made.
    around: Vec<*const Field>,
    /// The declared types of which it made a value.
    met: &'a mut BTreeSet<String>,
}

impl<'a, 'b> Synth<'a, 'b> {
    pub(crate) fn new(dice: Dice<'a, 'b>, met: &'a mut BTreeSet<String>) -> Synth<'a, 'b> {
        Synth { dice, around: Vec::new(), met }
    }

    /// Appends an object with these members, and returns what is to be read from it.
    pub(crate) fn object(&mut self, domain: &str, fields: &[Field], out: &mut String) -> Value {
        // A document whose every element has all that it can have would be huge.
        let again = self.dice.filling == Filling::Full && self.around.contains(&fields.as_ptr());
        self.around.push(fields.as_ptr());
        let mut members = Vec::new();
        let mut meant = Map::new();
        for field in fields {
            if field.optional && (again || self.around.len() > DEPTH || !self.dice.there()) {
                continue;
            }
            let mut text = format!("\"{}\"", self.key(&field.name));
            text.push_str(self.dice.pick(&[":", ": ", "\n:\t"]));
            let typed = Typed { domain, ty: &field.ty };
            if field.optional && !matches!(typed.kind(), Kind::Any) && self.rarely() {
                text.push_str("null");
            } else {
                meant.insert(field.name.clone(), self.typed(typed, &mut text));
            }
            members.push(text);
        }
        if self.dice.there() {
            let mut text = r#""brandNew":"#.to_owned();
            self.dice.anything(2, &mut text);
            members.push(text);
        }
        if self.dice.there() {
            for i in (1..members.len()).rev() {
                members.swap(i, self.dice.below(i + 1));
            }
        }
        out.push('{');
        out.push_str(&members.join(self.dice.pick(&[",", " , "])));
        out.push('}');
        self.around.pop();
        Value::Object(meant)
    }

    fn typed(&mut self, typed: Typed<'_>, out: &mut String) -> Value {
        self.met.extend(typed.name());
        self.value(typed.kind(), out)
    }

    /// Appends a value of this kind, and returns what is to be read from it.
    pub(crate) fn value(&mut self, kind: Kind<'_>, out: &mut String) -> Value {
        match kind {
            Kind::Boolean => {
                let value = self.dice.below(2) == 1;
                out.push_str(if value { "true" } else { "false" });
                Value::from(value)
            }
            Kind::Integer => Value::from(self.integer(out)),
            Kind::Number => Value::from(self.number(out)),
            Kind::Text => Value::from(self.dice.text(out)),
            Kind::Binary => {
                let text = STANDARD.encode_to_string(self.dice.bytes());
                let written = if self.rarely() { text.replace('/', "\\/") } else { text.clone() };
                out.push_str(&format!("\"{written}\""));
                Value::from(text)
            }
            Kind::Any => self.dice.anything(3, out),
            Kind::Properties => self.dice.properties(3, out),
            Kind::Enumeration(values) => match values.get(self.dice.below(values.len() + 1)) {
                Some(value) => {
                    out.push_str(&format!("\"{}\"", value.name));
                    Value::from(value.name.as_str())
                }
                None => Value::from(self.dice.text(out)),
            },
            Kind::List(item) => {
                let mut items = Vec::new();
                let length = if self.around.len() > DEPTH { 0 } else { self.dice.length() };
                list(length, ["[", "]"], out, |out| items.push(self.typed(item, out)));
                Value::Array(items)
            }
            Kind::Record(domain, fields) => self.object(domain, fields, out),
        }
    }

    /// A member's name, now and then with an escape in it.
    fn key(&mut self, name: &str) -> String {
        match name.chars().next() {
            Some(first) if self.rarely() => {
                format!("\\u{:04x}{}", u32::from(first), &name[first.len_utf8()..])
            }
            _ => name.to_owned(),
        }
    }

    /// A whole number, also in the forms that floats are written in.
    fn integer(&mut self, out: &mut String) -> i64 {
        let value = self.dice.integer();
        let exact = value.unsigned_abs() < 1 << 53;
        out.push_str(&match self.dice.below(6) {
            0 if exact => format!("{value}.0"),
            1 if exact => format!("{value}E+0"),
            2 if exact && value % 1000 == 0 => format!("{}e3", value / 1000),
            3 if value == 0 => "-0".to_owned(),
            _ => value.to_string(),
        });
        value
    }

    /// A number, also in the form of a whole one.
    fn number(&mut self, out: &mut String) -> f64 {
        if self.rarely() {
            return self.integer(out) as f64;
        }
        let value = self.dice.number();
        out.push_str(&format!("{value:?}"));
        value
    }

    fn rarely(&mut self) -> bool {
        self.dice.filling == Filling::Random && self.dice.below(8) == 7
    }
}
