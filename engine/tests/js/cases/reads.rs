//! Reads and settling: a page, a script to run before, the call, and what it must answer.

type Call = (&'static str, &'static str, &'static str, &'static str);

pub(super) const READS: &[Call] = &[
    ("<p>a</p><p>b</p>", "", "read('p', 'count')", r#"{"is":"value","value":2}"#),
    ("<p>a</p>", "", "read('i', 'count')", r#"{"is":"value","value":0}"#),
    ("<p>a</p><p> b <i>c</i></p>", "", "read('p', 'texts')", r#"{"is":"value","value":["a"," b c"]}"#),
    ("<p>a<br>b</p>", "", "read('p', 'innerTexts')", r#"{"is":"value","value":["a\nb"]}"#),
    ("<p>a</p><p>b</p>", "", "read('p', 'textContent')", r#"{"is":"ambiguous","count":2}"#),
    ("<p>a<i hidden>b</i></p>", "", "read('p', 'textContent')", r#"{"is":"value","value":"ab"}"#),
    ("<p>a<i hidden>b</i></p>", "", "read('p', 'innerText')", r#"{"is":"value","value":"a"}"#),
    ("<p>a</p>", "", "read('i', 'innerText')", r#"{"is":"missing"}"#),
    (
        "<input id=i>",
        "one('#i').value = 'typed'",
        "read('#i', 'inputValue')",
        r#"{"is":"value","value":"typed"}"#,
    ),
    (
        "<label id=l>x<select><option>a<option selected>b</select></label>",
        "",
        "read('#l', 'inputValue')",
        r#"{"is":"value","value":"b"}"#,
    ),
    ("<p id=p>a</p>", "", "read('#p', 'inputValue')", r#"{"is":"unfit"}"#),
    ("<p id=p lang=de>a</p>", "", "read('#p', 'attribute', 'lang')", r#"{"is":"value","value":"de"}"#),
    ("<p id=p>a</p>", "", "read('#p', 'attribute', 'lang')", r#"{"is":"value","value":null}"#),
    (
        "<form id=f title=T><input name=getAttribute></form>",
        "",
        "read('#f', 'attribute', 'title')",
        r#"{"is":"value","value":"T"}"#,
    ),
    ("<p id=p>a</p>", "", "read('#p', 'visible')", r#"{"is":"value","value":true}"#),
    ("<p id=p>a</p>", "", "read('#q', 'visible')", r#"{"is":"value","value":false}"#),
    ("<p id=p>a</p>", "", "read('#q', 'hidden')", r#"{"is":"value","value":true}"#),
    ("<p>a</p><p>b</p>", "", "read('p', 'hidden')", r#"{"is":"ambiguous"}"#),
    ("<button id=b disabled>a</button>", "", "read('#b', 'enabled')", r#"{"is":"value","value":false}"#),
    ("<button id=b disabled>a</button>", "", "read('#b', 'disabled')", r#"{"is":"value","value":true}"#),
    ("<input id=b readonly>", "", "read('#b', 'editable')", r#"{"is":"value","value":false}"#),
    ("<p id=b>x</p>", "", "read('#b', 'editable')", r#"{"is":"unfit"}"#),
    (
        "<input type=checkbox id=b>",
        "one('#b').indeterminate = true",
        "read('#b', 'checked')",
        r#"{"is":"value","value":"mixed"}"#,
    ),
    ("<p id=b>x</p>", "", "read('#b', 'checked')", r#"{"is":"unfit"}"#),
    (
        "<p id=p style='position:absolute;left:1px;top:2px;width:3px;height:4px;margin:0'>a</p>",
        "",
        "read('#p', 'boundingBox')",
        r#"{"is":"value","value":{"x":1,"y":2,"width":3,"height":4}}"#,
    ),
    ("<p id=p hidden>a</p>", "", "read('#p', 'boundingBox')", r#"{"is":"value","value":null}"#),
    // Previews: short, and without what was typed.
    (
        "<a id=p class=long href=# style='color:red' download>x\ty</a>",
        "",
        "read('#p', 'preview')",
        r##"{"value":"<a id=\"p\" href=\"#\" download class=\"long\">x⇆y</a>"}"##,
    ),
    ("<p id=p>a<b>c</b></p>", "", "read('#p', 'preview')", r#"{"value":"<p id=\"p\">…</p>"}"#),
    (
        "<p id=p>12345678901234567890123456789012345678901234567890x</p>",
        "",
        "read('#p', 'preview')",
        r#"{"value":"<p id=\"p\">1234567890123456789012345678901234567890123456789…</p>"}"#,
    ),
    (
        "<input id=p type=password value=secret>",
        "",
        "read('#p', 'preview')",
        r#"{"value":"<input id=\"p\" type=\"password\"/>"}"#,
    ),
    ("<input id=p value=react>", "", "read('#p', 'preview')", r#"{"value":"<input id=\"p\"/>"}"#),
    (
        "<input id=p type=submit value=Go>",
        "",
        "read('#p', 'preview')",
        r#"{"value":"<input id=\"p\" value=\"Go\" type=\"submit\"/>"}"#,
    ),
    ("<div id=p contenteditable>typed</div>", "", "read('#p', 'preview')", r#"{"value":"~>…</div>"}"#),
    ("<textarea id=p>typed</textarea>", "", "read('#p', 'preview')", r#"{"value":"~>…</textarea>"}"#),
    // Elements themselves.
    ("<p id=p>a</p>", "", "engine.element(css('#p')).id", r#""p""#),
    ("<p id=p>a</p>", "", "engine.element(css('#q'))", "null"),
    (
        "<p>a</p><p>b</p>",
        "",
        "(() => { try { return engine.element(css('p')); } catch (error) { return JSON.parse(error); } })()",
        r#"{"is":"ambiguous","count":2}"#,
    ),
    (
        "<p>a</p>",
        "",
        "[Object.isFrozen(engine), (() => { 'use strict'; try { globalThis.__engine = 1; } catch { return engine === globalThis.__engine; } })()]",
        "[true,true]",
    ),
];

pub(super) const SETTLING: &[Call] = &[
    ("<p id=p>a</p>", "", "engine.settled(css('#p'), 30, 5000)", r#"{"is":"settled","changes":0}"#),
    ("<p>a</p>", "", "engine.settled(css('#p'), 30, 5000)", r#"{"is":"missing"}"#),
    (
        "<ul id=p></ul>",
        "let left = 5; const add = () => { one('#p').append(document.createElement('li')); if (--left) setTimeout(add, 10); }; setTimeout(add, 10);",
        "last(() => engine.settled(css('#p'), 300, 20000), () => one('#p').childElementCount)",
        "5",
    ),
    (
        "<p id=p><b class=tick>0</b></p>",
        "window.ticker = setInterval(() => { if (one('b')) one('b').firstChild.data += 1; }, 5);",
        "engine.settled(css('#p'), 1000, 1200).finally(() => clearInterval(ticker))",
        r#"{"is":"restless","changes":[{"what":"text","where":"~<b class=\"tick\">0"}]}"#,
    ),
    (
        "<div id=p><div id=h><template shadowrootmode=open><i>0</i></template></div></div>",
        "window.ticker = setInterval(() => one('#h') && one('#h').shadowRoot.firstChild.toggleAttribute('on'), 5);",
        "engine.settled(css('#p'), 1000, 1200).finally(() => clearInterval(ticker))",
        r#"{"is":"restless","changes":[{"what":"attribute on","where":"~<i"}]}"#,
    ),
    (
        "<div id=p><template shadowrootmode=open><i>0</i></template></div>",
        "window.ticker = setInterval(() => one('#p') && one('#p').shadowRoot.firstChild.toggleAttribute('on'), 5);",
        "engine.settled(css('#p'), 1000, 1200).finally(() => clearInterval(ticker))",
        r#"{"is":"restless","changes":[{"what":"attribute on","where":"~<i"}]}"#,
    ),
    (
        "<div id=p></div>",
        "setTimeout(() => one('#p').setHTMLUnsafe('<span><template shadowrootmode=open><i>0</i></template></span>'), 5); \
         window.ticker = setInterval(() => one('#p span') && one('#p span').shadowRoot.firstChild.toggleAttribute('on'), 50);",
        "engine.settled(css('#p'), 1000, 1200).then((r) => (clearInterval(ticker), r.is))",
        r#""restless""#,
    ),
    (
        "<div id=p>0</div>",
        "setTimeout(() => { const next = one('#p').cloneNode(true); one('#p').replaceWith(next); }, 10);",
        "engine.settled(css('#p'), 200, 20000)",
        r#"{"is":"settled","changes":1}"#,
    ),
];
