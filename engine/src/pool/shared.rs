//! Carries out what the plan orders: launches browsers, closes them, gives out places. Decides nothing itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, sleep_until};
use tracing::Level;

use super::error::NotStarted;
use super::options::PoolBuilder;
use super::plan::{BrowserId, Order, Plan, Ticket, Turn};
use super::snapshot::Snapshot;
use crate::browser::Browser;
use crate::error::Error;
use crate::lock::lock;
use crate::process::Launcher;

/// How often browsers are looked at without anything having happened.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Logs a snapshot, a field each. The level of an event has to be known when this is compiled.
macro_rules! log {
    ($level:ident, $now:expr, $what:literal) => {{
        let now = $now;
        tracing::$level!(
            browsers = now.browsers,
            launching = now.launching,
            draining = now.draining,
            tasks = now.tasks,
            pages = now.pages,
            waiting = now.waiting,
            finished = now.finished,
            replaced_tasks = now.replaced.tasks,
            replaced_memory = now.replaced.memory,
            replaced_age = now.replaced.age,
            replaced_crashed = now.replaced.crashed,
            replaced_unresponsive = now.replaced.unresponsive,
            launch_failed = now.replaced.launch_failed,
            memory = now.memory,
            $what
        );
    }};
}

/// A pool. It lives as long as a handle to it, or a task: its own spawned tasks hold it only for a moment at a time.
pub(crate) struct Shared {
    launcher: Launcher,
    pub(crate) runtime: Handle,
    /// Lock rule: no other lock is taken under it, and no [`Lease`] dropped.
    state: Mutex<State>,
    changed: watch::Sender<()>,
    cut: watch::Sender<bool>,
}

struct State {
    plan: Plan,
    browsers: HashMap<BrowserId, Browser>,
    launches: HashMap<BrowserId, AbortHandle>,
    waiting: HashMap<Ticket, oneshot::Sender<Given>>,
    /// Calls of `run` that are at work, also those that have let their task go.
    at_work: usize,
    /// Why the last launch that failed did.
    launch_error: Option<Arc<Error>>,
    housekeeper: Option<AbortHandle>,
}

type Given = Result<Lease, NotStarted>;

/// An order with all that it takes to carry it out without the lock.
enum Work {
    Give(oneshot::Sender<Given>, BrowserId, Browser),
    Refuse(oneshot::Sender<Given>, NotStarted),
    Close(BrowserId, Browser),
}

impl Shared {
    /// A pool with one browser that runs already.
    pub(crate) fn start(builder: PoolBuilder, first: Browser) -> Arc<Self> {
        let mut plan = Plan::new(builder.limits());
        let id = plan.adopt(Instant::now());
        let shared = Arc::new(Self {
            launcher: builder.launcher,
            runtime: Handle::current(),
            state: Mutex::new(State {
                plan,
                browsers: HashMap::from([(id, first.clone())]),
                launches: HashMap::new(),
                waiting: HashMap::new(),
                at_work: 0,
                launch_error: None,
                housekeeper: None,
            }),
            changed: watch::Sender::new(()),
            cut: watch::Sender::new(false),
        });
        shared.watch(id, first);
        let house = House { pool: Arc::downgrade(&shared) };
        let housekeeper = shared.runtime.spawn(keep_house(house));
        lock(&shared.state).housekeeper = Some(housekeeper.abort_handle());
        shared
    }

    /// Waits for a place.
    pub(crate) async fn place(self: &Arc<Self>, turn: Turn) -> Given {
        let (give, given) = oneshot::channel();
        let ticket = self.step(|state| {
            let ticket = state.plan.wait(turn);
            state.waiting.insert(ticket, give);
            ticket
        });
        let _waiting = Waiting { shared: self, ticket };
        given.await.unwrap_or(Err(NotStarted::Closed))
    }

    /// Changes the plan, then does what it orders.
    fn step<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> T {
        let mut work = Vec::new();
        let (result, is_replaced) = {
            let mut state = lock(&self.state);
            let before = state.plan.snapshot().replaced;
            let result = change(&mut state);
            let orders = state.plan.orders(Instant::now());
            work.extend(orders.into_iter().filter_map(|order| self.prepare(&mut state, order)));
            (result, state.plan.snapshot().replaced != before)
        };
        work.into_iter().for_each(|work| self.carry_out(work));
        self.changed.send_replace(());
        if is_replaced {
            log!(info, self.snapshot(), "a browser of the pool is replaced");
        } else if tracing::enabled!(Level::DEBUG) {
            log!(debug, self.snapshot(), "pool");
        }
        result
    }

