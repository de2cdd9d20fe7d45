//! `[models.NAME]` of the user's own file: models under names of their own.
//!
//! A key that is named and not there is no error here: only who asks that model needs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::{Code, Problem, nearest};
use model::{Capabilities, DefinedKey, Definition, Prices, Provider, Secret};
use serde::Deserialize;

use super::{MODEL_OFF, ReadFile};

/// What a table may say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    provider: String,
    model: String,
    base_url: Option<String>,
    #[serde(default)]
    allow_http: bool,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    prices: Option<PricesTable>,
    #[serde(default)]
    capabilities: Capabilities,
    fallback: Option<String>,
}

/// US dollars per million tokens. Where a cache's price is not said, its tokens count as read afresh.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesTable {
    input: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    output: f64,
}

/// Where the definitions stand and what is around them.
pub(super) struct Surroundings<'a> {
    /// The user's file.
    pub file: &'a Path,
    pub home: Option<&'a Path>,
    pub environment: &'a BTreeMap<String, String>,
    pub read_file: ReadFile<'a>,
}

impl Surroundings<'_> {
    pub(super) fn invalid(&self, message: &str) -> Problem {
        Problem::new(Code::SettingInvalid, format!("`{}`: {message}", self.file.display()))
    }

    /// Below the home where it begins with `~/`, else beside the settings.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), self.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => self.file.parent().unwrap_or(Path::new("/")).join(path),
        }
    }
}

/// All definitions, by name.
pub(super) fn definitions(
    models: toml::Value,
    around: &Surroundings<'_>,
) -> Result<BTreeMap<String, Definition>, Problem> {
    let toml::Value::Table(tables) = models else {
        return Err(around
            .invalid("`models` is no table")
            .hint("write [models.NAME] with `provider` and `model` below"));
    };
    let defined = tables.into_iter().map(|(name, table)| Ok((name.clone(), definition(&name, table, around)?)));
    let defined: BTreeMap<String, Definition> = defined.collect::<Result<_, Problem>>()?;
    for name in defined.keys() {
        check_fallbacks(name, &defined, around)?;
    }
    Ok(defined)
}

fn definition(name: &str, table: toml::Value, around: &Surroundings<'_>) -> Result<Definition, Problem> {
    let invalid = |message: &str| around.invalid(&format!("[models.{name}]: {message}"));
    if name.contains(':') || name == MODEL_OFF || name.trim() != name || name.is_empty() {
        return Err(invalid("that name is taken").hint("use a name without a colon that is not `off`"));
    }
    let table: Table = table.try_into().map_err(|error: toml::de::Error| {
        invalid(error.message()).hint(
            "write `provider = \"anthropic\"` and `model = \"…\"`; base_url, allow_http, key_env or key_file, prices, \
             capabilities and fallback may follow",
        )
    })?;
    let provider = Provider::parse(&table.provider).ok_or_else(|| {
        let words = Provider::ALL.map(Provider::as_str).join(", ");
        invalid(&format!("there is no provider `{}`", table.provider)).hint(format!("use one of {words}"))
    })?;
    if table.model.trim().is_empty() {
        return Err(invalid("`model` is empty").hint("write the name by which the provider knows it"));
    }
    let key = match (table.key_env, table.key_file) {
        (Some(_), Some(_)) => {
            return Err(invalid("has both key_env and key_file").hint("keep the one where the key is"));
        }
        (Some(variable), None) => key_of_variable(&variable, around),
        (None, Some(file)) => key_of_file(&around.path(&file), around),
        (None, None) => DefinedKey::Usual,
    };
    Ok(Definition {
        provider,
        model: table.model,
        base_url: table.base_url,
        allow_http: table.allow_http,
        key,
        prices: table.prices.map(|prices| checked(&prices).map_err(|message| invalid(&message))).transpose()?,
        capabilities: table.capabilities,
        fallback: table.fallback,
    })
}

fn key_of_variable(variable: &str, around: &Surroundings<'_>) -> DefinedKey {
    match around.environment.get(variable).filter(|key| !key.trim().is_empty()) {
        Some(key) => DefinedKey::Found(Secret::new(key)),
        None => DefinedKey::Missing(format!("set {variable} to your key and ask again")),
    }
}

fn key_of_file(file: &Path, around: &Surroundings<'_>) -> DefinedKey {
    match (around.read_file)(file).filter(|key| !key.trim().is_empty()) {
        Some(key) => DefinedKey::Found(Secret::new(key)),
        None => DefinedKey::Missing(format!("write your key into `{}` and ask again", file.display())),
    }
}

