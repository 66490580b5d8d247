//! Values that JSON can't say, handles, and waiting for something to be so.

use std::collections::HashMap;
use std::time::Duration;

use engine::{ErrorKind, JsValue, Outcome as Effect, Source};
use serde::{Deserialize, Serialize};

use crate::harness::{Env, Outcome, seed, tests, until};

tests![
    values_come_with_all_that_json_leaves_out,
    values_go_as_arguments_wherever_they_stand,
    random_values_come_back_as_they_went,
    cycles_and_shared_parts_stay_what_they_are,
    what_is_no_data_is_told_with_its_place,
    plain_data_is_not_touched,
    a_value_of_another_type_is_told_with_its_place,
    handles_are_arguments_and_give_their_values,
    a_handle_of_a_primitive_needs_no_object,
    a_handle_of_a_document_that_went_says_so,
    dropped_handles_are_let_go,
    the_isolated_world_does_not_see_what_the_page_has_made_of_its_globals,
    a_function_is_waited_for_until_it_gives_something,
    what_throws_ends_the_wait,
    a_wait_goes_on_in_the_next_document,
    a_hidden_page_is_looked_at_too,
    scripts_and_styles_are_added,
    scripts_that_can_not_be_added_say_why,
    an_open_dialog_is_named_by_what_waits_for_it,
    a_navigation_in_the_middle_of_a_script_says_so,
    a_script_is_a_users_doing_only_if_it_is_said_so,
];

async fn values_come_with_all_that_json_leaves_out(env: &Env) -> Outcome {
    for (expression, value) in [
        ("undefined", JsValue::Undefined),
        ("null", JsValue::Null),
        ("true", JsValue::Bool(true)),
        ("1.5", JsValue::Number(1.5)),
        ("'a'", JsValue::from("a")),
        ("-12345678901234567890n", JsValue::BigInt("-12345678901234567890".into())),
        ("Infinity", JsValue::Number(f64::INFINITY)),
        ("new Date(5)", JsValue::Date(5.0)),
        ("new URL('http://h')", JsValue::Url("http://h/".into())),
        ("/a+/gi", JsValue::RegExp { source: "a+".into(), flags: "gi".into() }),
        (
            "[undefined, -Infinity]",
            JsValue::Array(vec![JsValue::Undefined, JsValue::Number(f64::NEG_INFINITY)]),
        ),
        ("new Map([[1, new Set(['b'])]])", {
            JsValue::Map(vec![(JsValue::from(1), JsValue::Set(vec![JsValue::from("b")]))])
        }),
        ("Promise.resolve({a: 1n})", JsValue::Object(vec![("a".into(), JsValue::BigInt("1".into()))])),
        ("new Uint16Array([1, 258])", JsValue::Bytes { kind: "Uint16Array".into(), bytes: vec![1, 0, 2, 1] }),
        (
            "new Uint8Array([7, 8, 9]).buffer",
            JsValue::Bytes { kind: "ArrayBuffer".into(), bytes: vec![7, 8, 9] },
        ),
        ("new Uint8Array([7, 8, 9]).subarray(1)", JsValue::bytes([8, 9])),
    ] {
        assert_eq!(env.page.evaluate_value(expression).await?, value, "{expression}");
    }
    let negative = env.page.evaluate_value("[-0, NaN, new Date(NaN)]").await?;
    assert_eq!(format!("{negative:?}"), "Array([Number(-0.0), Number(NaN), Date(NaN)])");
    let error = env.page.evaluate_value("new RangeError('too far')").await?;
    let JsValue::Error { name, message, stack } = error else { return Err(format!("{error:?}").into()) };
    assert_eq!((&*name, &*message), ("RangeError", "too far"));
    assert!(stack.starts_with("RangeError: too far"), "{stack}");
    Ok(())
}

#[derive(Serialize)]
struct Order {
    id: u32,
    placed: JsValue,
    tags: HashMap<String, JsValue>,
}

