//! Frames of two sites that are made, moved, sent to another site and removed at random, while a task evaluates in all
//! of them: what the engine knows of them is what the browser says of itself whenever nothing is on its way.
//!
//! The frames are counted over a second connection, which the engine knows nothing of. `ENGINE_TEST_LONG` makes
//! it go on for a minute, `ENGINE_TEST_SEED` repeats a run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cdp_protocol::domains::page::{FrameTree, GetFrameTree};
use cdp_protocol::domains::target::{AttachToTarget, DetachFromTarget, GetTargets};
use cdp_protocol::{CallError, Client};
use engine::{ErrorKind, Page, Transport};
use tokio::task::JoinSet;

use crate::harness::{Env, Outcome, is_long, seed, tests};

tests![the_frames_known_are_the_frames_there_are_however_they_come_and_go];

/// At most so many frames are put into the page; those that they hold come on top.
const FRAMES: usize = 220;

/// How long what both connections are told may differ: they are told one after the other.
const AGREE_WITHIN: Duration = Duration::from_secs(5);

/// An evaluation that has not ended by then hangs.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// Tells the outermost page once it has loaded, and all that it holds. Some hold a frame of the other site.
const INNER: &str = "<p>inner</p><script>
    const asked = new URLSearchParams(location.search);
    if (asked.get('holds')) {
        const frame = document.createElement('iframe');
        frame.src = asked.get('holds') + '/inner?token=none';
        document.body.append(frame);
    }
    addEventListener('load', () => top.postMessage(asked.get('token'), '*'));
    </script>";

/// `step(count)` does something to so many frames, `quiet()` waits until all that were asked for have loaded.
const OUTER: &str = "<div></div><div></div><div></div><script>
    const sites = ['{same}', '{other}'];
    const slots = [...document.querySelectorAll('div')];
    const awaited = new Map();
    let state = {seed}, tokens = 0, wake = () => {};
    const random = below => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 4294967296 * below);
    };
    addEventListener('message', event => {
        for (const [frame, token] of awaited) if (token === event.data) awaited.delete(frame);
        if (!awaited.size) wake();
    });
    const aim = frame => {
        const token = String(++tokens), site = random(2);
        awaited.set(frame, token);
        frame.src = `${sites[site]}/inner?token=${token}` + (random(4) ? '' : `&holds=${sites[1 - site]}`);
    };
    const steps = {
        make() {
            const frame = document.createElement('iframe');
            aim(frame);
            slots[random(3)].append(frame);
        },
        swap: frame => aim(frame),
        remove(frame) { awaited.delete(frame); frame.remove(); },
        move(frame) { aim(frame); slots[random(3)].append(frame); },
        carry(frame) { slots[random(3)].moveBefore(frame, null); },

    };
    const step = count => {
        for (let done = 0; done < count; done++) {
            const frames = document.querySelectorAll('iframe');
            const names = frames.length < {frames} - 20 ? ['make'] : Object.keys(steps);
            const name = names[random(names.length)];
            if (name === 'make' && frames.length >= {frames}) continue;
            steps[name](frames[random(frames.length)]);
        }
        return document.querySelectorAll('iframe').length;
    };
    // Chromium drops a navigation that the page asks for just as the browser has given the frame to another process.
    const again = () => {
        const before = new Map(awaited);
        return setTimeout(() => {
            for (const [frame, token] of before) if (awaited.get(frame) === token) aim(frame);
            timer = again();
        }, 2000);
    };
    let timer;
    const quiet = () => new Promise(done => {
        clearTimeout(timer);
        timer = again();
        wake = () => { clearTimeout(timer); done(); };
        if (!awaited.size) wake();
    });
    </script>";