fn checked(table: &PricesTable) -> Result<Prices, String> {
    let prices = Prices {
        input: table.input,
        cache_read: table.cache_read.unwrap_or(table.input),
        cache_write: table.cache_write.unwrap_or(table.input),
        output: table.output,
    };
    let all = [prices.input, prices.cache_read, prices.cache_write, prices.output];
    if all.iter().all(|price| price.is_finite() && *price >= 0.0) {
        return Ok(prices);
    }
    Err("a price is no amount: write US dollars per million tokens".to_string())
}

/// Every fallback is somebody, and none leads back.
fn check_fallbacks(
    name: &str,
    defined: &BTreeMap<String, Definition>,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    let mut passed = vec![name];
    let mut next = defined.get(name).and_then(|definition| definition.fallback.as_deref());
    while let Some(fallback) = next {
        let from = passed.last().copied().unwrap_or(name);
        let invalid = |message: &str| around.invalid(&format!("[models.{from}]: {message}"));
        if passed.contains(&fallback) {
            let round = format!("its fallback leads back to `{fallback}`");
            return Err(invalid(&round).hint("let one of them have no fallback"));
        }
        if !defined.contains_key(fallback) && !fallback.contains(':') {
            let problem = invalid(&format!("there is no model `{fallback}` to fall back to"));
            let others = defined.keys().map(String::as_str).filter(|other| *other != from);
            return Err(match nearest(fallback, others).first() {
                Some(close) => problem.hint(format!("did you mean `{close}`?")),
                None => problem.hint(format!("define [models.{fallback}], or write PROVIDER:MODEL")),
            });
        }
        passed.push(fallback);
        next = defined.get(fallback).and_then(|definition| definition.fallback.as_deref());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, environment: &[(&str, &str)]) -> Result<BTreeMap<String, Definition>, Problem> {
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let files = |path: &Path| (path == Path::new("/h/keys/one")).then(|| "from file\n".to_string());
        let around = Surroundings {
            file: Path::new("/h/.config/assay/config.toml"),
            home: Some(Path::new("/h")),
            environment: &environment,
            read_file: &files,
        };
        let mut table: toml::Table = text.parse().expect("TOML");
        definitions(table.remove("models").expect("models"), &around)
    }

    #[test]
    fn a_table_says_where_a_model_is_and_what_it_costs() {
        let text = "[models.main]\nprovider = \"chat\"\nmodel = \"m\"\nkey_env = \"K\"\nfallback = \"spare\"\n\
                    prices = { input = 3, output = 15.5 }\ncapabilities = { tools = true, action = \"sql\" }\n\
                    [models.spare]\nprovider = \"ollama\"\nmodel = \"m\"\nkey_file = \"~/keys/one\"\n\
                    fallback = \"anthropic:claude\"\n";
        let defined = read(text, &[("K", "secret")]).expect("it is right");
        let (main, spare) = (&defined["main"], &defined["spare"]);
        assert_eq!(main.key, DefinedKey::Found(Secret::new("secret")));
        let prices = Prices { input: 3.0, cache_read: 3.0, cache_write: 3.0, output: 15.5 };
        assert_eq!((main.prices, main.capabilities.tools, main.capabilities.schema), (Some(prices), Some(true), None));
        assert_eq!(spare.key, DefinedKey::Found(Secret::new("from file")));
        let defined = read(text, &[]).expect("a key that is not there may not be needed");
        assert_eq!(defined["main"].key, DefinedKey::Missing("set K to your key and ask again".into()));
    }

    #[test]
    fn what_is_wrong_is_told_with_what_to_write() {
        let both = "provider = \"chat\"\nmodel = \"m\"\n";
        for (text, message, hint) in [
            ("models = 1".to_string(), "is no table", "[models.NAME]"),
            ("[models.a]\nprovider = \"chat\"".into(), "missing field `model`", "provider = "),
            ("[models.a]\nprovider = \"chta\"\nmodel = \"m\"".into(), "no provider `chta`", "anthropic, openai"),
            (format!("[models.a]\n{both}base_ulr = \"x\""), "base_ulr", "base_url"),
            (format!("[models.a]\n{both}key_env = \"K\"\nkey_file = \"f\""), "both", "keep the one"),
            (format!("[models.a]\n{both}prices = {{ input = -1, output = 2 }}"), "a price is no amount", ""),
            (format!("[models.\"a:b\"]\n{both}"), "taken", "without a colon"),
            (format!("[models.a]\n{both}fallback = \"b\""), "no model `b`", "[models.b]"),
            (format!("[models.a]\n{both}fallback = \"a\""), "leads back to `a`", "no fallback"),
            (
                format!("[models.a]\n{both}fallback = \"b\"\n[models.b]\n{both}fallback = \"a\""),
                "leads back to `a`",
                "no fallback",
            ),
        ] {
            let problem = read(&text, &[]).expect_err(&text);
            assert_eq!(problem.code, Code::SettingInvalid, "{text}");
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{text}: {:?}", problem.hint);
        }
    }
}
