//! The time of pages, told from here: for tests of what a page does in the course of it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cdp_protocol::Call;
use serde_json::{Value, json};

use crate::context::Context;
use crate::core::page::PageCore;
use crate::core::scripts::ScriptId;
use crate::error::{Error, ErrorKind, Result};
use crate::js;
use crate::operation::Operation;
use crate::page::Page;
use crate::scripts::evaluate_everywhere;
use crate::state::clock::Time;

/// The clock of a page, or of all pages of a context: what `Date`, `performance.now`, timers, animation frames and idle
/// callbacks of their documents go by, of all frames and of those to come, from the first call of
/// [`install`](Self::install) on. Workers, animations of style sheets and videos go by the real time.
///
/// ```no_run
/// # async fn example(page: engine::Page) -> engine::Result<()> {
/// use std::time::{Duration, SystemTime};
///
/// page.clock().install(SystemTime::UNIX_EPOCH).await?;
/// page.goto("https://example.org").await?;
/// page.clock().run_for(Duration::from_secs(3600)).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// All methods but [`install`](Self::install): [`ErrorKind::Invalid`] before it was installed.
pub struct Clock {
    of: Owner,
}

#[derive(Clone)]
enum Owner {
    Page(Page),
    Context(Context),
}

impl Page {
    /// The page's clock.
    pub fn clock(&self) -> Clock {
        Clock { of: Owner::Page(self.clone()) }
    }
}

impl Context {
    /// The clock of all pages of the context, those to come too.
    pub fn clock(&self) -> Clock {
        Clock { of: Owner::Context(self.clone()) }
    }
}

impl Clock {
    /// Sets the clock in the place of the real one. It shows `time` and goes on from there.
    pub fn install(&self, time: SystemTime) -> Operation<()> {
        self.change("install", json!(millis(time)), move |clock, now| {
            *clock = Some(Time::flowing_from(millis(time), now));
            Ok(())
        })
    }

    /// Lets it show another time. No timer fires for that: what was to come in a minute still does.
    pub fn set(&self, time: SystemTime) -> Operation<()> {
        self.change("set", json!(millis(time)), move |clock, now| {
            installed(clock)?.set(millis(time), now);
            Ok(())
        })
    }

    /// Jumps ahead, as a machine does that wakes: timers that are due by then fire once each.
    pub fn fast_forward(&self, by: Duration) -> Operation<()> {
        self.change("skip", json!(by.as_secs_f64() * 1e3), move |clock, _| {
            installed(clock)?.skip(by.as_secs_f64() * 1e3);
            Ok(())
        })
    }

    /// Lets time pass at once: all timers until then fire, each at its time.
    pub fn run_for(&self, time: Duration) -> Operation<()> {
        self.change("run", json!(time.as_secs_f64() * 1e3), move |clock, _| {
            installed(clock)?.skip(time.as_secs_f64() * 1e3);
            Ok(())
        })
    }

    /// Stops it. Timers fire no more but by [`run_for`](Self::run_for) and [`fast_forward`](Self::fast_forward).
    pub fn pause(&self) -> Operation<()> {
        self.change("pause", Value::Null, |clock, now| {
            installed(clock)?.pause(now);
            Ok(())
        })
    }

    /// Lets it go on.
    pub fn resume(&self) -> Operation<()> {
        self.change("resume", Value::Null, |clock, now| {
            installed(clock)?.resume(now);
            Ok(())
        })
    }

    /// Changes what documents to come begin with, and tells those that are there.
    fn change(
        &self,
        command: &'static str,
        argument: Value,
        change: impl FnOnce(&mut Option<Time>, f64) -> Result<()> + Send + 'static,
    ) -> Operation<()> {
        let of = self.of.clone();
        Operation::new(format!("clock {command}"), move |progress, _| async move {
            let script = ScriptId::new();
            let (pages, installing, removing) = match of {
                Owner::Page(page) => {
                    let core = page.core().clone();
                    let (source, before) = renew(&mut core.state().clock, script, change)?;
                    let removing = remove(&core, before);
                    let installing = core.add_script(script, source);
                    (vec![page], vec![(core, installing)], removing)
                }
                Owner::Context(context) => {
                    // Held until all are told; see there.
                    let mut shared = context.shared();
                    let (source, before) = renew(&mut shared.clock, script, change)?;
                    shared.scripts.retain(|(id, _)| Some(*id) != before);
                    shared.scripts.push((script, source.clone()));
                    let cores = context.core().pages_of(context.id());
                    let removing = cores.iter().flat_map(|core| remove(core, before)).collect();
                    let install = |core: Arc<PageCore>| {
                        let installing = core.add_script(script, source.clone());
                        (core, installing)
                    };
                    (context.pages(), cores.into_iter().map(install).collect(), removing)
                }
            };
            progress.acted();
            for (core, sessions) in installing {
                for session in sessions {
                    progress.run(session.finish(&core)).await?;
                }
            }
            for removed in removing {
                // A session that is gone has forgotten it.
                let _ = progress.wait(removed).await?;
            }
            let told = js::clock(if command == "install" { "set" } else { command }, &argument);
            for page in &pages {
                evaluate_everywhere(page, &told, &progress).await?;
            }
            Ok(())
        })
    }
}

/// Changes a clock, and gives what documents to come are told of it, and the script that told them until now.
fn renew(
    clock: &mut Option<(Time, ScriptId)>,
    script: ScriptId,
    change: impl FnOnce(&mut Option<Time>, f64) -> Result<()>,
) -> Result<(Arc<str>, Option<ScriptId>)> {
    let mut time = clock.map(|(time, _)| time);
    change(&mut time, millis(SystemTime::now()))?;
    let time = *installed(&mut time)?;
    let before = clock.replace((time, script)).map(|(_, script)| script);
    Ok((js::clock("restore", &time.restored()).into(), before))
}

fn remove(core: &PageCore, script: Option<ScriptId>) -> Vec<Call<()>> {
    script.map(|script| core.remove_script(script)).unwrap_or_default()
}

fn installed(time: &mut Option<Time>) -> Result<&mut Time> {
    time.as_mut()
        .ok_or_else(|| Error::new(ErrorKind::Invalid, "the clock is the real one until it is installed"))
}

fn millis(time: SystemTime) -> f64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64() * 1e3,
        Err(before) => before.duration().as_secs_f64() * -1e3,
    }
}
