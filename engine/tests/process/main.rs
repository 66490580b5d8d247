//! Tests of a browser's process life on a real Chromium, and on scripts in its place where a browser would not
//! misbehave as needed.

// Figures for people, and what a killed host has to say to its killer.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod close;
mod drop;
mod failures;
mod guardian;
mod killed_host;
mod launch;
mod namespaces;
mod pages;
mod read_only;
mod reaper;
mod sweep;
mod temp;
mod traces;
mod usage;
mod wire;
