//! Bytes taken as steps of a client and its browser on one connection: calls, answers in any order, sessions that come, crash and
//! go, streams that lag, and ends of every kind. Nothing waits for time: the clock stands still while anyone can run.

use tokio::runtime::{Builder, Runtime};

use super::model::{Change, Meaning};
use super::world::World;
use crate::input::Input;

/// Sessions by number, the browser's own included, and targets.
const SESSIONS: usize = 6;
const TARGETS: usize = 3;

thread_local! {
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
}

/// Runs one input.
pub fn run(data: &[u8]) {
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let mut input = Input::new(data);
            let order = input.below(3);
            let mut world = World::new();
            while !input.is_empty() {
                step(&mut world, &mut input).await;
            }
            world.finish(order).await;
        });
    });
}

async fn step(world: &mut World, input: &mut Input<'_>) {
    match input.below(24) {
        0 => world.open(input.below(SESSIONS)),
        1 => world.drop_handle(input.byte().into()),
        2..=4 => world.call(input.byte().into()),
        5 | 6 => world.poll_call(input.byte().into()),
        7 => world.drop_call(input.byte().into()),
        8 => world.receive(),
        9 | 10 => world.answer(input.byte().into(), input.below(5)),
        11 => {
            let id = input.pick(&["1048576", "-1", "0", "9007199254740993", "2147483648"]);
            let outcome = super::model::Outcome::Reply("{}".into());
            world.send(&format!("{{\"id\":{id},\"result\":{{}}}}"), Meaning::Answer(None, outcome));
        }
        12 | 13 => {
            const METHODS: &[&str] = &[
                "Page.loadEventFired",
                "Network.dataReceived",
                "Target.targetInfoChanged",
                "Page.javascriptDialogOpening",
            ];
            let method = input.pick(METHODS);
            let (session, padding) = (input.below(SESSIONS), input.below(256));
            let params = format!("{{\"padding\":\"{}\"}}", "x".repeat(padding * 2));
            world.event(session, method, params, Change::None);
        }
        14 => {
            let (parent, session, target) =
                (input.below(SESSIONS), 1 + input.below(SESSIONS - 1), input.below(TARGETS));
            let params =
                format!("{{\"sessionId\":\"S{session}\",\"targetInfo\":{{\"targetId\":\"T{target}\"}}}}");
            world.event(parent, "Target.attachedToTarget", params, Change::Attach { session, target });
        }
        15 => {
            let (parent, session) = (input.below(SESSIONS), 1 + input.below(SESSIONS - 1));
            let params = format!("{{\"sessionId\":\"S{session}\"}}");
            world.event(parent, "Target.detachedFromTarget", params, Change::Detach { session });
        }
        16 => match input.below(2 * SESSIONS) {
            session @ 0..SESSIONS => {
                world.event(session, "Inspector.targetCrashed", "{}".into(), Change::CrashOfSession);
            }
            other => {
                let target = other % TARGETS;
                let params = format!("{{\"targetId\":\"T{target}\",\"status\":\"crashed\",\"errorCode\":5}}");
                world.event(0, "Target.targetCrashed", params, Change::CrashOfTarget { target });
            }
        },
        17 => {
            let only =
                input.pick(&[None, None, Some("Page.loadEventFired"), Some("Target.targetInfoChanged")]);
            world.subscribe(input.byte().into(), only, input.below(256) * 16);
        }
        18 => world.read(input.byte().into()),
        19 => world.drop_stream(input.byte().into()),
        20 => world.observe(input.byte().into()),
        21 => {
            let room = input.below(256);
            world.browser.set_room((room < 200).then_some(room));
        }
        22 => world.settle().await,
        _ => unusual(world, input).await,
    }
}

/// What happens once in a while.
async fn unusual(world: &mut World, input: &mut Input<'_>) {
    match input.below(16) {
        0 => world.hang_up(""),
        1 => world.hang_up("{\"id\":1,\"resu"),
        2 => world.close().await,
        3 => {
            world.settle().await;
            world.close().await;
        }
        4 => world.send("{\"id\":1,\"result\":", Meaning::Over),
        5 => world.send("{\"error\":{\"code\":-32600,\"message\":\"no id\"}}", Meaning::Over),
        6..10 => world.send("{\"trace\":[1]}", Meaning::Noise),
        10 => world.send("[]", Meaning::Noise),
        _ => {
            // Also an end of records that are empty.
            world.browser.send_raw(b"\0\0");
            world.settle().await;
        }
    }
}
