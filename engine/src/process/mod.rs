//! The life of a browser process: found, launched, watched, ended, and nothing of it left behind. Knows
//! nothing of the protocol spoken with it.

mod browser;
mod close;
mod closed;
mod container;
mod deadline;
mod error;
mod exec;
mod exit;
mod find;
mod flags;
mod guardian;
pub(crate) mod incident;
mod keeper;
mod options;
pub(crate) mod proxy;
mod ready;
mod reaper;
mod scratch;
mod spawn;
mod sweep;
mod table;
mod tail;
mod tree;
mod usage;

pub use browser::BrowserProcess;
pub use closed::{CloseTimings, Closed, ClosedBy};
pub use container::Container;
pub use error::LaunchError;
pub use exit::Exit;
pub use incident::{Incident, IncidentKind, IncidentStream, Service};
pub use options::{Headless, LaunchOptions, Launcher, Sandbox, Transport};
pub use spawn::spawn;
pub use sweep::sweep;
pub use table::{Leftovers, Running, leftovers};
pub use usage::Usage;
