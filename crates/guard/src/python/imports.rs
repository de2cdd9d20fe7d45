//! The rules of imports: which modules, and which of their members.

use ruff_python_ast::{StmtImport, StmtImportFrom};
use ruff_text_size::{Ranged, TextRange};

use super::table::When;
use super::walk::Walk;

impl Walk<'_, '_> {
    pub(super) fn import(&mut self, node: &StmtImport) {
        for alias in &node.names {
            self.module(alias.name.as_str(), alias.name.range());
        }
    }

    pub(super) fn import_from(&mut self, node: &StmtImportFrom) {
        if node.level > 0 {
            if self.policy.modules_allowed.is_some() {
                let message = "a relative import looks for files beside the program, and there are none";
                self.refuse("python/import", message.to_string(), node.range());
            }
            return;
        }
        let Some(module) = &node.module else { return };
        if self.module(module.as_str(), module.range()) {
            return;
        }
        for alias in node.names.iter().filter(|alias| alias.name.as_str() != "*") {
            self.member(&format!("{module}.{}", alias.name), alias.name.range());
        }
    }

    /// A module as it is imported; whether it is refused.
    fn module(&mut self, path: &str, range: TextRange) -> bool {
        let root = path.split('.').next().unwrap_or(path);
        if let Some(allowed) = self.policy.modules_allowed
            && !allowed.contains(&root)
        {
            match self.policy.modules.iter().find(|rule| rule.is_about(root)) {
                Some(rule) => self.say(rule, path, range),
                None => {
                    let message = format!(
                        "`{path}` is not among the modules of an analysis; there are pandas, numpy, duckdb, matplotlib, \
                         pyarrow, with the set `ml` scipy and sklearn, and those of the standard library that only compute"
                    );
                    self.refuse("python/import", message, range);
                }
            }
            return true;
        }
        let prefixes = path.match_indices('.').map(|(at, _)| &path[..at]).chain([path]);
        let before = self.errors();
        for prefix in prefixes {
            self.member(prefix, range);
        }
        self.errors() > before
    }

    /// A path that is imported, or read by a name.
    pub(super) fn member(&mut self, path: &str, range: TextRange) {
        let policy = self.policy;
        let named = policy.paths.iter().filter(|rule| matches!(rule.when, When::Named));
        for rule in policy.modules.iter().chain(named).filter(|rule| rule.is_about(path)) {
            self.say(rule, path, range);
        }
        self.inside(path, range);
    }

    /// What may not be reached through a module: another module, or a name of its own.
    pub(super) fn inside(&mut self, path: &str, range: TextRange) {
        let Some((module, name)) = path.rsplit_once('.') else { return };
        if path.starts_with("builtins.") || path.contains(['(', '[']) {
            return;
        }
        if self.policy.modules_inside.contains(&name.trim_start_matches('_')) {
            let message = format!("`{name}` reaches another module through `{module}`, and that one is not allowed");
            self.refuse("python/attribute", message, range);
        } else if !self.policy.private_names && name.starts_with('_') && !name.starts_with("__") {
            let message = format!("`{name}` is private to `{module}`; use what the module offers");
            self.refuse("python/attribute", message, range);
        }
    }
}
