//! Running scripts in a page and its frames.

use std::future::IntoFuture;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::page::PageCore;
use crate::dialog::DialogAnswer;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Frame, typed, went_away};
use crate::handle::JsHandle;
use crate::js;
use crate::lock::lock;
use crate::navigation;
use crate::operation::{BoxFuture, Operation, Options};
use crate::page::Page;
use crate::progress::Progress;
use crate::state::frames::World;
use crate::value::{Argument, JsValue};
use crate::world::{self, Gives, WorldError};

/// A script to be run.
///
/// # Errors
///
/// As [`Page::evaluate`].
///
/// # Cancel safety
///
/// Dropping the future ends the waiting; a script that was sent runs.
#[must_use = "a script runs when this is awaited"]
pub struct Evaluate<T> {
    frame: Frame,
    what: &'static str,
    script: Script,
    world: World,
    user_gesture: bool,
    options: Options,
    read: Read<T>,
}

/// What is run.
enum Script {
    Expression(String),
    Function { function: String, argument: Result<Argument, serde_json::Error> },
}

/// What is made of what the script gives.
enum Read<T> {
    /// Of its JSON.
    Json(fn(&str) -> Result<T>),
    /// Of a handle.
    Handle(fn(JsHandle) -> Operation<T>),
}

/// Gives a handle the methods that run scripts in it, which a frame of it does.
macro_rules! evaluates {
    ($handle:ident, $frame:expr) => {
        #[doc = concat!("Scripts in this ", stringify!($handle), ".")]
        impl $handle {
            /// Evaluates a JavaScript expression and gives its value as JSON would say it; a promise is awaited,
            /// `undefined` is `null`. One round trip.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Script`] with the page's own message and stack when it throws;
            /// [`ErrorKind::Invalid`] when its value can't be written as JSON or is no `T`, with the place in it;
            /// [`ErrorKind::Navigation`] when the document goes away meanwhile. What the
            /// expression did until then is unknown, and so is the outcome of the error.
            ///
            /// While a dialog is open the page stands still, and so does this; an error by the deadline names the dialog.
            pub fn evaluate<T: DeserializeOwned + Send + 'static>(
                &self,
                expression: impl Into<String>,
            ) -> Evaluate<T> {
                Evaluate::new(
                    $frame(self),
                    "evaluate",
                    Script::Expression(expression.into()),
                    Read::Json(typed),
                )
            }

            /// Calls a JavaScript function with one argument, as `evaluate` does with an expression. A tuple is an array to
            /// it; a [`JsValue`] in it is what it says, and a [`JsHandle`] the object itself.
            ///
            /// # Errors
            ///
            /// As `evaluate`; [`ErrorKind::Invalid`] when the argument can't be written as JSON;
            /// [`ErrorKind::Navigation`] for a handle of another document.
            pub fn evaluate_with<T: DeserializeOwned + Send + 'static>(
                &self,
                function: impl Into<String>,
                argument: impl Serialize,
            ) -> Evaluate<T> {
                let script = Script::function(function.into(), &argument);
                Evaluate::new($frame(self), "evaluate_with", script, Read::Json(typed))
            }

            /// Evaluates an expression and gives its value with all that JSON leaves out. Two round trips if it is an
            /// object.
            ///
            /// # Errors
            ///
            /// As `evaluate`; [`ErrorKind::Script`] for what is no data, such as a function, a symbol or a
            /// node, with the place of it.
            pub fn evaluate_value(&self, expression: impl Into<String>) -> Evaluate<JsValue> {
                let read = Read::Handle(|handle| handle.value());
                Evaluate::new($frame(self), "evaluate_value", Script::Expression(expression.into()), read)
            }

            /// Evaluates an expression and gives a handle of its value, which stays in the page.
            ///
            /// # Errors
            ///
            /// As `evaluate`.
            pub fn evaluate_handle(&self, expression: impl Into<String>) -> Evaluate<JsHandle> {
                let read = Read::Handle(|handle| Operation::new(String::new(), |_, _| async { Ok(handle) }));
                Evaluate::new($frame(self), "evaluate_handle", Script::Expression(expression.into()), read)
            }

            /// Calls a function with one argument, as `evaluate_with` does, and gives a handle of what it gives.
            ///
            /// # Errors
            ///
            /// As `evaluate_with`.
            pub fn evaluate_handle_with(
                &self,
                function: impl Into<String>,
                argument: impl Serialize,
            ) -> Evaluate<JsHandle> {
                let script = Script::function(function.into(), &argument);
                let read = Read::Handle(|handle| Operation::new(String::new(), |_, _| async { Ok(handle) }));
                Evaluate::new($frame(self), "evaluate_handle_with", script, read)
            }

            /// Waits until an expression is truthy, or the function that it is gives something truthy, and gives that. It
            /// is looked at with every frame that the page draws, and ten times a second where it draws none; a promise
            /// is awaited. Goes on in the next document when one comes.
            ///
            /// # Errors
            ///
            /// As `evaluate`, but for documents that go; a timeout when it never is.
            ///
            /// # Cancel safety
            ///
            /// Dropping the future ends the waiting; the page looks until the deadline.
            pub fn wait_for_function<T: DeserializeOwned + Send + 'static>(
                &self,
                expression: impl Into<String>,
            ) -> Operation<T> {
                let (frame, expression): (Frame, String) = ($frame(self), expression.into());
                Operation::new("wait_for_function".into(), move |progress, _| async move {
                    wait_for_function(&frame, &expression, &progress).await
                })
            }

            /// Adds a script to the document and waits until it has run, or has loaded if it has a URL.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Script`] when it can't be loaded, or the document's policy does not let it run;
            /// [`ErrorKind::Io`] for a file that can't be read.
            pub fn add_script_tag(&self, source: Source) -> Operation<()> {
                add_tag($frame(self), "add_script_tag", "script", source)
            }

            /// Adds a style sheet to the document and waits until it has loaded.
            ///
            /// # Errors
            ///
            /// As [`add_script_tag`](Self::add_script_tag).
            pub fn add_style_tag(&self, source: Source) -> Operation<()> {
                add_tag($frame(self), "add_style_tag", "style", source)
            }
        }
    };
}

