//! Which browser gets the next task, and when one is launched, replaced or closed. Does none of that itself: it is told
//! what happened and gives orders. Time is an argument.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::options::Limits;
use super::snapshot::{Reason, Replaced, Snapshot};

/// Launches that may fail in a row before those who wait are told.
pub(crate) const TRIES: u32 = 3;

/// The longest pause after the first failed launch. It doubles with each further one.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// What the pause is never longer than.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// One browser of the pool, from its launch until it is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BrowserId(u64);

impl fmt::Display for BrowserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One who waits for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ticket(u64);

/// Where one stands who begins to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Behind all others.
    Last,
    /// Before all others: it had its turn, and the browser that it got was of no use.
    Again,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Launch a browser, not before this instant.
    Launch(BrowserId, Instant),
    /// Give a launch up; the browser is not known any more.
    Abandon(BrowserId),
    /// Let this one begin in this browser.
    Give(Ticket, BrowserId),
    /// Tell this one that no browser can be launched.
    LaunchFailed(Ticket),
    /// Tell this one that the pool is closed.
    Refuse(Ticket),
    /// Close a browser.
    Close(BrowserId),
}

/// The state of a pool.
#[derive(Debug)]
pub(crate) struct Plan {
    limits: Limits,
    browsers: BTreeMap<BrowserId, Seat>,
    waiting: VecDeque<Ticket>,
    /// Tasks that hold a place, also those whose browser is gone.
    running: usize,
    finished: u64,
    replaced: Replaced,
    next: u64,
    /// Launches that failed since the last one that did not.
    failures: u32,
    launch_after: Option<Instant>,
    /// A launch has just failed, and it was not the first.
    tell: bool,
    shut: bool,
}

#[derive(Debug)]
struct Seat {
    phase: Phase,
    since: Instant,
    running: usize,
    given: u64,
    memory: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// To be launched; the order is out.
    Launching,
    /// Takes tasks.
    Open,
    /// Takes no more tasks and ends with its last one.
    Draining,
    /// To be closed, whatever runs in it.
    Doomed,
    /// Being closed; the order is out.
    Closing,
}

