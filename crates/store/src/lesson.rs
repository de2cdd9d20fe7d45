//! What was learned from runs: rows that are found by their task, by an error, or by whoever looks through all of them.
//!
//! A lesson's id follows from what it says, so the same is kept once, however often it is learned. What it did for later
//! runs is counted by run, so a step that is done again counts once.
//!
//! Each change of what a lesson says has a number, larger than any before it: who holds an index over all of them asks only
//! for what came since. What was forgotten or hidden since is simply not there when it is looked up by its id.

use base::{Hash, Timestamp};
use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::sql::{all, execute, one};

/// Something remembered from an earlier run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lesson {
    /// Its name.
    #[serde(default)]
    pub id: String,
    /// What it tells.
    pub kind: LessonKind,
    /// What was to be done, in the user's words.
    pub task: String,
    /// What tells the error from others, whatever the names in it.
    pub error_signature: Option<String>,
    /// The code: of a success the solution, of a failure what failed.
    pub code: Option<String>,
    /// What to do instead.
    pub fix: Option<String>,
    /// How it came out.
    #[serde(default)]
    pub outcome: String,
    /// The run it comes from.
    pub run: Option<String>,
    /// When it was learned.
    pub created_at: Timestamp,
    /// How many runs used it.
    #[serde(default)]
    pub used: i64,
    /// How many of them it helped.
    #[serde(default)]
    pub helped: i64,
    /// Whether it is found no more, because it did not help or because somebody said so.
    #[serde(default)]
    pub hidden: bool,
    /// Whether it comes from elsewhere, and is trusted less.
    #[serde(default)]
    pub imported: bool,
    /// What tells the tests that its solution passed from others.
    #[serde(default)]
    pub checks: Option<String>,
}

/// What a lesson tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LessonKind {
    Success,
    Failure,
    Note,
}

impl LessonKind {
    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            LessonKind::Success => "success",
            LessonKind::Failure => "failure",
            LessonKind::Note => "note",
        }
    }

    fn parse(word: &str) -> Option<LessonKind> {
        [LessonKind::Success, LessonKind::Failure, LessonKind::Note].into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Lesson {
    /// One that nobody used yet, with the id that follows from what it says.
    pub fn new(kind: LessonKind, task: &str, created_at: Timestamp) -> Lesson {
        Lesson {
            id: String::new(),
            kind,
            task: task.to_string(),
            error_signature: None,
            code: None,
            fix: None,
            outcome: String::new(),
            run: None,
            created_at,
            used: 0,
            helped: 0,
            hidden: false,
            imported: false,
            checks: None,
        }
    }

    /// The same with its id, which follows from what it says.
    pub fn named(mut self) -> Lesson {
        const DIGITS: usize = 16;
        let parts = (&self.kind, task_key(&self.task), &self.error_signature, &self.code, &self.fix, &self.checks);
        let text = serde_json::to_string(&parts).unwrap_or_default();
        self.id = Hash::of(text.as_bytes()).as_str()[..DIGITS].to_string();
        self
    }
}

/// The same for tasks that differ in blanks only.
pub fn task_key(task: &str) -> Hash {
    Hash::of(task.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
}

/// What a run has learned, and what earlier lessons did for it.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// New ones, or ones that are known already.
    pub lessons: Vec<Lesson>,
    /// Those that were used, and whether they helped.
    pub uses: Vec<(String, bool)>,
    /// Who used them.
    pub run: String,
    /// Uses beyond three times those that helped, after which a lesson is hidden; and one from elsewhere.
    pub patience: (i64, i64),
}

pub(crate) fn learn(connection: &Connection, learned: &Learned) -> Result<usize, Failure> {
    let mut added = 0;
    for lesson in &learned.lessons {
        added += put(connection, lesson)?;
    }
    for (id, helped) in &learned.uses {
        execute(
            connection,
            "INSERT INTO lesson_uses (lesson, run, helped) SELECT id, ?2, ?3 FROM lessons WHERE id = ?1
             ON CONFLICT (lesson, run) DO UPDATE SET helped = MAX(lesson_uses.helped, excluded.helped)",
            params![id, &learned.run, helped],
        )?;
        execute(
            connection,
            "UPDATE lessons SET hidden = 1 WHERE id = ?1 AND
                 (SELECT COUNT(*) - 3 * COALESCE(SUM(helped), 0) FROM lesson_uses WHERE lesson = ?1)
                 >= CASE imported WHEN 0 THEN ?2 ELSE ?3 END",
            params![id, learned.patience.0, learned.patience.1],
        )?;
    }
    Ok(added)
}

/// One that is known stays as it is, but what was learned here is not from elsewhere any more.
fn put(connection: &Connection, lesson: &Lesson) -> Result<usize, Failure> {
    let known: Option<bool> =
        one(connection, "SELECT imported FROM lessons WHERE id = ?1", params![&lesson.id], |row| row.get(0))?;
    if known.is_some() {
        if known == Some(true) && !lesson.imported {
            count_change(connection)?;
            let own =
                "UPDATE lessons SET imported = 0, hidden = 0, seq = (SELECT seq FROM lesson_changes) WHERE id = ?1";
            execute(connection, own, params![&lesson.id])?;
        }
        return Ok(0);
    }
    count_change(connection)?;
    execute(
        connection,
        "INSERT INTO lessons (id, kind, task, task_key, checks, error_signature, code, fix, outcome, run, created_at,
                              hidden, imported, seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, (SELECT seq FROM lesson_changes))",
        params![
            &lesson.id,
            lesson.kind.as_str(),
            &lesson.task,
            task_key(&lesson.task).as_str(),
            &lesson.checks,
            &lesson.error_signature,
            &lesson.code,
            &lesson.fix,
            &lesson.outcome,
            &lesson.run,
            lesson.created_at.0,
            lesson.hidden,
            lesson.imported
        ],
    )
}

