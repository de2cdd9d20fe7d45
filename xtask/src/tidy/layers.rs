//! Which of our crates may know which. A new line in the table is a change of the architecture: `ARCHITECTURE.md`
//! changes with it.

use serde_json::Value;

use super::{Finding, text_of};
use crate::workspace::File;

const ALLOWED: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("guard", &["base"]),
    ("sandbox", &["base"]),
    ("store", &["base"]),
    ("data", &["base"]),
    ("planner", &["base", "data"]),
    ("flow", &["base", "store"]),
    ("model", &["base"]),
    ("agent", &["base"]),
    ("warehouse", &["base", "data", "planner", "sandbox"]),
    ("tasks", &["agent", "base", "data", "flow", "guard", "model", "planner", "sandbox", "warehouse"]),
    ("app", &["agent", "base", "data", "flow", "guard", "model", "planner", "sandbox", "tasks", "warehouse"]),
    ("server", &["app", "base", "data", "flow", "sandbox", "tasks", "warehouse"]),
    ("cli", &["app", "base", "data", "flow", "guard", "planner", "sandbox", "server", "tasks", "warehouse"]),
    // Only for the examples that measure: `cargo xtask` itself builds without them.
    ("xtask", &["base", "data", "guard", "planner", "sandbox"]),
];

/// What only these of our crates may know of others' packages.
const OUTSIDE: &[(&str, &[&str])] = &[("clap", &["cli", "xtask"]), ("clap_complete", &["cli"])];

/// Compares cargo's metadata with the table; dependencies of tests and build scripts count like all others.
pub fn check(metadata: &Value, files: &[File]) -> Vec<Finding> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let members = metadata["workspace_members"].as_array().map(Vec::as_slice).unwrap_or_default();
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = packages.iter().filter(|package| members.contains(&package["id"]));
    ours.flat_map(|package| check_package(package, root, files)).collect()
}

fn check_package(package: &Value, root: &str, files: &[File]) -> Vec<Finding> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/');
    let finding = |line: usize, message: String, hint: &str| Finding {
        path: manifest.to_string(),
        line,
        message,
        hint: hint.to_string(),
    };
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        let hint = "give it a line in xtask/src/tidy/layers.rs and a place in ARCHITECTURE.md";
        return vec![finding(1, format!("the crate `{name}` has no place in the layers"), hint)];
    };
    let mut findings = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let other = dependency["name"].as_str().unwrap_or_default();
        let is_ours = dependency["path"].is_string();
        let is_fitting = match OUTSIDE.iter().find(|(package, _)| *package == other) {
            Some((_, knowing)) => knowing.contains(&name),
            None => !is_ours || allowed.contains(&other),
        };
        if is_fitting {
            continue;
        }
        let key = dependency["rename"].as_str().unwrap_or(other);
        let line = line_of_key(text_of(files, manifest), key);
        let hint = "move what is needed to a crate that both may know, or change the architecture and its table";
        findings.push(finding(line, format!("`{name}` may not depend on `{other}`"), hint));
    }
    findings
}

/// The line of a dependency in a manifest; 1 where it is written in a way not foreseen here.
fn line_of_key(manifest: &str, key: &str) -> usize {
    let names_key = |line: &str| {
        let line = line.trim();
        let table = line.strip_suffix(']').is_some_and(|header| header.ends_with(&format!("dependencies.{key}")));
        let entry = line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['.', '=']));
        table || entry
    };
    // The package's own fields come first and may be named like a crate.
    let begin = manifest.lines().position(|line| line.contains("dependencies")).unwrap_or(0);
    let place = manifest.lines().skip(begin).position(names_key);
    place.map_or(1, |offset| begin + offset + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(name: &str, dependencies: Value, manifest: &str) -> Vec<(usize, String)> {
        let metadata = json!({
            "workspace_root": "/w",
            "workspace_members": ["own"],
            "packages": [
                {"id": "own", "name": name, "manifest_path": format!("/w/crates/{name}/Cargo.toml"),
                 "dependencies": dependencies},
                {"id": "foreign", "name": "foreign", "manifest_path": "/r/foreign/Cargo.toml",
                 "dependencies": [{"name": "own", "path": "/r/own"}]},
            ],
        });
        let files = [File { path: format!("crates/{name}/Cargo.toml"), text: manifest.into() }];
        check(&metadata, &files).into_iter().map(|finding| (finding.line, finding.message)).collect()
    }

    #[test]
    fn a_forbidden_dependency_is_found_with_its_line() {
        let manifest = "[package]\nname = \"data\"\nstore.workspace = true\n\n[dependencies]\nbase.workspace = true\n\n\
                        [dev-dependencies]\nstore.workspace = true\n";
        let dependencies = json!([{"name": "base", "path": "/w/crates/base"}, {"name": "serde", "path": null},
                                  {"name": "store", "kind": "dev", "path": "/w/crates/store"}]);
        assert_eq!(found("data", dependencies, manifest), [(9, "`data` may not depend on `store`".to_string())]);
    }

    #[test]
    fn a_renamed_one_is_found_too() {
        let manifest = "[dependencies.journal]\npackage = \"flow\"\n";
        let dependencies = json!([{"name": "flow", "rename": "journal", "path": "/w/crates/flow"}]);
        assert_eq!(found("guard", dependencies, manifest), [(1, "`guard` may not depend on `flow`".to_string())]);
    }

    #[test]
    fn the_command_line_is_known_to_one_crate() {
        let dependencies = json!([{"name": "clap", "path": null}]);
        assert_eq!(found("app", dependencies.clone(), ""), [(1, "`app` may not depend on `clap`".to_string())]);
        assert_eq!(found("cli", dependencies, ""), []);
    }

    #[test]
    fn an_unknown_crate_needs_a_place() {
        assert_eq!(found("extra", json!([]), "").len(), 1);
    }

    #[test]
    fn what_the_table_allows_passes() {
        let dependencies =
            json!([{"name": "base", "path": "/w/crates/base"}, {"name": "data", "path": "/w/crates/data"}]);
        assert_eq!(found("planner", dependencies, ""), []);
    }

    #[test]
    fn the_table_has_no_cycle() {
        // Each crate stands below those that may use it.
        let place = |name: &str| ALLOWED.iter().position(|(known, _)| *known == name);
        for (name, allowed) in ALLOWED {
            assert!(allowed.iter().all(|other| place(other) < place(name)), "{name}");
        }
    }
}
