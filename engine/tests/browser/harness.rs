//! One browser for all tests, a fresh context for each, and a look at what is left over after each one and at the
//! end. The tests run one after the other: only then can a count of what is left over be exact.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cdp_protocol::domains::target::GetBrowserContexts;
use engine::{Browser, Context, Launcher, Page};
use libtest_mimic::{Failed, Trial};
use tokio::runtime::{Handle, Runtime};

use crate::leaks::{Baseline, Temp};
use crate::leftovers;
use crate::site::Site;

/// What a test returns: its own assertions panic, everything else is an error.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// A test: named after the behaviour it shows.
pub(crate) type Test = for<'a> fn(&'a Env) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// Makes the list of a module's tests.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) const TESTS: &[(&str, $crate::harness::Test)] =
            &[$((stringify!($name), |env| Box::pin($name(env)))),*];
    };
}
pub(crate) use tests;

/// A test that has not ended by then has failed; one that is to go on for long has five times as much.
const TEST_LIMIT: Duration = Duration::from_secs(60);

/// How long what a test used may take to go away.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// How long what a test waits for may take to come.
const COMES_WITHIN: Duration = Duration::from_secs(20);

/// How often is looked for what no event tells.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// What a test works with.
pub(crate) struct Env {
    pub(crate) browser: Browser,
    pub(crate) context: Context,
    pub(crate) page: Page,
    pub(crate) site: Site,
    pub(crate) servers: Handle,
    temp: Arc<Temp>,
}

impl Env {
    /// A launcher for a browser of the test's own, of which nothing may be left after the test.
    pub(crate) fn launcher(&self) -> Launcher {
        self.temp.launcher()
    }

    /// Puts up a page with this body and goes to it.
    pub(crate) async fn open(&self, body: &str) -> engine::Result<()> {
        self.site.page("/", body);
        self.page.goto(self.site.url("/")).await?;
        Ok(())
    }
}

/// The browser that all tests share, launched by the first that runs.
pub(crate) struct Harness {
    runtime: Runtime,
    servers: Runtime,
    temp: Arc<Temp>,
    shared: Mutex<Option<Shared>>,
}

/// The shared browser and what there is with it alone.
#[derive(Clone)]
struct Shared {
    browser: Browser,
    /// Tasks of the engine right after the launch.
    tasks: usize,
    baseline: Arc<Baseline>,
}

impl Harness {
    pub(crate) fn new() -> std::io::Result<Arc<Harness>> {
        keep_panics();
        Ok(Arc::new(Harness {
            runtime: Runtime::new()?,
            servers: Runtime::new()?,
            temp: Arc::new(Temp::new()?),
            shared: Mutex::default(),
        }))
    }

