//! Finding runs: pages of a filtered list, and ids by their first or last digits.
//!
//! A row that cannot be read is named beside the others, so that one damaged run does not hide the rest. The statements
//! are plain SQL with numbered places; what was not asked for is bound as null.

use base::{RunId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::error::Failure;
use crate::read;
use crate::record::{RunState, RunSummary};
use crate::sql::{all, only};

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
    /// Adds what a row tells.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        match read::summary(row) {
            Ok(run) => self.runs.push(run),
            Err(_) => self.damaged.push(row.get("id").unwrap_or_else(|_| "?".to_string())),
        }
    }
}

/// Newest first, by the database's clock: an id is made before its run waits to be recorded.
pub(crate) fn page(connection: &Connection, filter: &Filter, limit: usize) -> Result<Page, Failure> {
    let states: String = filter.states.iter().map(|state| format!(",{},", state.as_str())).collect();
    let parameters = params![
        filter.before.as_ref().map(RunId::as_str),
        filter.task,
        filter.task.as_deref().map(versions_of),
        (!states.is_empty()).then_some(states),
        filter.since.map(|at| at.0),
        filter.until.map(|at| at.0),
        i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1),
    ];
    let mut statement = connection.prepare_cached(
        "SELECT id, task, state, mode, key, title, owner, created_at, finished_at FROM runs
         WHERE (?1 IS NULL OR (created_at, id) < (SELECT created_at, id FROM runs WHERE id = ?1))
           AND (?2 IS NULL OR task = ?2 OR task LIKE ?3 ESCAPE '!')
           AND (?4 IS NULL OR ?4 LIKE '%,' || state || ',%')
           AND (?5 IS NULL OR created_at >= ?5)
           AND (?6 IS NULL OR created_at < ?6)
         ORDER BY created_at DESC, id DESC LIMIT ?7",
    )?;
    let mut rows = statement.query(parameters)?;
    let (mut page, mut last, mut shown) = (Page::default(), None, 0);
    while let Some(row) = rows.next()? {
        if shown == limit {
            page.next = last;
            break;
        }
        page.add(row);
        // A damaged run can end a page as well as any other.
        last = row.get::<_, String>("id").ok().and_then(|id| RunId::parse(&id)).or(last);
        shown += 1;
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
pub(crate) fn matching(connection: &Connection, digits: &str, limit: usize) -> Result<Vec<RunId>, Failure> {
    let matching = "SELECT id FROM runs WHERE id LIKE ?1 OR id LIKE ?2 OR id LIKE ?3 ORDER BY id DESC LIMIT ?4";
    let [begins, ends] = [format!("{digits}%"), format!("%{digits}")];
    let of_the_last_eight = format!("{}{digits}%", "_".repeat(24));
    let parameters = params![begins, ends, of_the_last_eight, limit as i64];
    let ids: Vec<String> = all(connection, matching, parameters, |row| row.get(0))?;
    Ok(ids.iter().filter_map(|id| RunId::parse(id)).collect())
}

/// What time it is by the clock that runs are recorded with.
pub(crate) fn now(connection: &Connection) -> Result<Timestamp, Failure> {
    only(connection, "SELECT now_ms FROM clock", [], |row| row.get(0)).map(Timestamp)
}
