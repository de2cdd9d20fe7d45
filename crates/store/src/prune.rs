//! What may be deleted: runs that ended long ago, and files that no row names any more.

use std::collections::HashSet;

use base::{RunId, Timestamp};
use rusqlite::{Connection, params};

use crate::Page;
use crate::error::Failure;
use crate::sql::all;

/// Runs that ended before the moment, oldest end first, but for the latest `keep` of all that have ended. An imported
/// run counts from when it came in: who fetched an old run did it to look at it.
pub(crate) fn outdated(connection: &Connection, finished_before: Timestamp, keep: usize) -> Result<Page, Failure> {
    let outdated = "WITH ended AS (
             SELECT id, CASE WHEN imported_at > finished_at THEN imported_at ELSE finished_at END AS at FROM runs
             WHERE state IN ('succeeded', 'failed', 'rejected', 'cancelled') AND finished_at IS NOT NULL
         )
         SELECT id, task, state, mode, key, title, owner, created_at, finished_at FROM runs
         WHERE id IN (SELECT id FROM ended WHERE at < ?1)
           AND id NOT IN (SELECT id FROM ended ORDER BY at DESC, id DESC LIMIT ?2)
         ORDER BY finished_at, id";
    let parameters = params![finished_before.0, i64::try_from(keep).unwrap_or(i64::MAX)];
    let mut page = Page::default();
    all(connection, outdated, parameters, |row| {
        page.add(row);
        Ok::<_, Failure>(())
    })?;
    Ok(page)
}

/// The hash of every file that a row names, these runs' rows apart.
pub(crate) fn named(connection: &Connection, without: &[RunId]) -> Result<HashSet<String>, Failure> {
    let without: HashSet<&str> = without.iter().map(RunId::as_str).collect();
    let named = "SELECT CAST(run AS TEXT), CAST(sha256 AS TEXT) FROM artifacts
         UNION ALL SELECT CAST(run AS TEXT), CAST(output_artifact AS TEXT) FROM steps WHERE output_artifact IS NOT NULL
         UNION ALL SELECT CAST(id AS TEXT), CAST(output_artifact AS TEXT) FROM runs WHERE output_artifact IS NOT NULL";
    let rows: Vec<(String, String)> = all(connection, named, [], |row| row.try_into())?;
    Ok(rows.into_iter().filter(|(run, _)| !without.contains(run.as_str())).map(|(_, sha256)| sha256).collect())
}
