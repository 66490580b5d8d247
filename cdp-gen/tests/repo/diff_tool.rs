//! The tool's `diff`: exit codes, sources of every kind, errors.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use cdp_gen::diff::Rule;

use crate::diff::{protocol, text};
use crate::imports::to_json;

/// A folder with the sources that the tool is run on.
struct Sources {
    temp: tempfile::TempDir,
}

impl Sources {
    fn new() -> Sources {
        let sources = Sources { temp: tempfile::tempdir().unwrap() };
        std::fs::create_dir(sources.path("empty")).unwrap();
        std::fs::create_dir(sources.path("folder")).unwrap();
        sources.write("folder/protocol.pdl", &text("  command c\n  event e\n"));
        sources.write("more.pdl", &text("  command c\n  command d\n  event e\n"));
        sources.write("less.pdl", &text("  command c\n"));
        sources.write("same.json", &to_json(&protocol(&text("  event e\n  command c\n"))));
        sources.write("other.json", "{}");
        sources.write("lost.pdl", &text("  command c\n    parameters\n      Nowhere p\n"));
        sources
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs `diff` in the folder; gives its exit code, output and errors.
    fn diff(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cdp-gen"));
        command.current_dir(self.temp.path()).arg("diff").args(arguments);
        command
    }
}

#[test]
fn the_exit_code_says_what_was_found() {
    let sources = Sources::new();
    let table: [(&[&str], i32, &str); 5] = [
        (&["folder", "same.json"], 0, "no difference\n"),
        (&["folder", "more.pdl"], 3, "A\n  + command d\n1 domain, 1 change, 0 break callers\n"),
        (
            &["same.json", "less.pdl"],
            4,
            "A\n  - event e  [BREAKS: it never comes]\n1 domain, 1 change, 1 breaks callers\n",
        ),
        (&["folder"], 2, ""),
        (&["folder", "more.pdl", "less.pdl"], 2, ""),
    ];
    for (arguments, code, expected) in table {
        let (found, stdout, stderr) = sources.diff(arguments);
        assert_eq!((found, stdout.as_str()), (Some(code), expected), "{arguments:?}: {stderr}");
    }
    let (code, help, _) = sources.diff(&["--help"]);
    assert_eq!(code, Some(0));
    for rule in Rule::ALL {
        let (change, effect, reason) = rule.row();
        assert!(help.contains(&format!("{:<6}  {change}: {reason}\n", effect.word())), "{change}");
    }
    assert!(
        help.contains("\n  3  differences, none") && help.contains("\n  4  differences that break"),
        "{help}"
    );
}

#[test]
fn what_cannot_be_compared_is_one_line_with_cause_and_remedy() {
    let sources = Sources::new();
    // A port that was free a moment ago: nothing listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}");
    let table = [
        (
            "nowhere",
            "error: nowhere: expected http://host:port, a .json file or a .pdl file, or a folder of PDL that exists",
        ),
        ("nowhere.pdl", "error: nowhere.pdl: No such file or directory"),
        ("empty", "error: empty: expected `protocol.pdl` or other `.pdl` files in this folder, found none"),
        (
            "other.json",
            "error: other.json: top level: expected a member `version`, found none; what a browser serves at http://host:port/json/protocol is right",
        ),
        ("lost.pdl", "error: lost.pdl:8:15: expected a declared type, found `Nowhere`"),
        (
            &nobody,
            "is a browser running there? One that is started with --remote-debugging-port=PORT answers",
        ),
    ];
    for (source, expected) in table {
        for arguments in [[source, "folder"], ["folder", source]] {
            let (code, stdout, stderr) = sources.diff(&arguments);
            assert_eq!((code, stdout.as_str()), (Some(1), ""), "{arguments:?}");
            assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{arguments:?}: {stderr}");
        }
    }
}

#[test]
fn a_browser_that_describes_itself_wrongly_is_not_sent_to_itself() {
    let sources = Sources::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}").unwrap();
    });
    let (code, _, stderr) = sources.diff(&["folder", &url]);
    server.join().unwrap();
    let expected =
        format!("error: {url}/json/protocol: top level: expected a member `version`, found none\n");
    assert_eq!((code, stderr), (Some(1), expected));
}

#[test]
fn a_pipe_that_is_closed_early_is_no_failure() {
    let sources = Sources::new();
    let many: String = (0..5000).map(|n| format!("  command c{n}\n")).collect();
    sources.write("many.pdl", &text(&many));
    let mut tool = sources
        .command(&["many.pdl", "less.pdl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More is printed than a pipe holds, so the tool still writes when the pipe goes.
    let mut start = [0; 2];
    tool.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(&start, b"A\n");
    let output = tool.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(4), String::new()));
}

#[test]
fn a_running_browser_is_compared_by_what_it_says_of_itself() {
    let sources = Sources::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let json = to_json(&protocol(&text("  command c\n  event e\n  event new\n")));
    let server = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 1024];
            while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                let n = stream.read(&mut buffer).unwrap();
                assert_ne!(n, 0, "the request breaks off");
                request.extend_from_slice(&buffer[..n]);
            }
            let request = String::from_utf8(request).unwrap();
            let path = request.split(' ').nth(1).unwrap().to_owned();
            let body = match path.as_str() {
                "/json/protocol" => &json,
                _ => r#"{"Browser":"Chrome/156.0.1.2","WebKit-Version":"537.36 (@abc)"}"#,
            };
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            asked.push(path);
        }
        asked
    });
    let (code, stdout, stderr) = sources.diff(&["folder", &format!("http://{address}/")]);
    assert_eq!(
        (code, stdout.as_str()),
        (Some(3), "A\n  + event new\n1 domain, 1 change, 0 break callers\n"),
        "{stderr}"
    );
    assert_eq!(server.join().unwrap(), ["/json/protocol", "/json/version"]);
}
