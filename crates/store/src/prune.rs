//! What may be deleted: runs that ended long ago, and files that no row names any more.

use std::collections::HashSet;

use base::{RunId, Timestamp};
use sqlx::SqliteConnection;

use crate::Page;
use crate::error::Failure;

/// Runs that ended before the moment, oldest end first, but for the latest `keep` of all that have ended. An imported
/// run counts from when it came in: who fetched an old run did it to look at it.
pub(crate) async fn outdated(
    connection: &mut SqliteConnection,
    finished_before: Timestamp,
    keep: usize,
) -> Result<Page, Failure> {
    let rows = sqlx::query(
        "WITH ended AS (
             SELECT id, CASE WHEN imported_at > finished_at THEN imported_at ELSE finished_at END AS at FROM runs
             WHERE state IN ('succeeded', 'failed', 'rejected', 'cancelled') AND finished_at IS NOT NULL
         )
         SELECT id, task, state, mode, key, title, owner, created_at, finished_at FROM runs
         WHERE id IN (SELECT id FROM ended WHERE at < $1)
           AND id NOT IN (SELECT id FROM ended ORDER BY at DESC, id DESC LIMIT $2)
         ORDER BY finished_at, id",
    )
    .bind(finished_before.0)
    .bind(i64::try_from(keep).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await?;
    Ok(Page::of(&rows))
}

/// The hash of every file that a row names, these runs' rows apart.
pub(crate) async fn named(connection: &mut SqliteConnection, without: &[RunId]) -> Result<HashSet<String>, Failure> {
    let without: HashSet<&str> = without.iter().map(RunId::as_str).collect();
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT CAST(run AS TEXT), CAST(sha256 AS TEXT) FROM artifacts
         UNION ALL SELECT CAST(run AS TEXT), CAST(output_artifact AS TEXT) FROM steps WHERE output_artifact IS NOT NULL
         UNION ALL SELECT CAST(id AS TEXT), CAST(output_artifact AS TEXT) FROM runs WHERE output_artifact IS NOT NULL",
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().filter(|(run, _)| !without.contains(run.as_str())).map(|(_, sha256)| sha256).collect())
}
