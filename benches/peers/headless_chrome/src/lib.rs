//! Holds nothing: the dependency is what is measured.
