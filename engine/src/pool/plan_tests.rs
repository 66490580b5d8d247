//! The plan without a browser: whose turn it is, when browsers come and go, and that no order of events breaks a bound.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::options::Limits;
use super::plan::{BrowserId, FIRST_PAUSE, LONGEST_PAUSE, Order, Plan, TRIES, Ticket, Turn};

const SECOND: Duration = Duration::from_secs(1);

fn limits(browsers: usize, pages: usize) -> Limits {
    Limits { browsers, pages, tasks: None, memory: None, age: None }
}

/// A plan, its clock, and the orders it gave that are not looked at yet.
struct Desk {
    plan: Plan,
    now: Instant,
}

impl Desk {
    /// With one browser that runs already.
    fn new(limits: Limits) -> (Self, BrowserId) {
        let now = Instant::now();
        let mut plan = Plan::new(limits);
        let first = plan.adopt(now);
        (Self { plan, now }, first)
    }

    /// With none, which is how a plan is left by crashes.
    fn empty(limits: Limits) -> Self {
        Self { plan: Plan::new(limits), now: Instant::now() }
    }

    fn orders(&mut self) -> Vec<Order> {
        self.plan.orders(self.now)
    }

    fn wait(&mut self, number: usize) -> Vec<Ticket> {
        (0..number).map(|_| self.plan.wait(Turn::Last)).collect()
    }

    /// The one launch that is ordered, and the pause before it.
    fn launch(&mut self) -> (BrowserId, Duration) {
        match self.orders()[..] {
            [Order::Launch(id, at)] => (id, at - self.now),
            ref other => panic!("expected one launch, got {other:?}"),
        }
    }
}

#[test]
fn first_come_is_first_served_and_who_leaves_takes_nobodys_turn() {
    let (mut desk, id) = Desk::new(limits(1, 1));
    let tickets = desk.wait(4);
    assert_eq!(desk.orders(), [Order::Give(tickets[0], id)]);
    desk.plan.leave(tickets[1]);
    assert_eq!(desk.orders(), []);
    desk.plan.finished(id);
    let again = desk.plan.wait(Turn::Again);
    assert_eq!(desk.orders(), [Order::Give(again, id)]);
    desk.plan.given_back(id);
    assert_eq!(desk.orders(), [Order::Give(tickets[2], id)]);
    assert_eq!(desk.plan.snapshot().waiting, 1);
    assert_eq!(desk.plan.snapshot().finished, 1);
}

#[test]
fn browsers_are_launched_when_there_are_tasks_for_them() {
    let (mut desk, first) = Desk::new(limits(3, 6));
    let tickets = desk.wait(2);
    assert_eq!(desk.orders(), [Order::Give(tickets[0], first), Order::Give(tickets[1], first)]);
    desk.wait(2);
    let (second, pause) = desk.launch();
    assert_eq!(pause, Duration::ZERO);
    desk.wait(100);
    let (_third, _) = desk.launch();
    assert_eq!(desk.orders(), [], "no fourth, and none twice");
    assert!(desk.plan.launched(second, desk.now));
    assert_eq!(desk.orders().len(), 2, "its share and no more");
    assert_eq!(desk.plan.snapshot().tasks, 4);
}

#[test]
fn the_bound_on_tasks_holds_over_all_browsers() {
    let (mut desk, _) = Desk::new(limits(2, 3));
    desk.wait(9);
    let orders = desk.orders();
    let [Order::Give(..), Order::Give(..), Order::Launch(second, _)] = orders[..] else {
        panic!("{orders:?}")
    };
    desk.plan.launched(second, desk.now);
    assert_eq!(desk.orders().len(), 1, "two of three were taken");
    assert_eq!(desk.plan.snapshot().tasks, 3);
}

#[test]
fn the_browser_with_the_fewest_tasks_is_next() {
    let (mut desk, first) = Desk::new(limits(2, 6));
    let second = desk.plan.adopt(desk.now);
    let tickets = desk.wait(3);
    let given = [first, second, first];
    let expected: Vec<Order> = tickets.into_iter().zip(given).map(|(t, id)| Order::Give(t, id)).collect();
    assert_eq!(desk.orders(), expected);
    desk.plan.finished(first);
    desk.plan.finished(first);
    let ticket = desk.wait(1)[0];
    assert_eq!(desk.orders(), [Order::Give(ticket, first)]);
}

