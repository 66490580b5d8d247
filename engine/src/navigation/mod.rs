//! Bringing a frame to another document, and waiting until it has loaded far enough.

mod goto;
mod history;
mod outcome;
mod pending;
mod states;

pub(crate) use goto::{Going, goto};
pub(crate) use history::{Step, reload, set_content, travel};
pub use outcome::Response;
pub(crate) use pending::let_finish;
pub use states::WaitUntil;
pub(crate) use states::load_state;
