//! What we know of the protocol beyond its description, in one place: values of texts that it does not list,
//! units of numbers, members that no log should show. An entry for an item that a protocol lacks does nothing.

use crate::model::{Domain, Field, Protocol, Shape, Type, Value};

/// Texts that are described as such, but come out of a list: domain, type or event, member, values.
/// Enumerations are open, so that a list with a gap loses nothing.
///
/// Kinds of targets are the constants `DevToolsAgentHost::kType…` of Chromium's content layer, and two that Chrome's
/// `ChromeDevToolsManagerDelegate` adds. Names of the lifecycle are what Blink's page agent sends when it is asked for
/// past ones, and what the loader, the idleness detector and the paint timing report as they happen.
pub(super) const VALUES: &[(&str, &str, &str, &[&str])] = &[
    (
        "Target",
        "TargetInfo",
        "type",
        &[
            "page",
            "iframe",
            "worker",
            "shared_worker",
            "service_worker",
            "worklet",
            "shared_storage_worklet",
            "auction_worklet",
            "assistive_technology",
            "browser",
            "browser_ui",
            "tab",
            "webview",
            "background_page",
            "app",
            "other",
        ],
    ),
    (
        "Page",
        "lifecycleEvent",
        "name",
        &[
            "commit",
            "init",
            "DOMContentLoaded",
            "load",
            "firstPaint",
            "firstContentfulPaint",
            "firstImagePaint",
            "firstMeaningfulPaintCandidate",
            "firstMeaningfulPaint",
            "networkAlmostIdle",
            "networkIdle",
            "InteractiveTime",
        ],
    ),
];

/// Members that are not what the description calls them: domain, type or event, member, type.
///
/// Chromium counts the time of a response in milliseconds; `Network.TimeSinceEpoch` counts seconds.
pub(super) const TYPES: &[(&str, &str, &str, &str)] =
    &[("Network", "Response", "responseTime", "Runtime.Timestamp")];

/// Newtypes with more to them than a number or a list: domain, type, and the runtime's macro with the methods.
pub(super) const METHODS: &[(&str, &str, &str)] = &[
    ("DOM", "Quad", "quad"),
    ("Input", "TimeSinceEpoch", "seconds_since_epoch"),
    ("Network", "TimeSinceEpoch", "seconds_since_epoch"),
    ("Network", "MonotonicTime", "monotonic_seconds"),
    ("Runtime", "Timestamp", "milliseconds_since_epoch"),
    ("Runtime", "TimeDelta", "milliseconds"),
];

/// Newtypes whose `Debug` shows nothing: domain and type.
pub(super) const SECRET_TYPES: &[(&str, &str)] = &[("DOMStorage", "Item"), ("Network", "Headers")];

