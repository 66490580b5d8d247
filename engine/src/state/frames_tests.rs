//! Replays of event orders that Chromium shows, and of some that it rarely shows.

use super::*;

const TOP: &str = "top";

fn context(unique: &str) -> Context {
    Context::new(unique.into(), 1.into())
}

fn tree() -> FrameTree {
    let mut tree = FrameTree::new(TOP.into(), "S1".into(), "about:blank".into());
    tree.attached(&"S1".into(), "child".into(), TOP.into());
    tree
}

#[test]
fn a_commit_removes_children_and_restarts_the_lifecycle() {
    let mut tree = tree();
    let session = "S1".into();
    tree.lifecycle(&session, &TOP.into(), &"L0".into(), &"load".into());
    assert!(tree.main_frame().lifecycle.load);
    tree.started(&session, &TOP.into(), Some("L1".into()), "http://a/".into());
    assert!(tree.main_frame().pending.is_some());
    tree.committed(&session, &TOP.into(), "L1".into(), "http://a/".into(), End::Committed);
    let main = tree.main_frame();
    assert_eq!((main.pending.as_ref(), main.lifecycle, tree.ids().len()), (None, Lifecycle::default(), 1));
    let ends: Vec<_> = tree.navigations_since(&TOP.into(), 0).map(|it| it.end.clone()).collect();
    assert_eq!(ends, [End::Committed]);
}

#[test]
fn a_lifecycle_event_of_an_earlier_document_is_ignored() {
    let mut tree = tree();
    let session = "S1".into();
    tree.committed(&session, &TOP.into(), "L2".into(), "http://a/".into(), End::Committed);
    tree.lifecycle(&session, &TOP.into(), &"L1".into(), &"load".into());
    assert!(!tree.main_frame().lifecycle.load);
}

#[test]
fn a_commit_of_another_document_keeps_the_later_navigation_pending() {
    let mut tree = tree();
    let session = "S1".into();
    tree.started(&session, &TOP.into(), Some("L2".into()), "http://b/".into());
    tree.committed(&session, &TOP.into(), "L1".into(), "http://a/".into(), End::Committed);
    assert!(tree.main_frame().pending.is_some());
    tree.failed(&"L2".into(), "net::ERR_ABORTED");
    assert_eq!(tree.main_frame().pending, None);
    let top = TOP.into();
    let last = tree.navigations_since(&top, 0).last().unwrap();
    assert_eq!(last.end, End::Failed("net::ERR_ABORTED".into()));
}

#[test]
fn a_frame_that_moves_to_another_process_keeps_its_identity_and_ignores_the_old_session() {
    let mut tree = tree();
    let (top, child) = ("S1".into(), "child".into());
    tree.context_created(&top, &child, World::Utility, context("U3"));
    tree.detached(&top, &child, true);
    tree.session_attached("S2".into(), child.clone(), Some(TOP.into()));
    assert_eq!(tree.get(&child).unwrap().utility_world, None);
    tree.committed(&top, &child, "stale".into(), "http://stale/".into(), End::Committed);
    tree.detached(&top, &child, false);
    tree.committed(&"S2".into(), &child, "L9".into(), "http://other/".into(), End::Committed);
    assert_eq!(tree.get(&child).unwrap().url, "http://other/");
}

#[test]
fn a_move_to_another_process_that_is_called_off_changes_nothing() {
    let mut tree = tree();
    let (top, child) = ("S1".into(), "child".into());
    tree.committed(&top, &child, "L1".into(), "http://here/".into(), End::Committed);
    tree.context_created(&top, &child, World::Main, context("U1"));
    tree.session_attached("S2".into(), child.clone(), Some(TOP.into()));
    assert_eq!(tree.get(&child).unwrap().session, top, "its document lives until the other one commits");
    tree.session_ended(&"S2".into());
    let frame = tree.get(&child).expect("it never left");
    assert_eq!((frame.url.as_str(), &frame.session, frame.arriving.as_ref()), ("http://here/", &top, None));
    assert!(frame.main_world.is_some());
}

