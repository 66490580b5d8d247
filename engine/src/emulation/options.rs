//! What a context is made with.

use cdp_protocol::domains::target::CreateBrowserContext;

use super::{ClientHints, Emulation, Permission, UserAgent};

/// Collected by [`NewContext`](crate::NewContext).
#[derive(Default)]
pub(crate) struct ContextOptions {
    pub emulation: Emulation,
    pub hints: Option<ClientHints>,
    pub permissions: Vec<Permission>,
    pub proxy: Option<String>,
    pub proxy_bypass: Vec<String>,
    pub deny_downloads: bool,
    pub base_url: Option<String>,
    pub test_id_attribute: Option<String>,
}

impl ContextOptions {
    /// Fills in what follows from the rest.
    pub(crate) fn complete(&mut self, user_agent: &str) {
        let emulation = &mut self.emulation;
        if emulation.user_agent.is_none() && (emulation.locale.is_some() || self.hints.is_some()) {
            // The language of requests goes with the user agent, so the browser's own is told.
            let text = user_agent.to_owned();
            emulation.user_agent = Some(UserAgent { hints: ClientHints::of(&text), text });
        }
        if let (Some(agent), Some(hints)) = (&mut emulation.user_agent, self.hints.take()) {
            agent.hints = Some(hints);
        }
    }

    pub(crate) fn command(&self) -> CreateBrowserContext {
        let mut command = CreateBrowserContext::default().dispose_on_detach(true);
        command.proxy_server.clone_from(&self.proxy);
        if !self.proxy_bypass.is_empty() {
            command.proxy_bypass_list = Some(self.proxy_bypass.join(";"));
        }
        command
    }
}
