//! The Python text that runs inside a kernel, by module name.

/// Every module a kernel can call, as file name and source.
pub const MODULES: &[(&str, &str)] = &[
    ("cells.py", include_str!("../kernel/cells.py")),
    ("sql.py", include_str!("../kernel/sql.py")),
    ("ingest.py", include_str!("../kernel/ingest.py")),
    ("profiling.py", include_str!("../kernel/profiling.py")),
    ("oracle.py", include_str!("../kernel/oracle.py")),
    ("warm.py", include_str!("../kernel/warm.py")),
    ("oracle_rows.py", include_str!("../kernel/oracle_rows.py")),
];

/// The modules that decide what a file becomes; when one of them changes, files are read anew.
pub fn decides_what_files_become(name: &str) -> bool {
    name.starts_with("ingest") || matches!(name, "profiling.py" | "cells.py")
}
