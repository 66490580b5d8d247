//! Importing: JSON and PDL say the same, facts only, our own comments stay, nobody else's file goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cdp_gen::model::{Field, Protocol, Shape, Type, Value};
use cdp_gen::{import, json, pdl};
use serde_json::{Map, json};

pub(crate) fn own_protocol() -> Protocol {
    pdl::load_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl")).unwrap().protocol
}

/// The protocol in the form in which a browser describes itself, with prose that must be left behind.
pub(crate) fn to_json(protocol: &Protocol) -> String {
    let domains: Vec<_> = protocol
        .domains
        .iter()
        .map(|domain| {
            let mut object = marked(&domain.marks);
            object.insert("domain".into(), json!(domain.name));
            let names: Vec<_> = domain.depends.iter().map(|d| d.domain.clone()).collect();
            if !names.is_empty() {
                object.insert("dependencies".into(), json!(names));
            }
            let types = domain.types.iter().map(|def| {
                let mut object = marked(&def.marks);
                object.insert("id".into(), json!(def.name));
                match &def.shape {
                    Shape::Alias(ty) => put_type(&mut object, ty),
                    Shape::Enum(values) => put_type(&mut object, &Type::Enum(values.clone())),
                    Shape::Object(list) => {
                        object.insert("type".into(), json!("object"));
                        object.insert("properties".into(), fields(list));
                    }
                }
                json!(object)
            });
            object.insert("types".into(), types.collect());
            let commands = domain.commands.iter().map(|command| {
                let mut object = marked(&command.marks);
                object.insert("name".into(), json!(command.name));
                if let Some(redirect) = &command.redirect {
                    object.insert("redirect".into(), json!(redirect.domain));
                }
                object.insert("parameters".into(), fields(&command.parameters));
                object.insert("returns".into(), fields(&command.returns));
                json!(object)
            });
            object.insert("commands".into(), commands.collect());
            let events = domain.events.iter().map(|event| {
                let mut object = marked(&event.marks);
                object.insert("name".into(), json!(event.name));
                object.insert("parameters".into(), fields(&event.parameters));
                json!(object)
            });
            object.insert("events".into(), events.collect());
            json!(object)
        })
        .collect();
    let version = json!({ "major": protocol.version.major, "minor": protocol.version.minor });
    json!({ "version": version, "domains": domains }).to_string()
}

fn marked(marks: &cdp_gen::model::Marks) -> Map<String, serde_json::Value> {
    let mut object = Map::new();
    object.insert("description".into(), json!("Upstream prose.\nWith # signs."));
    for (key, flag) in [("experimental", marks.experimental), ("deprecated", marks.deprecated)] {
        if flag {
            object.insert(key.into(), json!(true));
        }
    }
    object
}

fn fields(list: &[Field]) -> serde_json::Value {
    list.iter()
        .map(|field| {
            let mut object = marked(&field.marks);
            object.insert("name".into(), json!(field.name));
            if field.optional {
                object.insert("optional".into(), json!(true));
            }
            put_type(&mut object, &field.ty);
            json!(object)
        })
        .collect()
}

fn put_type(object: &mut Map<String, serde_json::Value>, ty: &Type) {
    let word = match ty {
        Type::Boolean => "boolean",
        Type::Integer => "integer",
        Type::Number => "number",
        Type::String => "string",
        Type::Binary => "binary",
        Type::Any => "any",
        Type::Object => "object",
        Type::Ref(name) => {
            object.insert("$ref".into(), json!(name));
            return;
        }
        Type::Array(item) => {
            let mut items = Map::new();
            put_type(&mut items, item);
            object.insert("items".into(), json!(items));
            "array"
        }
        Type::Enum(values) => {
            object.insert("enum".into(), values.iter().map(|Value { name, .. }| json!(name)).collect());
            "string"
        }
        Type::Struct(list) => {
            object.insert("properties".into(), json!(fields(list)));
            "object"
        }
    };
    object.insert("type".into(), json!(word));
}

#[test]
fn json_and_pdl_of_a_whole_protocol_are_the_same_model() {
    same_model(own_protocol(), "Page");
    // The small protocol has every construct, also those that no browser uses today.
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repo/golden");
    same_model(pdl::load_dir(&small).unwrap().protocol, "Zoo");
}