async fn values_go_as_arguments_wherever_they_stand(env: &Env) -> Outcome {
    let order = Order {
        id: 7,
        placed: JsValue::Date(86_400_000.0),
        tags: HashMap::from([("size".to_owned(), JsValue::BigInt("9007199254740993".into()))]),
    };
    let seen: String = env
        .page
        .evaluate_with(
            "([order, list]) => [order.id, order.placed.toISOString(), typeof order.tags.size, String(order.tags.size),
                list[0] === undefined, Object.is(list[1], -0), list[2] instanceof Uint8Array, list[3].test('AB')].join()",
            (order, [
                JsValue::Undefined,
                JsValue::Number(-0.0),
                JsValue::bytes([1]),
                JsValue::RegExp { source: "^ab$".into(), flags: "i".into() },
            ]),
        )
        .await?;
    assert_eq!(seen, "7,1970-01-02T00:00:00.000Z,bigint,9007199254740993,true,true,true,true");
    Ok(())
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn text(&mut self) -> String {
        let letters = ['a', '"', '\\', '\n', 'é', '𝄞', '\0', '_'];
        let length = self.below(5);
        let mut text: String =
            (0..length).map(|_| letters[self.below(letters.len() as u64) as usize]).collect();
        if text == "__proto__" {
            text.push('a');
        }
        text
    }

    fn value(&mut self, depth: u64) -> JsValue {
        let kinds = if depth == 0 { 9 } else { 13 };
        let length = self.below(4);
        let items = |random: &mut Self| (0..length).map(|_| random.value(depth - 1)).collect::<Vec<_>>();
        match self.below(kinds) {
            0 => JsValue::Undefined,
            1 => JsValue::Null,
            2 => JsValue::Bool(self.below(2) == 0),
            3 => JsValue::Number(f64::from_bits(self.below(1 << 30) << 33)),
            4 => JsValue::BigInt(self.below(1 << 30).to_string()),
            5 => JsValue::String(self.text()),
            6 => JsValue::Date(self.below(1 << 30) as f64),
            7 => JsValue::bytes((0..length).map(|byte| byte as u8).collect::<Vec<_>>()),
            8 => JsValue::RegExp { source: "a|b".into(), flags: "u".into() },
            9 => JsValue::Array(items(self)),
            10 => {
                let items = items(self);
                JsValue::Object(
                    items
                        .into_iter()
                        .enumerate()
                        .map(|(n, item)| (format!("k{n}{}", self.text()), item))
                        .collect(),
                )
            }
            11 => {
                let items = items(self);
                JsValue::Map(
                    items.into_iter().enumerate().map(|(n, item)| (JsValue::from(n as i32), item)).collect(),
                )
            }
            _ => JsValue::Set((0..length).map(|n| JsValue::from(n as i32)).collect()),
        }
    }
}

async fn random_values_come_back_as_they_went(env: &Env) -> Outcome {
    let seed = seed();
    let mut random = Random(seed);
    for round in 0..100 {
        let value = random.value(4);
        let back = env.page.evaluate_handle_with("value => value", &value).await?.value().await?;
        // As text, since NaN is not itself.
        assert_eq!(format!("{back:?}"), format!("{value:?}"), "seed {seed}, round {round}");
    }
    Ok(())
}

async fn cycles_and_shared_parts_stay_what_they_are(env: &Env) -> Outcome {
    let value =
        env.page.evaluate_value("(() => { const a = {b: []}; a.b.push(a, a.b); return a })()").await?;
    let inner = JsValue::Array(vec![JsValue::Reference(0), JsValue::Reference(1)]);
    assert_eq!(value, JsValue::Object(vec![("b".into(), inner)]));
    let same: (bool, bool) = env.page.evaluate_with("a => [a.b[0] === a, a.b[1] === a.b]", &value).await?;
    assert_eq!(same, (true, true));
    Ok(())
}

async fn what_is_no_data_is_told_with_its_place(env: &Env) -> Outcome {
    for (expression, told) in [
        ("({a: [1, () => 1]})", "a function can't be given as a value, at .a[1]"),
        ("Symbol.iterator", "symbol"),
        ("[document.body]", "a HTMLBodyElement can't be given as a value, at [0]"),
        ("window", "a Window can't be given"),
        ("(() => { let a = []; for (let n = 0; n < 600; n++) a = [a]; return a })()", "more than 500 deep"),
    ] {
        let error = env.page.evaluate_value(expression).await.expect_err(expression);
        assert!(error.to_string().contains(told), "{expression}: {error}");
    }
    Ok(())
}

