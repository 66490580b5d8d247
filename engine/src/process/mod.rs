//! The life of a browser process: found, launched, watched, ended, and nothing of it left behind. Knows
//! nothing of the protocol spoken with it.

mod browser;
mod close;
mod closed;
mod deadline;
mod error;
mod exec;
mod exit;
mod find;
mod flags;
mod guardian;
mod keeper;
mod options;
mod proxy;
mod ready;
mod scratch;
mod spawn;
mod sweep;
mod table;
mod tail;

pub use browser::BrowserProcess;
pub use closed::{CloseTimings, Closed, ClosedBy};
pub use error::LaunchError;
pub use exit::Exit;
pub use options::{Headless, LaunchOptions, Launcher, Sandbox, Transport};
pub use spawn::spawn;
pub use sweep::sweep;
pub use table::{Leftovers, Running, leftovers};
