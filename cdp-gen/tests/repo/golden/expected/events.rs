// Generated from the protocol description by cdp-gen; edits are lost.

use cdp_protocol::events::{EventSet, TypedEvent};
use cdp_protocol::{RawEvent, any_event, event_set};

/// Any event of the domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/), by its name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ZooEvent {
    Feed(TypedEvent<super::small::zoo::FeedEvent>),
    Closed(TypedEvent<super::small::zoo::Closed>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { ZooEvent "Zoo."
    "Zoo.feed" => Feed,
    "Zoo.closed" => Closed,
}

/// Any event of the domain [`Network`](https://chromedevtools.github.io/devtools-protocol/tot/Network/), by its name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NetworkEvent {
    CookieChanged(TypedEvent<super::small::network::CookieChanged>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { NetworkEvent "Network."
    "Network.cookieChanged" => CookieChanged,
}

/// Any event of the domain [`Target`](https://chromedevtools.github.io/devtools-protocol/tot/Target/), by its name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TargetEvent {
    TargetCreated(TypedEvent<super::small::target::TargetCreated>),
    /// An event that the protocol description does not list.
    Unknown(RawEvent),
}
event_set! { TargetEvent "Target."
    "Target.targetCreated" => TargetCreated,
}

/// Any event, by its domain.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyEvent {
    /// Of the domain [`Zoo`](https://chromedevtools.github.io/devtools-protocol/tot/Zoo/).
    Zoo(ZooEvent),
    /// Of the domain [`Network`](https://chromedevtools.github.io/devtools-protocol/tot/Network/).
    Network(NetworkEvent),
    /// Of the domain [`Target`](https://chromedevtools.github.io/devtools-protocol/tot/Target/).
    Target(TargetEvent),
    /// Of a domain that the protocol description does not list.
    Unknown(RawEvent),
}
any_event! { AnyEvent
    "Zoo" => Zoo(ZooEvent),
    "Network" => Network(NetworkEvent),
    "Target" => Target(TargetEvent),
}
