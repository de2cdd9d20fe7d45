//! The planner does not grow: what it cannot read, a model reads. The lines of its source have a ceiling.

use super::Finding;
use crate::workspace::File;

const FOLDER: &str = "crates/planner/src/";
const LINES_MAX: usize = 32_475;

/// A finding if the planner has more lines than it may.
pub fn check(files: &[File]) -> Vec<Finding> {
    let ours = |file: &&File| file.path.starts_with(FOLDER) && file.path.ends_with(".rs");
    let lines: usize = files.iter().filter(ours).map(|file| file.text.lines().count()).sum();
    if lines <= LINES_MAX {
        return Vec::new();
    }
    vec![Finding {
        path: format!("{FOLDER}lib.rs"),
        line: 1,
        message: format!("the planner has {lines} lines and may have {LINES_MAX}"),
        hint: "take out what is worth less than what you add; what it cannot read is refused".to_string(),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, lines: usize) -> usize {
        check(&[File { path: path.to_string(), text: "x\n".repeat(lines) }]).len()
    }

    #[test]
    fn only_the_planners_source_counts() {
        assert_eq!(found("crates/planner/src/readings/a.rs", LINES_MAX), 0);
        assert_eq!(found("crates/planner/src/readings/a.rs", LINES_MAX + 1), 1);
        assert_eq!(found("crates/planner/tests/a.rs", LINES_MAX + 1), 0);
        assert_eq!(found("crates/planner/src/a.tsv", LINES_MAX + 1), 0);
    }
}