async fn plain_data_is_not_touched(env: &Env) -> Outcome {
    let json = serde_json::json!({ "undefined": 0, "date": 5, "array": [{ "reference": 0 }] });
    assert_eq!(env.page.evaluate_with::<serde_json::Value>("it => it", &json).await?, json);
    Ok(())
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "never made")]
struct Cart {
    items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "never made")]
struct Item {
    price: f64,
}

async fn a_value_of_another_type_is_told_with_its_place(env: &Env) -> Outcome {
    let cart = "({items: [{price: 1}, {price: 'secret'}]})";
    let error = env.page.evaluate::<Cart>(cart).await.expect_err("a price is a number");
    let text = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(text.contains("items[1].price") && text.contains("Cart") && !text.contains("secret"), "{text}");
    Ok(())
}

async fn handles_are_arguments_and_give_their_values(env: &Env) -> Outcome {
    env.open("<p id=a>text</p>").await?;
    let node = env.page.evaluate_handle("document.getElementById('a')").await?;
    assert!(format!("{node:?}").contains("p#a"), "{node:?}");
    let set = env.page.evaluate_handle("new Set([1, 2])").await?;
    let seen: (String, u32) = env
        .page
        .evaluate_with("({node, rest: [set]}) => [node.textContent, set.size]", {
            #[derive(Serialize)]
            struct Both<'a> {
                node: &'a engine::JsHandle,
                rest: [&'a engine::JsHandle; 1],
            }
            Both { node: &node, rest: [&set] }
        })
        .await?;
    assert_eq!(seen, ("text".to_owned(), 2));
    assert_eq!(set.value().await?, JsValue::Set(vec![JsValue::from(1), JsValue::from(2)]));
    assert_eq!(node.property("textContent").await?.json_value::<String>().await?, "text");
    let object = env.page.evaluate_handle("({a: {b: 1}})").await?;
    assert_eq!(
        object.property("a").await?.json_value::<HashMap<String, u8>>().await?,
        HashMap::from([("b".to_owned(), 1)])
    );
    Ok(())
}

async fn a_handle_of_a_primitive_needs_no_object(env: &Env) -> Outcome {
    let number = env.page.evaluate_handle("7").await?;
    assert_eq!((number.value().await?, number.json_value::<u8>().await?), (JsValue::from(7), 7));
    assert_eq!(env.page.evaluate_with::<u8>("n => n + 1", &number).await?, 8);
    assert_eq!(env.page.evaluate_handle("undefined").await?.value().await?, JsValue::Undefined);
    Ok(())
}

async fn a_handle_of_a_document_that_went_says_so(env: &Env) -> Outcome {
    env.open("").await?;
    let handle = env.page.evaluate_handle("document.body").await?;
    env.page.reload().await?;
    let used =
        env.page.evaluate_with::<()>("() => {}", &handle).await.expect_err("it is of another document");
    let read = handle.json_value::<()>().await.expect_err("it is of another document");
    for error in [used, read] {
        assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    }
    Ok(())
}

async fn dropped_handles_are_let_go(env: &Env) -> Outcome {
    env.open(
        "<script>made = 0; gone = 0; registry = new FinalizationRegistry(() => gone++);
        make = () => { const big = {}; registry.register(big, ''); made++; return big }</script>",
    )
    .await?;
    for _ in 0..20 {
        drop(env.page.evaluate_handle("make()").await?);
    }
    let kept = env.page.evaluate_handle("make()").await?;
    let session = env.page.session();
    for _ in 0..20 {
        session.call(&cdp_protocol::domains::heap_profiler::CollectGarbage::new()).await?;
        if env.page.evaluate::<u32>("gone").await? >= 20 {
            break;
        }
    }
    assert_eq!(env.page.evaluate::<(u32, u32)>("[made, gone]").await?, (21, 20));
    drop(kept);
    Ok(())
}

