//! Pictures of pages and elements.

mod options;
mod place;
mod posed;
mod take;

pub use options::{Animations, Caret, PictureFormat, PictureScale, Screenshot};
