//! The tasks as an engine sees them, without a sandbox: what they are called, what they are given, when they stop.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::Code;
use flow::{Engine, Finish, Options, Request, Start, Store};
use sandbox::EnvironmentOptions;
use serde_json::{Value, json};
use tasks::{Context, DEMO};
use warehouse::{Warehouse, Warmth};

struct Lab {
    engine: Arc<Engine<Context>>,
    context: Arc<Context>,
}

impl Lab {
    async fn in_folder(folder: &Path) -> Lab {
        let environment =
            EnvironmentOptions { directory: folder.join("env"), python: None, search_path: String::new() };
        let nobody = PathBuf::from("/nonexistent");
        let warehouse = Warehouse::new(folder.to_path_buf(), nobody, environment, Warmth::Cold, Arc::new(|_| {}));
        let store = Store::open(folder).await.expect("the store opens");
        let engine = Arc::new(Engine::new(store, tasks::tasks(), Options::default()));
        Lab {
            engine,
            context: Arc::new(Context {
                models: model::Directory::default(),
                warehouse,
                build: "test".to_string(),
                budget_day: tasks::DayBudget::default(),
                searches: tasks::Searches::default(),
                recall: tasks::Recall::new(Box::new(|| None)),
            }),
        }
    }

    async fn ended(&self, task: &str, input: Value) -> Result<Finish, base::Problem> {
        let request = Request { task: task.to_string(), input, title: None, key: None };
        let mut spawned = self.engine.spawn(&self.context, Start::Request(request)).await.expect("handed over");
        spawned.ended().await.expect("worked on").result
    }
}

#[tokio::test]
async fn an_input_that_no_longer_fits_is_said_to_be_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::in_folder(folder.path()).await;
    for task in [tasks::ASK, tasks::SQL, tasks::EVAL, tasks::PLAN, tasks::PROGRAM, DEMO] {
        let problem = lab.ended(task, json!({ "of": "another program" })).await.expect_err(task);
        assert_eq!(problem.code, Code::JournalMismatch, "{task}: {problem}");
        assert!(problem.run.is_some() && problem.hint.is_some(), "{task}");
    }
}

#[tokio::test]
async fn what_was_asked_of_other_data_is_not_answered_from_this() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::in_folder(folder.path()).await;
    let version = "0".repeat(64);
    let data = json!(["ecommerce"]);
    let question = json!({ "data": data, "version": version, "question": "orders", "answer_all": false,
                           "reading": null, "no_cache": false, "thread": null });
    let statement = json!({ "data": data, "version": version, "sql": "SELECT 1" });
    for (task, input) in [(tasks::ASK, question.clone()), (tasks::SQL, statement)] {
        assert_eq!(lab.ended(task, input).await.expect_err(task).code, Code::InputChanged, "{task}");
    }
    let mut elsewhere = question;
    elsewhere["data"] = json!(["Cargo.toml"]);
    let problem = lab.ended(tasks::ASK, elsewhere).await.expect_err("a name, not a file of the working directory");
    assert_eq!(problem.code, Code::DatasetUnknown, "{problem}");
}

#[tokio::test]
async fn the_demo_counts_its_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::in_folder(folder.path()).await;
    let input = json!({ "steps": 3, "step_ms": 0, "effects": null, "unlucky": null });
    let finish = lab.ended(DEMO, input).await.expect("it ends");
    assert_eq!((&finish.output["kind"], &finish.output["steps"]), (&json!("demo"), &json!(3)));
}
