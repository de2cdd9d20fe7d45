//! What tasks are given, put together in one way for every front door: which data is meant and in which version.
//!
//! Invariant: whoever asks says by [`DataNames`] what words for data may reach; nothing here widens it.

use base::{Code, Problem};
use sandbox::{Environment, Set};
use tasks::{AskInput, Budget, ModelUse, PlanInput, ProgramData, SqlInput, unvalidated};
use warehouse::{DataNames, Resolved, Source};

use crate::documents::plan::WrittenPlan;
use crate::{App, MODEL_OFF, Settings};

/// The version of what words stand for.
pub async fn resolve(app: &App, names: &DataNames, words: &[String]) -> Result<Resolved, Problem> {
    Resolved::of(app.warehouse(), names.source(words)?).await
}

/// A question of the data, asked in the usual way; a front door changes what it was told otherwise.
pub fn question(names: &DataNames, words: &[String], resolved: &Resolved, question: &str) -> AskInput {
    AskInput {
        data: names.lasting(words),
        version: resolved.version.to_string(),
        question: question.to_string(),
        answer_all: false,
        reading: None,
        no_cache: false,
        thread: None,
        file: None,
        model: None,
    }
}

/// A statement over the data.
pub fn statement(names: &DataNames, words: &[String], resolved: &Resolved, sql: &str) -> SqlInput {
    let (data, version) = (names.lasting(words), resolved.version.to_string());
    SqlInput { data, version, sql: sql.to_string(), file: None }
}

/// A plan over the data that it names, and a line for lists.
pub async fn plan(app: &App, names: &DataNames, written: WrittenPlan) -> Result<(PlanInput, String), Problem> {
    let data = written.data().map_err(|problem| unvalidated(vec![problem]))?;
    let resolved = resolve(app, names, &data).await?;
    let (lasting, version) = (names.lasting(&data), resolved.version.to_string());
    Ok((PlanInput { data: lasting, version, plan: written.plan }, format!("plan over {}", resolved.id)))
}

/// The dataset whose tables a program gets under their names; `taken` says which of these are not free.
pub async fn tables(
    app: &App,
    names: &DataNames,
    words: &[String],
    taken: impl Fn(&str) -> bool,
) -> Result<ProgramData, Problem> {
    let source = names.source(words)?;
    let tables: Vec<String> = match &source {
        Source::Builtin(name) => data::builtin::hashes(name).map(|(table, _)| table.to_string()).collect(),
        Source::Added(added) => added.tables.iter().map(|(table, _)| table.clone()).collect(),
        Source::Files(files) => files.tables.iter().map(|(table, _)| table.clone()).collect(),
    };
    if let Some(name) = tables.iter().find(|table| taken(table)) {
        return Err(Problem::new(Code::Usage, format!("both a value and a table are called `{name}`"))
            .hint("give the value another name"));
    }
    let version = Resolved::of(app.warehouse(), source).await?.version.to_string();
    Ok(ProgramData { names: names.lasting(words), version })
}

/// The model to use, if one is: the one that was named, else what the settings say. `budget` comes before theirs.
pub fn model(settings: &Settings, named: Option<&str>, budget: &Budget) -> Option<ModelUse> {
    let name = named.or(settings.model.as_deref()).filter(|name| *name != MODEL_OFF)?.to_string();
    let usual = &settings.budget_run;
    let budget = Budget {
        tokens_max: budget.tokens_max.or(usual.tokens_max),
        usd_max: budget.usd_max.or(usual.usd_max),
        seconds_max: budget.seconds_max.or(usual.seconds_max),
    };
    // What is there now is written into the run, so that a resumed one asks the same.
    let learning = Environment::locate(&settings.env_dir).is_some_and(|environment| environment.set() == Set::Ml);
    Some(ModelUse {
        name,
        planner_off: false,
        derivations: 2,
        budget,
        rows: Some(settings.model_rows),
        learning,
        remembers: true,
        extras: true,
    })
}
