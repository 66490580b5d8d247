//! Evaluating JavaScript: values of every shape, promises, what the page throws.

use std::collections::BTreeMap;

use engine::ErrorKind;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::{Env, Outcome, tests};

tests![
    values_come_back_as_they_are,
    values_come_back_as_types,
    undefined_is_nothing,
    promises_are_awaited,
    text_with_half_a_surrogate_pair_arrives,
    an_error_of_the_page_carries_its_message_and_place,
    a_rejected_promise_is_an_error_too,
    anything_can_be_thrown,
    a_syntax_error_is_the_callers,
    a_value_of_another_type_says_what_was_wrong_but_not_the_value,
];

async fn values_come_back_as_they_are(env: &Env) -> Outcome {
    env.open("").await?;
    let cases = [
        ("null", json!(null)),
        ("true", json!(true)),
        ("0", json!(0)),
        ("-1.5", json!(-1.5)),
        ("9007199254740991", json!(9_007_199_254_740_991_i64)),
        ("'text'", json!("text")),
        ("'🦀 ünï'", json!("🦀 ünï")),
        ("[]", json!([])),
        ("({})", json!({})),
        ("[1, [2, [3]], { a: { b: [null, 'x'] } }]", json!([1, [2, [3]], { "a": { "b": [null, "x"] } }])),
        ("document.title", json!("/")),
    ];
    for (expression, value) in cases {
        assert_eq!(env.page.evaluate::<Value>(expression).await?, value, "{expression}");
    }
    Ok(())
}

#[derive(Debug, PartialEq, Deserialize)]
struct Order {
    number: u32,
    total: f64,
    note: Option<String>,
    rows: Vec<BTreeMap<String, i64>>,
}

async fn values_come_back_as_types(env: &Env) -> Outcome {
    env.open("").await?;
    let order: Order = env
        .page
        .evaluate("({ number: 1042, total: 249, note: null, rows: [{ a: 1, b: -2 }], more: 0 })")
        .await?;
    let row = BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), -2)]);
    assert_eq!(order, Order { number: 1042, total: 249.0, note: None, rows: vec![row] });
    Ok(())
}

async fn undefined_is_nothing(env: &Env) -> Outcome {
    env.open("").await?;
    env.page.evaluate::<()>("undefined").await?;
    assert_eq!(env.page.evaluate::<Option<u32>>("undefined").await?, None);
    assert_eq!(env.page.evaluate::<Option<u32>>("7").await?, Some(7));
    Ok(())
}

async fn promises_are_awaited(env: &Env) -> Outcome {
    env.open("").await?;
    let value: u32 = env.page.evaluate("new Promise(done => setTimeout(() => done(7), 50))").await?;
    assert_eq!(value, 7);
    let status: u16 = env.page.evaluate("(async () => (await fetch('/count/x')).status)()").await?;
    assert_eq!(status, 204);
    Ok(())
}

async fn text_with_half_a_surrogate_pair_arrives(env: &Env) -> Outcome {
    env.open("").await?;
    let text: String = env.page.evaluate("'a' + String.fromCharCode(0xD83D) + 'b'").await?;
    assert_eq!(text, "a\u{FFFD}b");
    Ok(())
}

async fn an_error_of_the_page_carries_its_message_and_place(env: &Env) -> Outcome {
    env.open("<script>function broken() { throw new TypeError('no boat today') }</script>").await?;
    let error = env.page.evaluate::<Value>("broken()").await.expect_err("it throws");
    assert_eq!(error.kind(), ErrorKind::Script, "{error}");
    let text = error.to_string();
    assert!(text.contains("TypeError: no boat today") && text.contains("at broken"), "{text}");
    Ok(())
}

async fn a_rejected_promise_is_an_error_too(env: &Env) -> Outcome {
    env.open("").await?;
    let error =
        env.page.evaluate::<Value>("Promise.reject(new Error('late no'))").await.expect_err("it rejects");
    assert_eq!(error.kind(), ErrorKind::Script, "{error}");
    assert!(error.to_string().contains("late no"), "{error}");
    Ok(())
}

async fn anything_can_be_thrown(env: &Env) -> Outcome {
    env.open("").await?;
    for (thrown, shown) in
        [("'plain text'", "plain text"), ("42", "42"), ("null", "null"), ("undefined", "undefined")]
    {
        let expression = format!("(() => {{ throw {thrown} }})()");
        let error = env.page.evaluate::<Value>(&expression).await.expect_err(thrown);
        assert_eq!(error.kind(), ErrorKind::Script, "{error}");
        assert!(error.to_string().contains(shown), "{thrown}: {error}");
    }
    Ok(())
}

async fn a_syntax_error_is_the_callers(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.evaluate::<Value>("1 +").await.expect_err("it can't be parsed");
    assert!(error.to_string().contains("SyntaxError"), "{error}");
    Ok(())
}

async fn a_value_of_another_type_says_what_was_wrong_but_not_the_value(env: &Env) -> Outcome {
    env.open("").await?;
    let error = env.page.evaluate::<u32>("'s3cr3t'").await.expect_err("not a number");
    let text = error.to_string();
    assert!(text.contains("u32") && !text.contains("s3cr3t"), "{text}");
    for nothing in ["null", "undefined"] {
        let value = env.page.evaluate::<f64>(nothing).await;
        assert!(value.is_err(), "{nothing} is {value:?}");
    }
    Ok(())
}
