//! Statements and their rows: prepared once for each connection, read strictly.

use rusqlite::{Connection, Params, Row};

use crate::error::Failure;

/// How many prepared statements a connection keeps: all there are.
pub(crate) const STATEMENTS_MAX: usize = 64;

/// Makes a change; says how many rows it touched.
pub(crate) fn execute(connection: &Connection, sql: &str, parameters: impl Params) -> Result<usize, Failure> {
    Ok(connection.prepare_cached(sql)?.execute(parameters)?)
}

/// The first row, if there is one.
pub(crate) fn one<T, E>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, E>,
) -> Result<Option<T>, Failure>
where
    Failure: From<E>,
{
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let row = rows.next()?;
    row.map(read).transpose().map_err(Failure::from)
}

/// The first row of a statement that always gives one.
pub(crate) fn only<T, E>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, E>,
) -> Result<T, Failure>
where
    Failure: From<E>,
{
    one(connection, sql, parameters, read)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
}

/// Every row.
pub(crate) fn all<T, E>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T, E>,
) -> Result<Vec<T>, Failure>
where
    Failure: From<E>,
{
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}
