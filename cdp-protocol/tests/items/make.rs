//! Makes random values of what is sent, by its public constructors and setters.

use cdp_protocol::json::Binary;
use serde_json::value::RawValue;

use crate::words::Dice;

/// How deep values contain values: deeper, optional members are absent and lists empty.
const DEPTH: usize = 5;

/// A value that can be made.
pub(crate) trait Make {
    /// Makes one.
    fn make(maker: &mut Maker<'_, '_>) -> Self;
}

/// The choices, and how deep the value lies that is being made.
pub(crate) struct Maker<'a, 'b> {
    dice: Dice<'a, 'b>,
    depth: usize,
}

impl<'a, 'b> Maker<'a, 'b> {
    pub(crate) fn new(dice: Dice<'a, 'b>) -> Maker<'a, 'b> {
        Maker { dice, depth: 0 }
    }

    pub(crate) fn make<T: Make>(&mut self) -> T {
        self.depth += 1;
        let value = T::make(self);
        self.depth -= 1;
        value
    }

    /// Whether an optional member is set.
    pub(crate) fn there(&mut self) -> bool {
        self.depth <= DEPTH && self.dice.there()
    }

    /// One of the declared values of an enumeration, or now and then another one.
    pub(crate) fn value<T: Clone + for<'t> From<&'t str>>(&mut self, declared: &[(&str, T)]) -> T {
        match declared.get(self.dice.below(declared.len() + 1)) {
            Some((_, value)) => value.clone(),
            None => T::from(self.make::<String>().as_str()),
        }
    }
}

impl Make for bool {
    fn make(maker: &mut Maker<'_, '_>) -> bool {
        maker.dice.below(2) == 1
    }
}

impl Make for i64 {
    fn make(maker: &mut Maker<'_, '_>) -> i64 {
        maker.dice.integer()
    }
}

impl Make for f64 {
    fn make(maker: &mut Maker<'_, '_>) -> f64 {
        maker.dice.number()
    }
}

impl Make for String {
    fn make(maker: &mut Maker<'_, '_>) -> String {
        maker.dice.text(&mut String::new())
    }
}

impl Make for Binary {
    fn make(maker: &mut Maker<'_, '_>) -> Binary {
        Binary::from(maker.dice.bytes())
    }
}

impl Make for Box<RawValue> {
    fn make(maker: &mut Maker<'_, '_>) -> Box<RawValue> {
        // An object suits both kinds of member that are raw: those of any value, and those of undeclared properties.
        let value = maker.dice.properties(2, &mut String::new());
        serde_json::value::to_raw_value(&value).unwrap()
    }
}

impl<T: Make> Make for Vec<T> {
    fn make(maker: &mut Maker<'_, '_>) -> Vec<T> {
        let length = if maker.depth > DEPTH { 0 } else { maker.dice.length() };
        (0..length).map(|_| maker.make()).collect()
    }
}
