//! The PDL format: what is refused with which words, and that printing is the inverse of parsing.

use std::path::{Path, PathBuf};

use cdp_gen::{Index, pdl, rust};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn a_broken_line_is_named_with_what_was_expected() {
    // Text, and the error of parsing it as `a.pdl`.
    let table = [
        ("foo", "a.pdl:1:1: expected `version`, `include` or `domain`, found `foo`"),
        (
            "optional domain A",
            "a.pdl:1:1: expected `optional` only before a property, parameter or return value, found `optional domain A`",
        ),
        (
            "version\n  major 1",
            "a.pdl:1:1: expected `version` followed by `major <number>` and `minor <number>`, found `version`",
        ),
        ("version\n  major", "a.pdl:2:3: expected `major <number>` or `minor <number>`, found `major`"),
        ("include", "a.pdl:1:1: expected `include <path>`, found `include`"),
        ("domain", "a.pdl:1:7: expected a domain name, found the end of the line"),
        ("domain A B", "a.pdl:1:10: expected the end of the line behind a domain name, found `B`"),
        ("domain A-B", "a.pdl:1:8: expected a domain name of letters, digits and `_`, found `A-B`"),
        (
            "domain A\n  thing",
            "a.pdl:2:3: expected `depends on`, `type`, `command` or `event`, found `thing`",
        ),
        ("domain A\n\tcommand b", "a.pdl:2:1: expected spaces as indentation, found another blank character"),
        (
            "  domain A",
            "a.pdl:1:3: expected `version`, `include` or `domain`, found `domain A` indented deeper",
        ),
        (
            "domain A\n    command b\n  command c",
            "a.pdl:3:3: expected the indentation of an outer block, found 2 spaces",
        ),
        (
            "domain A\n  command b\n    parameters\n      string c\n        string d",
            "a.pdl:5:9: expected `[optional] <type> <name>`, found `string d` indented deeper",
        ),
        (
            "domain A\n  depends B",
            "a.pdl:2:3: expected `depends on`, `type`, `command` or `event`, found `depends B`",
        ),
        ("domain A\n  type B", "a.pdl:2:3: expected `type <name> extends <type>`, found `type B`"),
        (
            "domain A\n  type B extends a.b.c",
            "a.pdl:2:18: expected a type, `Name` or `Domain.Name`, found `a.b.c`",
        ),
        (
            "domain A\n  type B extends enum",
            "a.pdl:2:3: expected `extends string` with an `enum` section below, found `type B extends enum`",
        ),
        (
            "domain A\n  type B extends array of enum",
            "a.pdl:2:3: expected items of a type with a name, found `type B extends array of enum`",
        ),
        ("version\n  major x", "a.pdl:2:3: expected `major <number>` or `minor <number>`, found `major x`"),
        ("# a\rdomain", "a.pdl:2:7: expected a domain name, found the end of the line"),
        (
            "domain A\n  type B extends string\n    enum",
            "a.pdl:3:5: expected at least one value below `enum`, found none",
        ),
        (
            "domain A\n  type B extends integer\n    enum\n      a",
            "a.pdl:3:5: expected `enum` (of a string) or `properties` (of an object), found `enum`",
        ),
        (
            "domain A\n  type B extends string\n    enum\n      a b",
            "a.pdl:4:9: expected one enumeration value a line, found `a b`",
        ),
        (
            "domain A\n  type B extends object\n    properties\n      string a\n    properties",
            "a.pdl:5:5: expected one section only, found another: `properties`",
        ),
        (
            "domain A\n  command b\n    params",
            "a.pdl:3:5: expected `parameters`, `returns` or `redirect <domain>`, each once, found `params`",
        ),
        (
            "domain A\n  command b\n    redirectC D",
            "a.pdl:3:5: expected `parameters`, `returns` or `redirect <domain>`, each once, found `redirectC D`",
        ),
        (
            "domain A\n  command b\n    redirect",
            "a.pdl:3:13: expected a domain name, found the end of the line",
        ),
        ("domain A\n  event b\n    returns", "a.pdl:3:5: expected `parameters`, once, found `returns`"),
        (
            "domain A\n  command b\n    parameters\n      string",
            "a.pdl:4:7: expected `[optional] <type> <name>`, found `string`",
        ),
        (
            "domain A\n  command b\n    parameters\n      array string c",
            "a.pdl:4:7: expected a type: `T`, `array of T` or `enum`, found `array string c`",
        ),
        (
            "domain A\n  command b\n    parameters\n      string 3c",
            "a.pdl:4:14: expected a name of letters, digits and `_`, found `3c`",
        ),
        (
            "domain A\n  command b\n    parameters\n      enum c",
            "a.pdl:4:7: expected at least one value below `enum c`, found none",
        ),
    ];
    for (text, expected) in table {
        let error = pdl::parse(text, Path::new("a.pdl")).expect_err(text);
        assert_eq!(error.to_string(), expected, "of {text:?}");
    }
}