fn same_model(protocol: Protocol, domain: &str) {
    let from_json = json::parse(&to_json(&protocol), Path::new("protocol.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    import::write(from_json.clone(), None, folder.path()).unwrap();
    let from_pdl = pdl::load_dir(folder.path()).unwrap().protocol;
    assert_eq!(from_json, from_pdl);
    let mut bare = protocol;
    bare.domains.iter_mut().for_each(|domain| drop(cdp_gen::comments::take(domain)));
    assert_eq!(from_json, bare);
    let text = fs::read_to_string(folder.path().join(format!("domains/{domain}.pdl"))).unwrap();
    assert!(!text.contains('#'), "prose came along");
}

#[test]
fn every_item_of_the_pinned_protocol_has_a_sentence_of_ours() {
    let mut without = Vec::new();
    for domain in &own_protocol().domains {
        let types = domain.types.iter().map(|def| (&def.name, &def.marks));
        let commands = domain.commands.iter().map(|command| (&command.name, &command.marks));
        let events = domain.events.iter().map(|event| (&event.name, &event.marks));
        let items = [(&domain.name, &domain.marks)].into_iter().chain(types).chain(commands).chain(events);
        let bare = items.filter(|(_, marks)| marks.comment.iter().all(|line| line.trim().is_empty()));
        without.extend(bare.map(|(name, _)| format!("{}: {name}", domain.name)));
    }
    assert!(without.is_empty(), "write what these are for, above them in pdl/: {without:#?}");
}

#[test]
fn a_faulty_json_description_is_an_error_with_the_path() {
    let table = [
        ("{", "p.json:1:1: expected JSON: EOF while parsing an object at line 1 column 1"),
        ("{}", "p.json: top level: expected a member `version`, found none"),
        (r#"{"version":{"major":"1","minor":3},"domains":[]}"#, "p.json: version.minor: expected text"),
        (
            r#"{"version":{"major":"1","minor":"3"}}"#,
            "p.json: top level: expected a member `domains`, found none",
        ),
        (r#"{"version":{"major":"1","minor":"3"},"domains":[7]}"#, "p.json: domains[0]: expected an object"),
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"../x"}]}"#,
            "p.json: domains[0]: expected a name of letters, digits and `_` in `domain`, found `../x`",
        ),
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","types":[{"id":"T","type":"what"}]}]}"#,
            "p.json: domains[0].types[0]: expected a type, found `what`",
        ),
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","types":[{"id":"T","type":"string","enum":["a b"]}]}]}"#,
            "p.json: domains[0].types[0].enum[0]: expected one word as an enumeration value",
        ),
        (
            r#"{"version":{"major":"one","minor":"3"},"domains":[]}"#,
            "p.json: version: expected a number in `major`, found `one`",
        ),
        // What PDL has no words for must not get lost on the way there.
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","types":[{"id":"T","type":"array","items":{"type":"object","properties":[{"name":"p","type":"any"}]}}]}]}"#,
            "p.json: domains[0].types[0]: expected the items of the type `T` to be of a type with a name, found what is declared in place",
        ),
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","types":[{"id":"T","type":"array","items":{"type":"string","enum":["x"]}}]}]}"#,
            "p.json: domains[0].types[0]: expected the items of the type `T` to be of a type with a name, found what is declared in place",
        ),
        (
            r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","types":[{"id":"T","type":"array","items":{"type":"array","items":{"type":"any"}}}]}]}"#,
            "p.json: domains[0].types[0].items: expected items that are no lists themselves, found a list of lists",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(
            json::parse(text, Path::new("p.json")).expect_err(text).to_string(),
            expected,
            "of {text}"
        );
    }
}