#[test]
fn a_frame_is_driven_from_elsewhere_with_the_first_word_of_its_document_there() {
    for told_first in ["commit", "context", "swap"] {
        let mut tree = tree();
        let (top, other, child) = ("S1".into(), "S2".into(), "child".into());
        tree.context_created(&top, &child, World::Main, context("U1"));
        tree.attached(&top, "grandchild".into(), child.clone());
        tree.session_attached("S2".into(), child.clone(), Some(TOP.into()));
        match told_first {
            "commit" => tree.committed(&other, &child, "L2".into(), "http://there/".into(), End::Committed),
            "context" => tree.context_created(&other, &child, World::Utility, context("U2")),
            _ => tree.detached(&top, &child, true),
        }
        let frame = tree.get(&child).unwrap();
        assert_eq!((&frame.session, frame.main_world.as_ref()), (&other, None), "{told_first}");
        assert!(tree.get(&"grandchild".into()).is_none(), "{told_first}");
        // The old process tells of it late.
        tree.detached(&top, &child, true);
        assert_eq!(tree.get(&child).unwrap().life, Life::Alive, "{told_first}");
    }
}

#[test]
fn a_frame_that_comes_home_survives_the_end_of_its_old_session_in_either_order() {
    for session_ends_first in [true, false] {
        let mut tree = tree();
        let child: FrameId = "child".into();
        tree.session_attached("S2".into(), child.clone(), Some(TOP.into()));
        if session_ends_first {
            tree.session_ended(&"S2".into());
        }
        tree.attached(&"S1".into(), child.clone(), TOP.into());
        if !session_ends_first {
            tree.session_ended(&"S2".into());
        }
        assert_eq!(tree.get(&child).map(|frame| frame.session.as_str()), Some("S1"));
    }
}

/// A page with a frame in another process, which has a frame of its own, after that process died.
fn crashed() -> FrameTree {
    let mut tree = tree();
    let frame = "S2".into();
    tree.session_attached("S2".into(), "child".into(), Some(TOP.into()));
    tree.attached(&frame, "grandchild".into(), "child".into());
    tree.committed(&frame, &"child".into(), "L1".into(), "http://b/".into(), End::Committed);
    tree.attached(&frame, "grandchild".into(), "child".into());
    tree.context_created(&frame, &"child".into(), World::Main, context("U1"));
    assert_eq!(tree.session_crashed(&frame).as_deref(), Some("http://b/"));
    tree
}

fn life(tree: &FrameTree) -> Option<(Life, &str)> {
    tree.get(&"child".into()).map(|frame| (frame.life, frame.session.as_str()))
}

#[test]
fn a_crashed_frame_keeps_its_place_and_loses_what_was_in_it() {
    let mut tree = crashed();
    assert_eq!(life(&tree), Some((Life::Crashed, "S2")));
    assert!(tree.get(&"grandchild".into()).is_none());
    assert_eq!(tree.get(&"child".into()).unwrap().main_world, None);
    assert_eq!(tree.main_frame().life, Life::Alive);
    // What is dead loads nothing.
    assert_eq!(tree.subtree(&TOP.into()), [TOP.into()]);
    assert_eq!(tree.session_crashed(&"S1".into()), None, "a page's own crash is not one of a frame");
}

#[test]
fn a_crashed_frame_comes_back_under_another_session_that_is_asked_for_once() {
    for requested in [true, false] {
        let mut tree = crashed();
        if requested {
            tree.requested(&"child".into());
            assert_eq!(life(&tree), Some((Life::Awaited, "S2")));
        }
        assert_eq!(tree.returns(&"child".into(), "http://b/2"), Some("S2".into()));
        assert_eq!(tree.returns(&"child".into(), "http://b/2"), None);
        tree.requested(&"child".into());
        assert_eq!(life(&tree), Some((Life::Returning, "S2")));
        tree.session_attached("S3".into(), "child".into(), Some(TOP.into()));
        tree.session_ended(&"S2".into());
        assert_eq!(life(&tree), Some((Life::Alive, "S3")));
        assert_eq!(tree.get(&"child".into()).unwrap().url, "http://b/2");
        assert_eq!(tree.returns(&"child".into(), "http://b/3"), None, "one that lives needs nothing");
    }
}