    fn prepare(self: &Arc<Self>, state: &mut State, order: Order) -> Option<Work> {
        match order {
            Order::Launch(id, at) => {
                let launch = launch(Arc::downgrade(self), self.launcher.clone(), id, at);
                state.launches.insert(id, self.runtime.spawn(launch).abort_handle());
                None
            }
            Order::Abandon(id) => {
                if let Some(launch) = state.launches.remove(&id) {
                    launch.abort();
                }
                None
            }
            Order::Give(ticket, id) => {
                let (waiting, browser) = (state.waiting.remove(&ticket)?, state.browsers.get(&id)?);
                Some(Work::Give(waiting, id, browser.clone()))
            }
            Order::LaunchFailed(ticket) => {
                let error = state.launch_error.clone().map_or(NotStarted::Closed, NotStarted::Launch);
                Some(Work::Refuse(state.waiting.remove(&ticket)?, error))
            }
            Order::Refuse(ticket) => Some(Work::Refuse(state.waiting.remove(&ticket)?, NotStarted::Closed)),
            Order::Close(id) => Some(Work::Close(id, state.browsers.remove(&id)?)),
        }
    }

    fn carry_out(self: &Arc<Self>, work: Work) {
        match work {
            Work::Give(waiting, id, browser) => {
                let lease = Lease { shared: self.clone(), id, browser, begun: false };
                // One who has just gone gives its place back by dropping it.
                let _ = waiting.send(Ok(lease));
            }
            Work::Refuse(waiting, why) => {
                let _ = waiting.send(Err(why));
            }
            Work::Close(id, browser) => {
                let closing = Closing { pool: Arc::downgrade(self), id };
                self.runtime.spawn(async move {
                    let _closing = closing;
                    let closed = browser.close().await;
                    if !closed.left.is_empty() {
                        tracing::warn!(browser = %id, left = %closed.left, "a closed browser has left something");
                    }
                });
            }
        }
    }

    fn launched(self: &Arc<Self>, id: BrowserId, launched: Result<Browser, Error>) {
        match launched {
            Ok(browser) => {
                let wanted = self.step(|state| {
                    state.launches.remove(&id);
                    let wanted = state.plan.launched(id, Instant::now());
                    if wanted {
                        state.browsers.insert(id, browser.clone());
                    }
                    wanted
                });
                if wanted {
                    self.watch(id, browser);
                } else {
                    self.runtime.spawn(async move { browser.close().await });
                }
            }
            Err(error) => {
                tracing::warn!(browser = %id, %error, "a browser for the pool could not be launched");
                self.step(|state| {
                    state.launches.remove(&id);
                    state.launch_error = Some(Arc::new(error));
                    state.plan.launch_failed(id, Instant::now(), random());
                });
            }
        }
    }

    /// Tells the plan when a browser has ended.
    fn watch(self: &Arc<Self>, id: BrowserId, browser: Browser) {
        let pool = Arc::downgrade(self);
        self.runtime.spawn(async move {
            tokio::select! {
                _ = browser.client().closed() => {}
                _ = browser.wait_closed(Duration::MAX) => {}
            }
            drop(browser);
            if let Some(pool) = pool.upgrade() {
                pool.crashed(id);
            }
        });
    }

    fn crashed(self: &Arc<Self>, id: BrowserId) {
        if self.step(|state| state.plan.crashed(id)) {
            tracing::warn!(browser = %id, "a browser of the pool has crashed");
        }
    }

    /// Refuses tasks from here on. Browsers are closed when their last task ends.
    pub(crate) fn shut(self: &Arc<Self>) {
        self.step(|state| state.plan.shut());
    }

    /// Ends all tasks that run, and closes the browsers.
    pub(crate) fn cut(self: &Arc<Self>) {
        // Before the browsers go: a task that ends because of them can tell.
        self.cut.send_replace(true);
        self.step(|state| state.plan.cut());
    }