evaluates!(Page, Page::main_frame);
evaluates!(Frame, Frame::clone);

/// Where the text of a script or a style sheet comes from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Source {
    /// It is this.
    Content(String),
    /// The page loads it.
    Url(String),
    /// It is read here.
    Path(PathBuf),
}

impl Script {
    fn function(function: String, argument: &impl Serialize) -> Self {
        Self::Function { function, argument: Argument::new(argument) }
    }
}

impl<T: Send + 'static> Evaluate<T> {
    fn new(frame: Frame, what: &'static str, script: Script, read: Read<T>) -> Self {
        Self {
            frame,
            what,
            script,
            world: World::Main,
            user_gesture: false,
            options: Options::default(),
            read,
        }
    }

    /// Runs it in a world of its own, which has the page's documents and none of its globals: for those who don't trust what
    /// the page's scripts have made of them.
    pub fn isolated(mut self) -> Self {
        self.world = World::Utility;
        self
    }

    /// Runs it as if a user had done it, which lets it open pop-ups, write to the clipboard or play sound, and lets the page
    /// ask before it is left. It takes half as long again.
    pub fn user_gesture(mut self) -> Self {
        self.user_gesture = true;
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }
}

impl<T: Send + 'static> IntoFuture for Evaluate<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { frame, what, script, world, user_gesture, options, read } = self;
        Operation::new(what.into(), move |progress, _| async move {
            let gives = match read {
                Read::Json(_) => Gives::Value,
                Read::Handle(_) => Gives::Object,
            };
            let core = frame.core();
            let script = match script {
                Script::Function { argument: Err(error), .. } => {
                    let what = format!("the argument can't be written as JSON: {error}");
                    return Err(Error::new(ErrorKind::Invalid, what));
                }
                script => script,
            };
            navigation::let_finish(core, &progress).await?;
            progress.log("running the script");
            progress.acted();
            let id = frame.id();
            let run = async {
                let mut place = world::place(core, &id, world).await?;
                place.user_gesture = user_gesture;
                let object = match script {
                    Script::Expression(expression) => {
                        world::evaluate_in(core, &id, &place, &expression, gives).await?
                    }
                    Script::Function { function, argument } => {
                        let Ok(Argument { json, held, marker }) = argument else { unreachable!("looked at") };
                        let function = match marker {
                            None => function,
                            Some(marker) => js::revived(&function, marker),
                        };
                        let objects = held.iter().map(|held| held.id.clone());
                        world::call_in(core, &id, &place, &function, json, objects, gives).await?
                    }
                };
                Ok((object, place))
            };
            let (object, place) = watched(core, &progress, run).await?.map_err(went_away)?;
            match read {
                Read::Json(read) => read(&world::json_of(object)),
                Read::Handle(read) => {
                    let handle = JsHandle::new(core, &id, &place, object);
                    progress.run(read(handle).into_future()).await
                }
            }
        })
        .with(options)
        .into_future()
    }
}

