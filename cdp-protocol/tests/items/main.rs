//! Tests that go through all of the generated protocol: every command is encoded, every reply and event decoded,
//! with random values. What the items are comes from the generator's list, what they mean from the description.
//!
//! A failure names the item and a seed; `ARBTEST_SEED=<seed>` makes every item run with that one alone.

// All items means the deprecated ones, too.
#![allow(deprecated)]

mod make;
mod probe;
mod properties;
mod schema;
mod show;
mod synth;
mod words;