    /// Counts work until the guard is dropped.
    pub(crate) fn at_work(&self) -> AtWork<'_> {
        lock(&self.state).at_work += 1;
        AtWork { shared: self }
    }

    pub(crate) fn is_cut(&self) -> bool {
        *self.cut.borrow()
    }

    /// Waits until tasks that run are to be dropped.
    pub(crate) async fn until_cut(&self) {
        // An error would mean that the pool is gone, which this borrows.
        let _ = self.cut.subscribe().wait_for(|cut| *cut).await;
    }

    /// Waits until every browser is closed and every task and all work have ended. Does not wait for those that were cut
    /// off: whoever holds a task, or does not poll its work, may do so for ever.
    pub(crate) async fn until_over(&self) {
        let mut changed = self.changed.subscribe();
        loop {
            if self.is_over() {
                // Not under the lock: the housekeeper takes it when it goes.
                let housekeeper = lock(&self.state).housekeeper.take();
                housekeeper.iter().for_each(AbortHandle::abort);
                return;
            }
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    fn is_over(&self) -> bool {
        let is_cut = self.is_cut();
        let state = lock(&self.state);
        let has_ended = state.at_work == 0 && state.plan.snapshot().tasks == 0;
        state.plan.is_empty() && (is_cut || has_ended)
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let (snapshot, browsers) = {
            let state = lock(&self.state);
            (state.plan.snapshot(), state.browsers.values().cloned().collect::<Vec<_>>())
        };
        Snapshot { pages: browsers.iter().map(Browser::live_pages).sum(), ..snapshot }
    }

    fn browsers(&self) -> Vec<(BrowserId, Browser)> {
        lock(&self.state).browsers.iter().map(|(id, browser)| (*id, browser.clone())).collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.launches.values().chain(&state.housekeeper).for_each(AbortHandle::abort);
        for (_, browser) in state.browsers.drain() {
            // On a runtime that is gone the future is dropped, and the browser left to its guardian.
            self.runtime.spawn(async move { browser.close().await });
        }
    }
}

/// A place in a browser, given back when it is dropped.
pub(crate) struct Lease {
    pub(crate) shared: Arc<Shared>,
    id: BrowserId,
    pub(crate) browser: Browser,
    begun: bool,
}

impl Lease {
    /// From here on it counts as a task.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
    }

    /// The browser did not do in time what it was asked to.
    pub(crate) fn unresponsive(&self) {
        if self.shared.step(|state| state.plan.unresponsive(self.id)) {
            tracing::warn!(browser = %self.id, "a browser of the pool does not answer");
        }
    }

    /// The browser can't be reached any more, which whoever watches it may not have seen yet.
    pub(crate) fn crashed(&self) {
        self.shared.crashed(self.id);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let (id, begun) = (self.id, self.begun);
        self.shared.step(|state| if begun { state.plan.finished(id) } else { state.plan.given_back(id) });
    }
}

/// Work of `run` that is not over.
pub(crate) struct AtWork<'a> {
    shared: &'a Shared,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        lock(&self.shared.state).at_work -= 1;
        self.shared.changed.send_replace(());
    }
}

/// One who waits; leaves the queue when it is dropped.
struct Waiting<'a> {
    shared: &'a Arc<Shared>,
    ticket: Ticket,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.shared.step(|state| {
            state.waiting.remove(&self.ticket);
            state.plan.leave(self.ticket);
        });
    }
}

async fn launch(pool: Weak<Shared>, launcher: Launcher, id: BrowserId, at: Instant) {
    sleep_until(at).await;
    let launched = launcher.launch().await;
    if let Some(pool) = pool.upgrade() {
        pool.launched(id, launched);
    }
}

/// A browser that is being closed. Tells the plan when that is done, or when the runtime has ended and it never will be:
/// the browser ends without it then.
struct Closing {
    pool: Weak<Shared>,
    id: BrowserId,
}

impl Drop for Closing {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.step(|state| state.plan.closed(self.id));
        }
    }
}

/// What the housekeeper keeps. It is dropped before the pool only when the pool is over, or its runtime has ended: then
/// nothing can be launched or closed any more, and nobody is to wait for it.
struct House {
    pool: Weak<Shared>,
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.cut();
        }
    }
}

/// Looks at the browsers' memory and age now and then.
async fn keep_house(house: House) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(browsers) = house.pool.upgrade().map(|pool| pool.browsers()) else { return };
        let mut measured = Vec::with_capacity(browsers.len());
        for (id, browser) in browsers {
            measured.push((id, browser.usage().await.memory));
        }
        let Some(pool) = house.pool.upgrade() else { return };
        pool.step(|state| measured.iter().for_each(|(id, bytes)| state.plan.measured(*id, *bytes)));
    }
}

/// Any number; without a source of randomness the largest, which means the longest pause.
fn random() -> u64 {
    let mut bytes = [0xff; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => u64::MAX,
    }
}
