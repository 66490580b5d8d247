//! Tests of the generator and of the repository's own rules.

mod diff;
mod diff_tool;
mod golden;
mod imports;
mod layers;
mod layers_cases;
mod pdl_format;
mod rust_text;
mod tidy;
mod tidy_rules;
