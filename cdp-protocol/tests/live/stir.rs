//! Makes a browser busy: what its main page does itself, over and over, and what only commands bring about, once. Nothing here
//! fails; what did not happen is missing in the record.

use std::time::Duration;

use cdp_protocol::domains::target;
use cdp_protocol::{Client, Session};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::raw;
use crate::site::Site;

/// How long one step may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// A browser to keep busy.
pub(crate) struct Stir<'a> {
    client: Client,
    root: Session,
    /// The main page, on which everything is switched on.
    page: Session,
    site: &'a Site,
    /// Where downloads may go.
    folder: &'a str,
}

const ROUND: &str = "
> busy.tree()
> busy.attributes(8000)
> busy.styles()
> busy.animations()
> busy.layers()
> busy.console(1000)
> busy.exceptions()
> busy.storage()
> busy.network()
> busy.sockets()
> busy.workers()
> busy.popups()
> busy.dialogs()
> busy.audio()
> busy.media()
> busy.reports()
> busy.tools()
> busy.navigation()
";

const DOWNLOADS_AND_TRACING: &str = r#"
* Browser.setDownloadBehavior {"behavior": "allow", "downloadPath": $folder, "eventsEnabled": true}
> Object.assign(document.createElement("a"), { href: "/download", download: "b.csv" }).click()
* Tracing.start {"bufferUsageReportingInterval": 20, "traceConfig": {"includedCategories": ["devtools.timeline", "v8"]}}
> busy.layers().then(() => wait(500))
* Tracing.end {}
"#;