/// Members that `Debug` does not show: domain, item (a `type`, the parameters of a `command`, its `result`, an `event`),
/// member. Passwords, cookies, tokens, what is typed, whole messages and bodies, which hold any of these.
pub(super) const SECRETS: &[(&str, &str, &str)] = &[
    ("Audits", "type CookieIssueDetails", "rawCookieLine"),
    ("Autofill", "type AddressField", "value"),
    ("Autofill", "type CreditCard", "cvc"),
    ("Autofill", "type CreditCard", "number"),
    ("Autofill", "type FilledField", "value"),
    ("BackgroundService", "type EventMetadata", "value"),
    ("CacheStorage", "type Header", "value"),
    ("DOMSnapshot", "type DOMNode", "inputValue"),
    ("DOMStorage", "command setDOMStorageItem", "value"),
    ("DOMStorage", "event domStorageItemAdded", "newValue"),
    ("DOMStorage", "event domStorageItemUpdated", "newValue"),
    ("DOMStorage", "event domStorageItemUpdated", "oldValue"),
    ("Debugger", "type SearchMatch", "lineContent"),
    ("Extensions", "command setStorageItems", "values"),
    ("Extensions", "result getStorageItems", "data"),
    ("Fetch", "result getResponseBody", "body"),
    ("Fetch", "type AuthChallengeResponse", "password"),
    ("Fetch", "type HeaderEntry", "value"),
    ("IO", "result read", "data"),
    ("Input", "command dispatchKeyEvent", "code"),
    ("Input", "command dispatchKeyEvent", "key"),
    ("Input", "command dispatchKeyEvent", "keyIdentifier"),
    ("Input", "command dispatchKeyEvent", "nativeVirtualKeyCode"),
    ("Input", "command dispatchKeyEvent", "text"),
    ("Input", "command dispatchKeyEvent", "unmodifiedText"),
    ("Input", "command dispatchKeyEvent", "windowsVirtualKeyCode"),
    ("Input", "command imeSetComposition", "text"),
    ("Input", "command insertText", "text"),
    ("Input", "type DragDataItem", "data"),
    ("Network", "command setCookie", "value"),
    ("Network", "event eventSourceMessageReceived", "data"),
    ("Network", "event responseReceivedExtraInfo", "headersText"),
    ("Network", "result getRequestPostData", "postData"),
    ("Network", "result getResponseBody", "body"),
    ("Network", "type AuthChallengeResponse", "password"),
    ("Network", "type BlockedSetCookieWithReason", "cookieLine"),
    ("Network", "type Cookie", "value"),
    ("Network", "type CookieParam", "value"),
    ("Network", "type DeviceBoundSessionFailedRequest", "responseErrorBody"),
    ("Network", "type ExemptedSetCookieWithReason", "cookieLine"),
    ("Network", "type ReportingApiReport", "body"),
    ("Network", "type Request", "postData"),
    ("Network", "type Response", "headersText"),
    ("Network", "type Response", "requestHeadersText"),
    ("Network", "type WebSocketFrame", "payloadData"),
    ("Network", "type WebSocketResponse", "headersText"),
    ("Network", "type WebSocketResponse", "requestHeadersText"),
    ("Page", "command handleJavaScriptDialog", "promptText"),
    ("Page", "event javascriptDialogClosed", "userInput"),
    ("Page", "result captureSnapshot", "data"),
    ("Page", "result getResourceContent", "content"),
    ("Runtime", "event bindingCalled", "payload"),
    ("Runtime", "type CallArgument", "value"),
    ("ServiceWorker", "command deliverPushMessage", "data"),
    ("Storage", "type PrivateVerificationToken", "token"),
    ("Target", "command sendMessageToTarget", "message"),
    ("Target", "event receivedMessageFromTarget", "message"),
    ("WebMCP", "event toolInvoked", "input"),
];

/// The runtime's macro with more methods for this newtype over `ty`, where that is what the methods are for.
pub(super) fn methods(domain: &str, name: &str, ty: &Type) -> Option<&'static str> {
    let (.., methods) = METHODS.iter().find(|(d, n, _)| (*d, *n) == (domain, name))?;
    let fits = match ty {
        Type::Array(item) => *methods == "quad" && **item == Type::Number,
        Type::Number => *methods != "quad",
        _ => false,
    };
    fits.then_some(*methods)
}

/// Whether `Debug` must not show this newtype.
pub(super) fn is_secret_type(domain: &str, name: &str) -> bool {
    SECRET_TYPES.contains(&(domain, name))
}

/// Whether `Debug` must not show this member of the item.
pub(super) fn is_secret(domain: &str, item: &str, member: &str) -> bool {
    SECRETS.contains(&(domain, item, member))
}

/// The protocol with the values and types that its description lacks or has wrong, as [`generate`](super::generate)
/// prints it.
pub fn refined(protocol: &Protocol) -> Protocol {
    let mut protocol = protocol.clone();
    for (domain, item, member, values) in VALUES {
        if let Some(field) = field_of(&mut protocol, domain, item, member)
            && field.ty == Type::String
        {
            let listed = |value: &&str| Value {
                name: (*value).to_owned(),
                comment: Vec::new(),
                place: field.place.clone(),
            };
            field.ty = Type::Enum(values.iter().map(listed).collect());
        }
    }
    for (domain, item, member, ty) in TYPES {
        let (of, name) = ty.split_once('.').unwrap_or((domain, ty));
        let declares = |d: &Domain| d.name == of && d.types.iter().any(|def| def.name == name);
        if protocol.domains.iter().any(declares)
            && let Some(field) = field_of(&mut protocol, domain, item, member)
        {
            field.ty = Type::Ref((*ty).to_owned());
        }
    }
    protocol
}

/// A member of a type or event, if there is one of these names.
pub(super) fn field_of<'a>(
    protocol: &'a mut Protocol,
    domain: &str,
    item: &str,
    member: &str,
) -> Option<&'a mut Field> {
    let domain = protocol.domains.iter_mut().find(|d| d.name == domain)?;
    let of_type = domain.types.iter_mut().find(|def| def.name == item).map(|def| &mut def.shape);
    let fields = match of_type {
        Some(Shape::Object(fields)) => fields,
        _ => &mut domain.events.iter_mut().find(|event| event.name == item)?.parameters,
    };
    fields.iter_mut().find(|field| field.name == member)
}
