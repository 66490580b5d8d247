//! The PDL text format: lines, parser, printer, and the loading of files with their includes.

mod lines;
mod load;
mod parse;
mod print;

pub use load::{Loaded, load, load_dir, merge};
pub use parse::{Include, Unit, parse};
#[cfg(feature = "cli")]
pub(crate) use parse::{is_name, is_number};
pub use print::{print_domain, print_root};
