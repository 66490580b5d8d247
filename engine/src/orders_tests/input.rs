//! What the input of a click or a fill meets on its way.

use cdp_protocol::testing::Faults;
use serde_json::{Value, json as value};

use super::scripted::{Kind, Seen, begin, page, play, ready};
use crate::error::{ErrorKind, Outcome, Result};

async fn act(kind: Kind, answer: impl FnMut(&str) -> Option<Value>) -> (Result<()>, Seen) {
    let (page, mut browser) = page(Faults::default()).await;
    let mut seen = Seen::default();
    let result = tokio::select! {
        biased;
        result = begin(kind, page) => result,
        () = play(&mut browser, answer, None, &mut seen) => unreachable!("it answers for ever"),
    };
    (result, seen)
}

#[tokio::test(start_paused = true)]
async fn a_click_on_a_ready_element_takes_three_round_trips_and_a_fill_two() {
    let answer = |function: &str| match function {
        "attempt" => Some(ready()),
        _ => Some(value!({ "is": "hit" })),
    };
    let (result, seen) = act(Kind::Click, answer).await;
    result.unwrap();
    assert_eq!((seen.rounds, seen.presses, seen.releases, seen.texts), (3, 1, 1, 0));
    let (result, seen) = act(Kind::Fill, answer).await;
    result.unwrap();
    assert_eq!((seen.rounds, seen.presses, seen.releases, seen.texts), (2, 0, 0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_click_that_was_held_back_is_made_again() {
    let mut verdicts = 0;
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        "verdict" => {
            verdicts += 1;
            Some(if verdicts == 1 {
                value!({ "is": "covered", "by": "<div>" })
            } else {
                value!({ "is": "hit" })
            })
        }
        _ => Some(value!({ "is": "unseen" })),
    })
    .await;
    result.unwrap();
    assert_eq!((seen.presses, seen.releases), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_click_whose_document_went_away_is_unknown_and_not_made_again() {
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        _ => None,
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Missed, Outcome::StartedUnknown), "{error}");
    assert_eq!((seen.presses, seen.releases), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_click_that_took_its_document_with_it_is_known_by_what_the_watch_told() {
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => Some(ready()),
        "told" => Some(value!({ "is": "hit" })),
        _ => None,
    })
    .await;
    result.unwrap();
    assert_eq!((seen.presses, seen.releases), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn text_that_would_reach_another_field_is_typed_again() {
    let mut verdicts = 0;
    let (result, seen) = act(Kind::Fill, |function| match function {
        "attempt" => Some(ready()),
        "verdict" => {
            verdicts += 1;
            Some(if verdicts == 1 { value!({ "is": "astray" }) } else { value!({ "is": "hit" }) })
        }
        _ => Some(value!({ "is": "unseen" })),
    })
    .await;
    result.unwrap();
    assert_eq!((verdicts, seen.texts), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_document_that_changes_before_the_input_costs_an_attempt_and_no_input() {
    let mut attempts = 0;
    let (result, seen) = act(Kind::Click, |function| match function {
        "attempt" => {
            attempts += 1;
            (attempts > 3).then(ready)
        }
        _ => Some(value!({ "is": "hit" })),
    })
    .await;
    result.unwrap();
    assert_eq!((attempts, seen.presses), (4, 1));
}
