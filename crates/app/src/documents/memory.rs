//! Documents about lessons: those there are or that were looked for, and what was done to them.

use std::time::SystemTime;

use agent::memory::{Index, Query, signature, weight};
use base::{Code, Document, Problem};
use flow::{Lesson, LessonKind, Memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// What a lesson was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// It is about the same task.
    Task,
    /// It is about the same error.
    Signature,
    /// It shares words.
    Words,
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

/// Finds lessons: those about the same task first, then those about the same error, then by words. Hidden ones are not
/// found, and what did not help stands further down.
pub async fn search(memory: &Memory, text: &str, limit: usize) -> Result<Lessons, Problem> {
    let mut lessons = memory.all().await?;
    lessons.retain(|lesson| !lesson.hidden);
    let texts: Vec<String> = lessons.iter().map(words_of).collect();
    let ranked = Index::of(texts.iter().map(String::as_str)).search(&Query::of(text));
    let best = ranked.first().map_or(1.0, |(_, score)| *score);
    let signature = signature(text);
    let same = |one: &str| one.split_whitespace().eq(text.split_whitespace());
    let scores: std::collections::HashMap<usize, f64> = ranked.into_iter().collect();
    let mut found: Vec<FoundLesson> = Vec::new();
    for (place, lesson) in lessons.into_iter().enumerate() {
        let is_same_error = signature.is_some() && lesson.error_signature == signature;
        let (by, score) = match scores.get(&place) {
            _ if same(&lesson.task) => (FoundBy::Task, 1.0),
            _ if is_same_error => (FoundBy::Signature, 1.0),
            Some(score) => (FoundBy::Words, score / best),
            None => continue,
        };
        let score = score * weight(lesson.used, lesson.helped, lesson.imported);
        found.push(FoundLesson { score: Some((score * 1e4).round() / 1e4), by: Some(by), lesson });
    }
    let tier = |one: &FoundLesson| one.by != Some(FoundBy::Task) && one.by != Some(FoundBy::Signature);
    found.sort_by(|one, other| {
        tier(one).cmp(&tier(other)).then(other.score.unwrap_or(0.0).total_cmp(&one.score.unwrap_or(0.0)))
    });
    found.truncate(limit);
    Ok(Lessons { lessons: found })
}

/// What of a lesson is looked through. Of a note all it says; of others the task and the error, for their code would drown both.
fn words_of(lesson: &Lesson) -> String {
    let error = lesson.error_signature.as_deref().unwrap_or_default();
    let said = if lesson.kind == LessonKind::Note { lesson.fix.as_deref().unwrap_or_default() } else { "" };
    format!("{}\n{error}\n{said}", lesson.task)
}