async fn the_isolated_world_does_not_see_what_the_page_has_made_of_its_globals(env: &Env) -> Outcome {
    env.open("<p>text</p><script>document.querySelector = () => null; secret = 1</script>").await?;
    let text = "document.querySelector('p')?.textContent ?? null";
    assert_eq!(env.page.evaluate::<Option<String>>(text).await?, None);
    assert_eq!(env.page.evaluate::<Option<String>>(text).isolated().await?.as_deref(), Some("text"));
    assert_eq!(env.page.evaluate::<String>("typeof secret").isolated().await?, "undefined");
    let node = env.page.evaluate_handle("document.querySelector('p')").isolated().await?;
    let same: bool =
        env.page.evaluate_with("node => node === document.querySelector('p')", &node).isolated().await?;
    assert!(same);
    let error = env.page.evaluate_with::<()>("() => {}", &node).await.expect_err("another world's");
    assert_eq!(error.kind(), ErrorKind::Navigation, "{error}");
    Ok(())
}

async fn a_function_is_waited_for_until_it_gives_something(env: &Env) -> Outcome {
    env.open("<script>n = 0; setInterval(() => n++, 20)</script>").await?;
    assert!(env.page.wait_for_function::<u32>("n >= 5 && n").await? >= 5);
    assert!(env.page.wait_for_function::<u32>("() => n >= 10 ? n : 0").await? >= 10);
    let late = "async () => { await new Promise(done => setTimeout(done, 30)); return n >= 15 && {n} }";
    assert!(env.page.wait_for_function::<HashMap<String, u32>>(late).await?["n"] >= 15);
    let limit = Duration::from_millis(300);
    let error = env.page.wait_for_function::<u8>("false").timeout(limit).await.expect_err("it never is");
    assert!(error.is_timeout(), "{error}");
    assert_eq!(error.outcome(), Effect::ReadOnly);
    Ok(())
}

async fn what_throws_ends_the_wait(env: &Env) -> Outcome {
    let error = env.page.wait_for_function::<u8>("nothing.of.that").await.expect_err("it throws");
    assert_eq!(error.kind(), ErrorKind::Script);
    assert!(error.to_string().contains("nothing is not defined"), "{error}");
    Ok(())
}

async fn a_wait_goes_on_in_the_next_document(env: &Env) -> Outcome {
    env.site.page("/next", "<script>setTimeout(() => there = 'next', 100)</script>");
    env.open("<script>setTimeout(() => location.href = '/next', 100)</script>").await?;
    let there: String = env.page.wait_for_function("globalThis.there").await?;
    assert_eq!((there.as_str(), env.page.url()), ("next", env.site.url("/next")));
    Ok(())
}

async fn a_hidden_page_is_looked_at_too(env: &Env) -> Outcome {
    env.open("<script>setTimeout(() => there = 1, 300)</script>").await?;
    let front = env.context.new_page().await?;
    front.session().call(&cdp_protocol::domains::page::BringToFront).await?;
    let limit = Duration::from_secs(5);
    assert_eq!(env.page.wait_for_function::<u8>("globalThis.there").timeout(limit).await?, 1);
    Ok(())
}

async fn scripts_and_styles_are_added(env: &Env) -> Outcome {
    env.open("<p>text</p>").await?;
    env.site.file("/a.js", &[("content-type", "text/javascript")], "loaded = 'url'");
    env.site.file("/a.css", &[("content-type", "text/css")], "p { color: rgb(1, 2, 3) }");
    let folder = env.browser.process().expect("it was launched").scratch().join("added.js");
    std::fs::write(&folder, "loaded += ' path'")?;
    env.page.add_script_tag(Source::Url("/a.js".into())).await?;
    env.page.add_script_tag(Source::Path(folder)).await?;
    env.page.add_script_tag(Source::Content("loaded += ' content'".into())).await?;
    assert_eq!(env.page.evaluate::<String>("loaded").await?, "url path content");
    env.page.add_style_tag(Source::Url("/a.css".into())).await?;
    env.page.add_style_tag(Source::Content("p { width: 123px }".into())).await?;
    let style: (String, String) =
        env.page.evaluate("(s => [s.color, s.width])(getComputedStyle(document.querySelector('p')))").await?;
    assert_eq!(style, ("rgb(1, 2, 3)".to_owned(), "123px".to_owned()));
    Ok(())
}