#[test]
fn after_its_last_task_a_browser_closes_and_another_takes_over_meanwhile() {
    let (mut desk, first) = Desk::new(Limits { tasks: Some(2), ..limits(1, 3) });
    let tickets = desk.wait(3);
    let orders = desk.orders();
    let [Order::Give(a, _), Order::Give(b, _), Order::Launch(second, _)] = orders[..] else {
        panic!("{orders:?}")
    };
    assert_eq!([a, b], tickets[..2]);
    assert_eq!(desk.plan.snapshot().draining, 1);
    desk.plan.launched(second, desk.now);
    assert_eq!(desk.orders(), [Order::Give(tickets[2], second)]);
    desk.plan.finished(first);
    assert_eq!(desk.orders(), []);
    desk.plan.finished(first);
    assert_eq!(desk.orders(), [Order::Close(first)]);
    desk.plan.closed(first);
    assert_eq!(desk.plan.snapshot().draining, 0);
    assert_eq!(desk.plan.snapshot().replaced.tasks, 1);
}

#[test]
fn an_old_browser_and_a_large_one_are_closed_when_idle() {
    let (mut desk, first) = Desk::new(Limits { age: Some(SECOND), ..limits(1, 1) });
    desk.now += SECOND;
    assert_eq!(desk.orders(), []);
    desk.now += SECOND;
    assert_eq!(desk.orders(), [Order::Close(first)], "and none is launched for nobody");
    assert_eq!(desk.plan.snapshot().replaced.age, 1);

    let (mut desk, first) = Desk::new(Limits { memory: Some(100), ..limits(1, 1) });
    desk.plan.measured(first, 100);
    assert_eq!(desk.orders(), []);
    desk.plan.measured(first, 101);
    assert_eq!(desk.orders(), [Order::Close(first)]);
    assert_eq!(desk.plan.snapshot().replaced.memory, 1);
}

#[test]
fn a_browser_that_is_due_when_it_comes_up_has_one_task_first() {
    let (mut desk, first) = Desk::new(Limits { age: Some(Duration::ZERO), ..limits(1, 4) });
    desk.now += SECOND;
    let tickets = desk.wait(2);
    let orders = desk.orders();
    let [Order::Give(ticket, id), Order::Launch(second, _)] = orders[..] else { panic!("{orders:?}") };
    assert_eq!((ticket, id), (tickets[0], first));
    desk.plan.launched(second, desk.now);
    desk.now += SECOND;
    assert_eq!(desk.orders(), [Order::Give(tickets[1], second)]);
}

#[test]
fn no_more_browsers_drain_than_may_run() {
    let (mut desk, first) = Desk::new(Limits { tasks: Some(1), ..limits(1, 4) });
    desk.wait(4);
    let orders = desk.orders();
    let [Order::Give(..), Order::Launch(second, _)] = orders[..] else { panic!("{orders:?}") };
    desk.plan.launched(second, desk.now);
    // It would be due after the first of them, but the first browser still drains.
    assert_eq!(desk.orders().len(), 3);
    assert_eq!(desk.plan.snapshot().draining, 1);
    desk.plan.finished(first);
    assert_eq!(desk.orders(), [Order::Close(first)]);
    desk.plan.closed(first);
    desk.orders();
    assert_eq!(desk.plan.snapshot().draining, 1);
    assert_eq!(desk.plan.snapshot().browsers, 0);
}

#[test]
fn a_crashed_browser_is_closed_at_once_and_its_tasks_hold_their_places() {
    let (mut desk, first) = Desk::new(limits(1, 2));
    let tickets = desk.wait(3);
    assert_eq!(desk.orders().len(), 2);
    assert!(desk.plan.crashed(first));
    assert!(!desk.plan.crashed(first), "that is no news");
    assert_eq!(desk.orders(), [Order::Close(first)]);
    desk.plan.closed(first);
    assert_eq!(desk.orders(), [], "both places are taken");
    desk.plan.finished(first);
    let (second, _) = desk.launch();
    desk.plan.launched(second, desk.now);
    assert_eq!(desk.orders(), [Order::Give(tickets[2], second)]);
    assert_eq!(desk.plan.snapshot().replaced.crashed, 1);
}

#[test]
fn an_unresponsive_browser_keeps_the_tasks_it_has() {
    let (mut desk, first) = Desk::new(limits(1, 2));
    desk.wait(1);
    desk.orders();
    assert!(desk.plan.unresponsive(first));
    assert!(!desk.plan.unresponsive(first), "that is no news");
    assert_eq!(desk.orders(), []);
    desk.wait(1);
    desk.launch();
    desk.plan.finished(first);
    assert_eq!(desk.orders(), [Order::Close(first)]);
    assert_eq!(desk.plan.snapshot().replaced.unresponsive, 1);
}

