//! The events of a domain, or of all, as one enumeration to match on. Decodes none of them by itself.
//!
//! A stream of one event ([`Session::events`](crate::Session::events)) is what most programs want. Who handles many events of a domain
//! in the order in which they came takes them as one enumeration, by
//! [`Session::events_of`](crate::Session::events_of):
//!
//! ```no_run
//! use cdp_protocol::Session;
//! use cdp_protocol::events::PageEvent;
//!
//! # async fn example(session: Session) -> Result<(), Box<dyn std::error::Error>> {
//! let mut events = session.events_of::<PageEvent>();
//! while let Some(event) = events.next().await {
//!     match event? {
//!         PageEvent::FrameNavigated(event) => println!("{}", event.decode()?.frame.url),
//!         PageEvent::LoadEventFired(_) => break,
//!         _ => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A variant knows which event it holds by its name alone; [`TypedEvent::decode`] reads what the event says. So an event
//! that is passed over costs no decoding, and one that can't be read spoils no other.

use std::fmt;
use std::marker::PhantomData;

use crate::error::DecodeError;
use crate::{Event, RawEvent};

mod generated {
    include!(concat!(env!("OUT_DIR"), "/domains/events.rs"));
}

pub use generated::*;

/// An enumeration of events: those of a domain, or [`AnyEvent`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no enumeration of events",
    note = "`Session::events_of` is for all events of a domain, such as `PageEvent`; `Session::events` for one event, such as `page::FrameNavigated`"
)]
pub trait EventSet: Sized + Send + 'static {
    /// What the names of its events begin with, such as `Page.`; empty if it takes all events.
    const PREFIX: &'static str;

    /// The variant for this event; one that no variant names, or that is none of the set's, is kept as unknown.
    fn new(event: RawEvent) -> Self;

    /// The event as it came.
    fn raw(&self) -> &RawEvent;
}

/// An event that is known by its name to be `E`, and not yet read.
pub struct TypedEvent<E> {
    raw: RawEvent,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> TypedEvent<E> {
    /// For the enumerations, which have looked at the name.
    #[doc(hidden)]
    pub fn new(raw: RawEvent) -> Self {
        Self { raw, event: PhantomData }
    }

    /// What the event says.
    ///
    /// # Errors
    ///
    /// A [`DecodeError`] that names the field, when the parameters don't have the shape of `E`.
    pub fn decode(&self) -> Result<E, DecodeError> {
        self.raw.decode()
    }

    /// The event as it came.
    pub fn raw(&self) -> &RawEvent {
        &self.raw
    }
}

/// Copies nothing, whether or not `E` can be cloned.
impl<E> Clone for TypedEvent<E> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), event: PhantomData }
    }
}

/// Shows name, session and size, never the parameters.
impl<E> fmt::Debug for TypedEvent<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

/// The trait of a domain's enumeration of events.
#[doc(hidden)]
#[macro_export]
macro_rules! event_set {
    ($name:ident $prefix:literal $($method:literal => $variant:ident,)*) => {
        // A variant of a deprecated event is deprecated as well.
        #[allow(deprecated)]
        impl EventSet for $name {
            const PREFIX: &'static str = $prefix;

            #[inline]
            fn new(event: RawEvent) -> Self {
                match event.method() {
                    $($method => Self::$variant(TypedEvent::new(event)),)*
                    _ => Self::Unknown(event),
                }
            }

            #[inline]
            fn raw(&self) -> &RawEvent {
                match self {
                    $(Self::$variant(event) => event.raw(),)*
                    Self::Unknown(event) => event,
                }
            }
        }
    };
}

/// The trait of the enumeration of all events.
#[doc(hidden)]
#[macro_export]
macro_rules! any_event {
    ($name:ident $($domain:literal => $variant:ident($set:ident),)*) => {
        impl EventSet for $name {
            const PREFIX: &'static str = "";

            #[inline]
            fn new(event: RawEvent) -> Self {
                match event.method().split('.').next() {
                    $(Some($domain) => Self::$variant($set::new(event)),)*
                    _ => Self::Unknown(event),
                }
            }

            #[inline]
            fn raw(&self) -> &RawEvent {
                match self {
                    $(Self::$variant(event) => event.raw(),)*
                    Self::Unknown(event) => event,
                }
            }
        }
    };
}
