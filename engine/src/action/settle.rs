//! Waiting until a part of a page has stopped changing. The page itself watches; nothing is polled.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::retry::{self, Attempt, Step, Target, to_json};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;
use crate::world::{self, WorldError};

/// Time kept back, at most, for the page to say what kept changing when its time is up.
const TELLING: Duration = Duration::from_secs(2);

/// What the injected script's `settled` answers.
#[derive(Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
enum Quiet {
    Settled {},
    Restless { changes: Vec<Change> },
    Missing {},
    Ambiguous { count: usize, matches: Vec<String> },
    Invalid { why: String },
}

/// Something that kept changing.
#[derive(Deserialize)]
struct Change {
    what: String,
    r#where: String,
    count: u64,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} changed {} times", self.what, self.r#where, self.count)
    }
}

/// Waits until what the target matches has not changed for `quiet`.
pub(crate) async fn wait(target: &Target, quiet: Duration, progress: &Progress) -> Result<()> {
    retry::retry(target, progress, |_, frame| async move {
        // Less than is left, so that the page can still say what kept changing.
        let left = progress.remaining();
        let limit = left - (left / 5).min(TELLING);
        let args = vec![to_json(&target.selector), json!(millis(quiet)), json!(millis(limit))];
        let unresolved: Attempt<()> = match world::call(&target.page, &frame, "settled", args).await? {
            Quiet::Settled {} => return Ok(Step::Done(())),
            Quiet::Restless { changes } => {
                let seen = changes.iter().map(ToString::to_string).collect();
                let error = Error::new(
                    ErrorKind::Timeout,
                    format!("not quiet for {quiet:?} within {:?}", progress.limit()),
                );
                return Err(WorldError::Failed(error.with_log(seen)));
            }
            Quiet::Missing {} => Attempt::Missing,
            Quiet::Ambiguous { count, matches } => Attempt::Ambiguous { count, matches },
            Quiet::Invalid { why } => Attempt::Invalid { why },
        };
        match retry::sort(&target.selector, unresolved)? {
            Step::Again(why) => Ok(Step::Again(why)),
            Step::Done(_) => Ok(Step::Again("it can't be watched yet".into())),
        }
    })
    .await
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