    /// Makes a trial of each test.
    pub(crate) fn trials(self: &Arc<Self>, module: &str, tests: &'static [(&str, Test)]) -> Vec<Trial> {
        let trial = |(name, test): &'static (&str, Test)| {
            let harness = self.clone();
            Trial::test(format!("{module}::{name}"), move || harness.run(*test))
        };
        tests.iter().map(trial).collect()
    }

    /// The last trial: closes the shared browser, after which nothing of it may be left.
    pub(crate) fn last_trial(self: &Arc<Self>) -> Trial {
        let harness = self.clone();
        Trial::test("closing_the_shared_browser_leaves_nothing_behind", move || harness.close())
    }

    fn run(&self, test: Test) -> Result<(), Failed> {
        self.runtime.block_on(async {
            let shared = self.shared().await?;
            let result = self.run_with(&shared.browser, test).await;
            let left = self.left_after_a_test(&shared).await;
            result?;
            if left.is_empty() { Ok(()) } else { Err(Failed::from(format!("left over: {left:?}"))) }
        })
    }

    async fn run_with(&self, browser: &Browser, test: Test) -> Result<(), Failed> {
        let context = browser.new_context().await?;
        let page = context.new_page().await?;
        let servers = self.servers.handle().clone();
        let site = Site::start(&servers).await?;
        let env =
            Env { browser: browser.clone(), context, page, site, servers, temp: Arc::clone(&self.temp) };
        // A panic must not keep the context from being closed, nor the next test from running.
        let guarded = CatchUnwind(test(&env));
        let limit = if is_long() { 5 * TEST_LIMIT } else { TEST_LIMIT };
        let result = match tokio::time::timeout(limit, guarded).await {
            Ok(Ok(result)) => result.map_err(|problem| Failed::from(problem.to_string())),
            Ok(Err(panic)) => Err(panic),
            Err(_) => Err(Failed::from(format!("not done within {limit:?}"))),
        };
        let closed = env.context.close().await;
        result?;
        closed.map_err(|problem| Failed::from(format!("closing the context: {problem}")))
    }

    /// Launches the shared browser when there is none, also in place of one that a test has ended.
    async fn shared(&self) -> Result<Shared, Failed> {
        let there = self.shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(shared) = there {
            return Ok(shared);
        }
        let advice =
            "install Chromium, or set CDP_BROWSER to its path (./x test does the former where it may)";
        let launched = self.temp.launcher().launch().await;
        let browser = launched.map_err(|problem| Failed::from(format!("{problem}\n{advice}")))?;
        let tasks = self.runtime.metrics().num_alive_tasks();
        let shared = Shared { baseline: Arc::new(Baseline::of(&browser)), browser, tasks };
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(shared.clone());
        Ok(shared)
    }

    /// What outlived its test: contexts, calls, tasks, processes and paths. Waits a moment for those that are on their
    /// way out.
    async fn left_after_a_test(&self, shared: &Shared) -> Vec<String> {
        let end = tokio::time::Instant::now() + GONE_WITHIN;
        loop {
            let left = self.left_now(shared).await;
            if left.is_empty() || tokio::time::Instant::now() >= end {
                return left;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn left_now(&self, shared: &Shared) -> Vec<String> {
        let browser = &shared.browser;
        let mut left = Vec::new();
        match browser.client().browser().call(&GetBrowserContexts).await {
            Ok(open) if open.browser_context_ids.is_empty() => {}
            Ok(open) => left.push(format!("{} contexts", open.browser_context_ids.len())),
            Err(problem) => left.push(format!("a browser that does not answer: {problem}")),
        }
        let stats = browser.client().stats();
        if stats.pending_calls > 0 {
            left.push(format!("{} calls without an answer", stats.pending_calls));
        }
        if stats.sessions > 0 {
            left.push(format!("{} sessions", stats.sessions));
        }
        let alive = self.runtime.metrics().num_alive_tasks();
        if alive > shared.tasks {
            left.push(format!("{} tasks", alive - shared.tasks));
        }
        left.extend(shared.baseline.left(&self.temp));
        left
    }

    fn close(&self) -> Result<(), Failed> {
        let Some(shared) = self.shared.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(());
        };
        let group = shared.browser.process().expect("it was launched").pid();
        self.runtime.block_on(shared.browser.close());
        drop(shared);
        let end = std::time::Instant::now() + GONE_WITHIN;
        loop {
            let (processes, paths) = (leftovers::processes(&[group], self.temp.path()), self.temp.entries());
            if processes.is_empty() && paths.is_empty() {
                return Ok(());
            }
            if std::time::Instant::now() >= end {
                return Err(Failed::from(format!("left behind: {processes:?} {paths:?}")));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// Looks until there is something, for what no event tells. Panics when it is not there in time.
pub(crate) async fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = tokio::time::Instant::now() + COMES_WITHIN;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(tokio::time::Instant::now() < end, "{what}: not there after {COMES_WITHIN:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether tests that can go on for long are to do so.
pub(crate) fn is_long() -> bool {
    std::env::var_os("ENGINE_TEST_LONG").is_some()
}

/// What random tests begin with: another number in each run, unless a run is to be repeated.
pub(crate) fn seed() -> u64 {
    match std::env::var("ENGINE_TEST_SEED") {
        Ok(seed) => {
            seed.parse().unwrap_or_else(|_| panic!("ENGINE_TEST_SEED is {seed:?}, which is no number"))
        }
        Err(_) => u64::from(std::process::id()),
    }
}

/// A future whose panic is its result.
struct CatchUnwind<F>(F);

impl<F: Future + Unpin> Future for CatchUnwind<F> {
    type Output = Result<F::Output, Failed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        let poll = std::panic::AssertUnwindSafe(|| Pin::new(&mut self.0).poll(cx));
        match std::panic::catch_unwind(poll) {
            Ok(poll) => poll.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(Failed::from(last_panic()))),
        }
    }
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps the text and the place of a panic for the test's own line, instead of a back-trace through the harness.
fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

fn last_panic() -> String {
    std::mem::take(&mut *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner))
}
