//! Pictures of pages and elements.

mod options;
mod place;
mod posed;
mod shot;
mod take;

pub use options::Screenshot;
pub use shot::{Animations, Caret, PictureFormat, PictureScale};

#[cfg(test)]
pub(crate) use {shot::Shot, take::take};
