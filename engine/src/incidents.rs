//! Sees the renderers of pages crash and adds that to the browser's incidents. A frame of another site has a
//! renderer of its own; the crash of that one is evidence of the page and no incident.

use std::sync::{Arc, Weak};

use cdp_protocol::domains::target::{AttachedToTarget, TargetId, TargetInfoType};
use cdp_protocol::{Event, Observer, RawEvent, SessionEnd};

use crate::core::browser::BrowserCore;
use crate::process::IncidentKind;
use crate::state::evidence::cut;

/// From here on crashes are seen. To be called before targets are attached.
pub(crate) fn watch(browser: &Arc<BrowserCore>) {
    browser.root.observe(Arc::new(Pages { browser: Arc::downgrade(browser) }));
}

/// Listens to the browser's own session. Runs on the reader: it never waits.
struct Pages {
    // Weak, since the connection owns its observers.
    browser: Weak<BrowserCore>,
}

impl Observer for Pages {
    fn event(&self, event: &RawEvent) {
        if event.method() == AttachedToTarget::METHOD
            && let Some(browser) = self.browser.upgrade()
            // What can't be read was told by whoever keeps the pages.
            && let Ok(event) = event.decode::<AttachedToTarget>()
            && event.target_info.r#type == TargetInfoType::Page
        {
            let session = browser.client.session(&event.session_id);
            let target = event.target_info.target_id;
            session.observe(Arc::new(Crash { browser: self.browser.clone(), target }));
        }
    }
}

/// Listens to the session of a page.
struct Crash {
    browser: Weak<BrowserCore>,
    target: TargetId,
}

impl Observer for Crash {
    fn event(&self, _: &RawEvent) {}

    fn ended(&self, end: &SessionEnd) {
        if *end == SessionEnd::Crashed
            && let Some(browser) = self.browser.upgrade()
            && let Some(page) = browser.page(&self.target)
        {
            let url = plain(&page.state().frames.main_frame().url);
            let target = self.target.to_string();
            browser.incidents.push(IncidentKind::RendererCrashed { target, url });
        }
    }
}

/// An address without user name, password, query and fragment; of a `data:` address and the like the scheme alone, since
/// the rest is contents.
fn plain(url: &str) -> String {
    let front = url.split(['?', '#']).next().unwrap_or_default();
    let is_scheme = |text: &str| {
        let text = text.strip_prefix("blob:").unwrap_or(text);
        text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    let plain = match front.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None if front.starts_with("about:") => front.to_owned(),
        None => front.find(':').and_then(|end| front.get(..=end)).unwrap_or_default().to_owned(),
    };
    cut(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        for (url, expected) in [
            ("https://me:secret@host.test:8443/a/b?token=secret#secret", "https://host.test:8443/a/b"),
            ("https://me:sec@ret@host.test", "https://host.test"),
            ("https://host.test?secret", "https://host.test"),
            ("https://host.test/@a", "https://host.test/@a"),
            ("blob:https://host.test/1-2", "blob:https://host.test/1-2"),
            ("data:text/html,secret://secret", "data:"),
            ("about:blank#secret", "about:blank"),
            ("javascript:secret", "javascript:"),
            ("", ""),
            ("secret", ""),
        ] {
            assert_eq!(plain(url), expected, "{url}");
        }
    }
}
