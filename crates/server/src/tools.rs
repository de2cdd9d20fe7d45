//! The tools of MCP: what each takes, what it may do, and what it gives, cut to what a model can read.

use std::sync::Arc;

use app::documents::data::{DatasetSchema, Datasets};
use app::documents::memory::Lessons;
use app::documents::runs::Replay;
use app::requests::resolve;
use app::tokens::Scope;
use base::{Code, Document, Problem};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::place::Place;
use crate::requests::{self, Question};
use crate::runs::found;
use crate::{codes, lessons};

/// More rows are left out, with a hint.
const ROWS_MAX: usize = 50;
/// More of one text is left out.
const TEXT_CHARACTERS_MAX: usize = 6_000;

/// What a tool takes: a name, whether it is needed, and what it is.
type Argument = (&'static str, bool, &'static str);

const DATASET: Argument = ("dataset_id", true, "A dataset's id, as list_datasets gives it");
const RUN: Argument = ("run_id", true, "A run's id, as the other tools give it");

/// One tool.
struct Entry {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    scope: Scope,
    arguments: &'static [Argument],
}

const TOOLS: &[Entry] = &[
    Entry {
        name: "list_datasets",
        title: "List datasets",
        about: "Which datasets can be asked: ids, what they are about, their tables.",
        scope: Scope::Read,
        arguments: &[],
    },
    Entry {
        name: "describe_dataset",
        title: "Describe a dataset",
        about: "Tables, columns with types and examples, relations, and questions to begin with.",
        scope: Scope::Read,
        arguments: &[DATASET],
    },
    Entry {
        name: "ask_data",
        title: "Ask a question",
        about: "Answers a plain English question with a table and a sentence, computed twice where possible; says how the \
                answer is known, or refuses with questions it could answer.",
        scope: Scope::Ask,
        arguments: &[DATASET, ("question", true, "One question in plain English")],
    },
    Entry {
        name: "run_sql",
        title: "Run SQL",
        about: "Runs one SELECT (DuckDB's dialect) over a dataset's tables in a sandbox; anything else is refused.",
        scope: Scope::Ask,
        arguments: &[DATASET, ("sql", true, "One SELECT; aggregate or LIMIT, since few rows are shown")],
    },
    Entry {
        name: "run_python",
        title: "Run Python",
        about: "Runs a program in a sandbox without network or files; a dataset's tables are DataFrames under their names, \
                and the last expression is the result.",
        scope: Scope::Ask,
        arguments: &[
            ("code", true, "The program; pandas and numpy are there"),
            ("dataset_id", false, "A dataset's id, to have its tables"),
        ],
    },
    Entry {
        name: "verify_answer",
        title: "Verify an answer",
        about: "Holds a recorded run against its own code and journal, and says how its answer is known.",
        scope: Scope::Ask,
        arguments: &[RUN],
    },
    Entry {
        name: "get_run",
        title: "Get a run",
        about: "Where a run stands, its steps, and what it gave.",
        scope: Scope::Read,
        arguments: &[RUN],
    },
    Entry {
        name: "recall_lessons",
        title: "Recall lessons",
        about: "What was learned in earlier runs about a task or an error: what worked, what did not, and why.",
        scope: Scope::Read,
        arguments: &[("text", true, "The task, or the error's last line")],
    },
    Entry {
        name: "save_lesson",
        title: "Save a lesson",
        about: "Remembers, for later runs, what is to be done or avoided.",
        scope: Scope::Write,
        arguments: &[("text", true, "One or two sentences that will help next time")],
    },
];

/// Every tool, as it is told to an assistant.
pub fn all() -> Vec<Tool> {
    TOOLS.iter().map(Entry::told).collect()
}

/// What a tool's caller has to be allowed; nothing if there is no such tool.
pub fn scope(name: &str) -> Option<Scope> {
    TOOLS.iter().find(|tool| tool.name == name).map(|tool| tool.scope)
}

