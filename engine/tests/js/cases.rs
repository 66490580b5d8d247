//! What a case is, and the list of all of them; the cases themselves are data in the files below.

mod checks;
mod reads;
mod selectors;

use serde_json::{Value, json};

/// One thing to run in a fresh body, and what must come out.
pub(crate) struct Case {
    pub(crate) group: &'static str,
    pub(crate) html: String,
    /// Script to run before, in the page.
    pub(crate) setup: String,
    /// For people: the call or the selector.
    pub(crate) call: String,
    pub(crate) expected: Value,
    kind: &'static str,
    selector: Value,
}

impl Case {
    /// What the page reads.
    pub(crate) fn to_json(&self) -> Value {
        let Case { html, setup, call, kind, selector, .. } = self;
        json!({ "kind": kind, "html": html, "setup": setup, "call": call, "selector": selector })
    }
}

/// Every case of every group.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = names();
    for (html, selector, expected) in selectors::found() {
        cases.push(selection("selectors", html, &selector, json!(expected)));
    }
    for (selector, why) in selectors::malformed() {
        cases.push(selection("malformed", "<p>x</p>", &selector, json!({ "is": "invalid", "why": why })));
    }
    for (group, list) in [("checks", checks::CASES), ("reads", reads::READS), ("settling", reads::SETTLING)] {
        for (html, setup, call, expected) in list {
            let expected =
                serde_json::from_str(expected).unwrap_or_else(|error| panic!("{expected}: {error}"));
            cases.push(Case {
                group,
                html: (*html).to_owned(),
                setup: (*setup).to_owned(),
                call: (*call).to_owned(),
                expected,
                kind: "call",
                selector: Value::Null,
            });
        }
    }
    cases
}

fn names() -> Vec<Case> {
    let list: Vec<(String, Option<String>, String)> =
        serde_json::from_str(include_str!("names.json")).expect("names.json: [html, role, name]");
    let case = |(html, role, name)| Case {
        group: "names",
        html,
        setup: String::new(),
        call: "role and name of #t".to_owned(),
        expected: json!({ "role": role, "name": name }),
        kind: "name",
        selector: Value::Null,
    };
    list.into_iter().map(case).collect()
}

fn selection(group: &'static str, html: &str, selector: &engine::Selector, expected: Value) -> Case {
    Case {
        group,
        html: html.to_owned(),
        setup: String::new(),
        call: selector.to_string(),
        expected,
        kind: "select",
        selector: serde_json::to_value(selector).expect("selectors serialise"),
    }
}