#[test]
fn a_block_may_be_indented_by_any_number_of_spaces() {
    let text =
        "domain A\n  type B extends string\n    enum\n        x\n        y\n  command c\n     redirect D\n";
    let unit = pdl::parse(text, Path::new("a.pdl")).unwrap();
    let printed = pdl::print_domain(&[], &unit.domains[0]);
    let plain =
        "domain A\n\n  type B extends string\n    enum\n      x\n      y\n\n  command c\n    redirect D\n";
    assert_eq!(printed, plain);
}

#[test]
fn an_unknown_reference_is_named_with_its_line() {
    let root = "version\n  major 1\n  minor 0\n";
    let table = [
        (
            "domain A\n  command b\n    parameters\n      C c",
            "a.pdl:7:9: expected a declared type, found `C`, which is not declared in any domain",
        ),
        (
            "domain A\n  event b\n    parameters\n      array of C c\ndomain B\n  type C extends string",
            "a.pdl:7:18: expected a declared type, found `C`, which is not declared; `B.C` is",
        ),
        (
            "domain A\n  type B extends array of X.C",
            "a.pdl:5:8: expected a declared type, found `X.C`, which is not declared in any domain",
        ),
        ("domain A\n  depends on B", "a.pdl:5:14: expected the name of a domain, found `B`, which none has"),
        (
            "domain A\n  command b\n    redirect B",
            "a.pdl:6:14: expected the name of a domain, found `B`, which none has",
        ),
        ("domain A\ndomain A", "a.pdl:5:8: expected one domain `A` only; the other is at a.pdl:4:8"),
        (
            "domain A\n  type B extends string\n  type B extends string",
            "a.pdl:6:8: expected one type `B` only; the other is at a.pdl:5:8",
        ),
        (
            "domain A\n  command b\n  command b",
            "a.pdl:6:11: expected one command `b` only; the other is at a.pdl:5:11",
        ),
        (
            "domain A\n  event b\n    parameters\n      object c\n        optional X d",
            "a.pdl:8:20: expected a declared type, found `X`, which is not declared in any domain",
        ),
        (
            "domain A\n  command b\n    returns\n      any c\n      any c",
            "a.pdl:8:11: expected one member `c` only; the other is at a.pdl:7:11",
        ),
        (
            "domain A\n  type b extends object\n    properties\n      array of object c\n        any d\n        any d",
            "a.pdl:9:13: expected one member `d` only; the other is at a.pdl:8:13",
        ),
        (
            "domain A\n  type B extends string\n    enum\n      c\n      c",
            "a.pdl:8:7: expected one value `c` only; the other is at a.pdl:7:7",
        ),
        (
            "domain A\n  event b\n    parameters\n      enum c\n        d\n        d",
            "a.pdl:9:9: expected one value `d` only; the other is at a.pdl:8:9",
        ),
        (
            "domain CSS\ndomain Css",
            "a.pdl:5:8: expected each domain to get a module of its own, but `css` is taken",
        ),
        (
            "domain A\n  type string extends object",
            "a.pdl:5:8: expected a name of its own, found `string`, which PDL has as a word",
        ),
        (
            "domain A\n  type array extends object",
            "a.pdl:5:8: expected a name of its own, found `array`, which PDL has as a word",
        ),
        (
            "domain A\n  type Loop extends Loop",
            "a.pdl:5:8: expected `Loop` to be something, but it only leads back to itself",
        ),
        // The printed text has files and paths of these names.
        (
            "domain Events",
            "a.pdl:4:8: expected each domain to get a module of its own, but `events` is taken",
        ),
        ("domain Mod", "a.pdl:4:8: expected each domain to get a module of its own, but `mod` is taken"),
        (
            "domain CdpProtocol",
            "a.pdl:4:8: expected each domain to get a module of its own, but `cdp_protocol` is taken",
        ),
    ];
    for (text, expected) in table {
        let unit = pdl::parse(&format!("{root}{text}"), Path::new("a.pdl")).unwrap();
        let protocol = cdp_gen::model::Protocol { version: unit.version.unwrap().0, domains: unit.domains };
        let options = rust::Options { runtime: "cdp_protocol".to_owned(), ..rust::Options::default() };
        let errors = rust::generate(&protocol, &options).expect_err(text);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, [expected], "of {text:?}");
    }
}

