//! For tests of what builds on a connection: a scripted browser on an in-memory carrier, for event orders that a real one rarely
//! shows, and faults of the way there, in memory or as a proxy in front of a real server. Feature `testing`; the connection under
//! test runs the same code as one to a real browser.

mod fake;
mod faults;
mod framing;
mod memory;
mod proxy;

pub use fake::{FakeBrowser, FakeCall, Wiring, fake_browser, fake_browser_with};
pub use faults::{Faults, Flow, Passed};
pub use framing::Framing;
pub use proxy::FaultProxy;
