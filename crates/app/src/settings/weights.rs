//! `[weights.NAME]` of the user's own file: weights beside those that this program knows, by their digest.

use std::collections::BTreeMap;
use std::path::Path;

use base::{Code, Hash, Problem};
use model::{Packages, Weights, WeightsKind, is_name};
use serde::Deserialize;

const BYTES_MAX: u64 = 64 << 30;
const PACKAGES_MAX: u32 = 1_000;

/// What a table says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    path: String,
    bytes: u64,
    sha256: Hash,
    packages: Option<PackagesTable>,
    /// A model, where nothing else is said.
    #[serde(default)]
    kind: Kind,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Model,
    Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackagesTable {
    prefix: String,
    count: u32,
    version: String,
}

/// Those that the program knows, then those of the user's file.
pub(super) fn weights(table: Option<toml::Value>, file: Option<&Path>) -> Result<Vec<Weights>, Problem> {
    let mut weights = Weights::known();
    let Some(table) = table else { return Ok(weights) };
    let shown = file.unwrap_or(Path::new("")).display();
    let invalid = |message: String| Problem::new(Code::SettingInvalid, format!("`{shown}`: {message}"));
    let tables: BTreeMap<String, toml::Value> =
        table.try_into().map_err(|_| invalid("`weights` is no table".into()).hint("write [weights.NAME]"))?;
    for (name, table) in tables {
        let Table { path, bytes, sha256, packages, kind } = table.try_into().map_err(|error: toml::de::Error| {
            invalid(format!("[weights.{name}]: {}", error.message()))
                .hint("write `path` (below the hub's address), `bytes` and `sha256`; `packages` and `kind` may follow")
        })?;
        if !is_name(&name) || weights.iter().any(|known| known.name == name) {
            return Err(invalid(format!("[weights.{name}]: that name cannot be had"))
                .hint("use another, of letters, digits, `.`, `_` and `-`"));
        }
        if bytes == 0 || bytes > BYTES_MAX {
            return Err(invalid(format!("[weights.{name}]: `bytes` is {bytes}"))
                .hint(format!("give the size of the file, {BYTES_MAX} at most")));
        }
        let packages = packages
            .map(|PackagesTable { prefix, count, version }| {
                match [&prefix, &version].iter().all(|word| is_name(word)) {
                    true if (1..=PACKAGES_MAX).contains(&count) => Ok(Packages::numbered(&prefix, count, &version)),
                    _ => Err(invalid(format!("[weights.{name}]: `packages` are none that can be had"))
                        .hint(format!("write `prefix`, `version` and `count`, {PACKAGES_MAX} at most"))),
                }
            })
            .transpose()?;
        let path = path.trim_start_matches('/').to_string();
        if path.is_empty() {
            return Err(invalid(format!("[weights.{name}]: `path` is empty")).hint("write it below the hub's address"));
        }
        let kind = match kind {
            Kind::Model => WeightsKind::Model,
            Kind::Table => WeightsKind::Table,
        };
        weights.push(Weights { name, kind, path, bytes, sha256, packages });
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Weights>, Problem> {
        let mut table: toml::Table = text.parse().expect("TOML");
        weights(table.remove("weights"), Some(Path::new("/h/config.toml")))
    }

    #[test]
    fn weights_of_the_users_own_come_after_those_that_are_known() {
        let digest = "a".repeat(64);
        let row = |name: &str, bytes: i64| {
            format!("[weights.\"{name}\"]\npath = \"/o/r/x.gguf\"\nbytes = {bytes}\nsha256 = \"{digest}\"\n")
        };
        let known = Weights::known().len();
        let all = read(&row("tiny", 5)).expect("it is right");
        assert_eq!((all.len(), all[known].name.as_str(), all[known].path.as_str()), (known + 1, "tiny", "o/r/x.gguf"));
        for wrong in [
            row("a/b", 5),
            row("qwen2.5-coder-0.5b", 5),
            row("tiny", 0),
            row("tiny", 5).replace(&digest, "zz"),
            row("tiny", 5) + "url = \"x\"\n",
            row("tiny", 5) + "kind = \"x\"\n",
            row("tiny", 5).replace("/o/r/x.gguf", "/"),
            "weights = 1".to_string(),
        ] {
            assert_eq!(read(&wrong).expect_err(&wrong).code, Code::SettingInvalid, "{wrong}");
        }
    }
}
