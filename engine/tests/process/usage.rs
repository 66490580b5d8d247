//! Which processes count as a browser's, with scripts in its place that scatter them.

use crate::temp::Temp;
use crate::traces::until_written;
use engine::process::CloseTimings;

#[tokio::test]
async fn a_helper_that_left_group_session_and_tree_is_counted_and_a_stranger_is_not() {
    let temp = Temp::new();
    // The leader; a child of it; a helper in a session of its own whose parent has gone, which still has the browser's
    // TMPDIR; and one that has neither that nor a relation to the leader.
    let scatter = "sleep 1000 &\n\
        setsid sh -c 'sleep 1001 & echo' >/dev/null\n\
        setsid env -i /bin/sh -c 'sleep 1002 & echo $! >\"$0\"' \"$0.pid\"\n\
        echo started >&2\nwait";
    let browser = temp.spawn_script(scatter).await.unwrap();
    until_written(&browser, "started").await;
    let usage = browser.usage().await;
    let noted = temp.path().with_extension("sh.pid");
    let stranger: i32 = std::fs::read_to_string(&noted).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(stranger), nix::sys::signal::Signal::SIGKILL).unwrap();
    std::fs::remove_file(noted).unwrap();
    assert_eq!(usage.processes, 3, "{usage:?}");
    assert!(usage.memory > 0, "{usage:?}");

    browser.close(async {}, CloseTimings::at_once()).await;
    assert_eq!(browser.usage().await.processes, 0);
}
