//! Whether rustfmt would change anything.

use anyhow::{Context, bail};

use super::Finding;
use crate::workspace::Workspace;

/// One finding per file that is not formatted.
pub fn check(workspace: &Workspace) -> anyhow::Result<Vec<Finding>> {
    let mut command = workspace.cargo(&["fmt", "--all", "--", "--check", "--color", "never"]);
    let output = command.output().context("cannot start `cargo fmt`")?;
    let root = format!("{}/", workspace.root.display());
    let findings = unformatted(&String::from_utf8_lossy(&output.stdout), &root);
    if !output.status.success() && findings.is_empty() {
        bail!("`cargo fmt` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(findings)
}

/// Reads the `Diff in FILE:LINE:` lines; the first of each file is enough.
fn unformatted(said: &str, root: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for line in said.lines() {
        let place = line
            .strip_prefix("Diff in ")
            .and_then(|place| place.strip_suffix(':'))
            .and_then(|place| place.rsplit_once(':'));
        let Some((path, line)) = place else { continue };
        let path = path.strip_prefix(root).unwrap_or(path);
        if findings.iter().all(|finding| finding.path != path) {
            findings.push(Finding {
                path: path.to_string(),
                line: line.parse().unwrap_or(1),
                message: "not formatted".into(),
                hint: "run `cargo fmt --all`".into(),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_named_once_with_its_first_line() {
        let said = "Diff in /w/a.rs:7:\n-fn  a() {}\n+fn a() {}\nDiff in /w/a.rs:9:\n x\nDiff in /w/b.rs:1:\n";
        let found: Vec<_> = unformatted(said, "/w/").into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(found, [("a.rs".to_string(), 7), ("b.rs".to_string(), 1)]);
    }
}
