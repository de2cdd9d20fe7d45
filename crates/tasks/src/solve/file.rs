//! Writes a solution to the user's file: whole or not at all, and nowhere else.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use base::{Hash, Problem};
use flow::Run;
use serde_json::json;
use warehouse::unwritable;

use super::SolutionFile;

/// Writes it, as a step; done again after a crash, which changes nothing.
pub async fn write(run: &mut Run, file: &SolutionFile, text: &str) -> Result<(), Problem> {
    let input = json!({ "path": file.path, "sha256": Hash::of(text.as_bytes()) });
    let part = format!(".{}.{}.part", file.path.file_name().unwrap_or_default().to_string_lossy(), run.id());
    let effect = || async { replace(&file.path, &part, text).map_err(|error| unwritable(&file.path, &error)) };
    Ok(run.step("write", &input, effect).await?)
}

fn replace(path: &Path, part: &str, text: &str) -> io::Result<()> {
    // Where a link stands, the file it leads to is meant.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let part = path.with_file_name(part);
    let written = (|| {
        let mut file = File::create(&part)?;
        file.write_all(text.as_bytes())?;
        if let Ok(before) = fs::metadata(&path) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&part, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
