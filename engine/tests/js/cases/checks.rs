//! Attempts: a page, a script to run before, the call, and what it must report.

type Call = (&'static str, &'static str, &'static str, &'static str);

const COVER: &str = "<button id=b>Go</button><div id=o style='position:fixed;inset:0'>over</div>";
const SELECT: &str =
    "<select id=s><option value=a>Apple<option value=b>Big  Pear<option value=c disabled>Cherry</select>";

const CLOSED: &str = "<div id=h><i id=l>light</i></div>";
const CLOSE: &str = "window.root = one('#h').attachShadow({mode: 'closed'}); \
    root.setHTMLUnsafe('<button id=b>Press <slot></slot>!</button>')";

pub(super) const CASES: &[Call] = &[
    // What is found.
    ("<p>x</p>", "", "click('#b')", r#"{"is":"missing"}"#),
    (
        "<button>Cancel</button><button class=x>Cancel</button>",
        "",
        "click('button')",
        r#"{"is":"ambiguous","count":2,"matches":["<button>Cancel</button>","<button class=\"x\">Cancel</button>"]}"#,
    ),
    (
        "<button>1</button><button>2</button>",
        "",
        "click('button', {strict: false})",
        r#"{"is":"ready","element":"<button>1</button>"}"#,
    ),
    ("<p>x</p>", "", "click('p[')", r#"{"is":"invalid","why":"~never closed"}"#),
    (
        "<button id=b>Go</button>",
        "",
        "click('#b')",
        r#"{"is":"ready","element":"<button id=\"b\">Go</button>"}"#,
    ),
    // Visible.
    ("<button id=b hidden>Go</button>", "", "click('#b')", r#"{"is":"not","state":"visible"}"#),
    (
        "<button id=b style='visibility:hidden'>Go</button>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"visible"}"#,
    ),
    ("<div id=b style='width:0;height:9px'></div>", "", "click('#b')", r#"{"is":"not","state":"visible"}"#),
    ("<button id=b style='opacity:0'>Go</button>", "", "click('#b')", r#"{"is":"ready"}"#),
    (
        "<div style='height:0;overflow:hidden'><button id=b>Go</button></div>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"visible"}"#,
    ),
    (
        "<div style='height:0;overflow:hidden'><button id=b style='position:fixed;top:9px;left:9px'>Go</button></div>",
        "",
        "click('#b')",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div style='display:grid;grid-template-rows:0fr'><div style='overflow:hidden;min-height:0'><button id=b>Go</button></div></div>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"visible"}"#,
    ),
    ("<div style='height:0'><button id=b>Go</button></div>", "", "click('#b')", r#"{"is":"ready"}"#),
    ("<span id=b style='display:contents'><i>Go</i></span>", "", "click('#b')", r#"{"is":"ready"}"#),
    // Stable.
    (
        "<style>@keyframes m{to{margin-left:500px}}</style><button id=b style='animation:m 9s linear'>Go</button>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"stable"}"#,
    ),
    (
        "<button id=b>Go</button>",
        "requestAnimationFrame(() => one('#b').remove())",
        "click('#b')",
        r#"{"is":"detached"}"#,
    ),
    // Enabled, also through labels and from ancestors.
    ("<button id=b disabled>Go</button>", "", "click('#b')", r#"{"is":"not","state":"enabled"}"#),
    ("<button disabled><i id=b>Go</i></button>", "", "click('#b')", r#"{"is":"not","state":"enabled"}"#),
    (
        "<label id=b for=i>Go</label><input id=i disabled>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"enabled"}"#,
    ),
    (
        "<fieldset disabled><button id=b>Go</button></fieldset>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"enabled"}"#,
    ),
    (
        "<fieldset disabled><legend><button id=b>Go</button></legend></fieldset>",
        "",
        "click('#b')",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div aria-disabled=TRUE><a id=b href=#>Go</a></div>",
        "",
        "click('#b')",
        r#"{"is":"not","state":"enabled"}"#,
    ),
    (
        "<div aria-disabled=true><a id=b href=# aria-disabled=false>Go</a></div>",
        "",
        "click('#b')",
        r#"{"is":"ready"}"#,
    ),
    ("<div inert><button id=b>Go</button></div>", "", "click('#b')", r#"{"is":"not","state":"inert"}"#),
    ("<button id=b disabled>Go</button>", "", "click('#b', {force: true})", r#"{"is":"ready","token":null}"#),
    // What the pointer would reach.
    (COVER, "", "click('#b')", r#"{"is":"covered","by":"<div id=\"o\">over</div>"}"#),
    (
        "<button id=b>Go</button><div id=o style='position:fixed;inset:0'><p><i style='position:absolute;inset:0'>x</i></p></div>",
        "",
        "click('#b')",
        r#"{"is":"covered","by":"<i>x</i> from <div id=\"o\">…</div> subtree"}"#,
    ),
    (COVER, "", "click('#b', {hit: false})", r#"{"is":"ready","token":null}"#),
    (COVER, "one('#o').style.pointerEvents = 'none'", "click('#b')", r#"{"is":"ready"}"#),
    (
        "<a href=#><i id=b>icon</i><b style='position:absolute;left:0;top:0;width:99px;height:99px'></b></a>",
        "",
        "click('#b')",
        r#"{"is":"ready"}"#,
    ),
    (
        "<label style='position:relative'><input type=radio id=b style='opacity:0'><span style='position:absolute;inset:0'>o</span></label>",
        "",
        "act('check', '#b')",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div><template shadowrootmode=open><button id=b><slot></slot></button></template><i>slotted</i></div>",
        "",
        "click('#b')",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div><template shadowrootmode=open><button id=b>Go</button><p style='position:fixed;inset:0;margin:0'>in</p></template></div>",
        "",
        "click('#b')",
        r#"{"is":"covered","by":"~>in</p>"}"#,
    ),
    // Scrolling and the point.
    ("<div style='height:5000px'></div><button id=b>Go</button>", "", "click('#b')", r#"{"is":"ready"}"#),
    (
        "<div style='height:5000px'></div><button id=b>Go</button>",
        "",
        "click('#b', {scroll: null})",
        r#"{"is":"offscreen"}"#,
    ),
    (
        "<style>html{scroll-behavior:smooth}</style><div style='height:5000px'></div><button id=b>Go</button><div style='height:5000px'></div>",
        "",
        "click('#b', {scroll: 1})",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div style='position:sticky;top:0;height:60px;background:red'>head</div><div style='height:3000px'></div><button id=b>Go</button>\
         <div style='height:3000px'></div>",
        "",
        "last(() => scrollTo(0, 3050), () => click('#b', {scroll: 3}), () => click('#b', {scroll: 1}))",
        r#"{"is":"ready"}"#,
    ),
    (
        "<div style='height:3000px'></div><button id=b>Go</button><div style='height:3000px'></div><div style='position:fixed;inset:0'></div>",
        "scrollTo(0, 2900)",
        "last(() => click('#b', {scroll: 3}), () => scrollY)",
        "2900",
    ),
    (
        "<div style='width:100px;height:60px;overflow:auto;margin:20px'><div id=b style='width:900px;height:20px'>wide</div></div>",
        "",
        "click('#b').then((r) => r.is === 'ready' && r.x < 200)",
        "true",
    ),
    (
        "<button id=b style='position:absolute;left:10px;top:20px;width:100px;height:40px'>Go</button>",
        "",
        "click('#b')",
        r#"{"is":"ready","x":60,"y":40,"box":{"x":10,"y":20,"width":100,"height":40}}"#,
    ),
    (
        "<button id=b style='position:absolute;left:10px;top:20px;width:100px;height:40px;border:5px solid'>Go</button>",
        "",
        "click('#b', {position: {x: 2, y: 3}})",
        r#"{"is":"ready","x":17,"y":28}"#,
    ),
    (
        "<div id=b style='height:4000px;background:tan'></div>",
        "",
        "click('#b', {position: {x: 9, y: 3900}})",
        r#"{"is":"ready"}"#,
    ),
    // Checking.
    ("<input type=checkbox id=b checked>", "", "act('check', '#b')", r#"{"is":"done","changed":false}"#),
    ("<input type=checkbox id=b>", "", "act('check', '#b')", r#"{"is":"ready"}"#),
    (
        "<label id=b><input type=checkbox checked>x</label>",
        "",
        "act('check', '#b')",
        r#"{"is":"done","changed":false}"#,
    ),
    (
        "<input type=radio id=b checked>",
        "",
        "act('uncheck', '#b')",
        r#"{"is":"unfit","why":"~cannot be unchecked"}"#,
    ),
    ("<p id=b>x</p>", "", "act('check', '#b')", r#"{"is":"unfit","why":"~no checkbox"}"#),
    // Filling.
    (
        "<input id=b value=old>",
        "",
        "last(() => fill('#b', 'new'), () => getSelection().toString())",
        r#""old""#,
    ),
    ("<input id=b>", "", "fill('#b', 'new')", r#"{"is":"ready","insert":"new"}"#),
    (
        "<label for=i id=b>L</label><input id=i>",
        "",
        "last(() => fill('#b', 'x'), () => document.activeElement.id)",
        r#""i""#,
    ),
    ("<input id=b value=old>", "", "fill('#b', '')", r#"{"is":"ready","insert":null}"#),
    (
        "<input id=b type=date>",
        "one('#b').onchange = () => (window.seen = one('#b').value)",
        "last(() => fill('#b', ' 2026-11-30 '), () => seen)",
        r#""2026-11-30""#,
    ),
    (
        "<input id=b type=date>",
        "",
        "fill('#b', 'tomorrow')",
        r#"{"is":"unfit","why":"~does not take a value of this form"}"#,
    ),
    ("<input id=b type=number>", "", "fill('#b', 'x')", r#"{"is":"unfit","why":"~takes a number only"}"#),
    (
        "<input id=b type=range max=10>",
        "",
        "last(() => fill('#b', '7'), () => read('#b', 'inputValue'))",
        r#"{"value":"7"}"#,
    ),
    (
        "<input id=b type=checkbox>",
        "",
        "fill('#b', 'x')",
        r#"{"is":"unfit","why":"~\"checkbox\" cannot be filled"}"#,
    ),
    (
        "<p id=b>x</p>",
        "",
        "fill('#b', 'x')",
        r#"{"is":"unfit","why":"~no <input>, <textarea> or [contenteditable]"}"#,
    ),
    ("<input id=b readonly>", "", "fill('#b', 'x')", r#"{"is":"not","state":"editable"}"#),
    ("<input id=b disabled>", "", "fill('#b', 'x')", r#"{"is":"not","state":"enabled"}"#),
    ("<input id=b onfocus='this.blur()'>", "", "fill('#b', 'x')", r#"{"is":"not","state":"focused"}"#),
    (
        "<div contenteditable id=h>one <b id=b>two</b></div>",
        "",
        "last(() => fill('#b', 'x'), () => [document.activeElement.id, getSelection().toString()])",
        r#"["h","two"]"#,
    ),
    // Choosing.
    (
        SELECT,
        "",
        "act('select_option', '#s', {value: [{valueOrLabel: 'Big Pear'}]})",
        r#"{"is":"done","value":["b"]}"#,
    ),
    (
        SELECT,
        "",
        "act('select_option', '#s', {value: [{index: 0, label: 'Apple'}]})",
        r#"{"is":"done","value":["a"]}"#,
    ),
    (
        SELECT,
        "",
        "act('select_option', '#s', {value: [{value: 'c'}]})",
        r#"{"is":"not","state":"option_enabled"}"#,
    ),
    (
        SELECT,
        "",
        "act('select_option', '#s', {value: [{value: 'z'}]})",
        r#"{"is":"not","state":"option_present","why":"~there are “Apple”"}"#,
    ),
    (
        SELECT,
        "one('#s').multiple = true",
        "act('select_option', '#s', {value: [{value: 'b'}, {value: 'a'}]})",
        r#"{"is":"done","value":["a","b"]}"#,
    ),
    (
        SELECT,
        "",
        "last(() => act('select_option', '#s', {value: null}), () => one('#s').selectedIndex)",
        "-1",
    ),
    (
        "<p id=s>x</p>",
        "",
        "act('select_option', '#s', {value: []})",
        r#"{"is":"unfit","why":"~no <select>"}"#,
    ),
    // Focus and files.
    ("<input id=b>", "", "last(() => act('focus', '#b'), () => document.activeElement.id)", r#""b""#),
    ("<input id=b value=abc>", "", "last(() => act('press', '#b'), () => one('#b').selectionStart)", "0"),
    (
        "<input id=b autofocus>",
        "one('#b').focus()",
        "last(() => act('blur', '#b'), () => document.activeElement.localName)",
        r#""body""#,
    ),
    (
        "<input id=b type=file>",
        "",
        "act('set_input_files', '#b', {value: {count: 1}})",
        r#"{"is":"ready","multiple":false}"#,
    ),
    (
        "<input id=b type=file>",
        "",
        "act('set_input_files', '#b', {value: {count: 2}})",
        r#"{"is":"unfit","why":"~single file"}"#,
    ),
    (
        "<input id=b>",
        "",
        "act('set_input_files', '#b', {value: {count: 1}})",
        r#"{"is":"unfit","why":"~no <input type=file>"}"#,
    ),
    (
        "<input id=b type=file>",
        "",
        "act('set_input_files', '#b', {value: {count: 1}}).then(({token}) => [engine.held(token).id, engine.held(token)])",
        r#"["b",null]"#,
    ),
    // Watching: events that scripts make are none of a person's.
    (
        "<button id=b>Go</button>",
        "",
        "click('#b').then((r) => { one('#b').click(); return engine.release(r.token); })",
        r#"{"is":"unseen"}"#,
    ),
    (
        "<button id=b>Go</button>",
        "",
        "click('#b').then((r) => { const late = engine.verdict(r.token); engine.release(r.token); return late; })",
        r#"{"is":"unseen"}"#,
    ),
    ("<button id=b>Go</button>", "", "engine.verdict(12345)", r#"{"is":"unseen"}"#),
    (COVER, "", "engine.over(one('#b'), 20, 20)", r#"{"is":"covered","by":"<div id=\"o\">over</div>"}"#),
    (COVER, "", "engine.over(one('#o'), 20, 20)", r#"{"is":"hit"}"#),
    (COVER, "one('#b').hidden = true", "engine.over(one('#b'), 20, 20)", r#"{"is":"not","state":"visible"}"#),
    // Closed shadow roots, once the engine has found them.
    (CLOSED, CLOSE, "read('#b', 'count')", r#"{"value":0}"#),
    (CLOSED, CLOSE, "last(() => engine.reveal(root), () => click('#b'))", r#"{"is":"ready"}"#),
    (
        CLOSED,
        CLOSE,
        "last(() => engine.reveal(root), () => read('#b', 'name'))",
        r#"{"value":"Press light !"}"#,
    ),
    (CLOSED, CLOSE, "last(() => engine.reveal(root), () => read('#l', 'visible'))", r#"{"value":true}"#),
    (
        CLOSED,
        CLOSE,
        "last(() => engine.reveal(root), () => engine.elements([{by: 'role', role: 'button', name: {text: 'press light'}}]).length)",
        "1",
    ),
];
