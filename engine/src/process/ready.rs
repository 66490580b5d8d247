//! Waits until a launched browser answers, and words why when it never does.

use std::fmt;
use std::time::Duration;

use tokio::time::{sleep_until, timeout};

use crate::process::browser::BrowserProcess;
use crate::process::error::hint;
use crate::process::{CloseTimings, Exit, LaunchError};

impl BrowserProcess {
    /// Waits until `ready`, which asks the browser something, is answered. Fails with the whole story when the
    /// browser ends, gives an error or does not answer within the launch's timeout; then the browser is gone and
    /// nothing of it is left when this returns.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Exited`] or [`LaunchError::NotReady`].
    ///
    /// # Cancel safety
    ///
    /// The browser stays as it is; drop it to end it.
    pub async fn until_ready<T, E: fmt::Display>(
        &self,
        ready: impl Future<Output = Result<T, E>>,
    ) -> Result<T, LaunchError> {
        let shared = &self.shared;
        let why = tokio::select! {
            biased;
            answer = ready => match answer {
                Ok(answer) => {
                    if let Some(reaper) = &shared.reaper {
                        reaper.ready().await;
                    }
                    return Ok(answer);
                }
                // A browser that ends closes its connection first.
                Err(error) => match timeout(Duration::from_secs(1), shared.exited()).await {
                    Ok(exit) => Failure::Exited(exit),
                    Err(_) => Failure::NotReady(error.to_string()),
                },
            },
            exit = shared.exited() => Failure::Exited(exit),
            () = sleep_until(shared.deadline) => Failure::NotReady("it does not answer".to_owned()),
        };
        Err(self.fail(why).await)
    }

    /// Ends the browser and words why the launch failed.
    pub(crate) async fn fail(&self, why: Failure) -> LaunchError {
        let after = self.shared.started.elapsed();
        self.close(async {}, CloseTimings::at_once()).await;
        // What was written last may still be on its way to us.
        let mut ended = self.shared.stderr.ended.clone();
        let _ = timeout(Duration::from_millis(500), ended.wait_for(|ended| *ended)).await;
        let stderr = self.stderr_tail();
        let path = self.shared.executable.clone();
        match why {
            Failure::Exited(exit) => {
                LaunchError::Exited { path, exit, hint: hint(Some(exit), &stderr), stderr }
            }
            Failure::NotReady(waiting_for) => {
                LaunchError::NotReady { path, after, waiting_for, hint: hint(None, &stderr), stderr }
            }
        }
    }
}

/// What went wrong with a browser that was started.
pub(crate) enum Failure {
    Exited(Exit),
    NotReady(String),
}
