//! What tells one failure from another, whatever the names, numbers and paths in it.

/// The signature of an error, of which the first line counts.
pub fn signature(error: &str) -> String {
    let line = error.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}
