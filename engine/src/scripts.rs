//! Scripts that every document of a page runs before its own, and functions of the host that a page may call.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use cdp_protocol::CallError;
use cdp_protocol::domains::runtime::CompileScript;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::context::Context;
use crate::core::browser::BrowserCore;
use crate::core::context::Exposed;
use crate::core::page::PageCore;
use crate::core::scripts::ScriptId;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Frame;
use crate::js;
use crate::operation::Operation;
use crate::page::Page;
use crate::progress::Progress;
use crate::world::{self, WorldError};

/// A script that documents to come run before their own. Dropping it leaves the script in place.
#[derive(Clone)]
pub struct InitScript {
    of: Owner,
    id: ScriptId,
}

#[derive(Clone)]
enum Owner {
    Page(Arc<PageCore>),
    Context(Context),
}

impl Context {
    /// As [`Page::add_init_script`], for all pages of the context, those to come and pop-ups too; those run it before the
    /// scripts of their own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when it is no JavaScript, which is found out here only if the context has a page.
    ///
    /// # Cancel safety
    ///
    /// As [`Page::add_init_script`].
    pub fn add_init_script(&self, script: impl Into<String>) -> Operation<InitScript> {
        let (context, script) = (self.clone(), script.into());
        Operation::new("add_init_script".into(), move |progress, _| async move {
            if let Some(page) = context.pages().into_iter().find(|page| !page.is_closed()) {
                progress.run(check(page.core(), &script)).await?;
            }
            let id = ScriptId::new();
            context.install(id, script.into(), &progress).await?;
            Ok(InitScript { of: Owner::Context(context), id })
        })
    }

    /// As [`Page::expose_function`], for all pages of the context, those to come and pop-ups too.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when the context or one of its pages has a function of that name from here.
    ///
    /// # Cancel safety
    ///
    /// As [`Page::expose_function`].
    pub fn expose_function<A, T, E, F, R>(&self, name: impl Into<String>, function: F) -> Operation<()>
    where
        A: DeserializeOwned + Send + 'static,
        T: Serialize,
        E: fmt::Display,
        F: Fn(Frame, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
    {
        let (context, name) = (self.clone(), name.into());
        let exposed = exposed(Arc::downgrade(self.core()), name.clone(), function);
        Operation::new(format!("expose_function({name:?})"), move |progress, _| async move {
            let define = definition(&name);
            let bindings = {
                // Held until all are told; see there.
                let mut shared = context.shared();
                let pages = context.cores();
                let is_taken = |page: &Arc<PageCore>| page.state().exposed.contains_key(&name);
                if shared.exposed.contains_key(&name) || pages.iter().any(is_taken) {
                    return Err(taken(&name));
                }
                shared.exposed.insert(name.clone(), exposed.clone());
                let bindings = pages.iter().filter_map(|page| page.expose(&name, exposed.clone()));
                bindings.flatten().collect::<Vec<_>>()
            };
            let added = context.install(ScriptId::new(), define.clone().into(), &progress);
            for bound in bindings {
                gone_is_fine(progress.wait(bound).await?)?;
            }
            added.await?;
            for page in context.pages() {
                evaluate_everywhere(&page, &define, &progress).await?;
            }
            Ok(())
        })
    }

    fn cores(&self) -> Vec<Arc<PageCore>> {
        self.core().pages_of(self.id())
    }

    /// Queues a script for all pages at once, and gives what waits for it.
    fn install<'a>(
        &self,
        id: ScriptId,
        script: Arc<str>,
        progress: &'a Progress,
    ) -> impl Future<Output = Result<()>> + use<'a> {
        progress.acted();
        let mut shared = self.shared();
        shared.scripts.push((id, script.clone()));
        let install = |page: Arc<PageCore>| (page.add_script(id, script.clone()), page);
        let installing: Vec<_> = self.cores().into_iter().map(install).collect();
        async move {
            for (sessions, page) in installing {
                for session in sessions {
                    progress.run(session.finish(&page)).await?;
                }
            }
            Ok(())
        }
    }
}

impl Page {
    /// Has every document to come run a script before its own scripts, once each, in the page's own world: documents of
    /// the main frame and of all others, wherever their processes are. The document that is there does not run it.
    ///
    /// Scripts run in the order in which they were added. One that throws does not keep the others from running, and is
    /// an error of the page (see [`Page::evidence`]).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when it is no JavaScript, with what the browser says of it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the script in place.
    pub fn add_init_script(&self, script: impl Into<String>) -> Operation<InitScript> {
        let (page, script) = (self.clone(), script.into());
        Operation::new("add_init_script".into(), move |progress, _| async move {
            let core = page.core().clone();
            progress.run(check(&core, &script)).await?;
            let id = ScriptId::new();
            add(&core, id, script, &progress).await?;
            Ok(InitScript { of: Owner::Page(core), id })
        })
    }

