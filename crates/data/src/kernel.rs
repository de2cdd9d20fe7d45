//! The Python text that runs inside a kernel, by module name.

/// Every module a kernel can call, as file name and source.
pub const MODULES: &[(&str, &str)] = &[
    ("cells.py", include_str!("../kernel/cells.py")),
    ("sql.py", include_str!("../kernel/sql.py")),
    ("ingest.py", include_str!("../kernel/ingest.py")),
    ("ingest_absent.py", include_str!("../kernel/ingest_absent.py")),
    ("ingest_blank.py", include_str!("../kernel/ingest_blank.py")),
    ("ingest_csv.py", include_str!("../kernel/ingest_csv.py")),
    ("ingest_footnotes.py", include_str!("../kernel/ingest_footnotes.py")),
    ("ingest_forms.py", include_str!("../kernel/ingest_forms.py")),
    ("ingest_json.py", include_str!("../kernel/ingest_json.py")),
    ("ingest_kinds.py", include_str!("../kernel/ingest_kinds.py")),
    ("ingest_mend.py", include_str!("../kernel/ingest_mend.py")),
    ("ingest_other.py", include_str!("../kernel/ingest_other.py")),
    ("ingest_pack.py", include_str!("../kernel/ingest_pack.py")),
    ("ingest_report.py", include_str!("../kernel/ingest_report.py")),
    ("ingest_sheet_errors.py", include_str!("../kernel/ingest_sheet_errors.py")),
    ("ingest_sheets.py", include_str!("../kernel/ingest_sheets.py")),
    ("ingest_stage.py", include_str!("../kernel/ingest_stage.py")),
    ("ingest_tables.py", include_str!("../kernel/ingest_tables.py")),
    ("ingest_text.py", include_str!("../kernel/ingest_text.py")),
    ("ingest_totals.py", include_str!("../kernel/ingest_totals.py")),
    ("ingest_types.py", include_str!("../kernel/ingest_types.py")),
    ("profiling.py", include_str!("../kernel/profiling.py")),
    ("profiling_links.py", include_str!("../kernel/profiling_links.py")),
    ("profiling_names.py", include_str!("../kernel/profiling_names.py")),
    ("profiling_running.py", include_str!("../kernel/profiling_running.py")),
    ("access.py", include_str!("../kernel/access.py")),
    ("export.py", include_str!("../kernel/export.py")),
    ("oracle.py", include_str!("../kernel/oracle.py")),
    ("whole.py", include_str!("../kernel/whole.py")),
    ("warm.py", include_str!("../kernel/warm.py")),
    ("oracle_rows.py", include_str!("../kernel/oracle_rows.py")),
];

/// The modules that decide what a file becomes; when one of them changes, files are read anew.
pub fn decides_what_files_become(name: &str) -> bool {
    name.starts_with("ingest") || name.starts_with("profiling") || name == "cells.py"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::plan::Agg;

    #[test]
    fn every_file_is_a_module() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernel");
        let names = std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.file_name());
        let files: BTreeSet<String> =
            names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".py")).collect();
        assert_eq!(files, MODULES.iter().map(|(name, _)| name.to_string()).collect::<BTreeSet<_>>());
    }

    #[test]
    fn the_oracle_has_every_aggregate() {
        let (_, oracle) = MODULES.iter().find(|(name, _)| *name == "oracle.py").expect("the oracle");
        let (_, known) = oracle.split_once("\nAGGREGATES = {").expect("its table of aggregates");
        let (known, _) = known.split_once("\n}").expect("the end of the table");
        assert!(Agg::ALL.iter().all(|agg| known.contains(&format!("\"{}\":", agg.as_str()))), "{known}");
    }
}
