//! What was learned from runs, for those who look it up and for those who look through it. Rows are the store's; what they
//! mean is their tasks' affair.

use base::{Action, Code, Problem};
use store::{Learned, Lesson, LessonText, Store};

/// More are not looked through at once.
const LESSONS_MAX: usize = 200_000;
/// Fewer digits of an id say too little.
const ID_DIGITS_MIN: usize = 4;

/// The lessons of one store. Cheap to clone.
#[derive(Clone)]
pub struct Memory {
    store: Store,
}

impl Memory {
    pub(crate) fn new(store: Store) -> Memory {
        Memory { store }
    }

    /// All there are, the newest first.
    pub async fn all(&self) -> Result<Vec<Lesson>, Problem> {
        self.store.lessons(LESSONS_MAX).await
    }

    /// The lesson that is meant by what somebody typed: an id, or enough digits of its beginning.
    pub async fn find(&self, text: &str) -> Result<Lesson, Problem> {
        let digits = text.to_ascii_lowercase();
        let shown = base::shown(text);
        let unknown = |message: String| Problem::new(Code::NotFound, message).action(Action::ListLessons);
        if digits.len() < ID_DIGITS_MIN || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(unknown(format!("`{shown}` is not a lesson's id")));
        }
        let mut found = self.store.lessons_beginning(&digits, 2).await?;
        match (found.pop(), found.pop()) {
            (Some(lesson), None) => Ok(lesson),
            (None, _) => Err(unknown(format!("there is no lesson `{shown}`"))),
            _ => Err(unknown(format!("more than one lesson's id begins with `{shown}`")).hint("give more digits")),
        }
    }

    /// Solutions of the same task that passed the same tests, the best first.
    pub async fn of_task(&self, task: &str, checks: &str, limit: usize) -> Result<Vec<Lesson>, Problem> {
        self.store.lessons_of_task(task, checks, limit).await
    }

    /// Lessons about an error that say what to do, the best first.
    pub async fn of_error(&self, signature: &str, limit: usize) -> Result<Vec<Lesson>, Problem> {
        self.store.lessons_of_error(signature, limit).await
    }

    /// Lessons about a task or an error, whatever they say, the best first.
    pub async fn about(&self, task: &str, signature: Option<&str>, limit: usize) -> Result<Vec<Lesson>, Problem> {
        self.store.lessons_about(task, signature, limit).await
    }

    /// Those lessons of these ids that are there and not hidden.
    pub async fn named(&self, ids: Vec<String>) -> Result<Vec<Lesson>, Problem> {
        self.store.lessons_named(ids).await
    }

    /// What lessons are found by, of those that changed after a number, the oldest change first.
    pub async fn texts_since(&self, seq: i64, limit: usize) -> Result<Vec<LessonText>, Problem> {
        self.store.lesson_texts_since(seq, limit).await
    }

    /// Keeps lessons and counts what others did; says how many are new.
    pub async fn learn(&self, learned: Learned) -> Result<usize, Problem> {
        Ok(self.store.learn(learned).await?)
    }

    /// Changes what a lesson says.
    pub async fn edit(&self, lesson: Lesson) -> Result<bool, Problem> {
        Ok(self.store.edit_lesson(lesson).await?)
    }

    /// Forgets lessons; says how many were there.
    pub async fn forget(&self, ids: Vec<String>) -> Result<usize, Problem> {
        Ok(self.store.forget_lessons(ids).await?)
    }
}
