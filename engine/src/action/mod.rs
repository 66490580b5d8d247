//! Acting on elements: the one retry loop, pointer and keyboard input, and the way of a point through frames.

pub(crate) mod geometry;
pub(crate) mod pointer;
pub(crate) mod retry;
pub(crate) mod settle;
pub(crate) mod text;
mod watch;
