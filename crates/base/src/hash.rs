//! SHA-256 in the one spelling the machine interface uses: 64 lower-case hex digits.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::Digest as _;

use crate::read_word;

/// A SHA-256 digest, spelled as 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
pub struct Hash(String);

impl Hash {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        let mut digest = Digest::new();
        digest.update(bytes);
        digest.finish()
    }

    /// The digest of a value's JSON with every object's fields sorted, so that equal values have equal digests whatever
    /// order their fields were written in.
    pub fn of_json(value: &Value) -> Hash {
        Hash::of(sorted(value).to_string().as_bytes())
    }

    /// Reads a digest back; `None` unless it is 64 lower-case hex digits.
    pub fn parse(text: &str) -> Option<Hash> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (text.len() == 64 && text.bytes().all(hex)).then(|| Hash(text.to_string()))
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for names that people read.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        scalar => scalar.clone(),
    }
}

/// Refuses whatever [`Hash::parse`] does not take.
impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        read_word(deserializer, "hash", Hash::parse)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A digest in the making. Parts are length-prefixed by [`Digest::part`], so that ("ab","c") and ("a","bc") differ.
#[derive(Default)]
pub struct Digest(sha2::Sha256);

impl Digest {
    /// An empty digest.
    pub fn new() -> Digest {
        Digest::default()
    }

    /// Adds raw bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds one delimited part.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// The finished hash.
    pub fn finish(self) -> Hash {
        use fmt::Write;
        let bytes = self.0.finalize();
        let mut text = String::with_capacity(64);
        for byte in bytes {
            write!(text, "{byte:02x}").expect("writing to a string cannot fail");
        }
        Hash(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_fields_does_not_count_and_that_of_items_does() {
        let hash = |text: &str| Hash::of_json(&serde_json::from_str(text).expect("JSON"));
        assert_eq!(hash(r#"[{ "a": 1, "b": { "c": 2, "d": 3 } }]"#), hash(r#"[{ "b": { "d": 3, "c": 2 }, "a": 1 }]"#));
        assert_ne!(hash("[1, 2]"), hash("[2, 1]"));
        assert_ne!(hash("1"), hash("\"1\""));
    }

    #[test]
    fn the_published_vector_holds() {
        let hash = Hash::of(b"abc");
        assert_eq!(hash.as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Hash::parse(hash.as_str()), Some(hash));
    }

    #[test]
    fn only_its_own_spelling_is_read_back() {
        let hash = Hash::of(b"abc");
        assert_eq!(serde_json::from_value::<Hash>(Value::from(hash.as_str())).expect("a hash"), hash);
        for wrong in [hash.as_str().to_uppercase(), hash.as_str()[1..].to_string(), String::new()] {
            let error = serde_json::from_value::<Hash>(Value::from(wrong.as_str())).expect_err(&wrong);
            assert_eq!(error.to_string(), format!("`{wrong}` is no hash"));
        }
    }

    #[test]
    fn parts_are_delimited() {
        let of = |parts: &[&str]| {
            let mut digest = Digest::new();
            parts.iter().for_each(|part| digest.part(part.as_bytes()));
            digest.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }
}
