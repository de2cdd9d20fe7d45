//! Tokens: whom a caller stands for and what it may do.
//!
//! ```text
//! assay_<id>_<secret>      the id finds the row, the digest of the whole is compared in constant time
//! ```
//! Invariants
//! - A token is told once, when it is made, and kept nowhere.
//! - An owner's name is a plain file name, because what an owner made lies in a folder of that name.

use std::io::Read;
use std::time::Duration;

use base::{Code, Hash, Problem, Timestamp};
use flow::{Store, TokenRecord};
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::tokens::{ListedToken, Token, Tokens};

/// The owner of what is made on the command line, and of tokens that name no other.
pub const LOCAL: &str = "local";

const PREFIX: &str = "assay";
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;
const NAME_CHARACTERS_MAX: usize = 80;
const OWNER_BYTES_MAX: usize = 64;
/// A century.
const LASTS_MAX: Duration = Duration::from_secs(36_500 * 24 * 60 * 60);

/// What a token allows; each allows what stands before it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Look at datasets, runs, threads and notes.
    Read,
    /// Ask, run statements and programs, and stop them.
    Ask,
    /// Add and remove datasets, write and forget notes and threads.
    Write,
    /// See how the server is set up and how it does.
    Admin,
}

impl Scope {
    /// Every one, from the least.
    pub const ALL: [Scope; 4] = [Scope::Read, Scope::Ask, Scope::Write, Scope::Admin];

    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Ask => "ask",
            Scope::Write => "write",
            Scope::Admin => "admin",
        }
    }

    /// By its word.
    pub fn parse(word: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A token to make.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What its maker calls it.
    pub name: String,
    /// Whom it stands for; [`LOCAL`] if nobody is named.
    pub owner: Option<String>,
    /// What it allows; all but administration if nothing is said.
    pub scopes: Vec<Scope>,
    /// How long it is worth something; always, if nothing is said.
    pub lasts: Option<Duration>,
}

/// Whom a caller stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// The owner.
    pub owner: String,
    /// The most that is allowed.
    pub scope: Scope,
}

/// Makes a token.
pub async fn create(store: &Store, wanted: Wanted) -> Result<Token, Problem> {
    let usage = |message: String, hint: &str| Problem::new(Code::Usage, message).hint(hint);
    let name = wanted.name.trim().to_string();
    if !(1..=NAME_CHARACTERS_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        let message = format!("a token's name has 1 to {NAME_CHARACTERS_MAX} characters");
        return Err(usage(message, "call it after who or what uses it"));
    }
    let owner = wanted.owner.unwrap_or_else(|| LOCAL.to_string());
    if !is_owner(&owner) {
        let hint = "use small letters, digits, `-` and `_`, beginning with a letter or digit";
        return Err(usage(format!("`{}` cannot be an owner's name", base::shown(&owner)), hint));
    }
    if wanted.lasts.is_some_and(|lasts| lasts.is_zero() || lasts > LASTS_MAX) {
        return Err(usage("a token lasts at least a second and at most a century".to_string(), "give it as 30d"));
    }
    let mut scopes = wanted.scopes;
    if scopes.is_empty() {
        scopes = vec![Scope::Read, Scope::Ask, Scope::Write];
    }
    scopes.sort();
    scopes.dedup();
    let (id, secret) = (random::<ID_BYTES>()?, random::<SECRET_BYTES>()?);
    let token = format!("{PREFIX}_{id}_{secret}");
    let words: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let record = TokenRecord {
        id: id.clone(),
        name: name.clone(),
        owner: owner.clone(),
        scopes: words.join(" "),
        sha256: Hash::of(token.as_bytes()),
        created_at: Timestamp(0),
        expires_at: None,
        revoked_at: None,
    };
    let lasts_ms = wanted.lasts.map(|lasts| i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX));
    store.create_token(record, lasts_ms).await?;
    let kept = store.valid_token(&id).await?;
    Ok(Token { id, name, owner, scopes, expires_at: kept.and_then(|token| token.expires_at), token })
}

/// Every token there ever was.
pub async fn list(store: &Store) -> Result<Tokens, Problem> {
    let listed = |token: TokenRecord| ListedToken {
        scopes: scopes_of(&token),
        id: token.id,
        name: token.name,
        owner: token.owner,
        created_at: token.created_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
    };
    Ok(Tokens { tokens: store.tokens().await?.into_iter().map(listed).collect() })
}

/// Makes a token worth nothing.
pub async fn revoke(store: &Store, id: &str) -> Result<(), Problem> {
    if store.revoke_token(id).await? {
        return Ok(());
    }
    Err(Problem::new(Code::TokenInvalid, format!("there is no token `{}` that is worth something", base::shown(id)))
        .hint("list the tokens to see their ids"))
}

/// Whom a token stands for, if it is worth something.
pub async fn bearer(store: &Store, token: &str) -> Result<Option<Bearer>, Problem> {
    let mut parts = token.split('_');
    let (Some(PREFIX), Some(id), Some(secret), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Ok(None);
    };
    if id.len() != 2 * ID_BYTES || secret.len() != 2 * SECRET_BYTES {
        return Ok(None);
    }
    let Some(kept) = store.valid_token(id).await? else { return Ok(None) };
    let is_it = same(Hash::of(token.as_bytes()).as_str().as_bytes(), kept.sha256.as_str().as_bytes());
    let scope = scopes_of(&kept).into_iter().max().unwrap_or(Scope::Read);
    Ok(is_it.then_some(Bearer { owner: kept.owner, scope }))
}

/// Whether a text can be an owner's name.
pub fn is_owner(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=OWNER_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| is_plain(byte) || matches!(byte, b'-' | b'_'))
        && text.bytes().next().is_some_and(is_plain)
}

fn scopes_of(token: &TokenRecord) -> Vec<Scope> {
    token.scopes.split(' ').filter_map(Scope::parse).collect()
}

/// Takes as long for any two texts of that length.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// So many bytes of the system's randomness, as hexadecimal digits.
fn random<const BYTES: usize>() -> Result<String, Problem> {
    let mut bytes = [0; BYTES];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes));
    read.map_err(|error| {
        Problem::new(Code::Internal, format!("the system gives no random bytes: {error}")).hint("look at /dev/urandom")
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owners_name_is_a_plain_file_name() {
        for right in ["a", "local", "team-1", "x_y", "1a"] {
            assert!(is_owner(right), "{right}");
        }
        let long = "x".repeat(OWNER_BYTES_MAX + 1);
        for wrong in ["", ".", "..", "a/b", "A", "-a", "_a", "a b", "ä", &long] {
            assert!(!is_owner(wrong), "{wrong}");
        }
    }

    #[test]
    fn equal_texts_are_equal_and_others_are_not() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd") && !same(b"abc", b"ab") && !same(b"bbc", b"abc"));
    }
}
