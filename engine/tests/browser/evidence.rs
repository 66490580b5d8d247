//! The ring of what went wrong on a page, and pages that crash.

use std::future::IntoFuture as _;

use cdp_protocol::domains::page::Crash;
use engine::{ErrorKind, EvidenceKind, State};

use crate::harness::{Env, Outcome, tests};

tests![
    what_goes_wrong_on_a_page_is_kept,
    a_page_that_works_leaves_no_evidence,
    a_crash_ends_the_page_and_nothing_else
];

async fn what_goes_wrong_on_a_page_is_kept(env: &Env) -> Outcome {
    let nobody = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        format!("http://127.0.0.1:{}/x", listener.local_addr()?.port())
    };
    env.open(&format!(
        "<script>
        console.log('only a log'); console.warn('a warning', 7); console.error('an error', {{ a: 1 }});
        setTimeout(() => {{ throw new RangeError('thrown later') }});
        Promise.reject(new Error('rejected'));
        window.done = Promise.allSettled([fetch('/missing'), fetch('{nobody}', {{ mode: 'no-cors' }})])
            .then(() => new Promise(done => setTimeout(done, 50))).then(() => true);
        </script>"
    ))
    .await?;
    assert!(env.page.evaluate::<bool>("done").await?);
    let evidence = env.page.evidence();
    let shown: Vec<String> = evidence.iter().map(ToString::to_string).collect();
    let find = |kind: EvidenceKind, part: &str| {
        evidence.iter().any(|it| it.kind == kind && format!("{} {:?}", it.text, it.url).contains(part))
    };
    assert!(find(EvidenceKind::ConsoleWarning, "a warning 7"), "{shown:?}");
    assert!(find(EvidenceKind::ConsoleError, "an error"), "{shown:?}");
    assert!(find(EvidenceKind::PageError, "thrown later"), "{shown:?}");
    assert!(find(EvidenceKind::PageError, "rejected"), "{shown:?}");
    assert!(find(EvidenceKind::BadStatus, "/missing"), "{shown:?}");
    assert!(find(EvidenceKind::RequestFailed, &nobody), "{shown:?}");
    assert!(!shown.iter().any(|line| line.contains("only a log")), "{shown:?}");
    Ok(())
}

async fn a_page_that_works_leaves_no_evidence(env: &Env) -> Outcome {
    env.open("<p>fine</p><script>console.log('fine')</script>").await?;
    assert_eq!(env.page.locator("p").inner_text().await?, "fine");
    let shown: Vec<String> = env.page.evidence().iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "{shown:?}");
    Ok(())
}

async fn a_crash_ends_the_page_and_nothing_else(env: &Env) -> Outcome {
    env.open("<p>fine</p>").await?;
    let doomed = env.context.new_page().await?;
    doomed.goto(env.site.url("/")).await?;
    let waiting = doomed.locator("#never").wait_for(State::Visible).into_future();
    let crash = doomed.session().call(&Crash);
    let (waited, crashed) = tokio::join!(waiting, crash);
    let error = waited.expect_err("the renderer crashes");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    assert!(crashed.is_err(), "a crashed page answers nothing");
    let error = doomed.locator("p").click().await.expect_err("the page has crashed");
    assert_eq!(error.kind(), ErrorKind::Crashed, "{error}");
    assert!(doomed.evidence().iter().any(|it| it.kind == EvidenceKind::Crash));
    assert_eq!(env.page.locator("p").inner_text().await?, "fine");
    Ok(())
}
