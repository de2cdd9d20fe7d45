//! Tokens by which callers of a server are known: what is kept of one is its digest, never the token.
//!
//! A token that was revoked stays as a row, so that a server which once asked for one does not open again.

use base::{Hash, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::error::Failure;
use crate::sql::{all, execute, one, only};

/// What is kept of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its public part.
    pub id: String,
    /// What its maker calls it.
    pub name: String,
    /// Whom it stands for.
    pub owner: String,
    /// What it allows, words with a space between them.
    pub scopes: String,
    /// The digest of the whole token.
    pub sha256: Hash,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is worth nothing.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Writes a token down; its times are by the database's clock.
pub(crate) fn create(connection: &Connection, token: &TokenRecord, lasts_ms: Option<i64>) -> Result<(), Failure> {
    execute(
        connection,
        "INSERT INTO tokens (id, name, owner, scopes, sha256, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, (SELECT now_ms FROM clock), (SELECT now_ms FROM clock) + ?6)",
        params![&token.id, &token.name, &token.owner, &token.scopes, token.sha256.as_str(), lasts_ms],
    )?;
    Ok(())
}

/// Makes a token worth nothing; says whether it was worth something.
pub(crate) fn revoke(connection: &Connection, id: &str) -> Result<usize, Failure> {
    let revoked = "UPDATE tokens SET revoked_at = (SELECT now_ms FROM clock) WHERE id = ?1 AND revoked_at IS NULL";
    execute(connection, revoked, params![id])
}

const COLUMNS: &str = "id, name, owner, scopes, sha256, created_at, expires_at, revoked_at";

/// Every token there ever was, the newest first.
pub(crate) fn every(connection: &Connection) -> Result<Vec<TokenRecord>, Failure> {
    let listed = format!("SELECT {COLUMNS} FROM tokens ORDER BY created_at DESC, id");
    Ok(all(connection, &listed, [], record)?.into_iter().flatten().collect())
}

/// The token of that id, if it is worth something now.
pub(crate) fn valid(connection: &Connection, id: &str) -> Result<Option<TokenRecord>, Failure> {
    let found = format!(
        "SELECT {COLUMNS} FROM tokens WHERE id = ?1 AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > (SELECT now_ms FROM clock))"
    );
    one(connection, &found, params![id], record).map(Option::flatten)
}

/// Whether there ever was one.
pub(crate) fn any(connection: &Connection) -> Result<bool, Failure> {
    only(connection, "SELECT EXISTS (SELECT 1 FROM tokens)", [], |row| row.get(0))
}

/// A row whose digest is none stands for no token.
fn record(row: &Row<'_>) -> Result<Option<TokenRecord>, Failure> {
    let Some(sha256) = Hash::parse(&row.get::<_, String>("sha256")?) else { return Ok(None) };
    Ok(Some(TokenRecord {
        id: row.get("id")?,
        name: row.get("name")?,
        owner: row.get("owner")?,
        scopes: row.get("scopes")?,
        sha256,
        created_at: Timestamp(row.get("created_at")?),
        expires_at: row.get::<_, Option<i64>>("expires_at")?.map(Timestamp),
        revoked_at: row.get::<_, Option<i64>>("revoked_at")?.map(Timestamp),
    }))
}