const STYLE_AND_NODES: &str = r#"
DOM.requestChildNodes {"nodeId": $main, "depth": 3}
CSS.trackComputedStyleUpdatesForNode {"nodeId": $own}
CSS.trackComputedStyleUpdates {"propertiesToTrack": [{"name": "color", "value": "rgb(1, 2, 3)"}]}
Accessibility.getFullAXTree {}
DOM.setAttributeValue {"nodeId": $own, "name": "style", "value": "color: rgb(1, 2, 3)"}
> own.setAttribute("aria-label", "changed")
Emulation.setEmulatedMedia {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
Emulation.setDeviceMetricsOverride {"width": 300, "height": 500, "deviceScaleFactor": 2, "mobile": true, "screenOrientationLockEmulation": true}
> busy.reports()
CSS.takeComputedStyleUpdates {}
Emulation.clearDeviceMetricsOverride {}
CSS.setStyleSheetText {"styleSheetId": $sheet, "text": "s { color: red }"}
DOM.undo {}
> get("name").focus(); get("name").blur(); inspect(get("own")); inspect(window); 0
"#;

const SCRIPTS_AND_HEAP: &str = r#"
Debugger.setBreakpointByUrl {"lineNumber": 0, "url": "breaks.js"}
> let stops = 1; //# sourceURL=breaks.js
DOMDebugger.setEventListenerBreakpoint {"eventName": "click"}
> get("own").onclick = () => 1; get("own").click()
DOMDebugger.removeEventListenerBreakpoint {"eventName": "click"}
Debugger.pause {}
Profiler.start {}
Profiler.startPreciseCoverage {"callCount": true, "detailed": true, "allowTriggeredUpdates": true}
> console.profile("a"); busy.console(5); console.profileEnd("a")
Profiler.takePreciseCoverage {}
Profiler.stop {}
HeapProfiler.takeHeapSnapshot {"reportProgress": true}
> busy.audio()
HeapProfiler.collectGarbage {}
> console.timeStamp("here")
"#;

const KEYS_AND_FORMS: &str = r#"
WebAuthn.addVirtualAuthenticator {"options": {"protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true, "isUserVerified": true, "automaticPresenceSimulation": true}}
> busy.keys()
Autofill.trigger {"fieldId": $field, "address": {"fields": [{"name": "NAME_FULL", "value": "A B"}, {"name": "ADDRESS_HOME_CITY", "value": "City"}, {"name": "ADDRESS_HOME_COUNTRY", "value": "US"}]}}
> get("file").click()
> busy.tools()
WebMCP.invokeTool {"frameId": $frame, "toolName": "add", "input": {"a": 1}}
"#;

// The first registration of a service worker in a profile has the number 0.
const STORAGE: &str = r#"
Storage.trackCacheStorageForStorageKey {"storageKey": $key}
Storage.trackIndexedDBForStorageKey {"storageKey": $key}
Storage.setStorageBucketTracking {"storageKey": $key, "enable": true}
> busy.storage()
> busy.storage()
BackgroundService.startObserving {"service": "backgroundSync"}
BackgroundService.setRecording {"service": "backgroundSync", "shouldRecord": true}
BackgroundService.startObserving {"service": "pushMessaging"}
BackgroundService.setRecording {"service": "pushMessaging", "shouldRecord": true}
* Browser.grantPermissions {"permissions": ["notifications", "backgroundSync"], "origin": $origin}
> navigator.serviceWorker.ready.then((ready) => ready.sync.register("later"))
ServiceWorker.deliverPushMessage {"origin": $origin, "registrationId": "0", "data": "pushed"}
ServiceWorker.dispatchSyncEvent {"origin": $origin, "registrationId": "0", "tag": "later", "lastChance": false}
"#;

const DRAG: &str = r#"
Input.setInterceptDrags {"enabled": true}
Input.dispatchMouseEvent {"type": "mousePressed", "x": $x, "y": $y, "button": "left", "buttons": 1, "clickCount": 1}
Input.dispatchMouseEvent {"type": "mouseMoved", "x": $x, "y": 30, "button": "left", "buttons": 1}
Input.dispatchMouseEvent {"type": "mouseMoved", "x": $x, "y": 60, "button": "left", "buttons": 1}
Input.dispatchMouseEvent {"type": "mouseReleased", "x": $x, "y": 60, "button": "left", "clickCount": 1}
Input.setInterceptDrags {"enabled": false}
"#;

const OVERLAY: &str = r#"
Overlay.setInspectMode {"mode": "searchForNode", "highlightConfig": {"showInfo": true}}
Input.dispatchMouseEvent {"type": "mouseMoved", "x": $x, "y": $y}
Input.dispatchMouseEvent {"type": "mousePressed", "x": $x, "y": $y, "button": "left", "buttons": 1, "clickCount": 1}
Input.dispatchMouseEvent {"type": "mouseReleased", "x": $x, "y": $y, "button": "left", "clickCount": 1}
Overlay.setInspectMode {"mode": "captureAreaScreenshot", "highlightConfig": {}}
Input.dispatchMouseEvent {"type": "mousePressed", "x": 10, "y": 10, "button": "left", "buttons": 1, "clickCount": 1}
Input.dispatchMouseEvent {"type": "mouseMoved", "x": 60, "y": 60, "button": "left", "buttons": 1}
Input.dispatchMouseEvent {"type": "mouseReleased", "x": 60, "y": 60, "button": "left", "clickCount": 1}
Overlay.setInspectMode {"mode": "searchForNode", "highlightConfig": {}}
Input.dispatchKeyEvent {"type": "rawKeyDown", "key": "Escape", "windowsVirtualKeyCode": 27}
Overlay.setInspectMode {"mode": "none", "highlightConfig": {}}
Page.startScreencast {"format": "jpeg", "quality": 10, "maxWidth": 100}
> busy.layers()
"#;

/// Ways in which a document comes and goes.
const LOADS: &str = r#"
Page.bringToFront {}
Page.stopScreencast {}
Page.reload {}
> wait(500)
Page.navigate {"url": $away}
> location.href = "/empty?script"; new Promise(() => {})
> history.back(); new Promise(() => {})
"#;

impl<'a> Stir<'a> {
    /// On a browser that attaches to each new page.
    pub(crate) async fn new(client: &Client, site: &'a Site, folder: &'a str) -> Self {
        let root = client.browser();
        Self { client: client.clone(), page: new_page(&root).await, root, site, folder }
    }

    /// Everything the page can do by itself.
    pub(crate) async fn round(&mut self) {
        if !self.home().await {
            // So busy a page may crash by itself.
            self.page = new_page(&self.root).await;
            self.home().await;
        }
        self.run(ROUND, []).await;
    }

    /// Shows the busy page, whatever is still under way; says whether it did.
    async fn home(&self) -> bool {
        for _ in 0..5 {
            if self.script("document.readyState == 'complete' && typeof busy").await == "object" {
                return true;
            }
            if self.page.is_ended() {
                return false;
            }
            self.ask(&self.page, "Page.navigate", json!({ "url": self.site.url("/") })).await;
            self.script(
                "new Promise(done => document.readyState == 'complete' ? done() : (onload = () => done()))",
            )
            .await;
        }
        false
    }

    /// What needs commands.
    pub(crate) async fn once(&self) {
        self.script("busy.serviceWorker()").await;
        self.run(DOWNLOADS_AND_TRACING, [("$folder", json!(self.folder))]).await;
        let root = self.ask(&self.page, "DOM.getDocument", json!({ "depth": 2 })).await;
        let node = async |selector| {
            let params = json!({ "nodeId": root["root"]["nodeId"], "selector": selector });
            self.ask(&self.page, "DOM.querySelector", params).await["nodeId"].take()
        };
        let frame =
            self.ask(&self.page, "Page.getFrameTree", json!({})).await["frameTree"]["frame"]["id"].take();
        let sheet =
            self.ask(&self.page, "CSS.createStyleSheet", json!({ "frameId": frame })).await["styleSheetId"]
                .take();
        self.run(
            STYLE_AND_NODES,
            [("$own", node("#own").await), ("$main", node("main").await), ("$sheet", sheet)],
        )
        .await;
        self.run(SCRIPTS_AND_HEAP, []).await;
        let field =
            self.ask(&self.page, "DOM.describeNode", json!({ "nodeId": node("#street").await })).await;
        self.run(
            KEYS_AND_FORMS,
            [("$field", field["node"]["backendNodeId"].clone()), ("$frame", frame.clone())],
        )
        .await;
        let key =
            self.ask(&self.page, "Storage.getStorageKey", json!({ "frameId": frame })).await["storageKey"]
                .take();
        let origin = json!(format!("http://localhost:{}", self.site.port));
        self.run(STORAGE, [("$key", key), ("$origin", origin)]).await;
        let (x, y) = self.middle("dragged").await;
        self.run(DRAG, [("$x", x), ("$y", y)]).await;
        let (x, y) = self.middle("own").await;
        self.run(OVERLAY, [("$x", x), ("$y", y)]).await;
        self.other_targets().await;
        self.run(LOADS, [("$away", json!(self.site.url("/empty?away")))]).await;
    }

    /// Pages of their own for what would end the main one or change its time.
    async fn other_targets(&self) {
        let mut pages = Vec::new();
        for flatten in [true, true, false] {
            let made =
                self.ask(&self.root, "Target.createTarget", json!({ "url": self.site.url("/empty") })).await;
            let target = made["targetId"].clone();
            let params = json!({ "targetId": target, "flatten": flatten });
            pages.push((
                target,
                self.ask(&self.root, "Target.attachToTarget", params).await["sessionId"].take(),
            ));
        }
        let session = |n: usize| self.client.session(&pages[n].1.as_str().unwrap_or_default().into());
        self.ask(&session(0), "Page.crash", json!({})).await;
        self.ask(&session(1), "Emulation.setVirtualTimePolicy", json!({ "policy": "advance", "budget": 50 }))
            .await;
        let wait = json!({ "expression": "new Promise(done => setTimeout(done, 40))", "awaitPromise": true });
        self.ask(&session(1), "Runtime.evaluate", wait).await;
        let message = r#"{"id":1,"method":"Runtime.evaluate","params":{"expression":"1"}}"#;
        let message = json!({ "sessionId": pages[2].1, "message": message });
        self.ask(&self.root, "Target.sendMessageToTarget", message).await;
        for (target, _) in &pages {
            self.ask(&self.root, "Target.closeTarget", json!({ "targetId": target })).await;
        }
    }

    /// The middle of an element.
    async fn middle(&self, id: &str) -> (Value, Value) {
        self.script(&format!("get('{id}').scrollIntoView()")).await;
        let code = format!(
            "(box => [box.x + box.width / 2, box.y + box.height / 2])(get('{id}').getBoundingClientRect())"
        );
        let mut at = self.script(&code).await;
        (at[0].take(), at[1].take())
    }

    /// Goes through the lines: a command to the page, one to the browser behind `*`, a script behind `>`. Names that begin with `$`
    /// stand for the values given.
    async fn run<const N: usize>(&self, lines: &str, values: [(&str, Value); N]) {
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let line = values
                .iter()
                .fold(line.to_owned(), |line, (name, value)| line.replace(name, &value.to_string()));
            if let Some(code) = line.strip_prefix("> ") {
                self.script(code).await;
                continue;
            }
            let (session, line) = match line.strip_prefix("* ") {
                Some(line) => (&self.root, line),
                None => (&self.page, line.as_str()),
            };
            let (method, params) = line.split_once(' ').expect("a method and its parameters");
            self.ask(session, method, serde_json::from_str(params).expect("parameters in JSON")).await;
        }
    }

    /// The value of a script; null where it threw or took too long.
    async fn script(&self, code: &str) -> Value {
        let params = json!({ "expression": code, "awaitPromise": true, "userGesture": true, "returnByValue": true,
            "includeCommandLineAPI": true });
        self.ask(&self.page, "Runtime.evaluate", params).await["result"]["value"].take()
    }

    /// The answer to a command; null where it was refused or did not come in time.
    async fn ask(&self, session: &Session, method: &str, params: Value) -> Value {
        let answer = timeout(PATIENCE, session.call_raw(method, &raw(&params.to_string()))).await;
        let answer = answer.ok().and_then(Result::ok);
        answer.and_then(|answer| serde_json::from_str(answer.get()).ok()).unwrap_or_default()
    }
}

/// A page, and the session that came with it.
async fn new_page(root: &Session) -> Session {
    let mut attached = root.events::<target::AttachedToTarget>();
    let made = root.call(&target::CreateTarget::new("about:blank")).await.expect("a page").target_id;
    loop {
        let attached = attached.next().await.expect("the browser lives").expect("the event can be read");
        if attached.target_info.target_id == made {
            return root.client().session(&attached.session_id);
        }
    }
}
