//! Walks the repository and holds every file against the rules: layers, a sentence at the top, no `unsafe`,
//! length, `mod.rs` files that only declare.

use std::path::{Path, PathBuf};

use crate::layers::{self, Sources};
use crate::tidy_rules::{beyond_declarations, has_file_doc, length_fault, unsafe_lines};

/// Files that may hold `unsafe`, each with a reason beside every block.
const UNSAFE_FILES: &[&str] = &["cdp-protocol/tests/memory/counting.rs"];

/// Longest hand-written file.
const MAX_LINES: usize = 500;

/// Longer files with their present length. Entries may only be lowered or taken away.
const LONG_FILES: &[(&str, usize)] = &[];

/// Crates whose imports follow a list of layers.
const LAYERED: &[&str] = &["cdp-gen", "cdp-protocol", "engine"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All hand-written files with one of the endings, by their path from the root with `/`.
fn files(endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let relative: Vec<String> = path
                .strip_prefix(root())
                .unwrap()
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let relative = relative.join("/");
            let foreign = name.starts_with('.')
                || matches!(name.as_str(), "target" | "node_modules" | "corpus" | "artifacts")
                || relative == "cdp-gen/tests/repo/golden/expected";
            if path.is_symlink() || foreign {
                continue;
            } else if path.is_dir() {
                open.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(relative);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty() || endings == [".js"], "found no file: the walk is broken");
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Fails with all faults at once.
fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_rust_file_says_at_its_top_what_it_is_for() {
    let faults = files(&[".rs"]).into_iter().filter(|path| !has_file_doc(&read(path)));
    none(faults.map(|path| format!("{path}: expected `//!` and a sentence in the first line")).collect());
}

#[test]
fn unsafe_stands_in_named_files_alone() {
    let mut faults = Vec::new();
    for path in files(&[".rs"]) {
        let lines = unsafe_lines(&read(&path));
        match (UNSAFE_FILES.contains(&path.as_str()), lines.first()) {
            (false, Some(line)) => {
                faults.push(format!("{path}:{line}: `unsafe` outside the files that may have it"))
            }
            (true, None) => faults.push(format!("{path}: has no `unsafe` any more: take it off the list")),
            _ => {}
        }
    }
    for path in UNSAFE_FILES.iter().filter(|path| !root().join(path).is_file()) {
        faults.push(format!("{path}: does not exist any more: take it off the list"));
    }
    none(faults);
}

#[test]
fn hand_written_files_are_at_most_500_lines_long() {
    let mut faults = Vec::new();
    for path in files(&[".rs", ".js"]) {
        let listed = LONG_FILES.iter().find(|(listed, _)| *listed == path).map(|(_, lines)| *lines);
        let fault = length_fault(read(&path).lines().count(), MAX_LINES, listed);
        faults.extend(fault.map(|fault| format!("{path}: {fault}")));
    }
    for (path, _) in LONG_FILES.iter().filter(|(path, _)| !root().join(path).is_file()) {
        faults.push(format!("{path}: does not exist any more: take it off the list of long files"));
    }
    none(faults);
}

#[test]
fn mod_files_declare_and_re_export_and_nothing_else() {
    let modules = files(&["mod.rs"]).into_iter().filter(|path| path.ends_with("/mod.rs"));
    let faults = modules.filter_map(|path| Some((beyond_declarations(&read(&path))?, path)));
    none(faults.map(|(line, path)| format!("{path}:{line}: expected `mod` and `use` only")).collect());
}

#[test]
fn imports_go_down_the_layers() {
    let mut faults = Vec::new();
    for name in LAYERED {
        let folder = format!("{name}/src/");
        let sources: Sources = files(&[".rs"])
            .into_iter()
            .filter_map(|path| Some((path.strip_prefix(&folder)?.to_owned(), read(&path))))
            .collect();
        assert!(sources.contains_key("lib.rs"), "{name} has no src/lib.rs");
        faults.extend(layers::check(&sources).into_iter().map(|fault| format!("{folder}{fault}")));
    }
    none(faults);
}

/// The engine's search is the one to follow; the others can't call it. Its list of another system is read as well.
#[test]
fn all_searches_for_a_browser_know_the_same_names_and_places() {
    let engine = read("engine/src/process/find.rs");
    let (names, places) = (string_lists(&engine, "const NAMES:"), string_lists(&engine, "const PLACES:"));
    assert!(names.len() > 3 && places.len() > 6, "found {names:?} and {places:?}");
    assert_eq!(string_lists(&read("cdp-protocol/tests/live/browser.rs"), "const NAMES:"), names);
    let script = read("x");
    let (_, looks) = script.split_once("for name in ").unwrap();
    let (looks, _) = looks.split_once("; do").unwrap();
    let quoted = looks.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split([' ', '\n', '\\']).filter(|word| !word.is_empty()).collect(),
        _ => vec![part],
    });
    assert_eq!(quoted.collect::<Vec<_>>(), [names, places].concat());
}

/// The strings of all arrays whose declaration begins like this, in their order.
fn string_lists<'a>(source: &'a str, declaration: &str) -> Vec<&'a str> {
    let lists = source.split(declaration).skip(1).filter_map(|rest| rest.split_once("];"));
    lists.flat_map(|(list, _)| list.split('"').skip(1).step_by(2)).collect()
}
