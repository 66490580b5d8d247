//! Selectors out of any strings and combinations: their text form never fails, their JSON form holds exactly what was put in, and
//! two are equal when their JSON forms are.

use engine::{Filter, Role, RoleQuery, Selector, TextMatch, Toggle};
use serde_json::{Value, json};

use crate::input::Input;

/// Runs one input.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (first, expected) = selector(&mut input, 4);
    let (second, other) = selector(&mut input, 4);
    let text = serde_json::to_string(&first).expect("a selector serialises");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON"), expected);
    assert_eq!(first == second, expected == other, "{first} and {second}");
    assert_eq!(first, first.clone());
    // Each step is a call in the text form, and parts that hold text quote it.
    for selector in [&first, &second] {
        let shown = selector.to_string();
        assert!(shown.contains('(') && shown.ends_with(')'), "{shown}");
    }
}

/// A selector, and the JSON form that is expected of it.
fn selector(input: &mut Input<'_>, depth: usize) -> (Selector, Value) {
    let (mut made, part) = first(input);
    let mut parts = vec![part];
    for _ in 0..input.below(4) {
        let kind = input.below(if depth > 0 { 9 } else { 4 });
        if kind < 4 {
            let (next, part) = match kind {
                0 => {
                    let index = i64::from(input.byte() as i8);
                    (made.nth(index), json!({"by": "nth", "index": index}))
                }
                1 => {
                    let visible = input.flag();
                    (made.filter(Filter::visible(visible)), json!({"by": "visible", "visible": visible}))
                }
                2 => {
                    let (text, json) = text_match(input);
                    (made.filter(Filter::has_text(text)), json!({"by": "hasText", "text": json}))
                }
                _ => {
                    let (text, json) = text_match(input);
                    (made.filter(Filter::has_not_text(text)), json!({"by": "hasNotText", "text": json}))
                }
            };
            made = next;
            parts.push(part);
            continue;
        }
        let (inner, json) = selector(input, depth - 1);
        let inner_parts = json.as_array().cloned().unwrap_or_default();
        let by = match kind {
            4 => {
                made = made.filter(Filter::has(inner));
                "has"
            }
            5 => {
                made = made.filter(Filter::has_not(inner));
                "hasNot"
            }
            6 => {
                made = made.and(inner);
                "and"
            }
            7 => {
                made = made.or(&inner);
                "or"
            }
            _ => {
                made = made.then(inner);
                // Steps that speak of all that was found so far must not be mixed with what was found elsewhere.
                let mixes = |part: &Value| matches!(part["by"].as_str(), Some("nth" | "and" | "or"));
                if !inner_parts.iter().skip(1).any(mixes) {
                    parts.extend(inner_parts);
                    continue;
                }
                "chain"
            }
        };
        parts.push(json!({"by": by, "selector": inner_parts}));
    }
    (made, Value::Array(parts))
}

fn first(input: &mut Input<'_>) -> (Selector, Value) {
    let kind = input.below(10);
    if kind < 4 {
        let text = input.text();
        let is_path = {
            let path = text.trim_start_matches('(');
            path.starts_with("//") || path.starts_with("..")
        };
        return match kind {
            0 => (Selector::css(&*text), json!({"by": "css", "css": text})),
            1 => (Selector::xpath(&*text), json!({"by": "xpath", "xpath": text})),
            _ if is_path => (Selector::from(&*text), json!({"by": "xpath", "xpath": text})),
            _ => (Selector::from(text.clone().into_owned()), json!({"by": "css", "css": text})),
        };
    }
    if kind == 4 {
        return role(input);
    }
    let (text, json) = text_match(input);
    match kind {
        5 => (Selector::text(text), json!({"by": "text", "text": json})),
        6 => (Selector::label(text), json!({"by": "label", "text": json})),
        7 => (Selector::placeholder(&text), json!({"by": "placeholder", "text": json})),
        8 if input.flag() => (Selector::alt_text(text), json!({"by": "alt", "text": json})),
        8 => (Selector::title(text), json!({"by": "title", "text": json})),
        _ => {
            let attribute = input.text();
            let mut json = json;
            if json.get("exact").is_some() {
                json["exact"] = true.into();
            }
            let expected = json!({"by": "testid", "attribute": attribute, "text": json});
            (Selector::test_id_in(attribute, text), expected)
        }
    }
}

fn text_match(input: &mut Input<'_>) -> (TextMatch, Value) {
    let text = input.text();
    match input.below(4) {
        0 => (TextMatch::contains(&*text), json!({"text": text, "exact": false})),
        1 => (TextMatch::exact(&*text), json!({"text": text, "exact": true})),
        2 => (TextMatch::from(&*text).into_exact(), json!({"text": text, "exact": true})),
        _ => {
            let flags = input.text();
            (TextMatch::regex(&*text, &*flags), json!({"regex": text, "flags": flags}))
        }
    }
}

fn role(input: &mut Input<'_>) -> (Selector, Value) {
    let role = input.pick(Role::ALL);
    let mut json = json!({"by": "role", "role": role.as_str()});
    let mut query = RoleQuery::from(role);
    for _ in 0..input.below(5) {
        let on = input.flag();
        query = match input.below(9) {
            0 => {
                let (text, value) = text_match(input);
                json["name"] = value;
                query.named(text)
            }
            1 => {
                let (text, value) = text_match(input);
                json["description"] = value;
                query.described(text)
            }
            2 => {
                json["checked"] = "mixed".into();
                query.checked(Toggle::Mixed)
            }
            3 => {
                json["pressed"] = on.into();
                query.pressed(on)
            }
            4 => {
                json["selected"] = on.into();
                query.selected(on)
            }
            5 => {
                json["expanded"] = on.into();
                query.expanded(on)
            }
            6 => {
                let level = u32::from(input.byte());
                json["level"] = level.into();
                query.level(level)
            }
            7 => {
                json["disabled"] = on.into();
                query.disabled(on)
            }
            _ => {
                json["includeHidden"] = true.into();
                query.include_hidden()
            }
        };
    }
    (Selector::role(query), json)
}
