//! What must hold for every item of the protocol, whatever its values.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};

use arbtest::arbitrary::Unstructured;
use arbtest::arbtest;
use cdp_gen::model::{Command, Domain, Event, Field};
use serde_json::Value;

use crate::make::Maker;
use crate::probe::{COMMANDS, Decode, ENUMERATIONS, EVENTS, TYPES};
use crate::schema::{Kind, Reach, Sent, declared, enumerations, protocol, type_names};
use crate::synth::Synth;
use crate::words::{Dice, Filling};

/// Runs `property` with random bytes from `seeds` seeds, few bytes at first. With each it makes three values.
fn with_seeds(seeds: u32, mut property: impl FnMut(Dice<'_, '_>)) {
    let mut property = |bytes: &mut Unstructured<'_>| {
        for filling in [Filling::Full, Filling::Bare, Filling::Random] {
            let mut again = Unstructured::new(bytes.peek_bytes(bytes.len()).unwrap_or_default());
            property(Dice::new(&mut again, filling));
        }
        Ok(())
    };
    if std::env::var_os("ARBTEST_SEED").is_some() {
        return arbtest(&mut property).run();
    }
    for round in 0..seeds {
        // The lower half of a seed says how many bytes there are.
        let chance = RandomState::new().build_hasher().finish() << u32::BITS;
        arbtest(&mut property).seed(chance | (16 << round)).run();
    }
}

/// Puts the items of the list beside their declarations. Neither side may have one that the other lacks.
fn beside<I, D>(
    items: &[I],
    name: impl Fn(&I) -> &'static str,
    declared: impl Fn(&'static Domain) -> Vec<(&'static str, D)>,
) -> Vec<(&I, &'static str, D)> {
    let mut items = items.iter();
    let mut pairs = Vec::new();
    for domain in &protocol().domains {
        for (wanted, declaration) in declared(domain) {
            let wanted = format!("{}.{wanted}", domain.name);
            let item = items.next().unwrap_or_else(|| panic!("{wanted} is not in the list"));
            assert_eq!(name(item), wanted, "the list and the description differ");
            pairs.push((item, domain.name.as_str(), declaration));
        }
    }
    let alone: Vec<&str> = items.map(name).collect();
    assert!(alone.is_empty(), "not in the description, but in the list: {alone:?}");
    assert!(!pairs.is_empty(), "there is nothing in this protocol");
    pairs
}

fn commands() -> Vec<(&'static crate::probe::Command, &'static str, &'static Command)> {
    beside(COMMANDS, |c| c.method, |d| d.commands.iter().map(|c| (c.name.as_str(), c)).collect())
}

/// What a browser sends: its name, how it is decoded, and what it is.
fn received() -> Vec<(&'static str, Decode, Kind<'static>)> {
    let replies = commands();
    let replies = replies
        .iter()
        .map(|(item, domain, command)| (item.method, item.decode, Kind::Record(domain, &command.returns)));
    let events = |d: &'static Domain| -> Vec<(&'static str, &'static Event)> {
        d.events.iter().map(|event| (event.name.as_str(), event)).collect()
    };
    let events = beside(EVENTS, |event| event.name, events);
    let events = events
        .iter()
        .map(|(item, domain, event)| (item.name, item.decode, Kind::Record(domain, &event.parameters)));
    let types = TYPES.iter().map(|item| {
        let (domain, name) = item.name.split_once('.').unwrap();
        (item.name, item.decode, declared(domain, name))
    });
    replies.chain(events).chain(types).collect()
}

#[test]
fn every_command_encodes_to_what_it_holds_and_keeps_to_its_declaration() {
    let mut sent = Sent::default();
    let mut reach = Reach::default();
    for (item, domain, command) in commands() {
        with_seeds(10, |dice| {
            sent.full = dice.filling == Filling::Full;
            let (text, held) = (item.encode)(&mut Maker::new(dice));
            let shown = || format!("{}: {}", item.method, String::from_utf8_lossy(&text));
            let read: Value = serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{e} in {}", shown()));
            if let Err(fault) = sent.check_members(domain, &command.parameters, &read, "") {
                panic!("{fault} in {}", shown());
            }
            let held = held.unwrap();
            assert!(same(&read, &held), "{} holds {held}", shown());
        });
        reach.members(domain, &command.parameters);
    }
    assert_same(&sent.met, &reach.0);
}

#[test]
fn every_reply_and_event_decodes_to_what_was_sent() {
    let mut met = BTreeSet::new();
    let mut reach = Reach::default();
    for (name, decode, kind) in received() {
        with_seeds(10, |dice| {
            let mut text = String::new();
            let meant = Synth::new(dice, &mut met).value(kind, &mut text);
            match decode(text.as_bytes()) {
                Ok(read) => assert_eq!(read, Some(meant), "{name} reads from {text}"),
                Err(error) => panic!("{name}: {error} for {text}"),
            }
        });
        reach.kind(kind);
    }
    // What nothing mentions was met under its own name.
    reach.0.extend(TYPES.iter().map(|item| item.name.to_owned()));
    met.extend(TYPES.iter().map(|item| item.name.to_owned()));
    assert_same(&met, &reach.0);
    for (_, domain, command) in commands() {
        reach.members(domain, &command.parameters);
    }
    assert_same(&reach.0, &type_names());
}

#[test]
fn a_required_member_that_is_missing_is_named() {
    let mut named = 0;
    for (name, decode, kind) in received() {
        let Kind::Record(domain, fields) = kind else { continue };
        for missing in fields.iter().filter(|field| !field.optional) {
            let others: Vec<Field> = fields.iter().filter(|f| f.name != missing.name).cloned().collect();
            with_seeds(2, |dice| {
                let mut text = String::new();
                let meant = Synth::new(dice, &mut BTreeSet::new()).object(domain, &others, &mut text);
                match decode(text.as_bytes()) {
                    Err(error) => {
                        let said = (error.path(), error.message());
                        assert_eq!(said, (missing.name.as_str(), "required, but missing"), "{name}: {text}");
                        named += 1;
                    }
                    // The next browser may leave out what is deprecated: types may take that.
                    Ok(read) if missing.marks.deprecated => assert_eq!(read, Some(meant), "{name}: {text}"),
                    Ok(_) => panic!("{name} decodes without {}: {text}", missing.name),
                }
            });
        }
    }
    assert!(named > 1_000, "{named} are too few for the whole protocol");
}

#[test]
fn every_declared_value_of_an_enumeration_is_a_variant_of_its_own() {
    let mut listed: Vec<Vec<&str>> = ENUMERATIONS.iter().map(|texts| texts()).collect();
    let mut declared = enumerations();
    listed.sort();
    declared.sort();
    assert_eq!(listed, declared);
}

/// Checks that the types met are those expected.
#[track_caller]
fn assert_same(met: &BTreeSet<String>, expected: &BTreeSet<String>) {
    let differ: Vec<&String> = met.symmetric_difference(expected).collect();
    assert!(differ.is_empty(), "met or expected, but not both: {differ:?}");
    assert!(met.len() > 100, "{} types are too few for the whole protocol", met.len());
}

/// Equal but for the last digits of floats, which serde_json rounds in its fast way.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_f64() && y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            x == y || (x - y).abs() <= x.abs().max(y.abs()) * 1e-14
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
