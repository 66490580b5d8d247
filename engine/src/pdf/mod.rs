//! A page as a PDF document.

mod options;
mod paper;
mod stream;

pub use options::Pdf;
pub use paper::{Length, Paper};
pub use stream::PdfStream;