fn count_change(connection: &Connection) -> Result<usize, Failure> {
    execute(connection, "UPDATE lesson_changes SET seq = seq + 1", [])
}

/// Changes what a lesson says and whether it is hidden; its id stays.
pub(crate) fn edit(connection: &Connection, lesson: &Lesson) -> Result<usize, Failure> {
    count_change(connection)?;
    execute(
        connection,
        "UPDATE lessons SET task = ?2, task_key = ?3, error_signature = ?4, code = ?5, fix = ?6, outcome = ?7, hidden = ?8,
                            seq = (SELECT seq FROM lesson_changes)
         WHERE id = ?1",
        params![
            &lesson.id,
            &lesson.task,
            task_key(&lesson.task).as_str(),
            &lesson.error_signature,
            &lesson.code,
            &lesson.fix,
            &lesson.outcome,
            lesson.hidden
        ],
    )
}

pub(crate) fn forget(connection: &Connection, ids: &[String]) -> Result<usize, Failure> {
    let mut gone = 0;
    for id in ids {
        gone += execute(connection, "DELETE FROM lessons WHERE id = ?1", params![id])?;
    }
    Ok(gone)
}

const COLUMNS: &str =
    "lessons.id, kind, task, checks, error_signature, code, fix, outcome, lessons.run, created_at, hidden,
    imported, (SELECT COUNT(*) FROM lesson_uses WHERE lesson = lessons.id) AS used,
    (SELECT COALESCE(SUM(helped), 0) FROM lesson_uses WHERE lesson = lessons.id) AS helped";

/// Own ones before those from elsewhere, then those that helped most, then the newest.
const BEST_FIRST: &str = "ORDER BY imported, helped DESC, created_at DESC, lessons.id";

/// All there are, the newest first.
pub(crate) fn every(connection: &Connection, limit: i64) -> Result<Vec<Lesson>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM lessons ORDER BY created_at DESC, lessons.id LIMIT ?1");
    all(connection, &sql, params![limit], read)
}

