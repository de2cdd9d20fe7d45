//! Run ids: UUID version 7, so that they sort by the time they were made.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::read_word;

/// The name of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("pattern" = "^[0-9a-f]{32}$"))]
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

    /// The last eight digits, which tell runs apart in a list: the first ones are the time.
    pub fn short(&self) -> &str {
        &self.0[self.0.len() - 8..]
    }
}

/// Refuses an id in any other spelling than its own, though people may type it so.
impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunId, D::Error> {
        read_word(deserializer, "run's id", |text| RunId::parse(text).filter(|id| id.as_str() == text))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_may_type_it_as_they_like_and_documents_have_one_spelling() {
        let id = RunId::fresh();
        let typed = id.as_str().to_uppercase();
        assert_eq!(RunId::parse(&typed), Some(id.clone()));
        let read = |text: &str| serde_json::from_value::<RunId>(serde_json::Value::from(text)).ok();
        assert_eq!(read(id.as_str()), Some(id));
        assert_eq!((read(&typed), read("../../run"), read("")), (None, None, None));
    }
}
