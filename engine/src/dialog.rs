//! JavaScript dialogs: alert, confirm, prompt, and the question before a page is left.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use cdp_protocol::Session;
use cdp_protocol::domains::page::{DialogType, HandleJavaScriptDialog, JavascriptDialogOpening};

use crate::error::{Error, Result};
use crate::lock::lock;

/// Which kind of dialog a page opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DialogKind {
    /// `alert()`: one button.
    Alert,
    /// `confirm()`: yes or no.
    Confirm,
    /// `prompt()`: a text, or nothing.
    Prompt,
    /// The page asks before it is left.
    BeforeUnload,
}

/// What became of a dialog.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialogAnswer {
    /// Still open.
    Open,
    /// Accepted, with the text given to a prompt.
    Accepted(Option<String>),
    /// Dismissed.
    Dismissed,
}

/// Without the text given to a prompt, which may be a secret.
impl fmt::Debug for DialogAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Accepted(None) => "Accepted",
            Self::Accepted(Some(_)) => "Accepted(…)",
            Self::Dismissed => "Dismissed",
        })
    }
}

/// The log entry of a dialog.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DialogRecord {
    /// When it opened.
    pub at: SystemTime,
    /// Its kind.
    pub kind: DialogKind,
    /// What it said.
    pub message: String,
    /// What was answered.
    pub answer: DialogAnswer,
    /// Whether the engine answered because nobody else did.
    pub automatic: bool,
}

/// An open dialog. The page stands still until it is answered.
///
/// Dropping it dismisses it (a `beforeunload` is accepted), so a handler that forgets to answer, or panics, never
/// leaves a page blocked.
#[must_use = "a dialog that is dropped is dismissed"]
pub struct Dialog {
    session: Session,
    record: Arc<Mutex<DialogRecord>>,
    default_prompt: String,
    answered: bool,
}

impl Dialog {
    pub(crate) fn open(session: Session, event: &JavascriptDialogOpening) -> Self {
        let kind = match event.r#type {
            DialogType::Confirm => DialogKind::Confirm,
            DialogType::Prompt => DialogKind::Prompt,
            DialogType::Beforeunload => DialogKind::BeforeUnload,
            _ => DialogKind::Alert,
        };
        let record = DialogRecord {
            at: SystemTime::now(),
            kind,
            message: event.message.clone(),
            answer: DialogAnswer::Open,
            automatic: true,
        };
        let default_prompt = event.default_prompt.clone().unwrap_or_default();
        Self { session, record: Arc::new(Mutex::new(record)), default_prompt, answered: false }
    }

    pub(crate) fn record(&self) -> Arc<Mutex<DialogRecord>> {
        self.record.clone()
    }

    /// Its kind.
    pub fn kind(&self) -> DialogKind {
        lock(&self.record).kind
    }

    /// What it says.
    pub fn message(&self) -> String {
        lock(&self.record).message.clone()
    }

    /// The text a prompt starts with; empty for other dialogs.
    pub fn default_prompt(&self) -> &str {
        &self.default_prompt
    }

    /// Presses OK; leaves the page, for a `beforeunload`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed) when the page went away first.
    ///
    /// # Cancel safety
    ///
    /// The answer is sent when this is called, also if the future is never awaited.
    pub fn accept(self) -> impl Future<Output = Result<()>> + Send {
        self.answer(true, None)
    }

    /// Presses OK of a prompt with `text` in it.
    ///
    /// # Errors
    ///
    /// As [`Dialog::accept`].
    ///
    /// # Cancel safety
    ///
    /// As [`Dialog::accept`].
    pub fn accept_with(self, text: impl Into<String>) -> impl Future<Output = Result<()>> + Send {
        self.answer(true, Some(text.into()))
    }

    /// Presses Cancel; stays on the page, for a `beforeunload`.
    ///
    /// # Errors
    ///
    /// As [`Dialog::accept`].
    ///
    /// # Cancel safety
    ///
    /// As [`Dialog::accept`].
    pub fn dismiss(self) -> impl Future<Output = Result<()>> + Send {
        self.answer(false, None)
    }

    fn answer(
        mut self,
        accept: bool,
        text: Option<String>,
    ) -> impl Future<Output = Result<()>> + Send + use<> {
        lock(&self.record).automatic = false;
        let call = self.send(accept, text);
        async move { call.await.map_err(Error::from) }
    }

    fn send(&mut self, accept: bool, text: Option<String>) -> cdp_protocol::Call<()> {
        self.answered = true;
        let mut command = HandleJavaScriptDialog::new(accept);
        if let Some(text) = &text {
            command = command.prompt_text(text.clone());
        }
        let answer = if accept { DialogAnswer::Accepted(text) } else { DialogAnswer::Dismissed };
        lock(&self.record).answer = answer;
        self.session.call(&command)
    }
}

impl Drop for Dialog {
    fn drop(&mut self) {
        if !self.answered {
            let accept = self.kind() == DialogKind::BeforeUnload;
            drop(self.send(accept, None));
        }
    }
}
