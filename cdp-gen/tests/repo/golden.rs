//! What each construct of the format becomes, held against checked-in text. `cdp-protocol`'s tests compile
//! that text and use it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cdp_gen::model::Revision;
use cdp_gen::{pdl, rust};

/// Set to 1, it makes the test write what it would compare.
const REWRITE: &str = "UPDATE_GOLDEN";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repo/golden")
}

#[test]
fn the_small_protocol_prints_as_checked_in() {
    let protocol = pdl::load_dir(&folder()).unwrap().protocol;
    let options = rust::Options {
        runtime: "cdp_protocol".to_owned(),
        domains: "super::small".to_owned(),
        revision: Some(Revision { browser: "Menagerie/7.2".to_owned(), revision: "@0123".to_owned() }),
    };
    let printed: BTreeMap<String, String> =
        rust::generate(&protocol, &options).unwrap().into_iter().map(|file| (file.name, file.text)).collect();
    let expected_dir = folder().join("expected");
    let expected: BTreeMap<String, String> = std::fs::read_dir(&expected_dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    if std::env::var_os(REWRITE).is_some_and(|value| value == "1") {
        for name in expected.keys().filter(|name| !printed.contains_key(*name)) {
            std::fs::remove_file(expected_dir.join(name)).unwrap();
        }
        for (name, text) in &printed {
            std::fs::write(expected_dir.join(name), text).unwrap();
        }
        return;
    }
    let names: std::collections::BTreeSet<&String> = printed.keys().chain(expected.keys()).collect();
    let mut report = String::new();
    for name in names {
        let (old, new) = (expected.get(name), printed.get(name));
        if old != new {
            let [old, new] = [old, new].map(|text| text.map(String::as_str).unwrap_or_default());
            report.push_str(&format!("--- expected/{name}\n+++ printed\n{}", difference(old, new)));
        }
    }
    assert!(report.is_empty(), "{report}\n{REWRITE}=1 accepts the printed text");
}

#[test]
fn the_small_protocol_has_every_construct_of_the_format() {
    let mut text = std::fs::read_to_string(folder().join("protocol.pdl")).unwrap();
    for file in ["Zoo", "DOMStorage", "Network", "Target", "Names"] {
        text.push_str(&std::fs::read_to_string(folder().join(format!("domains/{file}.pdl"))).unwrap());
    }
    let constructs = [
        "version",
        "include",
        "experimental domain",
        "deprecated domain",
        "depends on",
        "extends string",
        "extends integer",
        "extends number",
        "extends boolean",
        "extends binary",
        "extends any",
        "extends object",
        "extends array of",
        "properties",
        "    enum\n",
        "optional enum",
        "array of enum",
        "optional object diet\n        string meal",
        "array of object visits\n",
        "experimental deprecated",
        "deprecated event",
        "redirect",
        "parameters",
        "returns",
        "command",
        "event",
        "DOMStorage.SerializedStorageKey",
        "array of IO.StreamHandle",
    ];
    for construct in constructs {
        assert!(text.contains(construct), "`{construct}` does not occur");
    }
}

/// The lines in which two texts differ: what they share at both ends is left out.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let part = |sign: char, lines: &[&str]| {
        let lines = &lines[head..lines.len() - tail];
        let shown: String = lines.iter().take(40).map(|line| format!("{sign} {line}\n")).collect();
        if lines.len() > 40 { format!("{shown}{sign} … {} more\n", lines.len() - 40) } else { shown }
    };
    format!("@@ line {} @@\n{}{}", head + 1, part('-', &old), part('+', &new))
}

#[test]
fn a_difference_shows_the_changed_lines_alone() {
    assert_eq!(difference("a\nb\nc\nd", "a\nx\ny\nd"), "@@ line 2 @@\n- b\n- c\n+ x\n+ y\n");
    assert_eq!(difference("a", "a\nb"), "@@ line 2 @@\n+ b\n");
}
