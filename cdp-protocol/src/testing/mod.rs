//! A scripted browser on an in-memory carrier, for event orders that a real one rarely shows. Feature `testing`; the connection
//! under test runs the same code as one to a real browser.

mod fake;
mod memory;

pub use fake::{FakeBrowser, FakeCall, fake_browser};