#[test]
fn failed_launches_pause_longer_and_longer_and_are_told_after_some() {
    let mut desk = Desk::empty(limits(1, 1));
    let mut waiting = desk.wait(2);
    let mut longest = FIRST_PAUSE;
    let (mut id, pause) = desk.launch();
    assert_eq!(pause, Duration::ZERO);
    for failed in 1..=12 {
        desk.plan.launch_failed(id, desk.now, u64::MAX);
        if failed >= TRIES {
            let told: Vec<Order> = waiting.drain(..).map(Order::LaunchFailed).collect();
            assert_eq!(desk.orders(), told, "after {failed}");
            assert_eq!(desk.orders(), [], "nobody waits, nothing is tried");
            waiting = desk.wait(1);
        }
        let pause;
        (id, pause) = desk.launch();
        assert_eq!(pause, longest, "after {failed}");
        longest = (longest * 2).min(LONGEST_PAUSE);
        desk.now += pause;
    }
    assert_eq!(longest, LONGEST_PAUSE);
    assert_eq!(desk.plan.snapshot().replaced.launch_failed, 12);
    assert!(desk.plan.launched(id, desk.now));
    assert_eq!(desk.orders(), [Order::Give(waiting[0], id)]);
    desk.plan.crashed(id);
    desk.plan.finished(id);
    desk.wait(1);
    let orders = desk.orders();
    assert!(matches!(orders[..], [Order::Close(_), Order::Launch(_, at)] if at == desk.now), "{orders:?}");
}

#[test]
fn the_pause_is_a_random_part_of_the_longest() {
    for (random, part) in [(0, 0.0), (u64::MAX / 2, 0.5), (u64::MAX, 1.0)] {
        let mut desk = Desk::empty(limits(1, 1));
        desk.wait(1);
        let (id, _) = desk.launch();
        desk.plan.launch_failed(id, desk.now, random);
        let (_, pause) = desk.launch();
        let off = pause.as_secs_f64() - FIRST_PAUSE.mul_f64(part).as_secs_f64();
        assert!(off.abs() < 1e-6, "{random}: {pause:?}");
    }
}

#[test]
fn a_failed_launch_is_not_told_while_another_browser_runs() {
    let (mut desk, first) = Desk::new(limits(2, 2));
    let tickets = desk.wait(2);
    let orders = desk.orders();
    let [Order::Give(..), Order::Launch(mut id, _)] = orders[..] else { panic!("{orders:?}") };
    for _ in 0..2 * TRIES {
        desk.plan.launch_failed(id, desk.now, 0);
        (id, _) = desk.launch();
    }
    desk.plan.finished(first);
    assert_eq!(desk.orders(), [Order::Give(tickets[1], first)]);
}

#[test]
fn a_closed_pool_refuses_and_its_browsers_end_with_their_last_task() {
    let (mut desk, first) = Desk::new(limits(3, 3));
    let idle = desk.plan.adopt(desk.now);
    desk.wait(3);
    let orders = desk.orders();
    let [Order::Give(..), Order::Give(..), Order::Launch(third, _)] = orders[..] else {
        panic!("{orders:?}")
    };
    desk.plan.finished(idle);
    desk.plan.shut();
    let late = desk.plan.wait(Turn::Last);
    let orders = desk.orders();
    assert!(
        matches!(orders[..], [Order::Refuse(_), Order::Refuse(last), Order::Abandon(gone), Order::Close(id)]
        if last == late && gone == third && id == idle),
        "{orders:?}"
    );
    assert!(!desk.plan.launched(third, desk.now), "a browser that came up all the same is not wanted");
    desk.plan.finished(first);
    assert_eq!(desk.orders(), [Order::Close(first)]);
    desk.plan.closed(first);
    desk.plan.closed(idle);
    assert!(desk.plan.is_empty());
}

#[test]
fn a_pool_that_is_cut_closes_busy_browsers() {
    let (mut desk, first) = Desk::new(limits(1, 2));
    desk.wait(2);
    desk.orders();
    desk.plan.shut();
    assert_eq!(desk.orders(), []);
    desk.plan.cut();
    assert_eq!(desk.orders(), [Order::Close(first)]);
    desk.plan.cut();
    assert_eq!(desk.orders(), [], "it is ordered once");
}

