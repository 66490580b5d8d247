//! The bounded ring of what went wrong on a page: console errors, thrown errors, failed requests, crashes.

use std::collections::VecDeque;
use std::fmt;
use std::time::SystemTime;

/// Entries a page keeps; the oldest give way.
const ENTRIES: usize = 256;

/// Characters kept of an entry's text.
const TEXT: usize = 2_048;

/// One thing that went wrong on a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evidence {
    /// When the engine learned of it.
    pub at: SystemTime,
    /// What kind of thing it is.
    pub kind: EvidenceKind,
    /// The console text, the thrown error, or the failure of the request; cut at 2048 characters.
    pub text: String,
    /// The script or resource it is about, where the browser told.
    pub url: Option<String>,
}

/// Kinds of [`Evidence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvidenceKind {
    /// `console.error`, `console.assert`, or an error the browser wrote to the console itself.
    ConsoleError,
    /// `console.warn`, or a warning the browser wrote to the console itself.
    ConsoleWarning,
    /// An exception or a rejection that the page did not catch.
    PageError,
    /// A request that got no response.
    RequestFailed,
    /// A response with a status of 400 or above.
    BadStatus,
    /// The renderer of the page or of a frame of another site crashed.
    Crash,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            EvidenceKind::ConsoleError => "console error",
            EvidenceKind::ConsoleWarning => "console warning",
            EvidenceKind::PageError => "page error",
            EvidenceKind::RequestFailed => "request failed",
            EvidenceKind::BadStatus => "bad status",
            EvidenceKind::Crash => "crash",
        };
        write!(f, "{kind}: {}", self.text)?;
        match &self.url {
            Some(url) => write!(f, " ({url})"),
            None => Ok(()),
        }
    }
}

/// The last entries of a page.
#[derive(Debug, Default)]
pub(crate) struct Ring(VecDeque<Evidence>);

impl Ring {
    pub(crate) fn push(&mut self, kind: EvidenceKind, text: impl Into<String>, url: Option<String>) {
        let text = cut(text.into());
        if self.0.len() == ENTRIES {
            self.0.pop_front();
        }
        let url = url.filter(|url| !url.is_empty()).map(cut);
        self.0.push_back(Evidence { at: SystemTime::now(), kind, text, url });
    }

    pub(crate) fn entries(&self) -> Vec<Evidence> {
        self.0.iter().cloned().collect()
    }
}

/// Cuts a text that is too long to be kept; a `data:` URL can have megabytes.
pub(crate) fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(TEXT) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_newest_entries_and_cuts_long_texts() {
        let mut ring = Ring::default();
        for n in 0..ENTRIES + 3 {
            ring.push(EvidenceKind::PageError, n.to_string(), None);
        }
        ring.push(EvidenceKind::PageError, "é".repeat(TEXT + 1), Some(String::new()));
        let entries = ring.entries();
        assert_eq!(entries.len(), ENTRIES);
        assert_eq!(entries[0].text, "4");
        let last = &entries[ENTRIES - 1];
        assert_eq!((last.text.chars().count(), &last.url), (TEXT + 1, &None));
    }
}
