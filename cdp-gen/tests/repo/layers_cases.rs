//! Cases in which the rule about layers must speak up, and in which it must not.

use crate::layers::{Import, Sources, check, imports, layer_list};

const ROOT: &str = "//! Doc.\n//!\n//! Layers, lowest first:\n//!\n//! ```text\n//! low     the ground\n//! mid/    between\n//! high    on top\n//! ```\n";

/// Faults of a crate with the layers low, mid/ and high, in which `files` replace the plain ones.
fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let mut sources: Sources = [
        ("low.rs", ""),
        ("mid/mod.rs", "mod a;\nmod b;\npub use a::Thing;"),
        ("mid/a.rs", ""),
        ("mid/b.rs", ""),
        ("high.rs", ""),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    sources.insert("lib.rs".to_owned(), format!("{ROOT}pub use high::Top;\nmod low;"));
    sources.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    check(&sources)
}

#[test]
fn the_layer_list_is_read_out_of_the_docs() {
    assert_eq!(layer_list(ROOT).unwrap(), ["low", "mid", "high"]);
    assert_eq!(layer_list("//! Doc.\nmod a;"), None);
    assert_eq!(
        faults(&[("lib.rs", "mod low;")]),
        ["lib.rs: expected a list headed \"Layers, lowest first\""]
    );
}

#[test]
fn imports_downwards_are_fine() {
    let fine = [
        (
            "high.rs",
            "use crate::mid::Thing;\nuse crate::{low::{self, A}, mid::b::B};\nfn f() { crate::low::g() }",
        ),
        (
            "mid/b.rs",
            "use super::a::Thing;\nuse super::super::low;\nmod tests { use super::*; use super::super::a; }",
        ),
    ];
    assert_eq!(faults(&fine), Vec::<String>::new());
}

#[test]
fn imports_upwards_are_found_in_every_spelling() {
    let spellings = [
        "use crate::high::Top;",
        "use crate::{std, high::{self as h}};",
        "use crate::Top;",
        "use super::high;",
        "pub(crate) use crate::high::*;",
        "fn f(t: crate::high::Top) {}",
        "mod tests { use super::super::high; }",
        "// \"\n/* */ use crate::high;",
    ];
    for text in spellings {
        let found = faults(&[("low.rs", text)]);
        assert!(found.iter().any(|f| f.contains("`high` is above `low`")), "{text}: {found:?}");
    }
    assert!(
        faults(&[("mid/a.rs", "use crate::{low, high::{a, b}};")])[0]
            .starts_with("mid/a.rs:1: `high` is above")
    );
    assert_eq!(
        faults(&[("low.rs", "// use crate::high;\nconst A: &str = \"crate::high::a\";")]),
        Vec::<String>::new()
    );
}

#[test]
fn circles_inside_a_layer_are_found() {
    let circle = [("mid/a.rs", "use super::b::B;"), ("mid/b.rs", "use super::Thing;")];
    assert_eq!(faults(&circle), ["mid/a.rs: imports go in a circle: mid/a.rs → mid/b.rs → mid/a.rs"]);
}

#[test]
fn files_and_layers_must_match() {
    assert_eq!(faults(&[("extra.rs", "")]), ["extra.rs: stands in no layer"]);
    let root = ROOT.replace("high    on top", "high    on top\n//! gone    nowhere");
    assert_eq!(faults(&[("lib.rs", &root)]), ["lib.rs: the layer `gone` has no file"]);
    assert_eq!(
        faults(&[("low.rs", "use crate::nowhere::A;")]),
        ["low.rs:1: `crate::nowhere::A` leads to no layer"]
    );
}

#[test]
fn paths_are_read_from_nested_braces_with_their_lines() {
    let found = imports(
        "use crate::{\n    a::{B, c::{D as E}},\n    f,\n};\nlet x = self::g::H::new();",
        &["m".to_owned()],
    );
    let expected = [("a::B", 2), ("a::c::D", 2), ("f", 3), ("m::g::H::new", 5)];
    let expected =
        expected.map(|(path, line)| Import { path: path.split("::").map(str::to_owned).collect(), line });
    assert_eq!(found, expected);
}
