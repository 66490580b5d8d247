//! A connection to the scripted browser, held against a model of what each call, stream and observer must see.

mod model;
mod script;
mod world;

pub use script::run;
