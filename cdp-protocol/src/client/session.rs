//! One session: where calls are made and events come from.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::call::Call;
use super::connection::Client;
use super::events::{Events, RawEvents};
use super::handle::SessionHandle;
use crate::domains::target::SessionId;
use crate::error::EventError;
use crate::events::EventSet;
use crate::mux::{Interest, Observer};
use crate::{Command, Event};

/// A conversation with one target of the browser, or with the browser itself.
///
/// A session that is asked for is taken for alive until the browser detaches it or its target crashes; all calls that wait on it
/// then fail, and later ones fail at once. Cloning is cheap.
#[derive(Clone)]
pub struct Session {
    handle: Arc<SessionHandle>,
}

impl Client {
    /// The browser's own session, which needs no attaching.
    pub fn browser(&self) -> Session {
        Session { handle: Arc::new(SessionHandle::open(self.clone(), None)) }
    }

    /// The session with this id, as `Target.attachToTarget` or `Target.attachedToTarget` told it. The target has to be
    /// attached with `flatten`; the browser knows no such session otherwise.
    pub fn session(&self, id: &SessionId) -> Session {
        Session { handle: Arc::new(SessionHandle::open(self.clone(), Some(id))) }
    }
}

impl Session {
    /// The session's id; `None` for the browser's own.
    pub fn id(&self) -> Option<&SessionId> {
        self.handle.id.as_ref()
    }

    /// The connection.
    pub fn client(&self) -> &Client {
        &self.handle.client
    }

    /// Makes a call. It is encoded and queued before this returns, and goes out whether or not the answer is awaited. A command of
    /// your own is serialised while the connection is locked: its `Serialize` must not use the connection, not even drop a handle.
    ///
    /// # Errors
    ///
    /// All come out of the returned future, as a [`CallError`](crate::CallError).
    pub fn call<C: Command>(&self, command: &C) -> Call<C::Result> {
        Call::make(&self.handle, Cow::Borrowed(C::METHOD), command)
    }

    /// Makes a call by name, with parameters as JSON text. Otherwise as [`call`](Self::call).
    ///
    /// The text is a `RawValue` of the crate `serde_json`, with its feature `raw_value`:
    ///
    /// ```no_run
    /// # async fn example(session: cdp_protocol::Session) -> Result<(), Box<dyn std::error::Error>> {
    /// use serde_json::value::{RawValue, to_raw_value};
    ///
    /// let params = to_raw_value(&serde_json::json!({ "expression": "1 + 1", "returnByValue": true }))?;
    /// let answer: Box<RawValue> = session.call_raw("Runtime.evaluate", &params).await?;
    /// let answer: serde_json::Value = cdp_protocol::json::decode(answer.get().as_bytes())?;
    /// assert_eq!(answer["result"]["value"], 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// All come out of the returned future, as a [`CallError`](crate::CallError).
    pub fn call_raw(&self, method: &str, params: &RawValue) -> Call<Box<RawValue>> {
        Call::make(&self.handle, Cow::Owned(method.to_owned()), params)
    }

    /// The events of one type, from now on. Whether the browser sends them may depend on a domain's `enable`.
    pub fn events<E: Event>(&self) -> Events<E> {
        Events::new(self.events_raw(Some(E::METHOD)), |raw| raw.decode().map_err(EventError::from))
    }

    /// The events of a domain, or with [`AnyEvent`](crate::events::AnyEvent) all of the session, from now on, as one
    /// enumeration to match on. An event is read when it is asked for what it says.
    pub fn events_of<S: EventSet>(&self) -> Events<S> {
        let raw = RawEvents::subscribe(self.handle.clone(), Interest::Prefixed(S::PREFIX));
        Events::new(raw, |raw| Ok(S::new(raw)))
    }

    /// The events of one name, or with `None` all of the session, from now on, undecoded.
    pub fn events_raw(&self, method: Option<&str>) -> RawEvents {
        let interest = method.map_or(Interest::Prefixed(""), |name| Interest::Named(name.into()));
        RawEvents::subscribe(self.handle.clone(), interest)
    }

    /// Shows all events of the session to `observer`, from now on and until the session ends, in wire order: when the answer to a
    /// call is there, every event that the browser sent before it has been seen. If the session is over already, the observer
    /// learns that at once.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        let refused = self.handle.shared().mux().observe(self.handle.key, observer);
        if let Err((observer, end)) = refused {
            observer.ended(&end);
        }
    }

    /// Whether calls on this session fail at once, because it was detached, its target crashed or the connection ended.
    pub fn is_ended(&self) -> bool {
        self.handle.shared().mux().ended(self.handle.key).is_some()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id()).finish_non_exhaustive()
    }
}
