//! A real Chromium over both carriers.

use cdp_protocol::domains::{browser, inspector, page, runtime, target};
use cdp_protocol::{CallError, Client, CloseReason, SessionEnd};

use crate::browser::{Browser, evaluate, new_page};
use crate::{bounded, raw};

/// The same for both carriers.
async fn exercise(client: &Client) {
    let root = client.browser();
    let version = root.call(&browser::GetVersion::new()).await.unwrap();
    assert!(version.product.contains("Chrome/"), "{}", version.product);

    let refused = root.call_raw("Foo.bar", &raw("{}")).await;
    assert!(matches!(refused, Err(CallError::Refused { code: -32601, .. })), "{refused:?}");

    let (session, target) = new_page(client, "about:blank").await.unwrap();
    assert_eq!(evaluate(&session, "'six' + 'ty'").await, "sixty");
    assert_eq!(evaluate(&session, "String.fromCharCode(0xD83D) + 'x'").await, "\u{FFFD}x");

    // Large both ways.
    assert_eq!(evaluate(&session, "'ab'.repeat(10_000_000)").await.len(), 20_000_000);
    let text = format!("'{}'.length.toString()", "x".repeat(5_000_000));
    assert_eq!(evaluate(&session, &text).await, "5000000");

    // Many at once.
    let calls = (0..200).map(|n| session.call(&runtime::Evaluate::new(format!("{n} * 2"))));
    for (n, answer) in futures_util::future::join_all(calls).await.into_iter().enumerate() {
        assert_eq!(answer.unwrap().result.value.unwrap().get(), (n * 2).to_string());
    }

    // The event was sent before the answer, so it is there when the answer is.
    let mut events = session.events::<runtime::ConsoleApiCalled>();
    session.call(&runtime::Enable::new()).await.unwrap();
    evaluate(&session, "for (let n = 0; n < 100; n++) console.log(n); 'done'").await;
    for _ in 0..100 {
        let next = futures_util::poll!(Box::pin(events.next()));
        assert!(matches!(next, std::task::Poll::Ready(Some(Ok(_)))), "{next:?}");
    }

    // A closed target answers nothing more; its session says so.
    let stuck = session.call(&runtime::Evaluate::new("new Promise(() => {})").await_promise(true));
    root.call(&target::CloseTarget::new(target)).await.unwrap();
    let error = stuck.await.unwrap_err();
    assert!(matches!(error, CallError::SessionEnded { end: SessionEnd::Detached, .. }), "{error}");
    assert!(session.is_ended());

    let (session, _) = new_page(client, "about:blank").await.unwrap();
    session.call(&inspector::Enable::new()).await.unwrap();
    let error = session.call(&page::Crash::new()).await.unwrap_err();
    assert!(matches!(error, CallError::SessionEnded { end: SessionEnd::Crashed, .. }), "{error}");
    assert_eq!(client.stats().pending_calls, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chromium_over_a_pipe() {
    bounded(async {
        let (mut browser, client) = Browser::over_pipe(&[]);
        exercise(&client).await;
        client.browser().call(&browser::Close::new()).await.unwrap();
        assert_eq!(client.closed().await, CloseReason::HungUp { mid_message: false });
        assert!(browser.process.wait().unwrap().success());
    })
    .await;
}

#[tokio::test]
async fn chromium_over_a_websocket() {
    bounded(async {
        let (_browser, url) = Browser::over_port();
        let client = Client::connect(&url).await.unwrap();
        exercise(&client).await;
        client.close();
        assert_eq!(client.closed().await, CloseReason::Requested);
        // The browser lives on, and discovery by name finds it.
        let port = url.split(['/', ':']).nth(4).unwrap();
        let client = Client::connect(format!("http://localhost:{port}")).await.unwrap();
        client.browser().call(&browser::GetVersion::new()).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_browser_exits_when_the_last_handle_of_its_pipe_goes() {
    bounded(async {
        let (mut browser, client) = Browser::over_pipe(&[]);
        client.browser().call(&browser::GetVersion::new()).await.unwrap();
        drop(client);
        let ended = tokio::task::spawn_blocking(move || {
            let status = browser.process.wait();
            drop(browser);
            status
        });
        ended.await.unwrap().unwrap();
    })
    .await;
}
