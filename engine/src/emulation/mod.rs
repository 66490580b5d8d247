//! What a context's pages are made to believe: plain values, and what can be told of them before anything is sent.

mod device;
mod options;
mod permission;
mod settings;
mod user_agent;

pub use device::Device;
pub(crate) use options::ContextOptions;
pub use permission::Permission;
pub(crate) use settings::{Asker, Credentials, Emulation, Screen, header};
pub use settings::{ColorScheme, Contrast, ForcedColors, Geolocation, Media, MediaType, ReducedMotion};
pub use user_agent::ClientHints;
pub(crate) use user_agent::UserAgent;
