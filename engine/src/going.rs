//! What a page can be brought to, and how far that is waited for.

use std::future::IntoFuture;
use std::time::Duration;

use crate::error::{Result, shown};
use crate::frame::Frame;
use crate::navigation::{self, Going, Response, Step, WaitUntil};
use crate::operation::{BoxFuture, Operation, Options};
use crate::page::Page;
use crate::state::journal::NavigationRecord;
use crate::url_pattern::UrlPattern;

impl Page {
    /// Navigates and waits until the document has loaded. A URL without a scheme is relative to the context's
    /// [`base_url`](crate::NewContext::base_url). Gives the server's answer, or nothing where there is no
    /// server (`about:blank`, `data:`, a change of the fragment).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Navigation`](crate::ErrorKind::Navigation) when the page can't be reached, turns out to be a
    /// download, another navigation takes over, or the page that is there asks to stay and its dialog is dismissed; a bad
    /// status is no error. [`ErrorKind::Crashed`](crate::ErrorKind::Crashed) when the renderer crashes meanwhile or has
    /// crashed before: a crashed page does not come back, open another one.
    pub fn goto(&self, url: impl Into<String>) -> Goto {
        Goto { frame: self.main_frame(), url: url.into(), referer: None, loading: Loading::default() }
    }

    /// Loads the page's document again and waits until it has loaded. Gives the server's answer, as [`Page::goto`] does.
    ///
    /// # Errors
    ///
    /// As [`Page::goto`].
    pub fn reload(&self) -> Load<Option<Response>> {
        let page = self.clone();
        Load::new(move |until| {
            Operation::new("reload".into(), move |progress, _| async move {
                navigation::reload(page.core(), until, &progress).await
            })
        })
    }

    /// Goes back in the page's history and waits until the document there has loaded. Gives the server's answer; nothing if
    /// there was none, or nothing to go back to, or if the document was still there.
    ///
    /// # Errors
    ///
    /// As [`Page::goto`].
    pub fn go_back(&self) -> Load<Option<Response>> {
        self.travel("go_back", Step::Back)
    }

    /// Goes forward in the page's history, as [`Page::go_back`] goes back.
    ///
    /// # Errors
    ///
    /// As [`Page::goto`].
    pub fn go_forward(&self) -> Load<Option<Response>> {
        self.travel("go_forward", Step::Forward)
    }

    fn travel(&self, what: &'static str, step: Step) -> Load<Option<Response>> {
        let page = self.clone();
        Load::new(move |until| {
            Operation::new(what.into(), move |progress, _| async move {
                navigation::travel(page.core(), step, until, &progress).await
            })
        })
    }

    /// Writes the page's document anew, in its place: its URL and the globals of its scripts stay. Waits until what is
    /// written has loaded.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Navigation`](crate::ErrorKind::Navigation) when another document takes the page meanwhile.
    pub fn set_content(&self, html: impl Into<String>) -> Load<()> {
        let (page, html) = (self.clone(), html.into());
        Load::new(move |until| {
            Operation::new("set_content".into(), move |progress, _| async move {
                navigation::let_finish(page.core(), &progress).await?;
                let main = page.main_frame().id();
                navigation::set_content(page.core(), &main, &html, until, &progress).await
            })
        })
    }

    /// Waits until the URL of the page is one of those meant, and its document has loaded; at once if that is so.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a glob that can't be read.
    pub fn wait_for_url(&self, url: impl Into<UrlPattern>) -> Load<()> {
        let (page, pattern) = (self.clone(), url.into());
        let what = format!("wait_for_url({pattern:?})");
        Load::new(move |until| {
            Operation::new(what, move |progress, _| async move {
                let core = page.core();
                let matcher = pattern.prepare(core.context.base_url.as_deref())?;
                let there = core.when(|state| {
                    let url = &state.frames.main_frame().url;
                    progress.log(format_args!("the URL is {}", shown(url)));
                    matcher.matches(url).then_some(())
                });
                progress.run(there).await?;
                navigation::load_state(core, &page.main_frame().id(), until, &progress).await
            })
        })
    }

    /// Waits until the present document has loaded that far; at once if it already has.
    pub fn wait_for_load_state(&self, until: WaitUntil) -> Operation<()> {
        let page = self.clone();
        Operation::new(format!("wait_for_load_state({until:?})"), move |progress, _| async move {
            navigation::load_state(page.core(), &page.main_frame().id(), until, &progress).await
        })
    }

    /// The navigations of the page and its frames, oldest first, those too that its own scripts asked for; the last 256.
    pub fn navigations(&self) -> Vec<NavigationRecord> {
        self.core().state().journal.entries()
    }
}

/// How far a document must have loaded, and how long that may take.
#[derive(Default)]
struct Loading {
    until: WaitUntil,
    options: Options,
}

/// A navigation to be made by [`Page::goto`].
///
/// # Cancel safety
///
/// Dropping the future ends the waiting; a navigation that was begun goes on.
#[must_use = "a navigation begins when it is awaited"]
pub struct Goto {
    frame: Frame,
    url: String,
    referer: Option<String>,
    loading: Loading,
}

impl Goto {
    /// How far the document must have loaded; [`WaitUntil::Load`] unless set.
    pub fn wait_until(mut self, until: WaitUntil) -> Self {
        self.loading.until = until;
        self
    }

    /// The `Referer` of the request, as far as the policy of the browser lets it be told.
    pub fn referer(mut self, url: impl Into<String>) -> Self {
        self.referer = Some(url.into());
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.loading.options.timeout = timeout;
        self
    }
}

impl IntoFuture for Goto {
    type Output = Result<Option<Response>>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { frame, url, referer, loading: Loading { until, options } } = self;
        let what = format!("goto({:?})", shown(&url));
        Operation::new(what, move |progress, _| async move {
            let going = Going { url, referer, until };
            navigation::goto(frame.core(), &frame.id(), going, &progress).await
        })
        .with(options)
        .into_future()
    }
}

/// An operation that ends when a document has loaded far enough.
///
/// # Errors
///
/// As [`Operation`].
///
/// # Cancel safety
///
/// Dropping the future ends the waiting; a navigation that was begun goes on.
#[must_use = "an operation begins when it is awaited"]
pub struct Load<T> {
    loading: Loading,
    begin: Box<dyn FnOnce(WaitUntil) -> Operation<T> + Send>,
}

impl<T: 'static> Load<T> {
    fn new(begin: impl FnOnce(WaitUntil) -> Operation<T> + Send + 'static) -> Self {
        Self { loading: Loading::default(), begin: Box::new(begin) }
    }

    /// How far the document must have loaded; [`WaitUntil::Load`] unless set.
    pub fn wait_until(mut self, until: WaitUntil) -> Self {
        self.loading.until = until;
        self
    }

    /// The time it may take in all; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.loading.options.timeout = timeout;
        self
    }
}

impl<T: 'static> IntoFuture for Load<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { loading: Loading { until, options }, begin } = self;
        begin(until).with(options).into_future()
    }
}
