//! A page on the scripted browser, and the browser's part in what is done with it.

use std::sync::Arc;
use std::time::Duration;

use cdp_protocol::domains::target::TargetInfo;
use cdp_protocol::json;
use cdp_protocol::testing::{FakeBrowser, FakeCall, Faults, Wiring, fake_browser_with};
use serde_json::{Value, json as value};

use crate::action::pointer::{self, MouseButton, PointerOptions};
use crate::action::retry::Target;
use crate::action::text;
use crate::core::context::ContextCore;
use crate::core::page::PageCore;
use crate::core::page_events::PageObserver;
use crate::emulation::Emulation;
use crate::error::Result;
use crate::progress::Progress;
use crate::selector::Selector;

pub(super) const SESSION: &str = "S";
pub(super) const FRAME: &str = "F";

/// A page whose main frame has both worlds, on a browser that does nothing by itself. The faults must let its beginning pass.
pub(super) async fn page(faults: Faults) -> (Arc<PageCore>, FakeBrowser) {
    let (client, mut browser) = fake_browser_with(Wiring::default().faults(faults));
    let info = value!({
        "targetId": FRAME, "type": "page", "title": "", "url": "about:blank", "attached": true,
        "canAccessOpener": false, "browserContextId": "C",
    });
    let info: TargetInfo = json::decode(info.to_string().as_bytes()).unwrap();
    let session = client.session(&SESSION.into());
    let context = Arc::new(ContextCore::new("context".into(), Emulation::default()));
    let core = PageCore::new(session, &info, context.clone(), &context.shared());
    PageObserver::register(&core, &SESSION.into(), false);
    for (number, name, default) in [(1, "", true), (2, core.world.as_str(), false)] {
        let context = value!({
            "id": number, "origin": "", "name": name, "uniqueId": format!("U{number}"),
            "auxData": { "isDefault": default, "frameId": FRAME },
        });
        browser.event(Some(SESSION), "Runtime.executionContextCreated", value!({ "context": context }));
    }
    core.when(|state| state.frames.main_frame().utility_world.is_some().then_some(())).await.unwrap();
    (core, browser)
}

/// What the injected script and the browser did in a click or a fill.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// How often the engine had to wait for answers before it could go on.
    pub(super) rounds: usize,
    pub(super) presses: usize,
    pub(super) releases: usize,
    pub(super) texts: usize,
    /// Two for each call.
    pub(super) moments: usize,
}

/// An event that ends the page's session.
#[derive(Clone, Copy, Debug)]
pub(super) enum SessionEvent {
    Detached,
    Crashed,
}

/// Answers in rounds until the connection ends: all that was sent without waiting is one round. `answer` gives the injected
/// script's answers; nothing means that its context is gone. What it gives for `told` the watch tells when the button goes
/// down. With `end` the session ends at a moment, and nothing is answered from then on; each call has two moments, before its
/// answer and behind it.
pub(super) async fn play(
    browser: &mut FakeBrowser,
    mut answer: impl FnMut(&str) -> Option<Value>,
    end: Option<(usize, SessionEvent)>,
    seen: &mut Seen,
) {
    let mut watch = Value::Null;
    while let Some(first) = browser.next_call_or_end().await {
        let mut round = vec![first];
        // The clock stands still until nothing more is to come.
        while let Ok(Some(call)) =
            tokio::time::timeout(Duration::from_micros(1), browser.next_call_or_end()).await
        {
            round.push(call);
        }
        seen.rounds += 1;
        for call in round {
            seen.presses += usize::from(call.params["type"] == "mousePressed");
            seen.texts += usize::from(call.method == "Input.insertText");
            seen.releases += usize::from(call.params["type"] == "mouseReleased");
            if passes(browser, end, seen) {
                answer_one(browser, &call, &mut answer, &mut watch);
            }
            passes(browser, end, seen);
        }
    }
}

/// Goes on to the next moment; says whether the session is still there.
fn passes(browser: &mut FakeBrowser, end: Option<(usize, SessionEvent)>, seen: &mut Seen) -> bool {
    let moment = seen.moments;
    seen.moments += 1;
    match end {
        Some((at, SessionEvent::Detached)) if at == moment => {
            let params = value!({ "sessionId": SESSION, "targetId": FRAME });
            browser.event(None, "Target.detachedFromTarget", params);
        }
        Some((at, SessionEvent::Crashed)) if at == moment => {
            browser.event(Some(SESSION), "Inspector.targetCrashed", value!({}));
        }
        _ => {}
    }
    end.is_none_or(|(at, _)| moment < at)
}

fn answer_one(
    browser: &mut FakeBrowser,
    call: &FakeCall,
    answer: &mut impl FnMut(&str) -> Option<Value>,
    watch: &mut Value,
) {
    let function = call.params["arguments"][0]["value"].as_str();
    if function == Some("verdict") {
        *watch = call.params["arguments"][1]["value"].clone();
    }
    if call.params["type"] == "mousePressed"
        && let Some(mut told) = answer("told")
    {
        told["token"] = watch.clone();
        let event = value!({
            "name": "__engineVerdict", "payload": told.to_string(), "executionContextId": 2,
        });
        browser.event(Some(SESSION), "Runtime.bindingCalled", event);
    }
    match function.map(answer) {
        None if call.method == "Runtime.evaluate" => {
            browser.reply(call, value!({ "result": { "type": "undefined" } }));
        }
        None => browser.reply(call, value!({})),
        Some(None) => browser.refuse(call, -32000, "Execution context was destroyed."),
        Some(Some(answer)) => {
            browser.reply(call, value!({ "result": { "type": "object", "value": answer } }));
        }
    }
}

/// Makes the page do it, without a script at the other end.
pub(super) async fn begin(kind: Kind, page: Arc<PageCore>) -> Result<()> {
    let target = Target { page, frame: None, through: Vec::new(), selector: Selector::css("button") };
    let progress = Progress::new("act", Duration::from_secs(30));
    let options =
        PointerOptions { action: "click", button: MouseButton::Left, count: 1, position: None, force: false };
    let acted = match kind {
        Kind::Click => pointer::act(&target, options, &progress).await,
        Kind::Fill => text::fill(&target, "text", false, &progress).await,
    };
    acted.map_err(|error| progress.fail(error))
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Click,
    Fill,
}

pub(super) fn ready() -> Value {
    value!({ "is": "ready", "element": "<button>", "x": 1, "y": 2, "width": 9, "height": 9, "token": 7, "insert": "text" })
}
