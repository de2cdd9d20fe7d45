//! Lessons found in one process that goes on, as a server does, while they change underneath.

use std::sync::Arc;

use flow::{Engine, Learned, Lesson, LessonKind, Memory, Options, Registry, Store};
use tasks::{FoundBy, Recall};

struct Lab {
    recall: Recall,
    memory: Memory,
}

impl Lab {
    async fn knowing(folder: &std::path::Path, tasks: &[&str]) -> Lab {
        let store = Store::open(folder).await.expect("the store opens");
        let engine = Arc::new(Engine::new(store, Registry::<()>::new(), Options::default()));
        let lab = Lab { recall: Recall::new(Box::new(|| None)), memory: engine.runs().memory() };
        for task in tasks {
            lab.learn(lesson(task)).await;
        }
        lab
    }

    async fn learn(&self, lesson: Lesson) {
        self.memory.learn(Learned { lessons: vec![lesson], ..Learned::default() }).await.expect("it is kept");
    }

    /// The tasks of what is found, and by what.
    async fn found(&self, text: &str) -> Vec<(String, FoundBy)> {
        let found = self.recall.search(&self.memory, text, 10).await.expect("it is looked for");
        found.into_iter().map(|one| (one.lesson.task, one.by)).collect()
    }

    async fn tasks(&self, text: &str) -> Vec<String> {
        self.found(text).await.into_iter().map(|(task, _)| task).collect()
    }
}

fn lesson(task: &str) -> Lesson {
    Lesson::new(LessonKind::Success, task, base::Timestamp(1)).named()
}

#[tokio::test]
async fn an_index_follows_what_is_learned_said_otherwise_hidden_and_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::knowing(folder.path(), &["parse iso dates", "sort numbers"]).await;
    assert_eq!(lab.tasks("dates").await, ["parse iso dates"]);
    lab.learn(lesson("format dates")).await;
    assert_eq!(lab.tasks("dates").await.len(), 2, "what was learned since is found");
    let sorted = lesson("sort numbers");
    let edit = |task: &str, hidden| lab.memory.edit(Lesson { task: task.into(), hidden, ..sorted.clone() });
    edit("order dates", false).await.expect("it is changed");
    assert_eq!(lab.tasks("numbers").await, Vec::<String>::new(), "what it said before is not found");
    assert_eq!(lab.tasks("dates").await.len(), 3);
    edit("order dates", true).await.expect("it is hidden");
    assert!(!lab.tasks("dates").await.contains(&"order dates".to_string()));
    edit("order dates", false).await.expect("it is shown");
    assert!(lab.tasks("dates").await.contains(&"order dates".to_string()));
    lab.memory.forget(vec![sorted.id.clone()]).await.expect("it is forgotten");
    assert_eq!(lab.tasks("dates").await.len(), 2);
    // The one that changed last is gone; what comes next is not taken for it.
    lab.learn(lesson("dates of birth")).await;
    assert!(lab.tasks("dates").await.contains(&"dates of birth".to_string()));
}

#[tokio::test]
async fn the_same_task_and_the_same_error_stand_first_and_what_did_not_help_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::knowing(folder.path(), &["parse dates", "parse dates of exports", "parse dates of imports"]).await;
    let failed = Lesson {
        error_signature: Some("KeyError: <key>".into()),
        ..Lesson::new(LessonKind::Failure, "something else", base::Timestamp(2))
    };
    lab.learn(failed.named()).await;
    assert_eq!(lab.found("parse  dates").await[0], ("parse dates".to_string(), FoundBy::Task));
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'dates'";
    assert_eq!(lab.found(trace).await[0], ("something else".to_string(), FoundBy::Signature));
    let before = lab.tasks("dates of exports and imports").await;
    let first = lesson(&before[0]);
    let uses = vec![(first.id.clone(), false)];
    let learned = Learned { uses, run: "r1".into(), patience: (9, 9), ..Learned::default() };
    lab.memory.learn(learned).await.expect("it is counted");
    assert_ne!(lab.tasks("dates of exports and imports").await[0], before[0], "it did not help, and sank");
}