async fn scripts_that_can_not_be_added_say_why(env: &Env) -> Outcome {
    let policy =
        [("content-type", "text/html"), ("content-security-policy", "script-src 'none'; style-src 'none'")];
    env.site.file("/strict", &policy, "<p>text</p>");
    env.open("").await?;
    let missing =
        env.page.add_script_tag(Source::Url("/missing.js".into())).await.expect_err("it is not there");
    assert!(missing.kind() == ErrorKind::Script && missing.to_string().contains("/missing.js"), "{missing}");
    let file =
        env.page.add_style_tag(Source::Path("/nowhere/a.css".into())).await.expect_err("it is not there");
    assert!(file.kind() == ErrorKind::Io && file.to_string().contains("/nowhere/a.css"), "{file}");
    let thrown =
        env.page.add_script_tag(Source::Content("nothing.of.that".into())).await.expect_err("it throws");
    assert!(thrown.to_string().contains("nothing is not defined"), "{thrown}");
    env.page.goto(env.site.url("/strict")).await?;
    for add in [
        env.page.add_script_tag(Source::Content("ran = 1".into())),
        env.page.add_style_tag(Source::Content("p {}".into())),
        env.page.add_script_tag(Source::Url("/a.js".into())),
    ] {
        let error = add.await.expect_err("the policy forbids it");
        assert_eq!(error.kind(), ErrorKind::Script, "{error}");
    }
    Ok(())
}

async fn an_open_dialog_is_named_by_what_waits_for_it(env: &Env) -> Outcome {
    env.open("").await?;
    let (keep, kept) = tokio::sync::oneshot::channel::<()>();
    let kept = std::sync::Mutex::new(Some(kept));
    let guard = env.page.on_dialog(move |dialog| {
        let wait = kept.lock().ok().and_then(|mut kept| kept.take());
        async move {
            // Held open until the test has seen what it came for.
            if let Some(wait) = wait {
                let _ = wait.await;
            }
            let _ = dialog.accept().await;
        }
    });
    let limit = Duration::from_millis(700);
    let error =
        env.page.evaluate::<()>("alert('hold the line')").timeout(limit).await.expect_err("it is open");
    assert!(error.is_timeout() && error.to_string().contains("hold the line"), "{error}");
    let error = env.page.evaluate::<u8>("1").timeout(limit).await.expect_err("the page stands still");
    assert!(error.to_string().contains("a dialog is open"), "{error}");
    drop(keep);
    until("the answer", || {
        let dialogs = env.page.dialogs();
        dialogs.iter().all(|it| it.answer != engine::DialogAnswer::Open).then_some(())
    })
    .await;
    assert_eq!(env.page.evaluate::<u8>("1").await?, 1);
    drop(guard);
    Ok(())
}

async fn a_navigation_in_the_middle_of_a_script_says_so(env: &Env) -> Outcome {
    env.site.page("/next", "next");
    env.open("").await?;
    let script = "new Promise(() => setTimeout(() => location.href = '/next', 50))";
    let error = env.page.evaluate::<()>(script).await.expect_err("the document goes");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Navigation, Effect::StartedUnknown), "{error}");
    Ok(())
}

async fn a_script_is_a_users_doing_only_if_it_is_said_so(env: &Env) -> Outcome {
    env.open("").await?;
    let active = "navigator.userActivation.hasBeenActive";
    for _ in 0..2 {
        assert!(!env.page.evaluate::<bool>(active).await?);
        assert!(!env.page.evaluate_with::<bool>(format!("() => {active}"), ()).await?);
        assert_eq!(env.page.title().await?, "/");
    }
    assert!(env.page.evaluate::<bool>(active).user_gesture().await?);
    Ok(())
}
