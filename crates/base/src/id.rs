//! Run ids: UUID version 7, so that they sort by the time they were made.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    /// A fresh id.
    pub fn fresh() -> RunId {
        RunId(uuid::Uuid::now_v7().simple().to_string())
    }

    /// Reads an id as people type it; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<RunId> {
        uuid::Uuid::try_parse(text).ok().map(|id| RunId(id.simple().to_string()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
