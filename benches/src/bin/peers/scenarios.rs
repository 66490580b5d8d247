//! What is measured: each scenario with its arguments, the clients it makes sense for, and the figures that are shown of it.

use serde_json::Value;

/// Where a scenario's messages come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Source {
    Mock,
    Browser,
    /// The client starts this browser and ends it.
    Launched(Program),
}

/// A browser's program.
#[derive(Clone, Copy, PartialEq)]
pub enum Program {
    Chromium,
    HeadlessShell,
}

/// A figure of a run.
#[derive(Clone, Copy, PartialEq)]
pub enum Metric {
    /// Microseconds of CPU, user and system, an operation.
    Cpu,
    /// Microseconds an operation.
    Wall,
    /// Median of single calls, microseconds.
    Median,
    /// 99th percentile of single calls, microseconds.
    Worst,
    /// Allocations an operation.
    Allocations,
    /// Allocated bytes an operation.
    Allocated,
    /// How far memory grew, in parts of the payload.
    Growth,
    /// MB resident at the start of the timed section.
    Resident,
    /// Milliseconds until a launched browser has answered.
    Launch,
    /// From there until a page has loaded.
    FirstPage,
    /// From there until the browser's process has ended.
    Close,
    /// All three.
    Whole,
}

impl Metric {
    pub fn title(self) -> &'static str {
        match self {
            Metric::Cpu => "CPU µs/op",
            Metric::Wall => "wall µs/op",
            Metric::Median => "p50 µs",
            Metric::Worst => "p99 µs",
            Metric::Allocations => "allocations/op",
            Metric::Allocated => "allocated bytes/op",
            Metric::Growth => "growth ÷ payload",
            Metric::Resident => "resident MB",
            Metric::Launch => "launch ms",
            Metric::FirstPage => "first page ms",
            Metric::Close => "close ms",
            Metric::Whole => "whole ms",
        }
    }

    /// Its value in a client's line of figures.
    pub fn of(self, figures: &Value) -> Option<f64> {
        let number = |key: &str| figures.get(key)?.as_f64();
        let each = |key: &str| Some(number(key)? / number("n")?);
        match self {
            Metric::Cpu => Some(each("cpu_s")? * 1e6),
            Metric::Wall => Some(each("wall_s")? * 1e6),
            Metric::Median => number("p50_us"),
            Metric::Worst => number("p99_us"),
            Metric::Allocations => each("allocs"),
            Metric::Allocated => each("alloc_bytes"),
            Metric::Resident => Some(number("rss0_kb")? * 1024.0 / 1e6),
            Metric::Launch => number("launch_ms"),
            Metric::FirstPage => number("page_ms"),
            Metric::Close => number("close_ms"),
            Metric::Whole => Some(number("launch_ms")? + number("page_ms")? + number("close_ms")?),
            Metric::Growth => Some((number("peak_kb")? - number("rss0_kb")?) * 1024.0 / number("payload")?),
        }
    }
}

pub struct Scenario {
    /// What the command line and the figures call it.
    pub name: &'static str,
    pub title: &'static str,
    /// What clients call it.
    pub command: &'static str,
    pub source: Source,
    /// Operations of a whole run; 1 where the arguments say how much there is.
    pub count: usize,
    pub arguments: &'static [&'static str],
    pub clients: &'static [&'static str],
    /// The client that the others are compared with.
    pub base: &'static str,
    pub metrics: &'static [Metric],
}

impl Scenario {
    /// Rounds, unless the command line says how many: a launch differs more from one to the next.
    pub fn rounds(&self) -> usize {
        if self.command == "launch" { 20 } else { 5 }
    }

    /// Operations of a run that does one part of so many.
    pub fn operations(&self, share: usize) -> usize {
        self.count.div_ceil(share)
    }
}

const READERS: &[&str] = &[
    "floor",
    "ours",
    "ours-mt",
    "tokio-tungstenite",
    "fastwebsockets",
    "tokio-websockets",
    "chromiumoxide-path",
];
const DRIVERS: &[&str] =
    &["floor", "floor-pipe", "ours", "ours-pipe", "ours-mt", "chromiumoxide", "puppeteer", "playwright"];
const TYPED: &[&str] = &["ours", "ours-mt", "chromiumoxide-path"];
const LAUNCHERS: &[&str] = &["floor-pipe", "engine", "puppeteer", "playwright"];
const LIFE: &[Metric] = &[Metric::Launch, Metric::FirstPage, Metric::Close, Metric::Whole];
const FLOW: &[Metric] = &[Metric::Cpu, Metric::Wall];

/// Logs as many lines as there are operations.
const LOG: &str = "js=for(let i=0;i<{n};i++)console.log('event number',i,'text');1";
const BLANK: &str = "url={pages}/blank.html";

pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "small",
        title: "Unread events of 150 B",
        command: "small",
        source: Source::Mock,
        count: 1_000_000,
        arguments: &[],
        clients: READERS,
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "event",
        title: "Unread events of 4 KiB",
        command: "event",
        source: Source::Mock,
        count: 200_000,
        arguments: &[],
        clients: READERS,
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "big",
        title: "Unread events of 20 MiB",
        command: "big",
        source: Source::Mock,
        count: 40,
        arguments: &[],
        clients: READERS,
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "decode",
        title: "Typed events of 4 KiB",
        command: "decode",
        source: Source::Mock,
        count: 100_000,
        arguments: &[],
        clients: TYPED,
        base: "chromiumoxide-path",
        metrics: FLOW,
    },
    Scenario {
        name: "decode_allocs",
        title: "Typed events of 4 KiB, allocations counted",
        command: "decode_allocs",
        source: Source::Mock,
        count: 20_000,
        arguments: &[],
        clients: &["ours-counting", "chromiumoxide-path-counting"],
        base: "chromiumoxide-path-counting",
        metrics: &[Metric::Allocations, Metric::Allocated],
    },
    Scenario {
        name: "route_1",
        title: "Events of 150 B of 1 session, observed",
        command: "route",
        source: Source::Mock,
        count: 1_000_000,
        arguments: &["sessions=1"],
        clients: &["ours"],
        base: "ours",
        metrics: FLOW,
    },
    Scenario {
        name: "route_10000",
        title: "Events of 150 B of 10,000 sessions in random order, observed",
        command: "route",
        source: Source::Mock,
        count: 1_000_000,
        arguments: &["sessions=10000"],
        clients: &["ours"],
        base: "ours",
        metrics: FLOW,
    },
    Scenario {
        name: "rtt",
        title: "Evaluating, one call after another",
        command: "rtt",
        source: Source::Browser,
        count: 20_000,
        arguments: &[BLANK],
        clients: DRIVERS,
        base: "floor",
        metrics: &[Metric::Median, Metric::Worst, Metric::Cpu],
    },
    Scenario {
        name: "inflight",
        title: "Evaluating, 64 calls in flight",
        command: "inflight",
        source: Source::Browser,
        count: 20_000,
        arguments: &[BLANK, "depth=64"],
        clients: DRIVERS,
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "console",
        title: "Console events, typed (the floor reads none)",
        command: "console",
        source: Source::Browser,
        count: 50_000,
        arguments: &[BLANK, LOG],
        clients: DRIVERS,
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "console_unread",
        title: "Console events, unread",
        command: "console_unread",
        source: Source::Browser,
        count: 50_000,
        arguments: &[BLANK, LOG],
        clients: &["floor", "floor-pipe", "ours", "ours-pipe", "ours-mt"],
        base: "floor",
        metrics: FLOW,
    },
    Scenario {
        name: "string",
        title: "A string of 20 MB",
        command: "string",
        source: Source::Browser,
        count: 1,
        arguments: &[BLANK, "size=20000000"],
        clients: DRIVERS,
        base: "floor",
        metrics: &[Metric::Growth, Metric::Cpu, Metric::Wall],
    },
    Scenario {
        name: "png",
        title: "A screenshot as bytes (payload: its base64)",
        command: "png",
        source: Source::Browser,
        count: 1,
        arguments: &["url={pages}/tall.html"],
        clients: DRIVERS,
        base: "floor",
        metrics: &[Metric::Growth, Metric::Cpu, Metric::Wall],
    },
    Scenario {
        name: "evaluate",
        title: "Evaluating by the client's own interface, one after another",
        command: "evaluate",
        source: Source::Launched(Program::Chromium),
        count: 5_000,
        arguments: &[BLANK, "pages=1"],
        clients: LAUNCHERS,
        base: "floor-pipe",
        metrics: &[Metric::Median, Metric::Worst, Metric::Cpu, Metric::Resident],
    },
    Scenario {
        name: "evaluate_100",
        title: "The same with a hundred pages open",
        command: "evaluate",
        source: Source::Launched(Program::Chromium),
        count: 5_000,
        arguments: &[BLANK, "pages=100"],
        clients: &["engine", "puppeteer", "playwright"],
        base: "engine",
        metrics: &[Metric::Median, Metric::Worst, Metric::Cpu, Metric::Resident],
    },
    Scenario {
        name: "pages",
        title: "A new context with a page",
        command: "pages",
        source: Source::Launched(Program::Chromium),
        count: 40,
        arguments: &[],
        clients: LAUNCHERS,
        base: "floor-pipe",
        metrics: &[Metric::Median, Metric::Worst, Metric::Cpu],
    },
    Scenario {
        name: "launch",
        title: "Launching, a first page, closing",
        command: "launch",
        source: Source::Launched(Program::Chromium),
        count: 1,
        arguments: &[BLANK],
        clients: LAUNCHERS,
        base: "floor-pipe",
        metrics: LIFE,
    },
    Scenario {
        name: "launch_shell",
        title: "Launching the headless shell, a first page, closing",
        command: "launch",
        source: Source::Launched(Program::HeadlessShell),
        count: 1,
        arguments: &[BLANK],
        clients: LAUNCHERS,
        base: "floor-pipe",
        metrics: LIFE,
    },
];
