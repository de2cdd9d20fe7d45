//! Values that have one spelling: how they are read back, and how text that is none of them is shown.

use serde::de::{Deserialize, Deserializer, Error};

/// Reads a value from its spelling. What `parse` does not take is refused as being no such `kind`.
pub fn read_word<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    kind: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| D::Error::custom(format!("`{}` is no {kind}", shown(&text))))
}

/// A stranger's text as it may stand in a message: cut short, and nothing in it that a terminal would obey.
pub fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 100;
    let start: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() { start + "…" } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_text_cannot_reach_the_terminal_raw() {
        assert_eq!(shown("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(shown(&"x".repeat(101)), "x".repeat(100) + "…");
    }
}