impl Plan {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            browsers: BTreeMap::new(),
            waiting: VecDeque::new(),
            running: 0,
            finished: 0,
            replaced: Replaced::default(),
            next: 0,
            failures: 0,
            launch_after: None,
            tell: false,
            shut: false,
        }
    }

    /// A browser that runs already.
    pub(crate) fn adopt(&mut self, now: Instant) -> BrowserId {
        self.seat(Phase::Open, now)
    }

    /// Somebody begins to wait.
    pub(crate) fn wait(&mut self, turn: Turn) -> Ticket {
        let ticket = Ticket(self.number());
        match turn {
            Turn::Last => self.waiting.push_back(ticket),
            Turn::Again => self.waiting.push_front(ticket),
        }
        ticket
    }

    /// Somebody waits no longer. Nothing happens when it is not waiting.
    pub(crate) fn leave(&mut self, ticket: Ticket) {
        self.waiting.retain(|waiting| *waiting != ticket);
    }

    /// A launch has succeeded. `false`: the browser is not wanted any more.
    pub(crate) fn launched(&mut self, id: BrowserId, now: Instant) -> bool {
        self.failures = 0;
        self.launch_after = None;
        let Some(seat) = self.browsers.get_mut(&id) else { return false };
        (seat.phase, seat.since) = (Phase::Open, now);
        true
    }

    /// A launch has failed. The pause before the next one is a part of the longest that is due, and `random` chooses
    /// which: several pools on one machine do not try in step.
    pub(crate) fn launch_failed(&mut self, id: BrowserId, now: Instant, random: u64) {
        if self.browsers.remove(&id).is_none() {
            return;
        }
        self.replaced.count(Reason::LaunchFailed);
        let longest = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16)).min(LONGEST_PAUSE);
        self.failures = self.failures.saturating_add(1);
        let part = random as f64 / u64::MAX as f64;
        self.launch_after = Some(now + longest.mul_f64(part));
        self.tell = self.failures >= TRIES;
    }

    /// A browser has ended, or can't be reached any more. `true`: that is news.
    pub(crate) fn crashed(&mut self, id: BrowserId) -> bool {
        let Some(seat) = self.browsers.get_mut(&id) else { return false };
        match seat.phase {
            Phase::Open => self.replaced.count(Reason::Crashed),
            Phase::Draining => {}
            Phase::Launching | Phase::Doomed | Phase::Closing => return false,
        }
        seat.phase = Phase::Doomed;
        true
    }

    /// A browser did not do in time what it does in no time. Its other tasks may still succeed. `true`: that is news.
    pub(crate) fn unresponsive(&mut self, id: BrowserId) -> bool {
        match self.browsers.get_mut(&id) {
            Some(seat) if seat.phase == Phase::Open => {
                seat.phase = Phase::Draining;
                self.replaced.count(Reason::Unresponsive);
                true
            }
            _ => false,
        }
    }

    /// A task has ended and its context is closed.
    pub(crate) fn finished(&mut self, id: BrowserId) {
        self.finished += 1;
        self.leaves(id);
    }

    /// Somebody who was given a place did not begin.
    pub(crate) fn given_back(&mut self, id: BrowserId) {
        self.leaves(id);
        if let Some(seat) = self.browsers.get_mut(&id) {
            seat.given = seat.given.saturating_sub(1);
        }
    }

    fn leaves(&mut self, id: BrowserId) {
        self.running = self.running.saturating_sub(1);
        if let Some(seat) = self.browsers.get_mut(&id) {
            seat.running = seat.running.saturating_sub(1);
        }
    }

    /// What a browser takes of memory.
    pub(crate) fn measured(&mut self, id: BrowserId, bytes: u64) {
        if let Some(seat) = self.browsers.get_mut(&id) {
            seat.memory = bytes;
        }
    }

    /// No new tasks from here on; browsers end with their last one.
    pub(crate) fn shut(&mut self) {
        self.shut = true;
    }

    /// No new tasks, and every browser is closed whatever runs in it.
    pub(crate) fn cut(&mut self) {
        self.shut = true;
        for seat in self.browsers.values_mut() {
            if matches!(seat.phase, Phase::Open | Phase::Draining) {
                seat.phase = Phase::Doomed;
            }
        }
    }

    /// A browser is closed.
    pub(crate) fn closed(&mut self, id: BrowserId) {
        self.browsers.remove(&id);
    }

    /// Whether no browser is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.browsers.is_empty()
    }

    /// All numbers but that of the pages, which the plan does not know.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let phases =
            |wanted: &[Phase]| self.browsers.values().filter(|it| wanted.contains(&it.phase)).count();
        Snapshot {
            browsers: phases(&[Phase::Open]),
            launching: phases(&[Phase::Launching]),
            draining: phases(&[Phase::Draining, Phase::Doomed, Phase::Closing]),
            tasks: self.running,
            pages: 0,
            waiting: self.waiting.len(),
            finished: self.finished,
            replaced: self.replaced,
            memory: self.browsers.values().map(|seat| seat.memory).sum(),
        }
    }

    /// What is to be done now. Each order is given once and counts as carried out; a launch and a close are reported
    /// when they are done.
    pub(crate) fn orders(&mut self, now: Instant) -> Vec<Order> {
        let mut orders = Vec::new();
        if self.shut {
            orders.extend(self.waiting.drain(..).map(Order::Refuse));
            let launching = self.browsers.extract_if(.., |_, seat| seat.phase == Phase::Launching);
            orders.extend(launching.map(|(id, _)| Order::Abandon(id)));
            for seat in self.browsers.values_mut().filter(|seat| seat.phase == Phase::Open) {
                seat.phase = Phase::Draining;
            }
        }
        loop {
            self.retire(now);
            let Some((ticket, id)) = self.give() else { break };
            orders.push(Order::Give(ticket, id));
        }
        for (id, seat) in &mut self.browsers {
            if seat.phase == Phase::Doomed || (seat.phase == Phase::Draining && seat.running == 0) {
                seat.phase = Phase::Closing;
                orders.push(Order::Close(*id));
            }
        }
        // Whoever comes next causes one more try, after the pause.
        if std::mem::take(&mut self.tell) && !self.browsers.values().any(Seat::takes_tasks) {
            orders.extend(self.waiting.drain(..).map(Order::LaunchFailed));
        }
        self.launch(now, &mut orders);
        orders
    }

    /// Has browsers drain whose time has come, as long as not too many are on their way out.
    fn retire(&mut self, now: Instant) {
        let leaving = self.browsers.values().filter(|seat| !seat.takes_tasks()).count();
        let room = self.limits.browsers.saturating_sub(leaving);
        let limits = self.limits;
        // A browser is launched for somebody who waits. If it were due before it had a task, so would be the next one.
        let is_wanted = !self.waiting.is_empty();
        let seats = self.browsers.values_mut().filter(|seat| seat.given > 0 || !is_wanted);
        let due = seats.filter_map(|seat| Some((seat.due(&limits, now)?, seat)));
        for (reason, seat) in due.take(room) {
            seat.phase = Phase::Draining;
            self.replaced.count(reason);
        }
    }

    /// The first who waits, and the browser with the fewest tasks, the oldest of several.
    fn give(&mut self) -> Option<(Ticket, BrowserId)> {
        let share = self.share();
        if self.running >= self.limits.pages {
            return None;
        }
        let with_room =
            self.browsers.iter_mut().filter(|(_, seat)| seat.phase == Phase::Open && seat.running < share);
        let (id, seat) = with_room.min_by_key(|(id, seat)| (seat.running, **id))?;
        let ticket = self.waiting.pop_front()?;
        seat.running += 1;
        seat.given += 1;
        self.running += 1;
        Some((ticket, *id))
    }

    /// Orders browsers for those who wait, may run, and find no room in those that are there or on their way. That
    /// never makes too many: when all browsers are there and none has room, as many tasks run as may.
    fn launch(&mut self, now: Instant, orders: &mut Vec<Order>) {
        let mut launching = self.browsers.values().filter(|seat| seat.phase == Phase::Launching).count();
        let may_run = self.waiting.len().min(self.limits.pages.saturating_sub(self.running));
        while launching.saturating_mul(self.share()) < may_run {
            let id = self.seat(Phase::Launching, now);
            orders.push(Order::Launch(id, self.launch_after.unwrap_or(now).max(now)));
            launching += 1;
        }
    }

    /// How many tasks one browser runs at once.
    fn share(&self) -> usize {
        self.limits.pages.div_ceil(self.limits.browsers)
    }

    fn seat(&mut self, phase: Phase, since: Instant) -> BrowserId {
        let id = BrowserId(self.number());
        self.browsers.insert(id, Seat { phase, since, running: 0, given: 0, memory: 0 });
        id
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl Seat {
    /// Whether it takes tasks, or will when it is launched.
    fn takes_tasks(&self) -> bool {
        matches!(self.phase, Phase::Open | Phase::Launching)
    }

    /// Why this browser has to be replaced, if it has to.
    fn due(&self, limits: &Limits, now: Instant) -> Option<Reason> {
        if self.phase != Phase::Open {
            None
        } else if limits.tasks.is_some_and(|tasks| self.given >= tasks) {
            Some(Reason::Tasks)
        } else if limits.memory.is_some_and(|memory| self.memory > memory) {
            Some(Reason::Memory)
        } else if limits.age.is_some_and(|age| now.saturating_duration_since(self.since) > age) {
            Some(Reason::Age)
        } else {
            None
        }
    }
}