    /// Gives the page a function `name` that runs `function` here and gives the page a promise of its result. It is there in
    /// every document, of all frames: in the one that is open and in those to come, there before the page's own scripts.
    ///
    /// `function` gets the frame that called and the arguments, as JSON says them: a tuple for several, a `Vec` for any
    /// number. Its error is what the page's promise is rejected with. It runs in a task of its own, and is dropped when
    /// the page is closed. It stays until then, so it should not hold the page itself: use the frame it gets.
    ///
    /// ```no_run
    /// # async fn example(page: engine::Page) -> engine::Result<()> {
    /// page.expose_function("add", |_, (a, b): (f64, f64)| async move { Ok::<_, String>(a + b) }).await?;
    /// let sum: f64 = page.evaluate("add(1, 2)").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] when the page has a function of that name from here.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the function in place, perhaps not in all frames that are there.
    pub fn expose_function<A, T, E, F, R>(&self, name: impl Into<String>, function: F) -> Operation<()>
    where
        A: DeserializeOwned + Send + 'static,
        T: Serialize,
        E: fmt::Display,
        F: Fn(Frame, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
    {
        let (page, name) = (self.clone(), name.into());
        let exposed = exposed(page.weak_browser(), name.clone(), function);
        Operation::new(format!("expose_function({name:?})"), move |progress, _| async move {
            let core = page.core();
            let bindings = core.expose(&name, exposed).ok_or_else(|| taken(&name))?;
            let define = definition(&name);
            // Together with the bindings; documents that come from now on have both.
            let added = add(core, ScriptId::new(), define.clone(), &progress);
            for bound in bindings {
                gone_is_fine(progress.wait(bound).await?)?;
            }
            added.await?;
            evaluate_everywhere(&page, &define, &progress).await
        })
    }
}

impl InitScript {
    /// Takes the script back: documents to come do without it. Those that ran it are as they are.
    pub fn remove(&self) -> Operation<()> {
        let Self { of, id } = self.clone();
        Operation::new("remove an init script".into(), move |progress, _| async move {
            let removing = match of {
                Owner::Page(page) => page.remove_script(id),
                Owner::Context(context) => {
                    let mut shared = context.shared();
                    shared.scripts.retain(|(known, _)| *known != id);
                    context.cores().into_iter().flat_map(|page| page.remove_script(id)).collect()
                }
            };
            for removed in removing {
                gone_is_fine(progress.wait(removed).await?)?;
            }
            Ok(())
        })
    }
}

impl fmt::Debug for InitScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InitScript").field(&self.id).finish()
    }
}

/// Has the browser look at a script that nobody would hear of otherwise if it were none.
async fn check(page: &PageCore, script: &str) -> Result<()> {
    let answer = page.session.call(&CompileScript::new(script, "", false)).await?;
    match answer.exception_details {
        None => Ok(()),
        Some(details) => {
            let thrown = details.exception.and_then(|thrown| thrown.description).unwrap_or(details.text);
            let line = details.line_number + 1;
            Err(Error::new(ErrorKind::Invalid, format!("the script is no JavaScript, line {line}: {thrown}")))
        }
    }
}

/// Queues a script at once, and gives what waits for it.
fn add<'a>(
    page: &'a PageCore,
    id: ScriptId,
    script: String,
    progress: &'a Progress,
) -> impl Future<Output = Result<()>> + 'a {
    progress.acted();
    let installing = page.add_script(id, script.into());
    async move {
        for session in installing {
            progress.run(session.finish(page)).await?;
        }
        Ok(())
    }
}

/// Makes a function of a binding of this name.
fn definition(name: &str) -> String {
    format!("({})({})", js::EXPOSE, serde_json::to_string(name).expect("text is JSON"))
}

/// Evaluates an expression in all documents of a page that are there.
pub(crate) async fn evaluate_everywhere(page: &Page, expression: &str, progress: &Progress) -> Result<()> {
    for frame in page.frames() {
        match progress.wait(world::evaluate_if_there(page.core(), &frame.id(), expression)).await? {
            Ok(_) | Err(WorldError::Gone(_) | WorldError::Lost(_)) => {}
            Err(WorldError::Failed(error)) if error.is_closed() => {}
            Err(WorldError::Failed(error)) => return Err(error),
        }
    }
    Ok(())
}

fn taken(name: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("there is a function {name:?} from here already"))
}

fn gone_is_fine(answer: Result<(), CallError>) -> Result<()> {
    match answer {
        Err(CallError::SessionEnded { .. }) => Ok(()),
        answer => Ok(answer?),
    }
}

fn exposed<A, T, E, F, R>(browser: Weak<BrowserCore>, name: String, function: F) -> Exposed
where
    A: DeserializeOwned + Send + 'static,
    T: Serialize,
    E: fmt::Display,
    F: Fn(Frame, A) -> R + Send + Sync + 'static,
    R: Future<Output = Result<T, E>> + Send + 'static,
{
    // The page keeps the handler, so the handler must not keep the page.
    let function = Arc::new(function);
    Arc::new(move |target, frame, args: Box<RawValue>| {
        let caller = browser.upgrade().and_then(|browser| Some((browser.page(&target)?, browser)));
        let (function, name) = (function.clone(), name.clone());
        Box::pin(async move {
            let (core, browser) = caller.ok_or("the page is closed")?;
            let args = serde_json::from_str(args.get())
                .map_err(|error| format!("{name} is not called like that: {error}"))?;
            let result = function(Frame::new(core, browser, Some(frame)), args).await;
            let result = result.map_err(|error| error.to_string())?;
            to_raw_value(&result).map_err(|error| format!("the result of {name} is no JSON: {error}"))
        })
    })
}
