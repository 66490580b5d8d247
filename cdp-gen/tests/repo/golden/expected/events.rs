// Generated from the protocol description by cdp-gen; edits are lost.

#[allow(unused_imports)]
use cdp_protocol::events::{EventSet, TypedEvent};
#[allow(unused_imports)]
use cdp_protocol::{RawEvent, any_event, event_set};

/// Any event of the domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ZooEvent {
    /// Event [`Zoo.feed`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/#event-feed).
    Feed(TypedEvent<super::small::zoo::FeedEvent>),
    /// Without parameters.
    Closed(TypedEvent<super::small::zoo::Closed>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { ZooEvent "Zoo."
    "Zoo.feed" => Feed,
    "Zoo.closed" => Closed,
}

/// Any event of the domain [`Network`](https://chromedevtools.github.io/devtools-protocol/tot/Network/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NetworkEvent {
    /// Event [`Network.cookieChanged`](https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-cookieChanged).
    CookieChanged(TypedEvent<super::small::network::CookieChanged>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { NetworkEvent "Network."
    "Network.cookieChanged" => CookieChanged,
}

/// Any event of the domain [`Target`](https://chromedevtools.github.io/devtools-protocol/tot/Target/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TargetEvent {
    /// Event [`Target.targetCreated`](https://chromedevtools.github.io/devtools-protocol/tot/Target/#event-targetCreated).
    TargetCreated(TypedEvent<super::small::target::TargetCreated>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { TargetEvent "Target."
    "Target.targetCreated" => TargetCreated,
}

/// Any event of the domain [`Unknown`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UnknownEvent {
    /// An event whose name can't be that of a variant.
    SelfEvent(TypedEvent<super::small::unknown::SelfEvent>),
    /// Event [`Unknown.unknown`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/#event-unknown).
    UnknownEvent(TypedEvent<super::small::unknown::Unknown>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { UnknownEvent "Unknown."
    "Unknown.self" => SelfEvent,
    "Unknown.unknown" => UnknownEvent,
}

/// Any event of the domain [`V8`](https://chromedevtools.github.io/devtools-protocol/tot/V8/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum V8Event {
    /// Event [`V8.heard`](https://chromedevtools.github.io/devtools-protocol/tot/V8/#event-heard).
    #[deprecated = "by the protocol"]
    Heard(TypedEvent<super::small::v8::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { V8Event "V8."
    "V8.heard" => Heard,
}

/// Any event of the domain [`V_8`](https://chromedevtools.github.io/devtools-protocol/tot/V_8/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum V8EventSet {
    /// Event [`V_8.heard`](https://chromedevtools.github.io/devtools-protocol/tot/V_8/#event-heard).
    Heard(TypedEvent<super::small::v_8::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { V8EventSet "V_8."
    "V_8.heard" => Heard,
}

/// Any event of the domain [`Typed`](https://chromedevtools.github.io/devtools-protocol/tot/Typed/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TypedEventSet {
    /// Event [`Typed.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Typed/#event-heard).
    Heard(TypedEvent<super::small::typed::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { TypedEventSet "Typed."
    "Typed.heard" => Heard,
}

/// Any event of the domain [`Raw`](https://chromedevtools.github.io/devtools-protocol/tot/Raw/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RawEventSet {
    /// Event [`Raw.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Raw/#event-heard).
    Heard(TypedEvent<super::small::raw::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { RawEventSet "Raw."
    "Raw.heard" => Heard,
}

/// Any event of the domain [`Any`](https://chromedevtools.github.io/devtools-protocol/tot/Any/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyEventSet {
    /// Event [`Any.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Any/#event-heard).
    Heard(TypedEvent<super::small::any::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { AnyEventSet "Any."
    "Any.heard" => Heard,
}

/// Any event of the domain [`Self`](https://chromedevtools.github.io/devtools-protocol/tot/Self/), by its name.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SelfEvent {
    /// Event [`Self.heard`](https://chromedevtools.github.io/devtools-protocol/tot/Self/#event-heard).
    Heard(TypedEvent<super::small::self_::Heard>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { SelfEvent "Self."
    "Self.heard" => Heard,
}

/// Any event, by its domain.
#[allow(deprecated, clippy::all)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyEvent {
    /// Of the domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/).
    Zoo(ZooEvent),
    /// Of the domain [`Network`](https://chromedevtools.github.io/devtools-protocol/tot/Network/).
    Network(NetworkEvent),
    /// Of the domain [`Target`](https://chromedevtools.github.io/devtools-protocol/tot/Target/).
    Target(TargetEvent),
    /// Of the domain [`Unknown`](https://chromedevtools.github.io/devtools-protocol/tot/Unknown/).
    UnknownDomain(UnknownEvent),
    /// Of the domain [`V8`](https://chromedevtools.github.io/devtools-protocol/tot/V8/).
    V8(V8Event),
    /// Of the domain [`V_8`](https://chromedevtools.github.io/devtools-protocol/tot/V_8/).
    V8Domain(V8EventSet),
    /// Of the domain [`Typed`](https://chromedevtools.github.io/devtools-protocol/tot/Typed/).
    Typed(TypedEventSet),
    /// Of the domain [`Raw`](https://chromedevtools.github.io/devtools-protocol/tot/Raw/).
    Raw(RawEventSet),
    /// Of the domain [`Any`](https://chromedevtools.github.io/devtools-protocol/tot/Any/).
    Any(AnyEventSet),
    /// Of the domain [`Self`](https://chromedevtools.github.io/devtools-protocol/tot/Self/).
    SelfDomain(SelfEvent),
    /// Of a domain that the protocol description does not list.
    Unknown(RawEvent),
}
any_event! { AnyEvent
    "Zoo" => Zoo(ZooEvent),
    "Network" => Network(NetworkEvent),
    "Target" => Target(TargetEvent),
    "Unknown" => UnknownDomain(UnknownEvent),
    "V8" => V8(V8Event),
    "V_8" => V8Domain(V8EventSet),
    "Typed" => Typed(TypedEventSet),
    "Raw" => Raw(RawEventSet),
    "Any" => Any(AnyEventSet),
    "Self" => SelfDomain(SelfEvent),
}
