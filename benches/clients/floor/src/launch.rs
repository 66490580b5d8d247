//! Browsers of the floor's own: launching one over a pipe, what it costs to make pages in it, and closing it.

use std::env;
use std::fs::File;
use std::io::pipe;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bench_common::{Arguments, Meter, emit, json, percentiles};
use command_fds::{CommandFdExt, FdMapping};

use crate::browser::{self, page};
use crate::connection::{Carrier, Connection};

/// The endpoint is a browser's program here; its switches are in `BENCH_FLAGS`, and `TMPDIR` has room for its profile.
fn start(arguments: &Arguments) -> (Child, Connection) {
    let flags = env::var("BENCH_FLAGS").expect("BENCH_FLAGS has the browser's switches");
    let profile = Path::new(&env::var("TMPDIR").expect("TMPDIR is set")).join("profile");
    let (browser_reads, writes) = pipe().expect("a pipe");
    let (reads, browser_writes) = pipe().expect("a pipe");
    let mut command = Command::new(&arguments.endpoint);
    command.args(flags.split_whitespace()).arg("--remote-debugging-pipe");
    command.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mapping = |parent_fd, child_fd| FdMapping { parent_fd, child_fd };
    let ends = vec![mapping(browser_reads.into(), 3), mapping(browser_writes.into(), 4)];
    command.fd_mappings(ends).expect("two descriptors");
    let browser = command.spawn().expect("the browser can be started");
    // Only the browser holds its ends from here on.
    drop(command);
    let file = |end: OwnedFd| File::from(end);
    let mut connection =
        Connection::over(Carrier::Pipe { reads: file(reads.into()), writes: file(writes.into()) });
    connection.call("Browser.getVersion", "{}", None);
    (browser, connection)
}

fn close(mut browser: Child, mut connection: Connection) {
    connection.call("Browser.close", "{}", None);
    let status = browser.wait().expect("its end can be awaited");
    assert!(status.success(), "{status}");
}

pub fn launch(arguments: &Arguments) {
    let meter = Meter::start();
    let started = Instant::now();
    let (browser, mut connection) = start(arguments);
    let launched = started.elapsed();
    page(arguments, &mut connection);
    let loaded = started.elapsed();
    close(browser, connection);
    let ended = started.elapsed();
    let figures = meter.stop();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let times = json!({
        "launch_ms": ms(launched), "page_ms": ms(loaded - launched), "close_ms": ms(ended - loaded),
    });
    emit(1, &[figures, times]);
}

pub fn evaluate(arguments: &Arguments) {
    let (browser, mut connection) = start(arguments);
    browser::sequential(arguments, &mut connection);
    close(browser, connection);
}

/// Makes contexts with a page each, attached and told to report of itself; closing them is not measured.
pub fn pages(arguments: &Arguments) {
    let count: usize = arguments.number("n");
    let (browser, mut connection) = start(arguments);
    let mut times = Vec::with_capacity(count);
    let meter = Meter::start();
    for _ in 0..count {
        let start = Instant::now();
        let context = browser::context_with_page(&mut connection);
        times.push(start.elapsed().as_nanos() as u64);
        let dispose = format!("{{\"browserContextId\":\"{context}\"}}");
        connection.call("Target.disposeBrowserContext", &dispose, None);
    }
    emit(count, &[meter.stop(), percentiles(&mut times)]);
    close(browser, connection);
}