#[test]
fn only_names_that_are_nothing_else_than_each_other_are_refused() {
    let errors = |text: &str| {
        let unit = pdl::parse(text, Path::new("a.pdl")).unwrap();
        let version = cdp_gen::model::Version::default();
        let protocol = cdp_gen::model::Protocol { version, domains: unit.domains };
        let found = Index::new(&protocol).map(drop).err().unwrap_or_default();
        found.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let message = |line: usize, name: &str| {
        format!("a.pdl:{line}:8: expected `{name}` to be something, but it only leads back to itself")
    };
    let circle = "domain A\n  type B extends D.E\n  type C extends B\ndomain D\n  type E extends A.B\n";
    assert_eq!(errors(circle), [message(2, "B"), message(5, "E")]);
    // An empty list ends the first, a value without the member the second.
    let ends = "domain A\n  type B extends array of B\n  type C extends D\n  type D extends object\n    properties\n      optional C c\n";
    assert_eq!(errors(ends), Vec::<String>::new());
}

#[test]
fn an_include_must_exist_lie_below_and_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.pdl");
    let table = [
        ("include none.pdl", "root.pdl:1:9: cannot read the included file"),
        (
            "include ../up.pdl",
            "root.pdl:1:9: expected a path below the including file's folder, found `../up.pdl`",
        ),
        (
            "include /etc/passwd",
            "root.pdl:1:9: expected a path below the including file's folder, found `/etc/passwd`",
        ),
        ("include root.pdl", "root.pdl:1:9: expected no file to include itself, but `root.pdl` does"),
        ("domain A", "root.pdl: expected `version` with `major` and `minor`, found none"),
    ];
    for (text, expected) in table {
        std::fs::write(&root, text).unwrap();
        let error = pdl::load(&root).expect_err(text).to_string();
        assert!(error.contains(expected), "{error} of {text:?}");
    }
}

#[test]
fn parsing_what_was_printed_gives_the_same_again() {
    let mut files = vec![];
    for folder in ["pdl", "pdl/domains", "cdp-gen/tests/repo/golden", "cdp-gen/tests/repo/golden/domains"] {
        for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    let mut count = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "pdl")) {
        let unit = pdl::parse(&std::fs::read_to_string(path).unwrap(), path).unwrap();
        for domain in &unit.domains {
            let text = pdl::print_domain(&unit.header, domain);
            let again = pdl::parse(&text, path).unwrap();
            assert_eq!(again.domains, std::slice::from_ref(domain), "{}", path.display());
            assert_eq!(again.header, unit.header);
            count += 1;
        }
        if let Some((version, _)) = &unit.version {
            let includes = unit.includes.iter().map(|i| (i.path.as_str(), i.comment.as_slice()));
            let again = pdl::parse(&pdl::print_root(&unit.header, version, includes), path).unwrap();
            assert_eq!((again.header, again.includes), (unit.header.clone(), unit.includes.clone()));
        }
    }
    assert!(count > 50, "only {count} domains were printed");
}

#[test]
fn the_repositorys_own_protocol_is_printed_as_it_stands() {
    let folder = repository().join("pdl/domains");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let unit = pdl::parse(&text, &path).unwrap();
        assert_eq!(pdl::print_domain(&unit.header, &unit.domains[0]), text, "{}", path.display());
    }
    let loaded = pdl::load_dir(&repository().join("pdl")).unwrap();
    assert!(Index::new(&loaded.protocol).unwrap().len() > 500);
}
