//! What a session, its calls and its streams hold in common: the connection and the session's place in it.

use super::connection::Client;
use crate::carrier::Shared;
use crate::domains::target::SessionId;
use crate::mux::SessionKey;

pub(super) struct SessionHandle {
    pub(super) client: Client,
    pub(super) key: SessionKey,
    pub(super) id: Option<SessionId>,
}

impl SessionHandle {
    pub(super) fn open(client: Client, id: Option<&SessionId>) -> Self {
        let key = client.shared().mux().open(id);
        Self { client, key, id: id.cloned() }
    }

    pub(super) fn shared(&self) -> &Shared {
        self.client.shared()
    }
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        self.shared().mux().release(self.key);
    }
}
