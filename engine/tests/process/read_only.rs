//! A host whose root file system is read-only, as that of a hardened container, and that may write in one folder alone.
//!
//! The host is this test binary, run again with one test, in a mount namespace of its own, and with
//! `ENGINE_TEST_READ_ONLY` naming the folder.

use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use engine::process::{CloseTimings, Launcher, spawn};

use crate::namespaces::unshared;
use crate::temp::Temp;
use crate::traces::{LONG, assert_nothing_left};
use crate::wire::ready;

const FOLDER: &str = "ENGINE_TEST_READ_ONLY";

/// Makes everything read-only but the folder `$1`, `/dev/shm` as `$2` says, and becomes the host.
const CONFINE: &str =
    "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro / && eval \"$2\" && shift 2 && exec \"$@\"";

#[test]
fn a_browser_runs_where_only_its_scratch_folder_can_be_written() {
    if let Some(folder) = env::var_os(FOLDER) {
        play(Path::new(&folder));
        return;
    }
    let name = "read_only::a_browser_runs_where_only_its_scratch_folder_can_be_written";
    for shared_memory in ["mount -t tmpfs -o size=64m shm /dev/shm", "mount -t tmpfs -o ro shm /dev/shm"] {
        let temp = Temp::new();
        let output = unshared(&["--mount"])
            .args(["/bin/sh", "-c", CONFINE, "sh"])
            .args([temp.path().as_os_str(), shared_memory.as_ref(), env::current_exe().unwrap().as_os_str()])
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(FOLDER, temp.path())
            .output()
            .unwrap();
        let (told, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && told.contains("1 passed"), "{shared_memory}\n{told}{errors}");
        assert_nothing_left(&temp);
    }
}

fn play(folder: &Path) {
    for elsewhere in [Path::new("/tmp"), &env::current_dir().unwrap(), Path::new("/")] {
        let refused = fs::write(elsewhere.join("engine-read-only-test"), "").map_err(|error| error.kind());
        assert_eq!(refused, Err(std::io::ErrorKind::ReadOnlyFilesystem), "{}", elsewhere.display());
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let launcher = Launcher::new().temp_dir(folder);
        let here = env::current_dir().unwrap();
        let told = spawn(launcher.clone().user_data_dir(&here).options()).await.unwrap_err().to_string();
        for words in [here.to_str().unwrap(), "Read-only file system", "make it writable"] {
            assert!(told.contains(words), "{words:?} is missing in: {told}");
        }
        let browser = spawn(launcher.options()).await.unwrap();
        let mut wire = ready(&browser).await;
        // A renderer that runs a script and hands over a picture needs shared memory.
        let page = "data:text/html,<canvas id=c></canvas><script>c.getContext('2d').fillRect(0,0,9,9);\
                    requestAnimationFrame(()=>document.title='drawn')</script>";
        wire.call_with("Target.createTarget", &format!("{{\"url\":\"{page}\"}}")).await.unwrap();
        let began = Instant::now();
        while !wire.call("Target.getTargets").await.unwrap().contains("\"title\":\"drawn\"") {
            assert!(began.elapsed() < LONG, "{:#?}", browser.stderr_tail());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let closed =
            browser.close(async move { wire.call("Browser.close").await }, CloseTimings::default()).await;
        assert!(closed.left.is_empty(), "{closed}");
    });
}
