//! The measured clients: how each is built and started, and what it is to be told.

use std::path::{Path, PathBuf};

/// What has to be built or fetched for a client.
#[derive(Clone, Copy, PartialEq)]
pub enum Kit {
    /// A package of this workspace.
    Package(&'static str),
    /// `clients/chromiumoxide`, a workspace of its own.
    Chromiumoxide,
    /// `clients/node`.
    Node,
}

/// How a client reaches a browser.
#[derive(Clone, Copy, PartialEq)]
pub enum Carrier {
    Websocket,
    Pipe,
}

pub struct Client {
    pub name: &'static str,
    pub kit: Kit,
    /// An executable, or a script for node.
    pub program: &'static str,
    pub carrier: Carrier,
    pub arguments: &'static [&'static str],
}

const fn websocket(
    name: &'static str,
    kit: Kit,
    program: &'static str,
    arguments: &'static [&'static str],
) -> Client {
    Client { name, kit, program, carrier: Carrier::Websocket, arguments }
}

const fn pipe(name: &'static str, kit: Kit, program: &'static str) -> Client {
    Client { name, kit, program, carrier: Carrier::Pipe, arguments: &[] }
}

const FLOOR: Kit = Kit::Package("bench-floor");
const OURS: Kit = Kit::Package("bench-ours");
const ENGINE: Kit = Kit::Package("bench-engine");
const WEBSOCKETS: Kit = Kit::Package("bench-websockets");

pub const CLIENTS: &[Client] = &[
    websocket("floor", FLOOR, "bench-floor", &[]),
    pipe("floor-pipe", FLOOR, "bench-floor"),
    websocket("ours", OURS, "ours", &[]),
    pipe("ours-pipe", OURS, "ours"),
    websocket("ours-mt", OURS, "ours", &["runtime=multi"]),
    websocket("ours-counting", OURS, "ours-counting", &[]),
    pipe("engine", ENGINE, "bench-engine"),
    websocket("tokio-tungstenite", WEBSOCKETS, "bench-websockets", &["crate=tokio-tungstenite"]),
    websocket("fastwebsockets", WEBSOCKETS, "bench-websockets", &["crate=fastwebsockets"]),
    websocket("tokio-websockets", WEBSOCKETS, "bench-websockets", &["crate=tokio-websockets"]),
    websocket("chromiumoxide", Kit::Chromiumoxide, "client", &[]),
    websocket("chromiumoxide-path", Kit::Chromiumoxide, "path", &[]),
    websocket("chromiumoxide-path-counting", Kit::Chromiumoxide, "path-counting", &[]),
    websocket("puppeteer", Kit::Node, "puppeteer.mjs", &[]),
    websocket("playwright", Kit::Node, "playwright.mjs", &[]),
];

/// Where things are.
pub struct Places {
    /// The folder `benches`.
    pub benches: PathBuf,
    /// `target/bench` of the project: figures, and what is fetched and built for peers.
    pub bench: PathBuf,
    /// The executables of this workspace.
    pub programs: PathBuf,
}

impl Places {
    pub fn find() -> Result<Places, String> {
        let own = std::env::current_exe().map_err(|problem| format!("this program's path: {problem}"))?;
        let benches = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let bench = benches.parent().unwrap_or(&benches).join("target/bench");
        let programs = own.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(Places { benches, bench, programs })
    }

    pub fn chromiumoxide(&self) -> PathBuf {
        self.bench.join("chromiumoxide")
    }

    pub fn node(&self) -> PathBuf {
        self.bench.join("node")
    }
}

impl Client {
    /// The words that start it.
    pub fn command(&self, places: &Places) -> Vec<PathBuf> {
        match self.kit {
            Kit::Package(_) => vec![places.programs.join(self.program)],
            Kit::Chromiumoxide => vec![places.chromiumoxide().join("release").join(self.program)],
            Kit::Node => vec!["node".into(), places.node().join(self.program)],
        }
    }
}
