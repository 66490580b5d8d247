//! The demo, as a user runs it, and killed in mid-run: nothing of its browser is left two seconds later.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Env, Outcome, tests};
use crate::leftovers;

tests![
    the_demo_does_its_job_and_leaves_nothing,
    the_demo_looks_at_another_page,
    a_page_that_can_not_be_reached_ends_the_demo_with_a_clear_line,
    a_demo_killed_while_it_launches_leaves_nothing,
    a_demo_killed_at_work_leaves_nothing,
];

/// How soon after the kill no browser process and no temporary path may be left.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// How long the guardian, a shell, may look around after that before it ends itself.
const GUARDIAN_MAY_STAY: Duration = Duration::from_secs(10);

async fn the_demo_does_its_job_and_leaves_nothing(_: &Env) -> Outcome {
    blocking(|| {
        let folder = Folder::new("job")?;
        let output = folder.demo()?.output()?;
        let text = String::from_utf8(output.stdout)?;
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(text.lines().last(), Some("left behind: 0 processes, 0 temporary paths"), "{text}");
        for artefact in ["invoice-1042.pdf", "orders.png", "receipt.png", "evidence.txt"] {
            let length = fs::metadata(folder.out().join(artefact)).map(|file| file.len()).unwrap_or(0);
            assert!(length > 0, "{artefact}: {text}");
        }
        assert_eq!(folder.left(&[])?, [""; 0]);
        Ok(())
    })
    .await
}

async fn the_demo_looks_at_another_page(env: &Env) -> Outcome {
    env.site.page(
        "/",
        "<h1>Harbour</h1><h2>Boats</h2><a href=/a>Timetable</a><a href=/b>Fares</a><a>no link</a>",
    );
    let url = env.site.url("/");
    blocking(move || {
        let folder = Folder::new("look")?;
        let output = folder.demo()?.args(["--url", &url]).output()?;
        let text = String::from_utf8(output.stdout)?;
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        for part in ["Headings (2):\n  Harbour\n  Boats\n", "Links (2):\n  Timetable\n  Fares\n"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(fs::metadata(folder.out().join("page.png"))?.len() > 0);
        Ok(())
    })
    .await
}

async fn a_page_that_can_not_be_reached_ends_the_demo_with_a_clear_line(_: &Env) -> Outcome {
    blocking(|| {
        let folder = Folder::new("unreachable")?;
        // Nobody listens on the port of a listener that was closed.
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let url = format!("http://127.0.0.1:{port}/");
        let output = folder.demo()?.args(["--url", &url]).output()?;
        let (text, problem) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
        assert_eq!(output.status.code(), Some(1), "{text}{problem}");
        assert!(problem.contains(&url) && problem.contains("ERR_CONNECTION_REFUSED"), "{problem}");
        assert_eq!(text.lines().last(), Some("left behind: 0 processes, 0 temporary paths"), "{text}");
        Ok(())
    })
    .await
}

async fn a_demo_killed_while_it_launches_leaves_nothing(_: &Env) -> Outcome {
    blocking(|| {
        for milliseconds in [0, 15, 40, 90, 160, 300, 600] {
            let folder = Folder::new("launch")?;
            let demo = folder.start()?;
            // An instant of the launch that no event marks.
            std::thread::sleep(Duration::from_millis(milliseconds));
            folder.kill(demo).map_err(|problem| format!("killed after {milliseconds} ms: {problem}"))?;
        }
        Ok(())
    })
    .await
}

async fn a_demo_killed_at_work_leaves_nothing(_: &Env) -> Outcome {
    blocking(|| {
        for step in ["  1  ", "  3  ", "  4  ", "  7  ", " 11  "] {
            let folder = Folder::new("work")?;
            let mut demo = folder.start()?;
            let output = BufReader::new(demo.stdout.take().ok_or("the demo's output is read here")?);
            let mut lines = output.lines();
            let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with(step)));
            assert!(line.is_some(), "the demo gets to step {step}");
            folder.kill(demo).map_err(|problem| format!("killed after step {step}: {problem}"))?;
        }
        Ok(())
    })
    .await
}

async fn blocking(test: impl FnOnce() -> Outcome + Send + 'static) -> Outcome {
    match tokio::task::spawn_blocking(test).await {
        Ok(outcome) => outcome,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(cancelled) => Err(cancelled.into()),
        },
    }
}

/// A place for one run of the demo: whatever it makes is found here, and goes at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> std::io::Result<Folder> {
        // Short: the path of a socket below it may not exceed 108 bytes.
        let path = std::env::temp_dir().join(format!("demo-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("tmp"))?;
        Ok(Folder(path))
    }

    fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    fn temp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// The example that cargo built together with this test.
    fn demo(&self) -> Result<Command, Box<dyn std::error::Error + Send + Sync>> {
        let own = std::env::current_exe()?;
        let target =
            own.parent().and_then(Path::parent).ok_or("tests lie two folders below their profile's")?;
        let demo = target.join("examples/demo");
        if !demo.exists() {
            return Err(format!("{} is not there: `cargo build --examples` makes it", demo.display()).into());
        }
        let mut command = Command::new(demo);
        command.env("TMPDIR", self.temp()).arg("--out").arg(self.out());
        Ok(command)
    }

    fn start(&self) -> Result<Child, Box<dyn std::error::Error + Send + Sync>> {
        // A group of its own: everything found in the groups of its processes is the demo's.
        Ok(self.demo()?.process_group(0).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?)
    }

    /// Kills the demo and wants everything gone in time.
    fn kill(&self, mut demo: Child) -> Outcome {
        // A renderer writes over its environment; its group still tells whose it is.
        let running = leftovers::processes(&[], &self.temp());
        let groups: Vec<u32> = running.into_iter().map(|process| process.group).collect();
        demo.kill()?;
        demo.wait()?;
        let killed = Instant::now();
        loop {
            let left = self.left(&groups)?;
            if left.is_empty() {
                return Ok(());
            }
            let guardian_alone = left.iter().all(|it| it.starts_with("process ") && it.ends_with(" sh"));
            let limit = if guardian_alone { GUARDIAN_MAY_STAY } else { GONE_WITHIN };
            if killed.elapsed() >= limit {
                return Err(format!("left after {limit:?}: {left:?}").into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What is in the temporary folder, and processes of these groups or that name it.
    fn left(&self, groups: &[u32]) -> std::io::Result<Vec<String>> {
        let processes = leftovers::processes(groups, &self.temp()).into_iter().map(|it| it.to_string());
        let paths = fs::read_dir(self.temp())?.map(|entry| Ok(entry?.path().display().to_string()));
        processes.map(Ok).chain(paths).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder of the system's temporary ones: what can't be removed is found there.
        let _ = fs::remove_dir_all(&self.0);
    }
}
