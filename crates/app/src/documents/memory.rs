//! Documents about lessons: those there are or that were looked for, and what was done to them.

use std::time::SystemTime;

use agent::memory::signature;
use base::{Code, Document, Problem};
use flow::{Lesson, LessonKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use tasks::FoundBy;
use tasks::Recalled;

use crate::App;

/// Lessons, the newest or the best first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Lessons {
    /// Each with why it was found.
    pub lessons: Vec<FoundLesson>,
}

impl Document for Lessons {
    const KIND: &'static str = "lessons";
}

/// A lesson, and how well it fits what was looked for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FoundLesson {
    /// What is remembered.
    #[serde(flatten)]
    pub lesson: Lesson,
    /// From 0 to 1; none where nothing was looked for.
    pub score: Option<f64>,
    /// What it was found by; none where nothing was looked for.
    pub by: Option<FoundBy>,
}

/// Which lessons were forgotten.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonsForgotten {
    /// By their ids.
    pub forgotten: Vec<String>,
}

impl Document for LessonsForgotten {
    const KIND: &'static str = "lessons_forgotten";
}

/// What came in from a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonsImport {
    /// Those that were not known.
    pub added: usize,
    /// Those that were.
    pub merged: usize,
}

impl Document for LessonsImport {
    const KIND: &'static str = "lessons_import";
}

/// What was written to a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LessonsExport {
    /// The file.
    pub file: String,
    /// How many it holds.
    pub lessons: usize,
}

impl Document for LessonsExport {
    const KIND: &'static str = "lessons_export";
}

impl Lessons {
    /// As they come.
    pub fn of(lessons: Vec<Lesson>) -> Lessons {
        Lessons { lessons: lessons.into_iter().map(|lesson| FoundLesson { lesson, score: None, by: None }).collect() }
    }
}

/// What tells an error from others; what is not one as Python prints it stands for itself.
pub fn error_signature(error: &str) -> String {
    signature(error).unwrap_or_else(|| error.trim().to_string())
}

/// What a person says, as a lesson: about a task, after an error, or in general.
pub fn noted(text: &str, task: Option<&str>, error: Option<&str>) -> Result<Lesson, Problem> {
    bounded(&[Some(text), task, error])?;
    let lesson = Lesson {
        fix: Some(text.to_string()),
        error_signature: error.map(error_signature),
        outcome: "said by a person".to_string(),
        ..Lesson::new(LessonKind::Note, task.unwrap_or(text), SystemTime::now().into())
    };
    Ok(lesson.named())
}

/// What a person says of a lesson that is there; what is not said stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct LessonChange {
    /// What to do instead.
    #[serde(default)]
    pub fix: Option<String>,
    /// The task it is about.
    #[serde(default)]
    pub task: Option<String>,
    /// The error it is about, as Python prints it.
    #[serde(default)]
    pub error: Option<String>,
    /// Whether it is found no more.
    #[serde(default)]
    pub hidden: Option<bool>,
}

impl LessonChange {
    /// The lesson as it is then.
    pub fn of(&self, lesson: Lesson) -> Result<Lesson, Problem> {
        bounded(&[self.fix.as_deref(), self.task.as_deref(), self.error.as_deref()])?;
        Ok(Lesson {
            task: self.task.clone().unwrap_or(lesson.task),
            fix: self.fix.clone().or(lesson.fix),
            error_signature: self.error.as_deref().map(error_signature).or(lesson.error_signature),
            hidden: self.hidden.unwrap_or(lesson.hidden),
            ..lesson
        })
    }
}

fn bounded(parts: &[Option<&str>]) -> Result<(), Problem> {
    const TEXT_BYTES_MAX: usize = 16 << 10;
    if parts.iter().flatten().all(|part| !part.trim().is_empty() && part.len() <= TEXT_BYTES_MAX) {
        return Ok(());
    }
    Err(Problem::new(Code::Usage, format!("a lesson has 1 to {TEXT_BYTES_MAX} bytes"))
        .hint("say in a sentence or two what is to be done, or not"))
}

/// Finds lessons, the best first.
pub async fn search(app: &App, text: &str, limit: usize) -> Result<Lessons, Problem> {
    let memory = app.engine().await?.runs().memory();
    let found = app.context.recall.search(&memory, text, limit).await?;
    let told = |Recalled { lesson, score, by }| FoundLesson { lesson, score: Some(score), by: Some(by) };
    Ok(Lessons { lessons: found.into_iter().map(told).collect() })
}
