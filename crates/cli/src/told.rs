//! What people have been told already: how the files of a dataset were read is said once for each version.

use std::fs::{self, OpenOptions};
use std::path::Path;

/// More versions are no longer remembered, and told anew.
const VERSIONS_MAX: usize = 1_000;

/// Whether the remarks on this version were not told before; from now on they were. Where that cannot be kept they are told
/// again.
pub fn is_first_time(data_dir: &Path, version: &str) -> bool {
    let told = data_dir.join("told");
    let name: String = version.chars().filter(char::is_ascii_alphanumeric).collect();
    if fs::read_dir(&told).is_ok_and(|entries| entries.count() >= VERSIONS_MAX) {
        let _ = fs::remove_dir_all(&told);
    }
    let _ = fs::create_dir_all(&told);
    let made = OpenOptions::new().write(true).create_new(true).open(told.join(name));
    !made.is_err_and(|error| error.kind() == std::io::ErrorKind::AlreadyExists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_once_and_one_that_cannot_be_kept_again() {
        let data = tempfile::tempdir().expect("a directory");
        assert!(is_first_time(data.path(), "sha256:ab"));
        assert!(!is_first_time(data.path(), "sha256:ab"));
        assert!(is_first_time(data.path(), "sha256:cd"));
        let file = data.path().join("told").join("sha256ab");
        assert!(is_first_time(&file, "x") && is_first_time(&file, "x"));
    }
}