/// Numbers that are the same in each run (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// What the world around a plan knows of it.
#[derive(Default)]
struct World {
    queue: VecDeque<Ticket>,
    launching: Vec<BrowserId>,
    closing: Vec<BrowserId>,
    /// Tasks of each browser that is not closed.
    open: BTreeMap<BrowserId, usize>,
    running: Vec<BrowserId>,
    crashed: Vec<BrowserId>,
}

impl World {
    fn carry_out(&mut self, orders: Vec<Order>, limits: &Limits) {
        for order in orders {
            match order {
                Order::Launch(id, _) => self.launching.push(id),
                Order::Give(ticket, id) => {
                    assert_eq!(self.queue.pop_front(), Some(ticket), "first come, first served");
                    assert!(!self.closing.contains(&id), "a closing browser is given no task");
                    *self.open.get_mut(&id).expect("a browser that runs") += 1;
                    self.running.push(id);
                }
                Order::LaunchFailed(ticket) => assert_eq!(self.queue.pop_front(), Some(ticket)),
                Order::Close(id) => {
                    assert!(!self.closing.contains(&id), "closed once");
                    assert!(self.open[&id] == 0 || self.crashed.contains(&id), "it runs something");
                    self.closing.push(id);
                }
                Order::Abandon(_) | Order::Refuse(_) => panic!("the pool is not closed"),
            }
        }
        assert!(self.running.len() <= limits.pages);
        let share = limits.pages.div_ceil(limits.browsers);
        assert!(self.open.values().all(|tasks| *tasks <= share));
        let healthy = self.open.keys().filter(|id| !self.crashed.contains(id)).count() + self.launching.len();
        assert!(healthy <= 2 * limits.browsers, "{healthy}");
    }
}

#[test]
fn no_order_of_events_breaks_a_bound_or_forgets_a_task() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let limits = Limits {
            tasks: (random.below(2) == 0).then_some(1 + random.below(5) as u64),
            memory: (random.below(2) == 0).then_some(50),
            age: (random.below(2) == 0).then_some(20 * SECOND),
            ..limits(1 + random.below(3), 1 + random.below(7))
        };
        let mut desk = Desk::empty(limits);
        let mut world = World::default();
        for step in 0..600 {
            // The last steps let everything come to its end.
            let event = if step < 400 { random.below(9) } else { [1, 2, 4][step % 3] };
            let any = random.below(1_000);
            match event {
                0 => world.queue.push_back(desk.plan.wait(Turn::Last)),
                1 if !world.launching.is_empty() => {
                    let id = world.launching.swap_remove(any % world.launching.len());
                    assert!(desk.plan.launched(id, desk.now));
                    world.open.insert(id, 0);
                }
                2 if !world.running.is_empty() => {
                    let id = world.running.swap_remove(any % world.running.len());
                    if let Some(tasks) = world.open.get_mut(&id) {
                        *tasks -= 1;
                    }
                    if any.is_multiple_of(5) { desk.plan.given_back(id) } else { desk.plan.finished(id) }
                }
                3 if !world.launching.is_empty() => {
                    let id = world.launching.swap_remove(any % world.launching.len());
                    desk.plan.launch_failed(id, desk.now, any as u64);
                }
                4 if !world.closing.is_empty() => {
                    let id = world.closing.swap_remove(any % world.closing.len());
                    desk.plan.closed(id);
                    world.open.remove(&id);
                }
                5 if !world.open.is_empty() && any < 200 => {
                    let id = *world.open.keys().nth(any % world.open.len()).expect("one of them");
                    if desk.plan.crashed(id) {
                        world.crashed.push(id);
                    }
                }
                6 if !world.queue.is_empty() => {
                    let left = world.queue.remove(any % world.queue.len()).expect("one of them");
                    desk.plan.leave(left);
                }
                7 if !world.open.is_empty() => {
                    let id = *world.open.keys().nth(any % world.open.len()).expect("one of them");
                    desk.plan.measured(id, any as u64 / 10);
                }
                8 => desk.now += SECOND,
                _ => {}
            }
            let orders = desk.orders();
            world.carry_out(orders, &limits);
            let seen = desk.plan.snapshot();
            assert!(seen.browsers + seen.launching <= limits.browsers, "seed {seed}: {seen:?}");
            assert_eq!((seen.waiting, seen.tasks), (world.queue.len(), world.running.len()), "seed {seed}");
        }
        assert!(world.queue.is_empty(), "seed {seed}: {} still wait", world.queue.len());
        assert!(world.running.is_empty(), "seed {seed}");
    }
}