impl Entry {
    fn told(&self) -> Tool {
        let properties: Map<String, Value> = self
            .arguments
            .iter()
            .map(|(name, _, about)| (name.to_string(), json!({ "type": "string", "description": about })))
            .collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|(_, needed, _)| *needed).map(|(name, ..)| *name).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        let reads = self.scope == Scope::Read;
        // Everything that is run is shut in and leaves no trace but its record.
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(reads)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Tool::new(self.name, self.about, Arc::new(schema)).with_title(self.title).with_annotations(annotations)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfDataset {
    dataset_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    dataset_id: String,
    question: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sql {
    dataset_id: String,
    sql: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Python {
    code: String,
    #[serde(default)]
    dataset_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRun {
    run_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfText {
    text: String,
}

/// Calls a tool.
pub async fn call(place: &Place, name: &str, arguments: Value) -> Result<Value, Problem> {
    match name {
        "list_datasets" => list(place).await,
        "describe_dataset" => {
            let OfDataset { dataset_id } = read(arguments)?;
            let resolved = resolve(&place.app, &place.names(), &[dataset_id]).await?;
            let prepared = resolved.prepare(place.app.warehouse()).await?;
            Ok(cut(DatasetSchema::of(&prepared).to_json()))
        }
        "ask_data" => {
            let Asked { dataset_id, question } = read(arguments)?;
            let asked = Question {
                dataset_id,
                message: question,
                thread_id: None,
                model: None,
                reading: None,
                no_cache: false,
            };
            ran(place, requests::ask(place, &asked, None).await?).await
        }
        "run_sql" => {
            let Sql { dataset_id, sql } = read(arguments)?;
            ran(place, requests::sql(place, &dataset_id, &sql, None).await?).await
        }
        "run_python" => {
            let Python { code, dataset_id } = read(arguments)?;
            ran(place, requests::python(place, dataset_id.as_deref(), &code, false, None).await?).await
        }
        "recall_lessons" => {
            const LESSONS_MAX: usize = 5;
            Ok(cut(lessons::found(place, Some(&read::<OfText>(arguments)?.text), LESSONS_MAX).await?.to_json()))
        }
        "save_lesson" => {
            let OfText { text } = read(arguments)?;
            let lesson = lessons::kept(place, &lessons::Note { text, task: None, error: None, run: None }).await?;
            Ok(cut(Lessons::of(vec![lesson]).to_json()))
        }
        "verify_answer" => verify(place, &read::<OfRun>(arguments)?.run_id).await,
        "get_run" => show(place, &read::<OfRun>(arguments)?.run_id).await,
        _ => Err(Problem::new(Code::NotFound, format!("there is no tool `{}`", base::shown(name)))),
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Problem> {
    serde_json::from_value(arguments).map_err(|error| {
        Problem::new(Code::Usage, format!("the arguments are not what the tool takes: {error}"))
            .hint("the tool's input schema says what they are")
    })
}

async fn list(place: &Place) -> Result<Value, Problem> {
    let (document, _) = Datasets::of(place.app.warehouse()).await?;
    let told = document.datasets.iter().map(
        |one| json!({ "dataset_id": one.id, "description": one.description, "tables": one.tables, "rows": one.rows }),
    );
    Ok(json!({ "datasets": told.collect::<Vec<_>>() }))
}

/// Runs something to its end; what it gave, without what only programs read.
async fn ran(place: &Place, request: flow::Request) -> Result<Value, Problem> {
    let begun = place.begin_soon(request).await?;
    let run = begun.run.clone();
    let document = codes::told(place.end_of(begun).await?);
    let mut said =
        without(document, &["v", "run", "dataset", "chart", "plan", "plan_hash", "usage", "isolation", "timing_ms"]);
    said["run_id"] = json!(run);
    Ok(cut(said))
}

async fn verify(place: &Place, id: &str) -> Result<Value, Problem> {
    let run = found(place, id).await?;
    let output = place.runs().await?.output(&place.runs().await?.journal(&run).await?).await?;
    let replay = Replay::from(place.app.engine().await?.replay(&place.app.context, &run).await?);
    Ok(cut(json!({
        "run_id": run,
        "same": replay.same,
        "steps": replay.steps,
        "difference": replay.difference,
        "known": output["known"],
        "reading": output["reading"],
        "sentence": output["sentence"],
    })))
}

async fn show(place: &Place, id: &str) -> Result<Value, Problem> {
    let run = found(place, id).await?;
    let journal = place.runs().await?.journal(&run).await?;
    let output = codes::told(place.runs().await?.output(&journal).await?);
    let step = |step: &flow::documents::Step| json!({ "name": step.name, "state": step.state, "duration_ms": step.duration_ms });
    let document = flow::documents::Run::from(&journal);
    Ok(cut(json!({
        "run_id": run,
        "task": document.task,
        "state": document.state,
        "title": document.title,
        "steps": document.steps.iter().map(step).collect::<Vec<_>>(),
        "problem": document.problem,
        "output": without(output, &["chart", "plan", "usage", "isolation"]),
    })))
}

fn without(mut document: Value, fields: &[&str]) -> Value {
    if let Some(object) = document.as_object_mut() {
        fields.iter().for_each(|field| drop(object.shift_remove(*field)));
    }
    document
}

/// Cuts what is long: rows beyond the first, texts beyond their beginning; says so, and what to do.
fn cut(mut said: Value) -> Value {
    let mut hints = Vec::new();
    shorten(&mut said, &mut hints);
    hints.dedup();
    if let Some(object) = said.as_object_mut().filter(|_| !hints.is_empty()) {
        object.insert("hint".to_string(), json!(hints.join("; ")));
    }
    said
}

fn shorten(value: &mut Value, hints: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(TEXT_CHARACTERS_MAX) {
                text.truncate(at);
                text.push('…');
                hints.push(format!("texts are cut after {TEXT_CHARACTERS_MAX} characters: print less"));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, hints)),
        Value::Object(fields) => {
            let count = fields.get("row_count").and_then(Value::as_u64);
            if let (Some(count), Some(Value::Array(rows))) = (count, fields.get_mut("rows"))
                && rows.len() > ROWS_MAX
            {
                rows.truncate(ROWS_MAX);
                fields.insert("truncated".to_string(), json!(true));
                hints.push(format!(
                    "{ROWS_MAX} of {count} rows are shown: narrow with a filter, a LIMIT or an aggregate"
                ));
            }
            fields.values_mut().for_each(|field| shorten(field, hints));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_cut_and_says_how_to_ask_for_less() {
        let rows: Vec<Value> = (0..80).map(|number| json!([number])).collect();
        let said =
            cut(json!({ "table": { "rows": rows, "row_count": 80, "truncated": false }, "stdout": "é".repeat(7_000) }));
        assert_eq!(said["table"]["rows"].as_array().map(Vec::len), Some(ROWS_MAX));
        assert_eq!(said["table"]["truncated"], true);
        assert_eq!(said["stdout"].as_str().map(|text| text.chars().count()), Some(TEXT_CHARACTERS_MAX + 1));
        let hint = said["hint"].as_str().expect("a hint");
        assert!(hint.contains("50 of 80 rows") && hint.contains("print less"), "{hint}");
        assert_eq!(cut(json!({ "a": 1 })), json!({ "a": 1 }));
    }
}
