//! Joins the scripts of `engine/js/` into the one function that is installed in each isolated world; it does not install or call it.

use std::sync::LazyLock;

/// The parts in their order: a part uses only what stands before it when it is run.
const PARTS: [(&str, &str); 20] = [
    ("dom.js", include_str!("../js/dom.js")),
    ("text.js", include_str!("../js/text.js")),
    ("style.js", include_str!("../js/style.js")),
    ("roles.js", include_str!("../js/roles.js")),
    ("states.js", include_str!("../js/states.js")),
    ("names.js", include_str!("../js/names.js")),
    ("content.js", include_str!("../js/content.js")),
    ("preview.js", include_str!("../js/preview.js")),
    ("css.js", include_str!("../js/css.js")),
    ("select.js", include_str!("../js/select.js")),
    ("checks.js", include_str!("../js/checks.js")),
    ("hit.js", include_str!("../js/hit.js")),
    ("watch.js", include_str!("../js/watch.js")),
    ("edit.js", include_str!("../js/edit.js")),
    ("scroll.js", include_str!("../js/scroll.js")),
    ("act.js", include_str!("../js/act.js")),
    ("read.js", include_str!("../js/read.js")),
    ("settle.js", include_str!("../js/settle.js")),
    ("write.js", include_str!("../js/write.js")),
    ("api.js", include_str!("../js/api.js")),
];

/// The function of the isolated world that tells the engine a verdict.
pub(crate) const VERDICT: &str = "__engineVerdict";

/// Sent once a session, to be run by every new document before its own scripts.
const EARLY: &str = include_str!("../js/early.js");

/// A function of one argument, a name. Makes of the binding of that name a function that the page can call and await.
pub(crate) const EXPOSE: &str = include_str!("../js/expose.js");

/// A function of the isolated world, of one argument. With a request it prepares a frame for a picture and measures it; with null
/// it puts all back.
pub(crate) const PICTURE: &str = include_str!("../js/picture.js");

/// A function of one argument, a list of kind, content and URL.
pub(crate) const ADD_TAG: &str = include_str!("../js/tag.js");

/// A function of a function, which gives a function of a time in milliseconds.
const POLL: &str = include_str!("../js/poll.js");

/// A function of a command and its argument.
const CLOCK: &str = include_str!("../js/clock.js");

/// Has the clock of a document do something; sets it in the place of the real one if it is not there.
pub(crate) fn clock(command: &str, argument: &serde_json::Value) -> String {
    format!("({})({command:?}, {argument})", without_comments(CLOCK).trim_end())
}

/// Declares `encode` and `revive`.
const VALUES: &str = include_str!("../js/values.js");

/// A function that looks until an expression is truthy, or the function that it is gives something truthy.
pub(crate) fn polled(expression: &str) -> String {
    format!("({})(() => (\n{expression}\n))", POLL.trim_end())
}

/// A function that says what its second argument is, with all that JSON leaves out.
pub(crate) fn encode() -> String {
    format!("(_, value) => {{\n{}return encode(value);\n}}", without_comments(VALUES))
}

/// A function whose first argument is JSON with values in it that JSON can't say, and the others are objects.
pub(crate) fn revived(function: &str, marker: &str) -> String {
    let values = without_comments(VALUES);
    let call = format!("(\n{function}\n)(revive({marker:?}, json, objects))");
    format!("(json, ...objects) => {{\n{values}return {call};\n}}")
}

static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let parts: Vec<String> = PARTS.iter().map(|(_, text)| without_comments(text)).collect();
    format!("() => {{\n\"use strict\";\nif (globalThis.__engine) return;\n{}}}", parts.concat())
});

/// A script that holds the first place in line for input in a new document's isolated world.
pub(crate) fn early() -> &'static str {
    EARLY
}

/// A function expression without arguments. Called in a world it defines a frozen `globalThis.__engine`; called
/// again it does nothing.
pub(crate) fn source() -> &'static str {
    &SOURCE
}

/// Drops indentation, blank lines and comments that begin a line: the text is sent once a frame. The scripts have
/// no literal that spans lines.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_comment = false;
    for line in text.lines() {
        let mut line = line.trim();
        if in_comment || line.starts_with("/*") {
            let Some((_, rest)) = line.split_once("*/") else {
                in_comment = true;
                continue;
            };
            in_comment = false;
            line = rest.trim_start();
        }
        if !line.is_empty() && !line.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_says_what_it_is_for_and_is_type_checked() {
        for (name, text) in PARTS.into_iter().chain([
            ("early.js", EARLY),
            ("expose.js", EXPOSE),
            ("tag.js", ADD_TAG),
            ("poll.js", POLL),
            ("values.js", VALUES),
            ("clock.js", CLOCK),
            ("picture.js", PICTURE),
        ]) {
            let mut lines = text.lines();
            let header = lines.next().unwrap_or_default();
            assert!(header.starts_with("// ") && header.ends_with('.'), "{name} begins with {header:?}");
            assert_eq!(lines.next(), Some("// @ts-check"), "second line of {name}");
            assert!(text.lines().count() < 500, "{name} is too long");
        }
    }

    #[test]
    fn the_early_script_listens_for_what_mouse_gestures_are_made_of() {
        let types = |text: &str, before: &str| {
            let (_, rest) = text.split_once(before).expect("the list begins there");
            rest.split_once(']').expect("and ends").0.to_owned()
        };
        assert_eq!(types(EARLY, "of ["), types(include_str!("../js/watch.js"), "mouse: ["));
    }

    #[test]
    fn comments_go_and_code_stays() {
        let cases = [
            ("  a();\n\n  // why\n  b();", "a();\nb();\n"),
            ("/** one */\na();", "a();\n"),
            ("/**\n * two\n * lines\n */\na();", "a();\n"),
            ("/** @type {any} */ (a)(b);", "(a)(b);\n"),
            ("a(); // behind code\nb(\"// text\");", "a(); // behind code\nb(\"// text\");\n"),
            ("/* open\n*/ a();\nb();", "a();\nb();\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_comments(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_joined_source_is_one_function_and_small() {
        let source = source();
        assert!(
            source.starts_with("() => {\n") && source.ends_with("\n}"),
            "{}",
            &source[source.len() - 40..]
        );
        assert!(source.len() < 100_000, "{} bytes are sent to each frame", source.len());
    }
}
