//! Fetches a Python package as the file it is, by the same pip that makes environments, so that its settings apply.
//!
//! Nothing of the package is installed or executed: what is in the file is for whoever asked to look at, as data.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use base::{Code, Problem};
use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::environment::{EnvironmentOptions, find_python};

const STDERR_BYTES_MAX: u64 = 1 << 20;

/// Fetches a package, `NAME==VERSION`, into a folder; gives its file.
pub async fn fetch_package(options: &EnvironmentOptions, wanted: &str, folder: &Path) -> Result<PathBuf, Problem> {
    let failed = |why: String| {
        Problem::new(Code::EnvironmentMissing, format!("the package {wanted} cannot be fetched: {why}"))
            .hint("check that this machine reaches a package index and that Python has pip, then try again")
    };
    let finding = options.clone();
    let python = tokio::task::spawn_blocking(move || find_python(&finding)).await;
    let python = python.map_err(|error| failed(error.to_string()))??;
    let mut pip = Command::new(&python.command)
        // Isolated: a file `pip.py` in the current directory is not our pip.
        .args(["-I", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input", "--no-cache-dir"])
        .args(["--disable-pip-version-check", "--progress-bar", "off", "--quiet", "--dest"])
        .arg(folder)
        .arg(wanted)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed(format!("pip cannot be started: {error}")))?;
    let mut said = Vec::new();
    if let Some(stderr) = pip.stderr.take() {
        let _ = stderr.take(STDERR_BYTES_MAX).read_to_end(&mut said).await;
    }
    let status = pip.wait().await.map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        let said = String::from_utf8_lossy(&said);
        let reason = said.lines().rev().find(|line| line.contains("rror") || line.contains("No module"));
        return Err(failed(reason.unwrap_or("pip gives no reason").trim().to_string()));
    }
    let entries = fs::read_dir(folder).map_err(|error| failed(error.to_string()))?;
    // By its name, because the pip of somebody who was killed may still bring another.
    let begins = format!("{}-", wanted.replace('-', "_").replace("==", "-"));
    let mut files = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&begins));
    files.next().map(|entry| entry.path()).ok_or_else(|| failed("pip left no file".to_string()))
}