/// Waits for a script. If that takes too long while a dialog is open, the error names it.
async fn watched<T>(
    core: &PageCore,
    progress: &Progress,
    script: impl Future<Output = Result<T, WorldError>>,
) -> Result<Result<T, WorldError>> {
    let result = progress.wait(script).await;
    if result.is_err()
        && let Some(record) = core.state().dialogs.back()
    {
        let record = lock(record);
        if record.answer == DialogAnswer::Open {
            let (kind, message) = (record.kind, &record.message);
            progress.log(format_args!("the page stands still: a dialog is open ({kind:?} {message:?})"));
        }
    }
    result
}

async fn wait_for_function<T: DeserializeOwned + Send>(
    frame: &Frame,
    expression: &str,
    progress: &Progress,
) -> Result<T> {
    let core = frame.core();
    let function = js::polled(expression);
    for attempt in 0.. {
        navigation::let_finish(core, progress).await?;
        progress.log("looking whether it is so");
        let id = frame.id();
        let look = async {
            let place = world::place(core, &id, World::Main).await?;
            let limit = u64::try_from(progress.remaining().as_millis()).unwrap_or(u64::MAX);
            let limit = Argument::new(&limit).expect("numbers are JSON").json;
            world::call_in(core, &id, &place, &function, limit, std::iter::empty(), Gives::Value).await
        };
        match watched(core, progress, look).await? {
            Ok(object) => return typed(&world::json_of(object)),
            Err(WorldError::Gone(why) | WorldError::Lost(why)) => {
                if frame.is_detached() {
                    return Err(went_away(WorldError::Gone(why)));
                }
                progress.log(format_args!("the document went away: {why}"));
                progress.pause(attempt).await?;
            }
            Err(WorldError::Failed(error)) => return Err(error),
        }
    }
    unreachable!("attempts are made until the deadline")
}

fn add_tag(frame: Frame, what: &'static str, kind: &'static str, source: Source) -> Operation<()> {
    Operation::new(what.into(), move |progress, _| async move {
        let (content, url) = match source {
            Source::Content(content) => (Some(content), None),
            Source::Url(url) => (None, Some(url)),
            Source::Path(path) => {
                let read = progress.wait(tokio::fs::read_to_string(&path)).await?;
                let content = read.map_err(|error| {
                    Error::new(ErrorKind::Io, format!("{} can't be read: {error}", path.display()))
                })?;
                (Some(content), None)
            }
        };
        let add = frame.evaluate_with::<()>(js::ADD_TAG, (kind, content, url)).timeout(progress.remaining());
        progress.acted();
        progress.run(add.into_future()).await
    })
}
