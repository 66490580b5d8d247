//! Differences between protocols: one row a kind of change, and the whole protocol against itself and its JSON.

use std::path::Path;

use cdp_gen::diff::Rule::{self, *};
use cdp_gen::diff::{Diff, Effect, compare};
use cdp_gen::model::Protocol;
use cdp_gen::pdl;

use crate::imports::{own_protocol, to_json};

/// The text of a protocol with `body` in its first domain; the second has types to refer to.
pub(crate) fn text(body: &str) -> String {
    format!(
        "version\n  major 1\n  minor 3\n\ndomain A\n{body}\n
domain Given
  type Id extends string
  type Other extends string
  type Short extends string
    enum
      one
  type Long extends string
    enum
      one
      two
  type Thing extends object
    properties
      string name
"
    )
}

pub(crate) fn protocol(text: &str) -> Protocol {
    let unit = pdl::parse(text, Path::new("row.pdl")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Protocol { version: unit.version.expect("a version").0, domains: unit.domains }
}

fn difference(a: &str, b: &str) -> Diff {
    compare(&protocol(&text(a)), &protocol(&text(b))).expect("both resolve")
}

/// The rule, the text in the first protocol and in the second, and the line to be printed; `!` at its end stands for
/// the note that the change breaks callers, `?` for the one that it needs other source.
type Row = (Rule, &'static str, &'static str, &'static str);

const PARAMETERS: &str = "  command c\n    parameters\n";
const EVENT: &str = "  event e\n    parameters\n";

/// Rows about one member of a command's parameters: what stands in `a`, in `b`, and the line without its beginning.
const SENT: &[Row] = &[
    (SentRequiredAdded, "", "integer p", "+ … (integer) !"),
    (SentOptionalAdded, "", "experimental optional Given.Id p", "+ … (experimental optional Given.Id)"),
    (SentRemoved, "integer p", "", "- … (integer) !"),
    (SentRemoved, "optional array of any p", "", "- … (optional array of any) !"),
    (SentBecameRequired, "optional any p", "any p", "~ …: now required !"),
    (SentBecameOptional, "any p", "optional any p", "~ …: now optional ?"),
    (SentKindChanged, "string p", "integer p", "~ …: string -> integer !"),
    (SentKindChanged, "string p", "array of string p", "~ …: string -> array of string !"),
    (SentKindChanged, "number p", "integer p", "~ …: number -> integer !"),
    (SentKindChanged, "string p", "Given.Long p", "~ …: string -> Given.Long !"),
    (SentKindChanged, "Given.Long p", "Given.Short p", "~ …: Given.Long -> Given.Short !"),
    (SentKindChanged, "object p", "Given.Thing p", "~ …: object -> Given.Thing !"),
    (SentKindChanged, "binary p", "string p", "~ …: binary -> string !"),
    (KindFits, "Given.Short p", "Given.Long p", "~ …: Given.Short -> Given.Long ?"),
    (
        KindFits,
        "array of Given.Id p",
        "array of Given.Other p",
        "~ …: array of Given.Id -> array of Given.Other ?",
    ),
    (KindFits, "Given.Id p", "string p", "~ …: Given.Id -> string ?"),
    (KindFits, "integer p", "number p", "~ …: integer -> number ?"),
    (KindFits, "Given.Thing p", "any p", "~ …: Given.Thing -> any ?"),
    (SentValueRemoved, "enum p\n        x\n        y", "enum p\n        y", "- …, value x !"),
    (ValueAdded, "array of enum p\n        x", "array of enum p\n        y\n        x", "+ …, value y"),
    (
        SentRequiredAdded,
        "object p\n        any x",
        "object p\n        any x\n        any q",
        "+ …, property q (any) !",
    ),
    (
        SentValueRemoved,
        "array of object p\n        enum q\n          x\n          y",
        "array of object p\n        enum q\n          y",
        "- …, property q, value x !",
    ),
    (KindFits, "object p\n        any x", "object p", "~ …: object with properties -> object ?"),
    (SentKindChanged, "object p", "object p\n        any x", "~ …: object -> object with properties !"),
    (FlagChanged, "any p", "deprecated any p", "~ …: now deprecated"),
    (FlagChanged, "experimental any p", "any p", "~ …: no longer experimental"),
];

/// The same for a member of an event.
const RECEIVED: &[Row] = &[
    (ReceivedAdded, "", "Given.Thing p", "+ … (Given.Thing)"),
    (ReceivedRequiredRemoved, "integer p", "", "- … (integer) !"),
    (ReceivedOptionalRemoved, "optional integer p", "", "- … (optional integer) ?"),
    (ReceivedBecameOptional, "any p", "optional any p", "~ …: now optional !"),
    (ReceivedBecameRequired, "optional any p", "any p", "~ …: now required ?"),
    (ReceivedKindChanged, "integer p", "number p", "~ …: integer -> number !"),
    (ReceivedKindChanged, "Given.Thing p", "object p", "~ …: Given.Thing -> object !"),
    (ReceivedKindChanged, "array of string p", "array of any p", "~ …: array of string -> array of any !"),
    (KindFits, "number p", "integer p", "~ …: number -> integer ?"),
    (KindFits, "string p", "Given.Long p", "~ …: string -> Given.Long ?"),
    (KindFits, "Given.Long p", "Given.Short p", "~ …: Given.Long -> Given.Short ?"),
    (KindFits, "any p", "Given.Thing p", "~ …: any -> Given.Thing ?"),
    (ReceivedValueRemoved, "enum p\n        x\n        y", "enum p\n        y", "- …, value x ?"),
    (FlagChanged, "deprecated optional any p", "optional any p", "~ …: no longer deprecated"),
    // What is deprecated and only received is an `Option`, optional or not.
    (ReceivedBecameDeprecated, "string p", "deprecated string p", "~ …: now deprecated ?"),
    (ReceivedBecameRequired, "deprecated string p", "string p", "~ …: no longer deprecated ?"),
    (ReceivedOptionalRemoved, "deprecated string p", "", "- … (deprecated string) ?"),
    (ReceivedStaysOption, "deprecated any p", "deprecated optional any p", "~ …: now optional"),
    (ReceivedStaysOption, "deprecated optional any p", "deprecated any p", "~ …: now required"),
];

/// Changes of whole items; the texts are bodies of the domain.
const ITEMS: &[Row] = &[
    (DependsChanged, "", "  depends on Given", "+ depends on Given"),
    (DependsChanged, "  depends on Given", "", "- depends on Given"),
    (CommandRemoved, "  experimental command c", "", "- command c (experimental) !"),
    (CommandAdded, "", "  deprecated command c", "+ command c (deprecated)"),
    (
        RedirectChanged,
        "  command c",
        "  command c\n    redirect Given",
        "~ command c, redirect: none -> Given",
    ),
    (
        FirstParameterAdded,
        "  command c",
        "  command c\n    parameters\n      optional any p",
        "+ command c, parameter p (optional any) ?",
    ),
    (
        SentRequiredAdded,
        "  command c",
        "  command c\n    parameters\n      any p",
        "+ command c, parameter p (any) !",
    ),
    (
        FirstReturnAdded,
        "  command c",
        "  command c\n    returns\n      any p",
        "+ command c, return value p (any) ?",
    ),
    (EventRemoved, "  event e", "", "- event e !"),
    (EventAdded, "", "  event e", "+ event e"),
    (TypeRemoved, "  type T extends string", "", "- type T ?"),
    (TypeAdded, "", "  type T extends string", "+ type T"),
    (FlagChanged, "  command c", "  experimental command c", "~ command c: now experimental"),
    (FlagChanged, "  event e", "  deprecated event e", "~ event e: now deprecated"),
    (FlagChanged, "  type T extends any", "  experimental type T extends any", "~ type T: now experimental"),
    // A type that nothing mentions counts as received.
    (
        ReceivedKindChanged,
        "  type T extends string",
        "  type T extends object\n    properties\n      any p",
        "~ type T: string -> object with properties !",
    ),
    (
        KindFits,
        "  type T extends string",
        "  type T extends string\n    enum\n      x",
        "~ type T: string -> enum ?",
    ),
    (
        ReceivedKindChanged,
        "  type T extends array of T",
        "  type T extends array of string",
        "~ type T: array of A.T -> array of string !",
    ),
    (
        ReceivedOptionalRemoved,
        "  command c\n    returns\n      optional any p\n      any q",
        "  command c\n    returns\n      any q",
        "- command c, return value p (optional any) ?",
    ),
];

/// A type that is sent, one that is received, and one that is both, by what mentions it.
const TRAVELS: &[(&str, Rule)] = &[
    ("  command c\n    parameters\n      array of T p\n", SentValueRemoved),
    ("  event e\n    parameters\n      T p\n", ReceivedValueRemoved),
    ("  command c\n    parameters\n      T p\n    returns\n      T p\n", SentValueRemoved),
    (
        "  command c\n    returns\n      U u\n  type U extends object\n    properties\n      T p\n",
        ReceivedValueRemoved,
    ),
];

fn check(&(rule, ..): &Row, a: &str, b: &str, line: &str) {
    let reason = rule.reason();
    let (line, effect, note) = match (line.strip_suffix(" !"), line.strip_suffix(" ?")) {
        (Some(line), _) => (line, Effect::Breaks, format!("  [BREAKS: {reason}]")),
        (_, Some(line)) => (line, Effect::Source, format!("  [source: {reason}]")),
        _ => (line, Effect::Fine, String::new()),
    };
    let diff = difference(a, b);
    let (text, expected) = (diff.to_string(), format!("A\n  {line}{note}\n1 domain, 1 change, "));
    assert!(text.starts_with(&expected), "from\n{a}\nto\n{b}\nexpected\n{expected}\nfound\n{text}");
    let rules: Vec<(Rule, Effect)> = diff.changes.iter().map(|one| (one.rule, one.rule.effect())).collect();
    assert_eq!(rules, [(rule, effect)], "{line}");
}

#[test]
fn each_kind_of_change_is_one_line_that_says_whether_it_breaks() {
    for row @ (_, a, b, line) in SENT {
        let [a, b] = [a, b].map(|member| format!("{PARAMETERS}      any other\n      {member}\n"));
        check(row, &a, &b, &line.replace('…', "command c, parameter p"));
    }
    for row @ (_, a, b, line) in RECEIVED {
        let [a, b] = [a, b].map(|member| format!("{EVENT}      any other\n      {member}\n"));
        check(row, &a, &b, &line.replace('…', "event e, parameter p"));
    }
    for row @ (_, a, b, line) in ITEMS {
        check(row, a, b, line);
    }
    // What concerns whole domains and the version can't be written as the body of a domain, and a box never comes alone; the next
    // tests have them.
    let told = |rule: &Rule| [SENT, RECEIVED, ITEMS].iter().any(|rows| rows.iter().any(|row| row.0 == *rule));
    let without: Vec<&Rule> = Rule::ALL.iter().filter(|rule| !told(rule)).collect();
    assert_eq!(without, [&DomainRemoved, &DomainAdded, &VersionChanged, &BoxChanged]);
}

#[test]
fn domains_and_the_version_are_compared_too() {
    let a =
        "version\n  major 1\n  minor 3\n\nexperimental domain Old\n  command c\n  event e\n\ndomain Same\n";
    let b =
        "version\n  major 1\n  minor 4\n\ndeprecated domain Same\n\ndomain New\n  type T extends string\n";
    let diff = compare(&protocol(a), &protocol(b)).unwrap();
    let expected = "\
protocol
  ~ version: 1.3 -> 1.4
New
  + domain (commands: 0, events: 0, types: 1)
Old
  - domain (experimental, commands: 1, events: 1, types: 0)  [BREAKS: its commands are refused and its events never come]
Same
  ~ domain: now deprecated
3 domains, 4 changes, 1 breaks callers";
    assert_eq!(diff.to_string(), expected);
}

#[test]
fn a_type_that_grows_over_five_members_is_told_with_all_that_hold_it() {
    let holders = "  type Holder extends object\n    properties\n      T t\n  type User extends object\n    properties\n      optional T t\n";
    let [five, six] = [5, 6].map(|count| {
        let members: String = (0..count).map(|n| format!("      optional any p{n}\n")).collect();
        format!("{holders}  type T extends object\n    properties\n{members}")
    });
    let reason = BoxChanged.reason();
    let expected = format!(
        "A\n  ~ type Holder: now boxed  [source: {reason}]\n  + type T, property p5 (optional any)\n  ~ type T: now boxed  [source: {reason}]\n1 domain, 3 changes, "
    );
    let text = difference(&five, &six).to_string();
    assert!(text.starts_with(&expected), "{text}");
    let text = difference(&six, &five).to_string();
    assert!(
        text.contains("~ type T: no longer boxed") && text.contains("~ type Holder: no longer boxed"),
        "{text}"
    );
}

#[test]
fn a_type_is_judged_by_the_ways_it_travels() {
    for (user, rule) in TRAVELS {
        let [a, b] = ["x\n      y", "y"]
            .map(|values| format!("{user}  type T extends string\n    enum\n      {values}\n"));
        let diff = difference(&a, &b);
        assert_eq!(diff.changes.iter().map(|change| change.rule).collect::<Vec<_>>(), [*rule], "{user}");
    }
    // The worse of two ways counts, whichever of the two it is.
    let users = "  command c\n    parameters\n      T p\n    returns\n      T p\n";
    let table = [
        ("optional any p", "any p", SentBecameRequired),
        ("any p", "optional any p", ReceivedBecameOptional),
        ("integer p", "number p", ReceivedKindChanged),
        ("number p", "integer p", SentKindChanged),
        // What is sent as well is no `Option` for being deprecated.
        ("deprecated any p", "any p", FlagChanged),
    ];
    for (a, b, rule) in table {
        let [from, to] =
            [a, b].map(|member| format!("{users}  type T extends object\n    properties\n      {member}\n"));
        let diff = difference(&from, &to);
        assert_eq!(diff.changes.iter().map(|change| change.rule).collect::<Vec<_>>(), [rule], "{a} -> {b}");
    }
}

#[test]
fn a_member_that_becomes_deprecated_and_optional_at_once_is_judged_once() {
    let table = [
        ("any p", "deprecated optional any p", [FlagChanged, ReceivedBecameOptional]),
        ("deprecated optional any p", "any p", [FlagChanged, ReceivedBecameRequired]),
        ("deprecated any p", "optional any p", [FlagChanged, ReceivedStaysOption]),
    ];
    for (a, b, rules) in table {
        let [from, to] = [a, b].map(|member| format!("{EVENT}      {member}\n"));
        let diff = difference(&from, &to);
        assert_eq!(diff.changes.iter().map(|change| change.rule).collect::<Vec<_>>(), rules, "{a} -> {b}");
    }
}

#[test]
fn order_comments_and_the_way_a_reference_is_written_are_no_difference() {
    let a = "  type T extends string\n    enum\n      x\n      y\n  # Ours.\n  command c\n    parameters\n      T p\n      # Ours.\n      any q\n  command d\n";
    let b = "  command d\n  command c\n    parameters\n      any q\n      A.T p\n  type T extends string\n    enum\n      y\n      # Theirs.\n      x\n";
    let diff = difference(a, b);
    assert_eq!(diff, Diff::default(), "{diff}");
    assert_eq!(diff.to_string(), "no difference");
}

#[test]
fn the_lines_are_in_one_order_whatever_the_order_of_the_text() {
    let a = "  event b\n  event a\n  command b\n  command a\n  type b extends any\n  type a extends any\n  depends on Given\n";
    let expected = "A\n  - depends on Given\n  - type a  […]\n  - type b  […]\n  - command a  […]\n  - command b  […]\n  - event a  […]\n  - event b  […]\n1 domain, 7 changes, 4 break callers, 2 need other source";
    let mut reversed = protocol(&text(a));
    reversed.domains.reverse();
    reversed.domains.iter_mut().for_each(|domain| {
        domain.types.reverse();
        domain.commands.reverse();
        domain.events.reverse();
    });
    for from in [protocol(&text(a)), reversed] {
        let printed = compare(&from, &protocol(&text(""))).unwrap().to_string();
        let mut bare = String::new();
        for line in printed.lines() {
            bare += line.split_once("  [").map_or(line, |(line, _)| line);
            bare += if line.contains("  [") { "  […]\n" } else { "\n" };
        }
        assert_eq!(bare.trim_end(), expected);
    }
}

#[test]
fn the_whole_protocol_does_not_differ_from_itself_nor_from_its_json() {
    let protocol = own_protocol();
    assert_eq!(compare(&protocol, &protocol).unwrap(), Diff::default());
    let from_json = cdp_gen::json::parse(&to_json(&protocol), Path::new("protocol.json")).unwrap();
    assert_eq!(compare(&protocol, &from_json).unwrap(), Diff::default());
    assert_eq!(compare(&from_json, &protocol).unwrap(), Diff::default());
}
