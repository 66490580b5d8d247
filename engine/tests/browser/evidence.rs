//! The ring of what went wrong on a page, and pages that crash.

use std::future::IntoFuture as _;

use cdp_protocol::domains::page::Crash;
use engine::{ErrorKind, Evidence, EvidenceKind, State};

use crate::harness::{Env, Outcome, tests, until};

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
        fetch('/missing'); fetch('{nobody}', {{ mode: 'no-cors' }}).catch(() => {{}});
        </script>"
    ))
    .await?;
    let expected = [
        (EvidenceKind::ConsoleWarning, "a warning 7"),
        (EvidenceKind::ConsoleError, "an error"),
        (EvidenceKind::PageError, "thrown later"),
        (EvidenceKind::PageError, "rejected"),
        (EvidenceKind::BadStatus, "/missing"),
        (EvidenceKind::RequestFailed, &nobody),
    ];
    for (kind, part) in expected {
        let is_it = |it: &Evidence| it.kind == kind && format!("{} {:?}", it.text, it.url).contains(part);
        until(part, || env.page.evidence().iter().any(is_it).then_some(())).await;
    }
    // It was logged before all of that.
    let shown: Vec<String> = env.page.evidence().iter().map(ToString::to_string).collect();
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