#[test]
fn a_crashed_frame_may_come_home_or_go() {
    let mut tree = crashed();
    tree.attached(&"S1".into(), "child".into(), TOP.into());
    assert_eq!(life(&tree), Some((Life::Alive, "S1")));
    let mut tree = crashed();
    tree.session_ended(&"S2".into());
    assert_eq!(life(&tree), None);
    let mut tree = crashed();
    tree.committed(&"S1".into(), &TOP.into(), "L2".into(), "http://a/".into(), End::Committed);
    assert_eq!(life(&tree), None);
}

#[test]
fn the_end_of_a_session_removes_the_frames_below_it() {
    let mut tree = tree();
    tree.session_attached("S2".into(), "child".into(), Some(TOP.into()));
    tree.attached(&"S2".into(), "grandchild".into(), "child".into());
    tree.detached(&"S1".into(), &"child".into(), true);
    tree.session_ended(&"S2".into());
    assert_eq!(tree.ids(), [TOP.into()]);
}

#[test]
fn a_page_that_was_told_to_stay_has_refused_what_it_was_on_its_way_to() {
    let mut tree = tree();
    tree.started(&"S1".into(), &TOP.into(), Some("L2".into()), "http://b/".into());
    tree.stays();
    assert_eq!(tree.main_frame().pending, None);
    let last = tree.ended_since(0).last().unwrap();
    assert_eq!((&last.end, last.url.as_str()), (&End::Refused, "http://b/"));
}

#[test]
fn a_document_that_the_browser_had_kept_has_loaded() {
    let mut tree = tree();
    tree.committed(&"S1".into(), &TOP.into(), "L2".into(), "http://a/".into(), End::Committed);
    assert!(!tree.main_frame().lifecycle.load);
    tree.restored(&"S1".into(), &TOP.into());
    assert!(tree.main_frame().lifecycle.load && tree.main_frame().lifecycle.dom_content_loaded);
}

#[test]
fn a_document_that_is_written_anew_has_not_loaded() {
    let mut tree = tree();
    tree.lifecycle(&"S1".into(), &TOP.into(), &"L1".into(), &"load".into());
    tree.rewritten(&TOP.into());
    assert_eq!(tree.main_frame().lifecycle, Lifecycle::default());
    tree.lifecycle(&"S1".into(), &TOP.into(), &"L1".into(), &"load".into());
    assert!(tree.main_frame().lifecycle.load);
}

#[test]
fn destroyed_contexts_are_forgotten_by_session() {
    let mut tree = tree();
    let session = "S1".into();
    tree.context_created(&session, &TOP.into(), World::Main, context("U1"));
    tree.context_created(&session, &TOP.into(), World::Utility, context("U2"));
    tree.context_destroyed(&"S2".into(), "U2");
    assert!(tree.main_frame().utility_world.is_some());
    tree.context_destroyed(&session, "U2");
    assert_eq!(tree.main_frame().utility_world, None);
    tree.contexts_cleared(&session);
    assert_eq!(tree.main_frame().main_world, None);
}

#[test]
fn the_tree_reply_only_fills_what_no_event_has_told() {
    let mut tree = tree();
    let session = "S1".into();
    tree.committed(&session, &TOP.into(), "L2".into(), "http://new/".into(), End::Committed);
    tree.known(TOP.into(), None, &session, "http://old/", &"L1".into());
    assert_eq!(tree.main_frame().url, "http://new/");
    let mut fresh = self::tree();
    fresh.known("other-main".into(), None, &session, "http://x/", &"L1".into());
    assert_eq!((fresh.main().as_str(), fresh.main_frame().url.as_str()), ("other-main", "http://x/"));
}