async fn the_frames_known_are_the_frames_there_are_however_they_come_and_go(env: &Env) -> Outcome {
    let seconds = if is_long() { 60 } else { 10 };
    let seed = seed();
    let browser = env.launcher().transport(Transport::Port).launch().await?;
    let page = browser.new_context().await?.new_page().await?;
    let outer = OUTER
        .replace("{same}", &env.site.url(""))
        .replace("{other}", &env.site.other_url(""))
        .replace("{frames}", &FRAMES.to_string())
        .replace("{seed}", &seed.to_string());
    env.site.page("/inner", INNER);
    env.site.page("/outer", &outer);
    page.goto(env.site.url("/outer")).await?;
    let endpoint = browser
        .process()
        .expect("it was launched")
        .endpoint()
        .ok_or("a browser with a port has an endpoint")?;
    let second = Client::connect(&endpoint).await?;

    let evaluations = Evaluations::begin(&page);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut points, mut most) = (0, 0);
    // The first brings as many as there are to be.
    let mut steps = FRAMES as u64 + 50;
    // On a busy machine the first point may take all of the time.
    while Instant::now() < end || points < 3 {
        let frames: usize = page.evaluate(format!("step({steps})")).await?;
        // The next steps come upon frames that are loading, more often than not.
        if points % 3 != 2 {
            page.evaluate::<()>("void step(3)").await?;
        }
        page.evaluate::<()>("quiet().then(() => undefined)").timeout(Duration::from_secs(40)).await?;
        agrees(&page, &second).await.map_err(|text| format!("seed {seed}, point {points}: {text}"))?;
        most = most.max(frames);
        points += 1;
        steps = 5 + seed.wrapping_mul(points) % 40;
    }
    let Counts { ended, refused } = evaluations.end().await.map_err(|text| format!("seed {seed}: {text}"))?;
    #[expect(clippy::print_stderr, reason = "the seed, and how much was done, for whoever asks for it")]
    {
        eprintln!(
            "seed {seed}: {points} quiet points, up to {most} frames, {ended} evaluations, {refused} of them lost"
        );
    }
    assert!(
        points > 1 && most > FRAMES - 30 && ended > 100,
        "{points} points, {most} frames, {ended} evaluations"
    );
    second.close();
    browser.close().await;
    Ok(())
}

/// Waits until what the engine knows of the frames is what the browser says of itself.
async fn agrees(page: &Page, second: &Client) -> Result<(), String> {
    let end = Instant::now() + AGREE_WITHIN;
    loop {
        let there = there(second).await.map_err(|error| error.to_string())?;
        let known = known(page);
        if there == known {
            return Ok(());
        }
        if Instant::now() >= end {
            let only = |a: &BTreeSet<_>, b: &BTreeSet<_>| {
                a.difference(b).map(|it| format!("{it:?}")).collect::<Vec<_>>()
            };
            return Err(format!(
                "only known: {:?}\nonly there: {:?}",
                only(&known, &there),
                only(&there, &known)
            ));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Id, parent's id and URL of a frame.
type Seen = (String, Option<String>, String);

fn known(page: &Page) -> BTreeSet<Seen> {
    let seen = |frame: engine::Frame| {
        (frame.id().to_string(), frame.parent().map(|it| it.id().to_string()), frame.url())
    };
    page.frames().into_iter().map(seen).collect()
}

async fn there(second: &Client) -> Result<BTreeSet<Seen>, CallError> {
    let root = second.browser();
    let targets = root.call(&GetTargets::default()).await?.target_infos;
    let mut seen = BTreeSet::new();
    for target in targets.into_iter().filter(|it| ["page", "iframe"].contains(&it.r#type.as_str())) {
        // One that is gone by now has no frames.
        let Ok(attached) = root.call(&AttachToTarget::new(target.target_id).flatten(true)).await else {
            continue;
        };
        let session = second.session(&attached.session_id);
        if let Ok(answer) = session.call(&GetFrameTree).await {
            collect(answer.frame_tree, &mut seen);
        }
        let _ = root.call(&DetachFromTarget::default().session_id(attached.session_id)).await;
    }
    // The blank page that the browser began with.
    seen.retain(|(_, parent, url)| parent.is_some() || url != "about:blank");
    Ok(seen)
}

fn collect(tree: FrameTree, seen: &mut BTreeSet<Seen>) {
    let frame = tree.frame;
    seen.insert((frame.id.to_string(), frame.parent_id.map(|it| it.to_string()), frame.url));
    for child in tree.child_frames.unwrap_or_default() {
        collect(child, seen);
    }
}

/// Tasks that evaluate in one frame after the other.
struct Evaluations {
    stop: Arc<AtomicBool>,
    tasks: JoinSet<Result<(), String>>,
    ended: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
}

struct Counts {
    ended: usize,
    refused: usize,
}

impl Evaluations {
    fn begin(page: &Page) -> Self {
        let mut all = Self {
            stop: Arc::default(),
            tasks: JoinSet::new(),
            ended: Arc::default(),
            refused: Arc::default(),
        };
        // Several, so that one that waits for its frame does not keep the others from theirs.
        for _ in 0..4 {
            let (page, stop, ended, refused) =
                (page.clone(), all.stop.clone(), all.ended.clone(), all.refused.clone());
            all.tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    for frame in page.frames() {
                        match frame.evaluate::<String>("location.href").timeout(ENDS_WITHIN).await {
                            Ok(_) => {}
                            Err(error) if error.kind() == ErrorKind::Navigation => {
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(error) => return Err(format!("in {}: {error}", frame.url())),
                        }
                        ended.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Ok(())
            });
        }
        all
    }

    async fn end(mut self) -> Result<Counts, String> {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(task) = self.tasks.join_next().await {
            task.map_err(|error| error.to_string())??;
        }
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        Ok(Counts { ended: count(&self.ended), refused: count(&self.refused) })
    }
}
