//! All commands that require no parameter, and all events, as values to go through.

use std::collections::HashMap;
use std::pin::Pin;

use cdp_protocol::{CallError, Command, DecodeError, Event, RawEvent, Session};

include!(concat!(env!("OUT_DIR"), "/listing.rs"));

type Answer = Pin<Box<dyn Future<Output = Result<(), CallError>> + Send>>;

/// A command with nothing set.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) method: &'static str,
    /// Sends it, and reads the answer as its own type.
    pub(crate) send: fn(&Session) -> Answer,
}

/// Reads an event as its own type.
pub(crate) type Decode = fn(&RawEvent) -> Result<(), DecodeError>;

/// All commands that require no parameter, in the order of the protocol's text.
pub(crate) fn plain_commands() -> Vec<Plain> {
    macro_rules! list {
        ($($command:path;)*) => { vec![$(plain::<$command>()),*] };
    }
    every_plain_command!(list)
}

/// How to read each event, by its name.
pub(crate) fn events() -> HashMap<&'static str, Decode> {
    macro_rules! list {
        ($($event:path;)*) => { HashMap::from([$((<$event as Event>::METHOD, decode::<$event> as Decode)),*]) };
    }
    every_event!(list)
}

fn plain<C: Command + Default + 'static>() -> Plain {
    Plain { method: C::METHOD, send: |session| Box::pin(answer(session, &C::default())) }
}

/// The answer to a command, read as its own type and then let go. The command is on its way when this returns.
pub(crate) fn answer<C: Command>(
    session: &Session,
    command: &C,
) -> impl Future<Output = Result<(), CallError>> + Send + use<C> {
    let call = session.call(command);
    async move { call.await.map(drop) }
}

fn decode<E: Event>(event: &RawEvent) -> Result<(), DecodeError> {
    event.decode::<E>().map(drop)
}
