//! A key that cannot be printed by mistake.

use std::fmt;

/// A provider's key. It is shown as `[key]` and has no form in JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key as it was found; the line end of a file is no part of it.
    pub fn new(key: impl Into<String>) -> Secret {
        Secret(key.into().trim().to_string())
    }

    /// The key itself, for the header that it is sent in.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text without the key. To be called before the text is cut, or half a key would remain.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_string() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[key]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[key]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Secret::new("canary\n");
        assert_eq!(format!("{key} {key:?} {key:#?}"), "[key] [key] [key]");
        assert_eq!((key.expose(), key.redact("a canary b").as_str()), ("canary", "a [key] b"));
        assert_eq!(Secret::new(" ").redact("as it was"), "as it was");
    }
}
