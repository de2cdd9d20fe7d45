//! Every document there is, in one table: its name and its JSON Schema. What a task or the journal makes is a type of
//! `tasks` or `flow`; what only front doors make is a type of the modules below, with the functions that make it.
//!
//! Invariant: nothing is printed as a document that is not in the table.

pub mod data;
pub mod machine;
pub mod memory;
pub mod models;
pub mod plan;
pub mod runs;
pub mod tokens;

use base::{Action, Code, Document, Problem, nearest, schema_of};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A document's name, which is the `kind` it says, and its schema.
type Entry = (&'static str, fn() -> Value);

const fn entry<D: Document>() -> Entry {
    (D::KIND, D::schema)
}

/// A part of documents that has a `kind` of its own, and is a line by itself where lessons are written to a file.
const LESSON: &str = "lesson";

const ALL: &[Entry] = &[
    entry::<tasks::Answer>(),
    entry::<tasks::SqlDocument>(),
    entry::<tasks::PlanDocument>(),
    entry::<plan::PlanCheck>(),
    entry::<plan::PlanSql>(),
    entry::<plan::PlanSchema>(),
    entry::<tasks::EvalDocument>(),
    entry::<tasks::ExecutionDocument>(),
    entry::<tasks::Solution>(),
    entry::<tasks::SolveState>(),
    (LESSON, schema_of::<flow::Lesson>),
    entry::<memory::Lessons>(),
    entry::<memory::LessonsForgotten>(),
    entry::<memory::LessonsImport>(),
    entry::<memory::LessonsExport>(),
    entry::<machine::Guard>(),
    entry::<data::Datasets>(),
    entry::<data::Dataset>(),
    entry::<data::DatasetSchema>(),
    entry::<data::Profile>(),
    entry::<data::Added>(),
    entry::<data::Refreshed>(),
    entry::<data::Removed>(),
    entry::<data::Export>(),
    entry::<data::Metadata>(),
    entry::<data::DemoFiles>(),
    entry::<data::Notes>(),
    entry::<data::Remembered>(),
    entry::<flow::documents::Runs>(),
    entry::<flow::documents::Run>(),
    ("event", schema_of::<flow::Event>),
    entry::<runs::Queued>(),
    entry::<runs::Worker>(),
    entry::<runs::Cancel>(),
    entry::<runs::Decision>(),
    entry::<runs::Replay>(),
    entry::<runs::Capsule>(),
    entry::<runs::Import>(),
    entry::<flow::documents::Prune>(),
    entry::<flow::documents::Threads>(),
    entry::<flow::documents::Thread>(),
    entry::<runs::ThreadForgotten>(),
    entry::<runs::Caches>(),
    entry::<flow::documents::Cleared>(),
    entry::<tasks::DemoDocument>(),
    entry::<tasks::PlanTour>(),
    entry::<machine::Doctor>(),
    entry::<machine::Probe>(),
    entry::<machine::Broker>(),
    entry::<machine::BrokerStop>(),
    entry::<machine::Installed>(),
    entry::<machine::Config>(),
    entry::<machine::McpSetup>(),
    entry::<models::Models>(),
    entry::<models::ModelShown>(),
    entry::<models::ModelTest>(),
    entry::<models::ModelPulled>(),
    entry::<models::ModelRemoved>(),
    entry::<models::ModelChosen>(),
    entry::<tokens::Token>(),
    entry::<tokens::Tokens>(),
    entry::<tokens::TokenRevoked>(),
    entry::<Schemas>(),
    entry::<Problem>(),
];

/// The JSON Schema of every document, or of one, by its name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Schemas {
    /// Each by the `kind` that its document says.
    pub schemas: Map<String, Value>,
}

impl Document for Schemas {
    const KIND: &'static str = "schemas";
}

impl Schemas {
    /// Of every document there is.
    pub fn all() -> Schemas {
        Schemas { schemas: ALL.iter().map(|(name, schema)| (name.to_string(), schema())).collect() }
    }

    /// Of the document of that name.
    pub fn one(name: &str) -> Result<Schemas, Problem> {
        if let Some((known, schema)) = ALL.iter().find(|(known, _)| *known == name) {
            return Ok(Schemas { schemas: Map::from_iter([(known.to_string(), schema())]) });
        }
        let problem = Problem::new(Code::Usage, format!("there is no document `{}`", base::shown(name)));
        Err(match nearest(name, ALL.iter().map(|(known, _)| *known)).first() {
            Some(close) => problem.hint(format!("did you mean `{close}`?")),
            None => problem.action(Action::ListDocuments),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_document_has_a_name_of_its_own_and_says_what_it_is() {
        let names: HashSet<&str> = ALL.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), ALL.len());
        for (name, schema) in ALL.iter().filter(|(name, _)| *name != LESSON) {
            let schema = schema();
            assert_eq!(schema["properties"]["v"]["const"], 1, "{name}");
            let kind = if *name == "event" { &Value::Null } else { &Value::from(*name) };
            assert_eq!(&schema["properties"]["kind"]["const"], kind, "{name}");
            assert!(schema["description"].as_str().is_some_and(|about| !about.is_empty()), "{name} is not described");
        }
    }

    /// Where a document leaves a field out, it is one that older programs did not write or that says nothing there.
    #[test]
    fn every_field_of_a_document_is_always_there() {
        for (name, schema) in ALL.iter().filter(|(name, _)| *name != "broker") {
            let schema = schema();
            let fields: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
            assert_eq!(schema["required"], serde_json::json!(fields), "{name}");
        }
    }

    #[test]
    fn a_misspelt_document_is_suggested() {
        let problem = Schemas::one("anwser").expect_err("there is none");
        assert_eq!((problem.code, problem.hint.as_deref()), (Code::Usage, Some("did you mean `answer`?")));
    }
}