#[test]
fn a_reference_to_what_is_built_in_is_no_import() {
    let text = r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","events":[{"name":"e","parameters":[{"name":"p","$ref":"string"}]}]}]}"#;
    let protocol = json::parse(text, Path::new("p.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let errors = import::write(protocol, None, folder.path()).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    // As PDL it would read as the built-in type.
    assert_eq!(
        errors,
        ["p.json: expected a declared type, found `string`, which is not declared in any domain"]
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A folder with an imported protocol of one domain.
struct Folder {
    temp: tempfile::TempDir,
}

const SMALL: &str = "version\n  major 1\n  minor 3\n\n# prose\ndomain A\n\n  # prose\n  command old\n\n  command stays\n    parameters\n      # prose\n      string p\n\ndomain B\n";

impl Folder {
    fn new() -> Folder {
        let folder = Folder { temp: tempfile::tempdir().unwrap() };
        folder.write("source.pdl", SMALL);
        assert_eq!(folder.import(&[]).status.code(), Some(0));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn import(&self, flags: &[&str]) -> Output {
        let [source, out] = ["source.pdl", "pdl"].map(|name| self.path(name));
        Command::new(env!("CARGO_BIN_EXE_cdp-gen"))
            .arg("import")
            .arg(source)
            .arg("--out")
            .arg(out)
            .args(flags)
            .output()
            .unwrap()
    }
}

#[test]
fn our_comments_survive_where_the_item_does() {
    let folder = Folder::new();
    let imported = folder.read("pdl/domains/A.pdl");
    assert_eq!(imported, "domain A\n\n  command old\n\n  command stays\n    parameters\n      string p\n");
    folder.write(
        "pdl/domains/A.pdl",
        "# Head.\n\n# Ours on A.\ndomain A\n  # Ours on old.\n  command old\n  command stays\n    parameters\n      # Ours on p.\n      string p\n",
    );
    let root = folder.read("pdl/protocol.pdl");
    folder.write("pdl/protocol.pdl", &root.replace("include domains/B", "# Ours on B.\ninclude domains/B"));
    folder.write("source.pdl", &SMALL.replace("command old", "command new"));
    let output = folder.import(&["--browser", "Chrome/1", "--revision", "@2"]);
    assert_eq!(output.status.code(), Some(0));
    let expected = "# Head.\n\n# Ours on A.\ndomain A\n\n  command new\n\n  command stays\n    parameters\n      # Ours on p.\n      string p\n";
    assert_eq!(folder.read("pdl/domains/A.pdl"), expected);
    assert!(folder.read("pdl/protocol.pdl").contains("# Ours on B.\ninclude domains/B.pdl"));
    assert_eq!(folder.read("pdl/REVISION"), "browser Chrome/1\nrevision @2\n");
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(warnings.contains("the comment on `command old` is gone with its item"), "{warnings}");
}

#[test]
fn our_comments_are_found_wherever_their_domain_stands() {
    let folder = Folder::new();
    let root = "version\n  major 1\n  minor 3\n\ninclude domains/A.pdl\n\n# Ours on C.\ndomain C\n";
    folder.write("pdl/protocol.pdl", root);
    folder.write("pdl/domains/A.pdl", "include more/D.pdl\ndomain A\n\n# Ours on B.\ndomain B\n");
    fs::create_dir(folder.path("pdl/domains/more")).unwrap();
    folder.write("pdl/domains/more/D.pdl", "# Ours on D.\ndomain D\n");
    // Nobody includes it any more, so an import would not replace it.
    fs::remove_file(folder.path("pdl/domains/B.pdl")).unwrap();
    folder.write("source.pdl", &format!("{SMALL}\ndomain C\n\ndomain D\n"));
    let output = folder.import(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["B", "C", "D"] {
        let expected = format!("# Ours on {name}.\ndomain {name}\n");
        assert_eq!(folder.read(&format!("pdl/domains/{name}.pdl")), expected);
    }
}

#[test]
fn a_domain_that_is_gone_takes_its_own_file_along_and_no_other() {
    let folder = Folder::new();
    folder.write("pdl/domains/notes.txt", "mine");
    folder.write("pdl/domains/Z.pdl", "not included, so not ours");
    folder.write("source.pdl", SMALL.strip_suffix("\ndomain B\n").unwrap());
    folder.write("pdl/domains/B.pdl", "# Ours on B.\ndomain B\n  # Ours on c.\n  command c\n");
    let output = folder.import(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(!folder.path("pdl/domains/B.pdl").exists());
    assert!(folder.path("pdl/domains/notes.txt").exists() && folder.path("pdl/domains/Z.pdl").exists());
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(warnings.contains("REVISION: not written"), "{warnings}");
    for item in ["command c", "domain"] {
        let line = format!("domain B: the comment on `{item}` is gone with its item\n");
        assert!(warnings.contains(&line), "{warnings}");
    }
}

#[test]
fn the_revision_is_that_of_the_source_or_none() {
    let folder = Folder::new();
    assert!(!folder.path("pdl/REVISION").exists());
    folder.import(&["--browser", "Chrome/1", "--revision", "@2"]);
    // A folder says by itself where it came from.
    let copy = |name: &str| {
        let [from, to] = ["pdl", name].map(|name| folder.path(name));
        Command::new(env!("CARGO_BIN_EXE_cdp-gen"))
            .arg("import")
            .arg(from)
            .arg("--out")
            .arg(to)
            .output()
            .unwrap()
    };
    assert_eq!(copy("copy").status.code(), Some(0));
    assert_eq!(folder.read("copy/REVISION"), "browser Chrome/1\nrevision @2\n");
    // A file does not, and what an earlier import said is wrong from then on.
    let warnings = String::from_utf8(folder.import(&[]).stderr).unwrap();
    assert!(warnings.contains("REVISION: removed, since the source does not name its browser"), "{warnings}");
    assert!(!folder.path("pdl/REVISION").exists());
    for text in ["", "browser Chrome/1\n", "browser \nrevision @2\n"] {
        folder.write("pdl/REVISION", text);
        let output = copy("other");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text:?}");
        assert!(
            error.ends_with("REVISION: expected a line `browser <version>` and a line `revision <id>`\n"),
            "{error}"
        );
    }
    let output = folder.import(&["--browser", "", "--revision", "@2"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_file_in_the_way_stops_the_import_before_anything_is_written() {
    let folder = Folder::new();
    folder.write("pdl/domains/C.pdl", "somebody else's");
    let before = folder.read("pdl/domains/A.pdl");
    folder.write("source.pdl", &format!("{}domain C\n", SMALL.replace("command old", "command new")));
    let output = folder.import(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("C.pdl: is in the way"));
    assert_eq!(
        (folder.read("pdl/domains/C.pdl").as_str(), folder.read("pdl/domains/A.pdl")),
        ("somebody else's", before)
    );
}

#[test]
fn a_source_that_cannot_be_read_is_one_clear_line() {
    let folder = Folder::new();
    let run = |source: &str| {
        let out = folder.path("other");
        let tool = Command::new(env!("CARGO_BIN_EXE_cdp-gen"))
            .arg("import")
            .arg(source)
            .arg("--out")
            .arg(out)
            .output();
        let output = tool.unwrap();
        assert!(!folder.path("other").exists(), "something was written for {source}");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // A port that was free a moment ago: nothing listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let table = [
        ("nowhere.pdl".to_owned(), "error: nowhere.pdl: No such file or directory"),
        (
            "protocol.xml".to_owned(),
            "error: protocol.xml: expected http://host:port, a .json file or a .pdl file",
        ),
        (format!("http://127.0.0.1:{port}"), "/json/protocol: "),
    ];
    for (source, expected) in table {
        let (code, text) = run(&source);
        assert_eq!(code, Some(1), "{source}");
        assert!(text.contains(expected) && text.lines().count() == 1, "{text} of {source}");
    }
    let usage = Command::new(env!("CARGO_BIN_EXE_cdp-gen")).arg("import").output().unwrap();
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn the_tool_reads_a_browser_with_its_revision() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 1024];
            while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                let n = stream.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..n]);
            }
            let body = if request.starts_with(b"GET /json/protocol ") {
                r#"{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A"}]}"#
            } else {
                r#"{"Browser":"Chrome/156.0.1.2","WebKit-Version":"537.36 (@abc)"}"#
            };
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://127.0.0.1:{port}/json/protocol");
    let output = Command::new(env!("CARGO_BIN_EXE_cdp-gen"))
        .arg("import")
        .arg(url)
        .arg("--out")
        .arg(folder.path())
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    server.join().unwrap();
    let revision = fs::read_to_string(folder.path().join("REVISION")).unwrap();
    assert_eq!(revision, "browser Chrome/156.0.1.2\nrevision @abc\n");
}
