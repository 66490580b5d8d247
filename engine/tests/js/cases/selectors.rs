//! Selectors: a page, a selector, and the ids of what it finds in their order.

use engine::{Filter, Role, Selector, TextMatch, Toggle};

type Found = (&'static str, Selector, &'static [&'static str]);

const HOST: &str = "<div id=host><template shadowrootmode=open><p id=in class=x>deep <b id=b>bold</b></p><slot></slot>\
    <div id=inner><template shadowrootmode=open><button id=btn>Press</button></template></div></template>\
    <p id=light class=x>light</p></div><p id=after class=x>after</p>";
const LIST: &str = "<ul id=u><li id=a>Apple <button id=ab>Buy</button></li><li id=b>Banana</li><li id=c class=k>Cherry \
    <button id=cb>Buy</button></li></ul>";
const TABLE: &str = "<table><tr id=r1><td>1041</td><td><button id=c1>Cancel</button></td></tr>\
    <tr id=r2><td>1042</td><td><button id=c2>Cancel</button></td></tr></table>";
const CLOBBER: &str = "<form id=f><input id=i1 name=matches><input id=i2 name=querySelectorAll><input id=i3 name=parentNode>\
    <input id=i4 name=firstChild><input id=i5 name=shadowRoot><input id=i6 name=nodeType><b id=t>text</b></form>";
const STATES: &str = "<input type=checkbox id=on checked><input type=checkbox id=off><div role=checkbox aria-checked=mixed id=mix></div>\
    <button id=p aria-pressed=true>P</button><button id=np>N</button><button id=dis disabled>D</button>\
    <details id=d open>x</details><div role=button id=ex aria-expanded=false>E</div><h2 id=h2>H</h2>\
    <div role=heading aria-level=3 id=h3>H</div><div role=tab id=tab aria-selected=true>T</div><div role=tab id=tab2>T</div>";

/// Selectors that find what is listed.
pub(super) fn found() -> Vec<Found> {
    let mut list = css();
    list.extend(text());
    list.extend(attributes());
    list.extend(roles());
    list.extend(filters());
    list
}

fn css() -> Vec<Found> {
    let css = Selector::css;
    vec![
        (LIST, css("li"), &["a", "b", "c"]),
        (LIST, css("button, .k"), &["ab", "c", "cb"]),
        (LIST, css("ul > li:nth-child(2)"), &["b"]),
        (LIST, css("nothing"), &[]),
        ("<p id='1a'>x</p>", css(r"#\31 a"), &["1a"]),
        ("<p id='a>b' data-x='c, d'>x</p>", css(r#"[id="a>b"][data-x='c, d']"#), &["a>b"]),
        (HOST, css("p"), &["light", "in", "after"]),
        (HOST, css(".x:not(#after)"), &["light", "in"]),
        (HOST, css("#host b"), &["b"]),
        (HOST, css("#host > p"), &["light", "in"]),
        (HOST, css("#host #inner button"), &["btn"]),
        (HOST, css("#inner > button, #after"), &["btn", "after"]),
        (HOST, css("#in + slot"), &["slot"]),
        (HOST, css("p ~ #inner"), &["inner"]),
        (HOST, css("body > button"), &[]),
        (HOST, css("#host").then(css("button")), &["btn"]),
        (HOST, css("#inner").then(css("#host button")), &[]),
        (LIST, css("ul").then(css("ul > #b")), &[]),
        (LIST, css("body").then(css("ul > #b")), &["b"]),
        (LIST, css("li").then(css("ul button")), &[]),
        (LIST, css("ul").then(css(":scope > li")), &["a", "b", "c"]),
        (LIST, css("ul").then(css("> li.k")), &["c"]),
        (LIST, css("ul").then(css(":scope > button")), &[]),
        (CLOBBER, css("form b"), &["t"]),
        (CLOBBER, css("form").then(css("input")), &["i1", "i2", "i3", "i4", "i5", "i6"]),
        (LIST, Selector::from("//li[2]"), &["b"]),
        (LIST, Selector::css("#c").then(Selector::xpath("//button")), &["cb"]),
        (LIST, Selector::css("#ab").then(Selector::from("..")), &["a"]),
    ]
}

fn text() -> Vec<Found> {
    let text = |text: &str| Selector::text(text);
    let exact = |text: &str| Selector::text(TextMatch::exact(text));
    vec![
        ("<div id=d><b id=b>Hello World</b></div>", text("hello"), &["b"]),
        ("<div id=d>Hello <b id=b>World</b></div>", text("hello world"), &["d"]),
        ("<button id=b>Sign&nbsp;in</button>", text("sign in"), &["b"]),
        ("<p id=p>co\u{ad}op\u{200b}</p>", exact("coop"), &["p"]),
        ("<p id=p>Hello</p><p id=q>hello</p>", exact("hello"), &["q"]),
        ("<p id=p> a \n b </p><p id=q>a b c</p>", exact("a b"), &["p"]),
        (
            "<p id=p>order 12</p><p id=q>order x</p>",
            Selector::text(TextMatch::regex(r"ORDER \d+$", "i")),
            &["p"],
        ),
        ("<p id=p>x</p><p id=q>xx</p>", Selector::text(TextMatch::regex("x", "g")), &["p", "q"]),
        ("<script>x1</script><style>x1</style><p id=p>x1</p>", text("x1"), &["p"]),
        ("<input id=i type=submit value='Send it'><input value='Send it'>", text("send it"), &["i"]),
        (HOST, text("bold"), &["b"]),
        (HOST, text("press"), &["btn"]),
        ("<div id=h><template shadowrootmode=open>raw</template></div>", text("raw"), &["h"]),
        ("<p id=p>a<!-- c -->b</p>", text("ab"), &["p"]),
        ("<span id=s>a >> b</span>", text("a >> b"), &["s"]),
        ("<p id=p></p><p id=q>x</p>", Selector::css("p").and(exact("")), &["p"]),
        (CLOBBER, text("text"), &["t"]),
    ]
}

fn attributes() -> Vec<Found> {
    let label = |text: &str| Selector::label(text);
    vec![
        ("<label for=i>Email address</label><input id=i>", label("email"), &["i"]),
        ("<label>Email <input id=i></label>", label("email"), &["i"]),
        ("<input id=i aria-label=Email><input id=j>", label("email"), &["i"]),
        ("<b id=l>Email</b><input id=i aria-labelledby=l aria-label=No>", label("email"), &["i"]),
        ("<b id=l>Email</b><input id=i aria-labelledby=l aria-label=No>", label("no"), &[]),
        ("<div id=i aria-label=Box></div>", label("box"), &["i"]),
        ("<label>Email<input type=hidden id=h><input id=i></label>", label("email"), &["i"]),
        ("<label>a  b<input id=i></label>", Selector::label(TextMatch::exact("a b")), &["i"]),
        ("<input id=i placeholder='Your Name'>", Selector::placeholder("name"), &["i"]),
        ("<input id=i placeholder='Your Name'>", Selector::placeholder(TextMatch::exact("your name")), &[]),
        ("<img id=i alt=Cat><input id=j alt=cat>", Selector::alt_text("cat"), &["i", "j"]),
        ("<b id=i title=Tip></b>", Selector::title(TextMatch::regex("^t", "i")), &["i"]),
        ("<b id=i data-testid=pay></b><b id=j data-testid=pay-now></b>", Selector::test_id("pay"), &["i"]),
        (
            "<b id=i data-qa=pay></b><b id=j data-t=pay></b>",
            Selector::test_id_in("data-qa, data-t", "pay"),
            &["i", "j"],
        ),
        ("<b id=j data-testid=pay-now></b>", Selector::test_id(TextMatch::regex("^pay", "")), &["j"]),
    ]
}

fn roles() -> Vec<Found> {
    let role = |query: engine::RoleQuery| Selector::role(query);
    vec![
        (LIST, Selector::role(Role::Button), &["ab", "cb"]),
        (STATES, role(Role::Checkbox.checked(true)), &["on"]),
        (STATES, role(Role::Checkbox.checked(false)), &["off"]),
        (STATES, role(Role::Checkbox.checked(Toggle::Mixed)), &["mix"]),
        (STATES, role(Role::Button.pressed(true)), &["p"]),
        (STATES, role(Role::Button.disabled(true)), &["dis"]),
        (STATES, role(Role::Button.disabled(false).expanded(false)), &["ex"]),
        (STATES, role(Role::Button.expanded(true)), &[]),
        (STATES, role(Role::Heading.level(2)), &["h2"]),
        (STATES, role(Role::Heading.level(3)), &["h3"]),
        (STATES, role(Role::Tab.selected(false)), &["tab2"]),
        ("<button id=a>Sign&nbsp;in</button>", role(Role::Button.named("sign in")), &["a"]),
        (
            "<button id=a>Pay</button><button id=b>Pay now</button>",
            role(Role::Button.named(TextMatch::exact("Pay"))),
            &["a"],
        ),
        ("<button id=a>Pay 12</button>", role(Role::Button.named(TextMatch::regex(r"pay \d", "i"))), &["a"]),
        ("<button id=a hidden>x</button><button id=b>x</button>", Selector::role(Role::Button), &["b"]),
        ("<button id=a hidden>x</button>", role(Role::Button.named("x").include_hidden()), &["a"]),
        ("<div aria-hidden=true><button id=a>x</button></div>", Selector::role(Role::Button), &[]),
        ("<button id=a title=why>x</button>", role(Role::Button.described("why")), &["a"]),
        (HOST, role(Role::Button.named("press")), &["btn"]),
        (
            "<div id=h><template shadowrootmode=open><b>no slot</b></template><button id=a>x</button></div>",
            Selector::role(Role::Button),
            &[],
        ),
    ]
}

fn filters() -> Vec<Found> {
    let css = Selector::css;
    let buttons = || Selector::role(Role::Button);
    vec![
        (TABLE, css("tr").filter(Filter::has_text("1042")).then(buttons()), &["c2"]),
        (LIST, css("li").filter(Filter::has(buttons())), &["a", "c"]),
        (LIST, css("li").filter(Filter::has_not(buttons())), &["b"]),
        (LIST, css("li").filter(Filter::has_not_text("an")), &["a", "c"]),
        (LIST, css("li").filter(Filter::has(css("ul button"))), &[]),
        (LIST, css("li").filter(Filter::has(css(":scope > button"))), &["a", "c"]),
        (LIST, css("li").filter(Filter::has(buttons())).filter(Filter::has_text("cherry")), &["c"]),
        (LIST, css("li").and(css(".k")), &["c"]),
        (LIST, css("#c").or(css("#a")), &["a", "c"]),
        (LIST, css("li").first(), &["a"]),
        (LIST, css("li").last(), &["c"]),
        (LIST, css("li").nth(1), &["b"]),
        (LIST, css("li").nth(-2), &["b"]),
        (LIST, css("li").nth(3), &[]),
        (LIST, css("li").then(buttons().first()), &["ab", "cb"]),
        (LIST, css("li").then(buttons()).first(), &["ab"]),
        (HOST, css("p").last(), &["after"]),
        (HOST, css("#after").or(css("#btn")), &["btn", "after"]),
        ("<p id=a>x</p><p id=b hidden>x</p>", css("p").filter(Filter::visible(true)), &["a"]),
        ("<p id=a>x</p><p id=b hidden>x</p>", css("p").filter(Filter::visible(false)), &["b"]),
        (HOST, css("div").filter(Filter::has_text("press")), &["host", "inner"]),
    ]
}

/// Selectors that cannot be understood, and a part of the reason.
pub(super) fn malformed() -> Vec<(Selector, &'static str)> {
    let css = Selector::css;
    vec![
        (css("div["), "~“[” is never closed at character 4"),
        (css("a 'x"), "~a string is never closed at character 3"),
        (css("a >"), "~nothing follows “>”"),
        (css("a > > b"), "~“>” follows “>” at character 5"),
        (css("a,"), "~a selector is missing"),
        (css(""), "~it is empty"),
        (css("a :nonsense"), "~“:nonsense” does not parse at character 3"),
        (css("p:has-text('x')"), "~“:has-text” is no CSS, filter by text instead"),
        (css("#1a"), "~“#1a” does not parse at character 1"),
        (Selector::xpath("//a["), "~is not an XPath that finds nodes"),
        (Selector::xpath("1 + 1"), "~is not an XPath that finds nodes"),
        (Selector::text(TextMatch::regex("(", "")), "~/(/ is not a regular expression"),
        (Selector::role(Role::Link.named(TextMatch::regex("[", "i"))), "~is not a regular expression"),
        (
            Selector::role(Role::Link.level(1)),
            "~\"level\" is only known for the roles heading, listitem, row, treeitem",
        ),
        (Selector::role(Role::Heading.checked(true)), "~\"checked\" is only known for the roles"),
    ]
}
