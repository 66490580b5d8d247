//! Carries a connection over a websocket or a pipe: connecting, the outgoing buffer, and the one task that reads and routes.
//! What messages mean is decided below (envelope, mux) and above (client).

mod confided;
mod connect;
mod dial;
mod driver;
mod encode;
mod endpoint;
#[cfg(test)]
mod flood;
mod half;
mod headers;
mod http;
mod liveness;
mod outgoing;
#[cfg(unix)]
mod pipe;
mod proxy;
mod shared;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tls")]
mod trust;
mod upgrade;

pub(crate) use connect::{ConnectOptions, connect};
#[cfg(feature = "testing")]
pub(crate) use driver::start;
#[cfg(feature = "testing")]
pub(crate) use half::WriteHalf;
pub(crate) use headers::Credentials;
#[cfg(feature = "testing")]
pub(crate) use outgoing::Outgoing;
#[cfg(unix)]
pub(crate) use pipe::from_pipe;
pub(crate) use shared::Shared;
