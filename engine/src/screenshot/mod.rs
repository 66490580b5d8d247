//! Pictures of pages and elements.

mod options;
mod place;
mod posed;
mod take;

pub use options::{Animations, Caret, PictureFormat, PictureScale, Screenshot};

#[cfg(test)]
pub(crate) use {options::Shot, take::take};
