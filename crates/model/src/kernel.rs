//! The Python text that runs weights in a cell, by module name.

/// The modules of a cell that holds a model.
pub const MODULES: &[(&str, &str)] = &[("llama.py", include_str!("../kernel/llama.py"))];
