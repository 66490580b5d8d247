//! The one rule that turns protocol names into Rust names, and what happens when two names meet.
//! Knows words and identifiers, not items.

use std::collections::HashSet;

/// Words the language keeps for itself; a raw identifier (`r#type`) makes most of them usable.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that can't even be raw identifiers.
const NEVER_RAW: &[&str] = &["crate", "self", "super", "Self"];

/// Names that generated modules use from the prelude and the runtime; an item must not shadow them.
pub(crate) const RESERVED_ITEMS: &[&str] = &[
    "Any",
    "Arc",
    "Binary",
    "Box",
    "Clone",
    "Command",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Err",
    "Event",
    "FmtResult",
    "Formatter",
    "From",
    "Hidden",
    "Into",
    "May",
    "Members",
    "Need",
    "None",
    "Ok",
    "Option",
    "Put",
    "PutSome",
    "RawValue",
    "Result",
    "Self",
    "Serialize",
    "Serializer",
    "Some",
    "String",
    "Vec",
];

/// Methods of generated structs that a setter must not shadow.
const RESERVED_SETTERS: &[&str] =
    &["new", "clone", "default", "serialize", "fmt", "into", "from", "to_owned"];

/// Cuts a protocol name into words: at everything that is no letter or digit, before an upper-case
/// letter that follows a lower-case one or a digit, and before the last letter of an acronym that begins a word.
/// A plural acronym (`URLs`) is one word.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let chars: Vec<char> = chunk.chars().collect();
        let mut word = String::new();
        for (i, &c) in chars.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|i| chars.get(i));
            let next = chars.get(i + 1);
            let plural = next == Some(&'s') && !chars.get(i + 2).is_some_and(char::is_ascii_lowercase);
            let starts_word = c.is_ascii_uppercase()
                && before.is_some_and(|b| {
                    !b.is_ascii_uppercase() || (next.is_some_and(char::is_ascii_lowercase) && !plural)
                });
            if starts_word && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.push(c);
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words
}

/// `UpperCamelCase`, acronyms as words: `getFullAXTree` → `GetFullAxTree`, `DOMSnapshot` → `DomSnapshot`.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    if name.starts_with('-') {
        out.push_str("Negative");
    }
    for word in words(name) {
        // `ctap2_0` and `ctap2_1` would read as `Ctap20` and `Ctap21`.
        let digits_meet =
            out.ends_with(|c: char| c.is_ascii_digit()) && word.starts_with(|c: char| c.is_ascii_digit());
        if digits_meet {
            out.push('_');
        }
        let mut chars = word.chars();
        out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        out.extend(chars.map(|c| c.to_ascii_lowercase()));
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert_str(0, "Value");
    }
    out
}

/// `snake_case` without regard to keywords: file names, and the base of [`field`].
pub fn snake(name: &str) -> String {
    let mut out = words(name).join("_").to_ascii_lowercase();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert_str(0, "value_");
    }
    out
}

/// A field's or module's identifier: snake case, keywords made usable.
pub fn field(name: &str) -> String {
    usable(snake(name))
}

/// A setter's identifier: the field's, unless that would hide a method every type has.
pub fn setter(field: &str) -> String {
    if RESERVED_SETTERS.contains(&field) { format!("{field}_") } else { field.to_owned() }
}

fn usable(name: String) -> String {
    if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name.as_str()) {
        format!("r#{name}")
    } else {
        name
    }
}

/// The names already taken in one module, struct or enum.
#[derive(Default)]
pub struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    /// A scope of items, in which the names generated code relies on are taken.
    pub fn items() -> Scope {
        Scope { taken: RESERVED_ITEMS.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// A scope of variants, in which is taken what can't be one, and `Unknown`, which keeps what is not declared.
    pub fn variants() -> Scope {
        Scope { taken: ["Self", "Unknown"].map(str::to_owned).into() }
    }

    /// Takes `name`; if it is taken already, `name` with `suffix`, and after that with a number as well.
    pub fn claim(&mut self, name: String, suffix: &str) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let mut candidate = format!("{name}{suffix}");
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}{suffix}{number}");
            number += 1;
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_names_become_rust_names_by_table() {
        let table = [
            ("CSS", "Css", "css"),
            ("DOMDebugger", "DomDebugger", "dom_debugger"),
            ("IndexedDB", "IndexedDb", "indexed_db"),
            ("WebAuthn", "WebAuthn", "web_authn"),
            ("WebMCP", "WebMcp", "web_mcp"),
            ("IO", "Io", "io"),
            ("FedCm", "FedCm", "fed_cm"),
            ("getFullAXTree", "GetFullAxTree", "get_full_ax_tree"),
            ("backendDOMNodeId", "BackendDomNodeId", "backend_dom_node_id"),
            ("setBlockedURLs", "SetBlockedUrls", "set_blocked_urls"),
            ("printToPDF", "PrintToPdf", "print_to_pdf"),
            ("XMLHttpRequest", "XmlHttpRequest", "xml_http_request"),
            ("RGBA", "Rgba", "rgba"),
            ("base64Encoded", "Base64Encoded", "base64_encoded"),
            ("V8OptimizerDisabled", "V8OptimizerDisabled", "v8_optimizer_disabled"),
            ("ctap2_0", "Ctap2_0", "ctap2_0"),
            ("ch-ua-wow64", "ChUaWow64", "ch_ua_wow64"),
            (
                "RenderFrameHostReused_SameSite",
                "RenderFrameHostReusedSameSite",
                "render_frame_host_reused_same_site",
            ),
            ("-Infinity", "NegativeInfinity", "infinity"),
            ("-0", "Negative0", "value_0"),
            ("3g", "Value3g", "value_3g"),
            ("*", "Value", "value_"),
        ];
        for (name, camel_case, snake_case) in table {
            assert_eq!(camel(name), camel_case, "camel of {name}");
            assert_eq!(snake(name), snake_case, "snake of {name}");
        }
    }

    #[test]
    fn keywords_and_fixed_names_stay_usable() {
        assert_eq!(field("type"), "r#type");
        assert_eq!(field("override"), "r#override");
        assert_eq!(field("self"), "self_");
        assert_eq!(Scope::variants().claim(camel("self"), "Value"), "SelfValue");
        assert_eq!(Scope::variants().claim(camel("unknown"), "Value"), "UnknownValue");
        assert_eq!(setter("new"), "new_");
        assert_eq!(setter("url"), "url");
    }

    #[test]
    fn names_that_meet_get_a_suffix_and_then_a_number() {
        let mut scope = Scope::items();
        assert_eq!(scope.claim("Navigate".to_owned(), "Command"), "Navigate");
        assert_eq!(scope.claim("Navigate".to_owned(), "Event"), "NavigateEvent");
        assert_eq!(scope.claim("Navigate".to_owned(), "Event"), "NavigateEvent2");
        assert_eq!(scope.claim("String".to_owned(), "Type"), "StringType");
    }
}
