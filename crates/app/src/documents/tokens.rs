//! Documents about tokens: one that was just made, those there are, and one that was revoked.

use base::{Document, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::tokens::Scope;

/// A token that was just made. It is told once: what is kept of it is its digest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Token {
    /// Its public part, by which it is revoked.
    pub id: String,
    /// What its maker calls it.
    pub name: String,
    /// Whom it stands for.
    pub owner: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// From when on it is worth nothing; null means never.
    pub expires_at: Option<Timestamp>,
    /// What a caller sends.
    pub token: String,
}

impl Document for Token {
    const KIND: &'static str = "token";
}

/// Every token there ever was, the newest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tokens {
    /// Without what a caller sends.
    pub tokens: Vec<ListedToken>,
}

impl Document for Tokens {
    const KIND: &'static str = "tokens";
}

/// What a list shows of a token.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedToken {
    /// Its public part, by which it is revoked.
    pub id: String,
    /// What its maker calls it.
    pub name: String,
    /// Whom it stands for.
    pub owner: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is worth nothing; null means never.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A token that is worth nothing any more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenRevoked {
    /// Which.
    pub id: String,
}

impl Document for TokenRevoked {
    const KIND: &'static str = "token_revoked";
}
