//! Orders of events that a real browser rarely shows, and connections that die on the way, played by the scripted one.

mod cuts;
mod input;
mod navigation;
mod pictures;
mod scripted;