/// Those whose ids begin so.
pub(crate) fn beginning(connection: &Connection, digits: &str, limit: i64) -> Result<Vec<Lesson>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS} FROM lessons WHERE substr(lessons.id, 1, length(?1)) = ?1 ORDER BY lessons.id LIMIT ?2"
    );
    all(connection, &sql, params![digits, limit], read)
}

/// Solutions of the same task that passed the same tests.
pub(crate) fn of_task(connection: &Connection, task: &str, checks: &str, limit: i64) -> Result<Vec<Lesson>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS} FROM lessons WHERE task_key = ?1 AND checks = ?2 AND kind = 'success' AND hidden = 0
             AND code IS NOT NULL {BEST_FIRST} LIMIT ?3"
    );
    all(connection, &sql, params![task_key(task).as_str(), checks, limit], read)
}

/// Those about an error.
pub(crate) fn of_error(connection: &Connection, signature: &str, limit: i64) -> Result<Vec<Lesson>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS} FROM lessons WHERE error_signature = ?1 AND hidden = 0 AND fix IS NOT NULL {BEST_FIRST} LIMIT ?2"
    );
    all(connection, &sql, params![signature, limit], read)
}

/// Those about this task or this error, whatever they say.
pub(crate) fn about(
    connection: &Connection,
    task: &str,
    signature: Option<&str>,
    limit: i64,
) -> Result<Vec<Lesson>, Failure> {
    let sql = format!(
        "SELECT {COLUMNS} FROM lessons WHERE (task_key = ?1 OR error_signature = ?2) AND hidden = 0 {BEST_FIRST} LIMIT ?3"
    );
    all(connection, &sql, params![task_key(task).as_str(), signature, limit], read)
}

/// Those of these ids that are there and not hidden, in any order.
pub(crate) fn named(connection: &Connection, ids: &[String]) -> Result<Vec<Lesson>, Failure> {
    let sql = format!("SELECT {COLUMNS} FROM lessons WHERE lessons.id = ?1 AND hidden = 0");
    let mut found = Vec::new();
    for id in ids {
        found.extend(one(connection, &sql, params![id], read)?);
    }
    Ok(found)
}

/// What a lesson is found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonText {
    /// The number of the change that said it.
    pub seq: i64,
    /// The lesson's id.
    pub id: String,
    /// Of a note all it says; of others the task and the error, for their code would drown both.
    pub text: String,
}

/// What lessons that are not hidden are found by, of those that changed after a number, oldest change first.
pub(crate) fn texts_since(connection: &Connection, seq: i64, limit: i64) -> Result<Vec<LessonText>, Failure> {
    let sql = "SELECT seq, id, task, error_signature, CASE kind WHEN 'note' THEN fix END AS said FROM lessons
               WHERE seq > ?1 AND hidden = 0 ORDER BY seq LIMIT ?2";
    all(connection, sql, params![seq, limit], read_text)
}

fn read_text(row: &Row<'_>) -> Result<LessonText, Failure> {
    let mut text: String = row.get("task")?;
    let parts: [Option<String>; 2] = [row.get("error_signature")?, row.get("said")?];
    for part in parts.into_iter().flatten().filter(|part| *part != text).collect::<Vec<_>>() {
        text.push('\n');
        text.push_str(&part);
    }
    Ok(LessonText { seq: row.get("seq")?, id: row.get("id")?, text })
}

fn read(row: &Row<'_>) -> Result<Lesson, Failure> {
    let kind: String = row.get("kind")?;
    Ok(Lesson {
        id: row.get("id")?,
        kind: LessonKind::parse(&kind).ok_or_else(|| Failure::Damaged(format!("`{kind}` is no kind of lesson")))?,
        task: row.get("task")?,
        error_signature: row.get("error_signature")?,
        code: row.get("code")?,
        fix: row.get("fix")?,
        outcome: row.get("outcome")?,
        run: row.get("run")?,
        created_at: Timestamp(row.get("created_at")?),
        used: row.get("used")?,
        helped: row.get("helped")?,
        hidden: row.get("hidden")?,
        imported: row.get("imported")?,
        checks: row.get("checks")?,
    })
}
