//! The injected scripts in a real browser: names and roles, selectors, checks, reads. Input that only a person or the
//! protocol can make is not tested here.

mod cases;
mod harness;
// The scripts are private to the engine; they are joined here as they are there.
#[path = "../../src/js.rs"]
#[allow(dead_code, reason = "the early script is for the engine's own setup")]
mod js;

use harness::check;

#[test]
fn names_and_roles_are_those_of_the_standard() {
    check("names", 100);
}

#[test]
fn selectors_find_what_they_describe() {
    check("selectors", 60);
}

#[test]
fn malformed_selectors_say_what_is_wrong() {
    check("malformed", 10);
}

#[test]
fn attempts_report_the_first_check_that_fails() {
    check("checks", 40);
}

#[test]
fn reads_answer_at_once() {
    check("reads", 20);
}

#[test]
fn settling_says_what_kept_changing() {
    check("settling", 5);
}
