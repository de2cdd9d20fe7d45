//! The Python text that runs inside a kernel, by module name.

/// Every module a kernel can call, as file name and source.
pub const MODULES: &[(&str, &str)] = &[
    ("cells.py", include_str!("../kernel/cells.py")),
    ("sql.py", include_str!("../kernel/sql.py")),
    ("ingest.py", include_str!("../kernel/ingest.py")),
    ("oracle.py", include_str!("../kernel/oracle.py")),
    ("warm.py", include_str!("../kernel/warm.py")),
    ("oracle_rows.py", include_str!("../kernel/oracle_rows.py")),
];
