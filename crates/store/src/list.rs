//! Finding runs: pages of a filtered list, and ids by their first or last digits.
//!
//! A row that cannot be read is named beside the others, so that one damaged run does not hide the rest. The statements
//! are plain SQL with numbered places; what was not asked for is bound as null.

use base::{RunId, Timestamp};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::error::Failure;
use crate::read;
use crate::record::{RunState, RunSummary};

/// Which runs a list shows; what is empty lets every run through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// A task's registered name, `ask/1`, or the name without its version, `ask`.
    pub task: Option<String>,
    /// Any of these.
    pub states: Vec<RunState>,
    /// Created then or later.
    pub since: Option<Timestamp>,
    /// Created before.
    pub until: Option<Timestamp>,
    /// Only runs older than this one.
    pub before: Option<RunId>,
}

/// Some runs of a list.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// In the order of the list.
    pub runs: Vec<RunSummary>,
    /// The ids of runs whose rows cannot be read.
    pub damaged: Vec<String>,
    /// The last of this page, if there are more after it.
    pub next: Option<RunId>,
}

impl Page {
    /// Reads what can be read.
    pub(crate) fn of(rows: &[SqliteRow]) -> Page {
        let mut page = Page::default();
        for row in rows {
            match read::summary(row) {
                Ok(run) => page.runs.push(run),
                Err(_) => page.damaged.push(row.try_get("id").unwrap_or_else(|_| "?".to_string())),
            }
        }
        page
    }
}

/// Newest first: ids sort by the time they were made.
pub(crate) async fn page(connection: &mut SqliteConnection, filter: &Filter, limit: usize) -> Result<Page, Failure> {
    let states: String = filter.states.iter().map(|state| format!(",{},", state.as_str())).collect();
    let rows = sqlx::query(
        "SELECT id, task, state, mode, key, title, owner, created_at, finished_at FROM runs
         WHERE ($1 IS NULL OR id < $1)
           AND ($2 IS NULL OR task = $2 OR task LIKE $3 ESCAPE '!')
           AND ($4 IS NULL OR $4 LIKE '%,' || state || ',%')
           AND ($5 IS NULL OR created_at >= $5)
           AND ($6 IS NULL OR created_at < $6)
         ORDER BY id DESC LIMIT $7",
    )
    .bind(filter.before.as_ref().map(RunId::as_str))
    .bind(&filter.task)
    .bind(filter.task.as_deref().map(versions_of))
    .bind((!states.is_empty()).then_some(states))
    .bind(filter.since.map(|at| at.0))
    .bind(filter.until.map(|at| at.0))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1))
    .fetch_all(connection)
    .await?;
    let shown = &rows[..rows.len().min(limit)];
    let mut page = Page::of(shown);
    if rows.len() > limit {
        // A damaged run can end a page as well as any other.
        page.next = shown.iter().rev().find_map(|row| RunId::parse(row.try_get("id").ok()?));
    }
    Ok(page)
}

/// The pattern of a task's name in any version.
fn versions_of(task: &str) -> String {
    let mut pattern = String::with_capacity(task.len() + 2);
    for letter in task.chars() {
        if matches!(letter, '!' | '%' | '_') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern + "/%"
}

/// Runs whose id begins or ends with these hexadecimal digits, newest first.
pub(crate) async fn matching(
    connection: &mut SqliteConnection,
    digits: &str,
    limit: usize,
) -> Result<Vec<RunId>, Failure> {
    let ids: Vec<String> =
        sqlx::query_scalar("SELECT id FROM runs WHERE id LIKE $1 OR id LIKE $2 ORDER BY id DESC LIMIT $3")
            .bind(format!("{digits}%"))
            .bind(format!("%{digits}"))
            .bind(limit as i64)
            .fetch_all(connection)
            .await?;
    Ok(ids.iter().filter_map(|id| RunId::parse(id)).collect())
}

/// What time it is by the clock that runs are recorded with.
pub(crate) async fn now(connection: &mut SqliteConnection) -> Result<Timestamp, Failure> {
    Ok(Timestamp(sqlx::query_scalar("SELECT now_ms FROM clock").fetch_one(connection).await?))
}
