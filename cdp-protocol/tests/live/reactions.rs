//! What keeps a busy browser going: everything is switched on for each new session, and what waits for an answer gets one.

use cdp_protocol::{Client, RawEvent, Session};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::listing::plain_commands;
use crate::raw;

/// Switches with parameters, behind every `enable` without; the last one lets a new target run.
fn switches() -> Vec<(&'static str, Value)> {
    vec![
        ("Target.setDiscoverTargets", json!({ "discover": true })),
        (
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true }),
        ),
        (
            "Network.enable",
            json!({ "maxPostDataSize": 1000, "reportDirectSocketTraffic": true, "enableDurableMessages": false }),
        ),
        ("Network.enableReportingApi", json!({ "enable": true })),
        ("Network.setAttachDebugStack", json!({ "enabled": true })),
        ("Fetch.enable", json!({ "handleAuthRequests": true })),
        ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
        ("Page.setInterceptFileChooserDialog", json!({ "enabled": true })),
        ("PerformanceTimeline.enable", json!({ "eventTypes": ["largest-contentful-paint", "layout-shift"] })),
        (
            "Log.startViolationsReport",
            json!({ "config": [{ "name": "longTask", "threshold": 10 }, { "name": "longLayout", "threshold": 1 },
                { "name": "handler", "threshold": 10 }, { "name": "discouragedAPIUse", "threshold": -1 }] }),
        ),
        ("Debugger.setAsyncCallStackDepth", json!({ "maxDepth": 8 })),
        ("Runtime.addBinding", json!({ "name": "bound" })),
        ("HeapProfiler.startTrackingHeapObjects", json!({})),
        ("DOM.getDocument", json!({ "depth": -1, "pierce": true })),
        ("Runtime.runIfWaitingForDebugger", json!({})),
    ]
}

/// Sends without waiting for the answer.
pub(crate) fn send(session: &Session, method: &str, params: &Value) {
    drop(session.call_raw(method, &raw(&params.to_string())));
}

/// Enables every domain on the session, and sets whatever else makes events come.
pub(crate) fn switch_on(session: &Session) {
    // Some domains refuse to be enabled before this one.
    send(session, "DOM.enable", &json!({}));
    for command in plain_commands().iter().filter(|command| command.method.ends_with(".enable")) {
        drop((command.send)(session));
    }
    for (method, params) in switches() {
        send(session, method, &params);
    }
}

/// Whether `react` has something to do for it.
pub(crate) fn is_answered(method: &str) -> bool {
    matches!(
        method,
        "Target.attachedToTarget"
            | "Debugger.paused"
            | "Page.javascriptDialogOpening"
            | "Page.screencastFrame"
            | "DOM.documentUpdated"
            | "Fetch.requestPaused"
            | "Fetch.authRequired"
            | "Input.dragIntercepted"
    )
}

/// Answers until the recorder is gone.
pub(crate) async fn react(client: Client, mut events: mpsc::UnboundedReceiver<RawEvent>) {
    while let Some(event) = events.recv().await {
        let params: Value = serde_json::from_slice(event.params()).unwrap_or_default();
        if event.method() == "Target.attachedToTarget" {
            if let Some(id) = params["sessionId"].as_str() {
                switch_on(&client.session(&id.into()));
            }
            continue;
        }
        let session = event.session_id().map_or_else(|| client.browser(), |id| client.session(&id));
        for (method, answer) in answers(event.method(), &params) {
            send(&session, method, &answer);
        }
    }
}

/// What is sent back to the session of an event.
fn answers(event: &str, params: &Value) -> Vec<(&'static str, Value)> {
    let one = |method, answer| vec![(method, answer)];
    match event {
        "Debugger.paused" => one("Debugger.resume", json!({})),
        "Page.javascriptDialogOpening" => {
            one("Page.handleJavaScriptDialog", json!({ "accept": true, "promptText": "given" }))
        }
        "Page.screencastFrame" => one("Page.screencastFrameAck", json!({ "sessionId": params["sessionId"] })),
        // The nodes of a new document are told of only to who asked for them.
        "DOM.documentUpdated" => one("DOM.getDocument", json!({ "depth": -1, "pierce": true })),
        "Fetch.requestPaused" => one("Fetch.continueRequest", json!({ "requestId": params["requestId"] })),
        "Fetch.authRequired" => {
            let response = json!({ "response": "ProvideCredentials", "username": "a", "password": "b" });
            one(
                "Fetch.continueWithAuth",
                json!({ "requestId": params["requestId"], "authChallengeResponse": response }),
            )
        }
        "Input.dragIntercepted" => ["dragEnter", "dragOver", "drop"]
            .map(|kind| {
                ("Input.dispatchDragEvent", json!({ "type": kind, "x": 5, "y": 5, "data": params["data"] }))
            })
            .into(),
        _ => Vec::new(),
    }
}
