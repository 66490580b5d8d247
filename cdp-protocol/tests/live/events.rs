//! A page that does much of what pages do, with everything switched on that makes events: each event has to be read as its type.

use std::path::Path;
use std::time::{Duration, Instant};

use cdp_protocol::domains::browser;

use crate::bounded;
use crate::browser::Browser;
use crate::reactions::{react, switch_on};
use crate::recorder::Recorder;
use crate::site::Site;
use crate::stir::Stir;

/// What has to come, and in what time; then the page is left alone.
const EVENTS: u64 = 20_000;
const KINDS: usize = 120;
const TIME: Duration = Duration::from_secs(90);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_a_busy_page_can_be_read() {
    let site = Site::start().await;
    let arguments =
        ["--enable-experimental-web-platform-features", "--autoplay-policy=no-user-gesture-required"];
    let (browser, client) = Browser::over_pipe(&arguments);
    let (recorder, source) = Recorder::start(&client);
    let reactions = tokio::spawn(react(client.clone(), source));
    let root = client.browser();
    let (seen, stats) = bounded(async {
        switch_on(&root);
        let mut stir = Stir::new(&client, &site, browser.folder()).await;
        let begun = Instant::now();
        while recorder.seen().total() < EVENTS && begun.elapsed() < TIME {
            stir.round().await;
        }
        // Last, since it ends with leaving the page, from which a busy renderer does not always recover.
        stir.once().await;
        let seen = (recorder.seen(), client.stats());
        // The answer may not come any more.
        let _ = root.call(&browser::Close::new()).await;
        client.closed().await;
        seen
    })
    .await;
    reactions.abort();

    let table = seen.table();
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("events.txt"), &table).unwrap();
    assert!(seen.unreadable.is_empty(), "{:#?}\n{table}", seen.unreadable);
    assert!(seen.undeclared.is_empty(), "not in the protocol's text: {:?}", seen.undeclared);
    assert!(seen.total() >= EVENTS && seen.kinds.len() >= KINDS, "{table}");
    assert_eq!(stats.ignored_messages, 0);
    assert!(seen.kinds.contains_key("Runtime.bindingCalled"), "{table}");
    assert!(seen.out_of_turn.is_empty(), "lost or doubled: {:?}", seen.out_of_turn);
}
