//! Finds lessons: by the same task and the same error in the store, and by what they are about in an index of this process.
//!
//! The index is made when somebody first looks for something, and follows the store from change to change; the store has
//! the word on whether a lesson is still there and not hidden. A table of vectors is used where one is there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::memory::{By, Index, Table, signature, weight};
use base::{Code, Problem};
use flow::{Lesson, LessonText, Memory};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Mutex;

/// Lessons that are read at once.
const CHUNK: usize = 10_000;
/// More are not looked through.
const TEXTS_MAX: usize = 500_000;
/// Lessons of one task or error that are looked at.
const SAME_MAX: usize = 100;
/// Beside what is wanted: some were hidden, forgotten or said otherwise since, and stand in the index.
const MORE: usize = 20;

/// Where a table of vectors is at this moment, if there is one.
pub type FindTable = Box<dyn Fn() -> Option<PathBuf> + Send + Sync>;

/// Finds lessons.
pub struct Recall {
    find_table: FindTable,
    held: Arc<Mutex<Held>>,
}

/// A lesson, and why it was found.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// What is remembered.
    pub lesson: Lesson,
    /// From 0 to 1.
    pub score: f64,
    /// What it was found by.
    pub by: FoundBy,
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
    /// It is about something like it, whatever the words.
    Vector,
}

impl FoundBy {
    /// The word in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            FoundBy::Task => "task",
            FoundBy::Signature => "signature",
            FoundBy::Words => "words",
            FoundBy::Vector => "vector",
        }
    }

    /// What is equal stands before what is like.
    fn is_alike_only(self) -> bool {
        matches!(self, FoundBy::Words | FoundBy::Vector)
    }
}

/// The index, as far as it has followed the store.
#[derive(Default)]
struct Held {
    table: Option<PathBuf>,
    index: Index,
    /// Of each text the lesson.
    ids: Vec<String>,
    /// Of each lesson what it says now.
    places: HashMap<String, usize>,
    seq: i64,
}

impl Held {
    /// An empty one. A file that is no table is as good as none: `doctor` does not read it either.
    fn of(table: Option<PathBuf>) -> Held {
        let read = |path: &Path| Table::read(std::fs::read(path).ok()?).ok();
        let index = Index::new(table.as_deref().and_then(read).map(Arc::new));
        Held { table, index, ..Held::default() }
    }

    fn add(&mut self, texts: Vec<LessonText>) {
        for LessonText { seq, id, text } in texts {
            self.index.add(&text);
            self.places.insert(id.clone(), self.ids.len());
            self.ids.push(id);
            self.seq = self.seq.max(seq);
        }
    }

    /// Lessons by what they are about, the best first, each once.
    fn search(&self, text: &str, limit: usize) -> Vec<(String, f64, By)> {
        let hits = self.index.search(text, limit);
        let current = hits.into_iter().filter(|hit| self.places.get(&self.ids[hit.place]) == Some(&hit.place));
        current.map(|hit| (self.ids[hit.place].clone(), hit.score, hit.by)).collect()
    }
}

impl Recall {
    /// One that has read nothing yet.
    pub fn new(find_table: FindTable) -> Recall {
        Recall { find_table, held: Arc::default() }
    }

    /// Finds lessons: those about the same task or the same error first, then those about something like it. Hidden ones are
    /// not found, and what did not help stands further down.
    pub async fn search(&self, memory: &Memory, text: &str, limit: usize) -> Result<Vec<Recalled>, Problem> {
        let error = signature(text);
        let mut found = HashMap::new();
        for lesson in memory.about(text, error.as_deref(), SAME_MAX).await? {
            let same_error = error.is_some() && lesson.error_signature == error;
            let is_task = lesson.task.split_whitespace().eq(text.split_whitespace());
            let by = if same_error && !is_task { FoundBy::Signature } else { FoundBy::Task };
            found.insert(lesson.id.clone(), (1.0, by));
        }
        // Of a traceback only what it comes to says something.
        let about = error.filter(|_| text.trim().contains('\n')).unwrap_or_else(|| text.to_string());
        for (id, score, by) in self.like(memory, about, limit + MORE).await? {
            let by = if by == By::Words { FoundBy::Words } else { FoundBy::Vector };
            found.entry(id).or_insert((score, by));
        }
        let lessons = memory.named(found.keys().cloned().collect()).await?;
        let mut found: Vec<Recalled> = lessons
            .into_iter()
            .map(|lesson| {
                let (score, by) = found[&lesson.id];
                let score = score * weight(lesson.used, lesson.helped, lesson.imported);
                Recalled { score: (score * 1e4).round() / 1e4, by, lesson }
            })
            .collect();
        found.sort_by(|one, other| {
            let tiers = one.by.is_alike_only().cmp(&other.by.is_alike_only());
            let newest = || other.lesson.created_at.0.cmp(&one.lesson.created_at.0);
            tiers
                .then(other.score.total_cmp(&one.score))
                .then_with(newest)
                .then_with(|| one.lesson.id.cmp(&other.lesson.id))
        });
        found.truncate(limit);
        Ok(found)
    }

    /// Looks through the index, which is brought up to date before.
    async fn like(&self, memory: &Memory, text: String, limit: usize) -> Result<Vec<(String, f64, By)>, Problem> {
        let mut held = self.held.clone().lock_owned().await;
        let table = (self.find_table)();
        if held.table != table {
            held = blocking(move || {
                *held = Held::of(table);
                held
            })
            .await?;
        }
        while held.ids.len() < TEXTS_MAX {
            let texts = memory.texts_since(held.seq, CHUNK).await?;
            if texts.is_empty() {
                break;
            }
            held = blocking(move || {
                held.add(texts);
                held
            })
            .await?;
        }
        blocking(move || held.search(&text, limit)).await
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::new(Code::Internal, format!("looking through lessons was given up: {error}")))
}
