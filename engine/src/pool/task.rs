//! One task of a pool: a context and a page of its own, closed when it goes.

use std::fmt;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::shared::Lease;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::page::Page;

/// How long a browser may take to make or close a context, or to make a page. One that takes longer is replaced.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// A task that runs: a context that no other task has used or will use, with a first page.
///
/// When it is dropped, in whatever way, the context is closed with all its pages, and the place is free for the next
/// task as soon as that is done. Handles that were cloned out of it outlive it and only say that they are closed. The
/// pool's browsers stay as long as there is a task, also when every [`Pool`](crate::Pool) handle is dropped.
#[must_use = "a task ends when it is dropped"]
pub struct Task {
    page: Page,
    browser_pid: u32,
    open: OpenContext,
}

impl Task {
    /// Makes a task in this place. When that fails, the place is given back.
    pub(crate) async fn begin(lease: Lease) -> Result<Self> {
        let browser_pid = lease.browser.process().map_or(0, |process| process.pid());
        let context = lease.browser.new_context().timeout(ANSWERS_WITHIN).await;
        let context = context.inspect_err(|error| blame(&lease, error))?;
        // From here on the context is closed also when this is dropped.
        let mut open = OpenContext { context: context.clone(), lease: None };
        let lease = open.lease.insert(lease);
        let page = context.new_page().timeout(ANSWERS_WITHIN).await;
        let page = page.inspect_err(|error| blame(lease, error))?;
        lease.begin();
        Ok(Self { page, browser_pid, open })
    }

    /// The context of this task.
    pub fn context(&self) -> &Context {
        &self.open.context
    }

    /// Its first page, blank at the beginning.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The id of the first process of the browser that it runs in, for logs.
    pub fn browser_pid(&self) -> u32 {
        self.browser_pid
    }

    /// Ends the task as dropping it does, and waits until its place is free.
    ///
    /// # Cancel safety
    ///
    /// The task ends also when the future is dropped, whether it was polled or not.
    pub async fn close(mut self) {
        if let Some(ended) = self.open.end() {
            // An error means that the runtime is ending, and the browser with it.
            let _ = ended.await;
        }
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("browser_pid", &self.browser_pid)
            .field("context", &self.open.context)
            .finish_non_exhaustive()
    }
}

/// Tells the pool what an error says of the browser.
fn blame(lease: &Lease, error: &Error) {
    if lease.browser.client().browser().is_ended() {
        lease.crashed();
    } else if error.is_timeout() {
        lease.unresponsive();
    }
}

/// A context in a place of the pool. Dropping it closes the context, then gives the place back.
struct OpenContext {
    context: Context,
    /// `None` when the end has begun.
    lease: Option<Lease>,
}

impl OpenContext {
    fn end(&mut self) -> Option<JoinHandle<()>> {
        let lease = self.lease.take()?;
        let context = self.context.clone();
        let runtime = lease.shared.runtime.clone();
        Some(runtime.spawn(async move {
            // It fails also when the task has closed the context itself; then there is nothing to do.
            if let Err(error) = context.close().timeout(ANSWERS_WITHIN).await {
                blame(&lease, &error);
            }
            drop(lease);
        }))
    }
}

impl Drop for OpenContext {
    fn drop(&mut self) {
        self.end();
    }
}
