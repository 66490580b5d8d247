//! Drives a real Chromium without a Node process beside it.
//!
//! A [`Launcher`] starts a [`Browser`] that can't outlive its host. A [`Context`] is one identity, a [`Page`] one tab,
//! a [`Locator`] a question about a page that is asked anew at each use. Actions wait until the element is ready, act
//! once, and say what they waited for when they give up.
//!
//! ```no_run
//! use engine::{Launcher, Role};
//!
//! # async fn example() -> engine::Result<()> {
//! let browser = Launcher::new().launch().await?;
//! let page = browser.new_context().await?.new_page().await?;
//! page.goto("https://example.org").await?;
//! page.get_by_role(Role::Link.named("More information")).click().await?;
//! println!("{}", page.title().await?);
//! browser.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Layers
//!
//! Layers, lowest first; a file imports only from files above it.
//!
//! ```text
//! lock         locking that a panic elsewhere does not poison
//! error        the one error: who is at fault, what was seen, what was done
//! progress     one user call: its deadline and its log
//! operation    what a user call returns, awaited to begin
//! process/deadline  instants ahead, for any duration
//! process/exit      how a process ended
//! process/error     why a launch failed
//! process/options   what a launch is told
//! process/find      the executable
//! process/proxy     what may be named as a proxy
//! process/flags     the command line
//! process/tail      last words
//! process/table     the system's processes
//! process/scratch   the scratch folder
//! process/sweep     what dead owners left
//! process/exec      starting a process
//! process/guardian  the shell that outlives the host
//! process/tree      the processes of one browser
//! process/incident  what happened to it
//! process/reaper    orphans of it, where the host adopts them
//! process/keeper    the thread that reaps
//! process/closed    how a browser ended
//! process/browser   the handle
//! process/close     ending it
//! process/ready     waiting until it answers
//! process/spawn     starting it
//! process/usage     what it takes
//! process/container what there is for it
//! process           what of it is for others
//! js           the injected script
//! selector     what a locator asks for
//! value        values that JSON can't say
//! url          what is taken for a URL
//! url_pattern  which URLs are meant
//! emulation    what pages are made to believe
//! state        pure trackers: frames, evidence
//! dialog       an open dialog and its answer
//! core         browser, pages and downloads, kept true by observers of the wire
//! download     a file that a page hands out
//! world        calls into frames
//! navigation   goto and load states
//! action       retry loop, mouse, text, geometry
//! locator      queries and what can be done with their matches
//! screenshot   pictures
//! frame        a frame, as the user holds it
//! page         a page, as the user holds it
//! pdf          a page as a PDF document
//! handle       an object of a page
//! evaluate     running scripts
//! going        what a page can be brought to
//! finders      the methods that begin a locator, on every handle
//! context      an identity
//! scripts      init scripts, and functions that pages call
//! clock        the time of pages
//! worker       a worker, as the user holds it
//! overrides    what of that can be changed
//! incidents    crashes of renderers
//! browser      launching and closing
//! new_context  a context to be made
//! attach       browsers of somebody else
//! pool         browsers for many tasks
//! orders_tests tests of rare orders of events
//! ```

mod action;
mod attach;
mod browser;
mod clock;
mod context;
mod core;
mod dialog;
mod download;
mod emulation;
mod error;
mod evaluate;
mod finders;
mod frame;
mod going;
mod handle;
mod incidents;
mod js;
mod locator;
mod lock;
mod navigation;
mod new_context;
mod operation;
mod overrides;
mod page;
mod pdf;
mod pool;
pub mod process;
mod progress;
mod screenshot;
mod scripts;
mod selector;
mod state;
mod url;
mod url_pattern;
mod value;
mod worker;
mod world;

#[cfg(test)]
mod orders_tests;

pub use action::pointer::MouseButton;
pub use attach::Attach;
pub use browser::{Browser, BrowserUsage};
pub use clock::Clock;
pub use context::Context;
pub use core::workers::WorkerKind;
pub use dialog::{Dialog, DialogAnswer, DialogKind, DialogRecord};
pub use download::Download;
pub use emulation::{
    ClientHints, ColorScheme, Contrast, Device, ForcedColors, Geolocation, Media, MediaType, Permission,
    ReducedMotion,
};
pub use error::{Error, ErrorKind, Outcome, Result};
pub use evaluate::{Evaluate, Source};
pub use frame::Frame;
pub use going::{Goto, Load};
pub use handle::JsHandle;
pub use locator::{BoundingBox, Click, FrameLocator, Locator, State};
pub use navigation::{Response, WaitUntil};
pub use new_context::NewContext;
pub use operation::{Action, Operation};
pub use page::{DialogGuard, Page};
pub use pdf::{Length, Paper, Pdf, PdfStream};
pub use pool::{NotStarted, Pool, PoolBuilder, PoolError, Replaced, Snapshot, Task};
pub use process::{
    CloseTimings, Closed, Container, Headless, Incident, IncidentKind, IncidentStream, Launcher, Sandbox,
    Service, Transport,
};
pub use screenshot::{Animations, Caret, PictureFormat, PictureScale, Screenshot};
pub use scripts::InitScript;
pub use selector::{Filter, Role, RoleQuery, Selector, TextMatch, Toggle};
pub use state::evidence::{Evidence, EvidenceKind};
pub use state::journal::{NavigationCause, NavigationEnd, NavigationRecord};
pub use url_pattern::UrlPattern;
pub use value::JsValue;
pub use worker::Worker;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
